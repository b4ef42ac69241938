"""Limits of a target as data, and the occupancy that they leave: registers, LDS and threads against waves on a SIMD."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one compute unit and one workgroup may have."""

    target: str
    lanes: int
    """Lanes of a wave."""
    lds_bytes: int
    """LDS of a compute unit, which is also the most that one workgroup may have."""
    threads: int
    """Most threads of a workgroup."""
    simds: int
    """SIMDs of a compute unit."""
    waves: int
    """Most waves on a SIMD."""
    registers: int
    """32-bit registers of a lane on a SIMD, vector and accumulation ones together, that its waves share."""
    registers_per_wave: int
    """Most registers of one wave, both kinds together."""
    register_granule: int
    """Registers are handed out in multiples of this."""


GFX942 = Limits("gfx942", 64, 65536, 1024, 4, 8, 512, 512, 8)

TARGETS = {GFX942.target: GFX942}


def excess(limits: Limits, *, lds_bytes: int = 0, threads: int = 1, registers: int = 0) -> tuple[str, ...]:
    """What a workgroup asks for beyond the limits, one line each; empty if it fits."""
    asked = (
        (lds_bytes, limits.lds_bytes, "bytes of LDS"),
        (threads, limits.threads, "threads in a workgroup"),
        (registers, limits.registers_per_wave, "registers in a wave"),
    )
    return tuple(f"{n} {what}, {limits.target} has {most}" for n, most, what in asked if n > most)


def waves_by_registers(limits: Limits, registers: int) -> int:
    """Waves on a SIMD that the registers of one wave allow; 0 if it has more than a wave may have."""
    granule = limits.register_granule
    held = max(granule, -(-registers // granule) * granule)
    return 0 if held > limits.registers_per_wave else min(limits.waves, limits.registers // held)


def occupancy(limits: Limits, *, waves: int, registers: int, lds_bytes: int) -> int:
    """Waves on a SIMD, rounded down, for workgroups of so many waves; 0 if not even one workgroup fits."""
    if waves < 1 or registers < 0 or lds_bytes < 0:
        raise ValueError(f"a workgroup has at least one wave and no negative sizes, not {waves}, {registers}, {lds_bytes}")
    if excess(limits, lds_bytes=lds_bytes, threads=waves * limits.lanes, registers=registers):
        return 0
    groups = waves_by_registers(limits, registers) * limits.simds // waves
    if lds_bytes:
        groups = min(groups, limits.lds_bytes // lds_bytes)
    return groups * waves // limits.simds
