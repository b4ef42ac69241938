"""LDS of gfx942: which lanes an access serves together, and the clocks that a wave's access takes.

Bank of a byte: its dword modulo 32. A wave's access is cut into phases; only lanes of one phase conflict, and lanes that
touch the same dword do not. A phase takes as many clocks as the most different dwords on one bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BANKS = 32
BANK_BYTES = 4
LANES = 64

_READ_B128 = ((0, 20), (4, 16), (8, 28), (12, 24))
"""First lanes of the two runs of four lanes that a phase of the lower half wave has."""


@dataclass(frozen=True, slots=True)
class Access:
    """How an instruction is served."""

    name: str
    bytes: int
    """Bytes of one lane."""
    phases: tuple[tuple[int, ...], ...]
    """Lanes that are served together."""
    measured: bool
    """False where the phases follow from the width alone and no measurement on this target is known."""


def _consecutive(lanes: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(range(first, first + lanes)) for first in range(0, LANES, lanes))


def _read_b128() -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(half + first + i for first in runs for i in range(4)) for half in (0, LANES // 2) for runs in _READ_B128)


ACCESSES = {
    access.name: access
    for access in (
        Access("ds_write_b128", 16, _consecutive(8), True),
        Access("ds_read_b128", 16, _read_b128(), True),
        Access("ds_write_b64", 8, _consecutive(16), True),
        Access("ds_read_b64", 8, _consecutive(16), False),
        Access("ds_write_b32", 4, _consecutive(32), False),
        Access("ds_read_b32", 4, _consecutive(32), False),
    )
}


def phase_clocks(access: Access, addresses: Sequence[int | None]) -> tuple[int, ...]:
    """Clocks of each phase; an address is the first byte of a lane's data, None a lane that does not take part."""
    if len(addresses) != LANES:
        raise ValueError(f"a wave has {LANES} lanes, not {len(addresses)}")
    for lane, address in enumerate(addresses):
        if address is not None and (address < 0 or address % BANK_BYTES):
            raise ValueError(f"lane {lane} accesses byte {address}, which is no dword of LDS")
    return tuple(_clocks(access, [a for lane in phase if (a := addresses[lane]) is not None]) for phase in access.phases)


def _clocks(access: Access, addresses: Sequence[int]) -> int:
    dwords = {address // BANK_BYTES + i for address in addresses for i in range(access.bytes // BANK_BYTES)}
    banks = [0] * BANKS
    for dword in dwords:
        banks[dword % BANKS] += 1
    return max(banks)


def clocks(access: Access, addresses: Sequence[int | None]) -> int:
    """Clocks of the whole access of a wave."""
    return sum(phase_clocks(access, addresses))


def ideal_clocks(access: Access) -> int:
    """Clocks of an access without conflicts, all lanes on different dwords."""
    return len(access.phases)
