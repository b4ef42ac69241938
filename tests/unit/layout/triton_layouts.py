"""Triton's own layout functions, asked for the same layouts: the oracle of these tests."""

from __future__ import annotations

from functools import cache

from triton._C.libtriton import gluon_ir, ir
from triton.experimental.gluon.language import _layouts as gluon
from triton.experimental.gluon.language.amd._layouts import AMDMFMALayout

from argus_smt.layout.distributed import Blocked, Distributed, DotOperand, Linear, Mfma, Slice
from argus_smt.layout.shared import Padded, Swizzled


@cache
def context() -> ir.context:
    """Kept as long as the builder, which does not own it."""
    made = ir.context()
    ir.load_dialects(made)
    return made


@cache
def builder() -> gluon_ir.GluonOpBuilder:
    return gluon_ir.GluonOpBuilder(context())


def theirs(layout: Distributed | Swizzled | Padded, shape: list[int]):
    match layout:
        case Blocked(size, lanes, waves, order):
            return gluon.BlockedLayout(list(size), list(lanes), list(waves), list(order))
        case Mfma(m, transposed, waves, bits):
            k = 4 if bits == 64 else 256 // m
            return AMDMFMALayout(3, [m, m, k], transposed, list(waves), bits)
        case DotOperand(operand, parent, k_width):
            return gluon.DotOperandLayout(operand, theirs(parent, shape), k_width)
        case Slice(axis, parent):
            return gluon.SliceLayout(axis, theirs(parent, shape))
        case Linear(registers, lanes, waves, programs):
            lists = [[list(b) for b in group] for group in (registers, lanes, waves, programs)]
            return gluon.DistributedLinearLayout(*lists, shape)
        case Swizzled(vec, per_phase, max_phase, order):
            return gluon.SwizzledSharedLayout(vec, per_phase, max_phase, list(order))
        case Padded(paddings, bases):
            return gluon.PaddedSharedLayout([list(p) for p in paddings], [list(b) for b in bases], [], shape)


def attribute(layout: Distributed | Swizzled | Padded, shape: list[int]):
    return theirs(layout, shape)._to_ir(builder())


def thread_bases(layout: Distributed, shape: list[int]) -> dict[str, list[list[int]]]:
    found = builder().to_linear_layout(attribute(layout, shape), shape)
    return {"register": found.reg_bases, "lane": found.lane_bases, "wave": found.warp_bases, "program": found.block_bases}


def offset_bases(layout: Swizzled, shape: list[int]) -> list[list[int]]:
    return builder().to_linear_layout(attribute(layout, shape), shape).offset_bases


def conflicts(distributed: Distributed, shared: Swizzled | Padded, shape: list[int], bits: int) -> int:
    return builder().get_shared_bank_conflicts(attribute(distributed, shape), attribute(shared, shape), shape, bits)
