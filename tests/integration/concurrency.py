"""The concurrency suite: for each file of `tests/cases/concurrency` small arguments, and what is wrong with its `bug`.

Every file has two launchers, `ok` and `bug`, each with its signature beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.oracle.jobs import Argument, TensorArg

CASES = Path(__file__).resolve().parents[1] / "cases" / "concurrency"
CODES = {
    "ww": {"AR401"}, "rw": {"AR402"}, "lane": {"AR403"}, "hazard": {"AR404"}, "stuck": {"AR406"},
    "handover": {"AR406"}, "unwritten": {"AR411"}, "uninit": {"AR304"},
}  # fmt: skip
"""What Argus calls each kind of fault that the oracle sees."""
GROUP_OF = {
    "AR401": "races", "AR402": "races", "AR403": "races", "AR404": "order", "AR406": "order",
    "AR411": "coverage", "AR412": "coverage", "AR304": "init",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """`kinds` of faults that the oracle sees in `bug`. Argus must report at least `codes`.

    `ok` gets the arguments of `bug` where none are given.
    """

    bug: tuple[Argument, ...]
    kinds: tuple[str, ...]
    codes: tuple[str, ...]
    ok: tuple[Argument, ...] = ()


def floats(*shape: int) -> TensorArg:
    """A float tensor of about ones."""
    return TensorArg("f32", shape, seed=3)


def ints(*shape: int, high: int = 9) -> TensorArg:
    """An integer tensor of numbers up to `high`."""
    return TensorArg("i32", shape, low=0, high=high, seed=5)


def listed(*values: int) -> TensorArg:
    """An integer vector."""
    return TensorArg("i32", (len(values),), values=values)


SAME = listed(*[3] * 20)
"""Indices that all are the same."""
SLOTS = listed(-1, 5, -1, *range(6, 23))
"""Slots of 20 tokens, two of which are padding."""
DISTINCT = listed(*reversed(range(20)))
PIPE = (floats(16), floats(16))
TOKENS = (floats(5, 6), floats(4, 6))
LOCKED = (floats(6, 5),)

PAIRS = {
    "program_stride": Pair((ints(40),), ("ww",), ("AR401",)),
    "tail_clamp": Pair((ints(20),), ("lane",), ("AR403",)),
    "clamp_equal": Pair((ints(20),), ("ww",), ("AR401",)),
    "accumulate": Pair((floats(40),), ("rw", "ww"), ("AR401", "AR402")),
    "clear_inside": Pair((floats(40),), ("ww",), ("AR401",)),
    "branch_program": Pair((ints(1), ints(40)), ("ww",), ("AR401",)),
    "shift": Pair((floats(40),), ("hazard", "rw"), ("AR402",), (floats(40), floats(40))),
    "in_place": Pair((floats(40),), ("hazard", "rw"), ("AR402",)),
    "views": Pair((floats(40),), ("hazard", "rw"), ("AR402",)),
    "gather_scatter": Pair(
        (floats(20), SAME, floats(8)), ("lane", "ww"), ("AR401", "AR403"), (floats(8), ints(40, high=7), floats(40)),
    ),
    "scatter_add": Pair((floats(20), SAME, floats(8)), ("hazard", "lane", "rw", "ww"), ("AR401", "AR402", "AR403")),
    "scatter_distinct": Pair(
        (floats(20), SAME, floats(24)), ("lane", "ww"), ("AR401", "AR403"), (floats(20), DISTINCT, floats(24)),
    ),
    "scatter_padding": Pair((floats(20), SLOTS, floats(24)), ("lane",), ("AR403",)),
    "cache_slots": Pair(
        (floats(4, 5), listed(2, -1, 2, 1), floats(3, 5)), ("ww",), ("AR401",),
        (floats(4, 5), listed(2, -1, 0, -1), floats(3, 5)),
    ),
    "dump_row": Pair((floats(20), SLOTS, ints(25)), ("lane",), ("AR403",)),
    "last_block": Pair((floats(40),), ("handover", "hazard"), ("AR406",)),
    "last_block_order": Pair((floats(40),), ("handover",), ("AR406",)),
    "last_block_early": Pair((floats(40),), ("rw",), ("AR402",)),
    "work_queue": Pair((ints(70),), ("hazard", "rw", "ww"), ("AR401", "AR402")),
    "first_ticket": Pair((ints(1), 3), ("ww",), ("AR401",)),
    "semaphore": Pair((floats(3, 20), floats(20)), ("rw", "ww"), ("AR401", "AR402")),
    "atomic_max": Pair((ints(3, 20),), ("rw", "ww"), ("AR401", "AR402")),
    "producer_consumer": Pair(PIPE, ("rw",), ("AR402",)),
    "flag_barrier": Pair(PIPE, ("handover",), ("AR406",)),
    "flag_acquire": Pair(PIPE, ("handover",), ("AR406",)),
    "flag_scope": Pair(PIPE, ("handover",), ("AR406",)),
    "one_sided": Pair(PIPE, ("rw", "ww"), ("AR401",)),
    "mutex": Pair(LOCKED, ("handover",), ("AR406",)),
    "mutex_cell": Pair(LOCKED, ("rw", "ww"), ("AR401", "AR402")),
    "mutex_unlocked_read": Pair(LOCKED, ("rw",), ("AR402",)),
    "look_back": Pair((floats(40),), ("rw",), ("AR402",)),
    "claim": Pair((ints(32),), ("rw",), ("AR402",)),
    "grid_barrier": Pair((floats(40), floats(40)), ("rw",), ("AR402",)),
    "flag_reset": Pair((floats(16), floats(2, 16)), ("stuck",), ("AR406",)),
    "overlapping_masks": Pair((ints(20), 7), ("ww",), ("AR401",)),
    "trip_count": Pair((ints(3, 2, 5),), ("ww",), ("AR401",)),
    "grouped_order": Pair((ints(6, 3),), ("unwritten",), ("AR411",)),
    "xcd_remap": Pair((ints(19),), ("unwritten", "ww"), ("AR401", "AR411")),
    "persistent": Pair((ints(100),), ("ww",), ("AR401",)),
    "downwards": Pair((ints(100),), ("unwritten",), ("AR411",)),
    "split_atomic": Pair((floats(3, 20),), ("uninit",), ("AR304",)),
    "split_parts": Pair((floats(5, 20), floats(20)), ("uninit",), ("AR304",)),
    "stream_k": Pair((floats(5, 3),), ("hazard", "rw", "ww"), ("AR401", "AR402")),
    "backwards": Pair((ints(70),), ("unwritten", "ww"), ("AR401", "AR411")),
    "halo": Pair((ints(10, 5),), ("ww",), ("AR401",)),
    "strides_swapped": Pair((ints(20, 3),), ("lane", "unwritten", "ww"), ("AR401", "AR403", "AR411")),
    "expanded": Pair((ints(3, 5),), ("ww",), ("AR401",)),
    "two_stores": Pair((ints(40),), ("hazard", "ww"), ("AR401",), (ints(40), ints(40))),
    "modulo_lanes": Pair((ints(20),), ("lane",), ("AR403",)),
    "all_lanes_store": Pair((ints(3, 20), ints(3)), ("lane",), ("AR403",)),
    "ring": Pair((ints(3, 6), ints(3)), ("rw", "ww", "ww_same"), ("AR401", "AR402")),
    "rewrites": Pair((ints(3),), ("ww",), ("AR401",), (ints(3), 4)),
    "shares_overlap": Pair((ints(21),), ("ww",), ("AR401",)),
    "varlen": Pair((listed(0, 9, 3, 12), ints(12)), ("ww",), ("AR401",), (listed(0, 3, 9, 12), ints(12))),
    "sorted_tokens": Pair(
        (listed(1, 4, 1, 0, 4), *TOKENS), ("ww",), ("AR401",), (listed(1, 4, 3, 0, 4), *TOKENS),
    ),
    "row_leader": Pair((ints(3), ints(3, 20)), ("ww",), ("AR401",)),
    "axes_swapped": Pair((ints(3, 5),), ("unwritten",), ("AR411",)),
    "short_grid": Pair((ints(20),), ("unwritten",), ("AR411",)),
    "transpose_scratch": Pair((floats(2, 16, 16), floats(2, 16, 16)), ("hazard",), ("AR404",)),
    "reload": Pair((ints(40), ints(40), ints(40)), ("hazard",), ("AR404",)),
    "rotate": Pair((ints(3, 20),), ("hazard",), ("AR404",)),
    "two_kernels": Pair((ints(40), ints(40)), ("rw",), ("AR402",)),
    "partial_scratch": Pair((ints(20), ints(20)), ("uninit",), ("AR304",)),
    "private_rows": Pair((ints(7, 5),), ("ww",), ("AR401",)),
}  # fmt: skip
"""By the name of the file."""
