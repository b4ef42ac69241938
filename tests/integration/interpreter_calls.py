"""Calls on which Argus's interpreter and Triton's must agree: the examples, and the right files of the shared cases.

To add one: a line (file, launcher, arguments).
"""

from __future__ import annotations

from pathlib import Path

from tests.cases.triton.registry import LAUNCHERS, SMALL
from tests.integration.launch_values import Call
from tests.oracle.jobs import Argument, TensorArg

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "triton"
CASES = ROOT.parent / "shared" / "cases"
MOST_OF_ONE_FILE = 4


def f32(*shape: int) -> TensorArg:
    return TensorArg("f32", shape, seed=sum(shape))


def index(dtype: str, high: int, *shape: int, low: int = 0) -> TensorArg:
    return TensorArg(dtype, shape, low=low, high=high, seed=high)


def listed(dtype: str, *values: int) -> TensorArg:
    return TensorArg(dtype, (len(values),), values=values)


_CASES: list[tuple[str, tuple[Argument, ...]]] = [
    ("c01_linear_tail_store", (f32(33, 19), f32(21, 19))),
    ("c03_rope_table_lanes", (f32(7, 3, 12), f32(7, 6), f32(7, 6))),
    ("c05_head_block_local_mask", (f32(3, 5, 6), 0.5)),
    ("c07_layernorm_var_pad", (f32(3, 17), f32(17))),
    ("c08_swiglu_row_i32", (TensorArg("f16", (3, 21), seed=1), TensorArg("f16", (3, 21), seed=2))),
    ("c10_xcd_remap_remainder", (f32(672),)),
    ("c12_splitk_acc_uninit", (f32(11, 29), f32(29), 3)),
    ("c14_scatter_add_plain", (index("i64", 2, 21), f32(21), f32(3))),
    ("c15_dbias_lock_release", (f32(5, 7),)),
    ("c17_paged_logits_column", (f32(2, 8), f32(7, 4, 8), index("i32", 6, 2, 3), listed("i32", 9, 12))),
    ("c19_gqa_head_direct", (f32(6, 8), f32(2, 7, 8), f32(2, 7, 8))),
    ("c21_causal_start_skips", (f32(21, 16), f32(58, 16), f32(58, 16), 37)),
    ("c23_combine_row_advance", (f32(2, 9, 3, 8),)),
    ("c25_gemm_stride_order", (f32(19, 18), f32(18, 21))),
    ("c27_dequant_tile_spans_groups", (f32(7, 80), index("i8", 90, 80, 18, low=-90), f32(5, 18))),
    ("c29_absmax_group_store", (f32(301),)),
    ("c31_moe_remote_expert", (f32(6, 18), f32(2, 19, 18), index("i64", 3, 6, 2), 4)),
    ("c33_level_scale_dead_rows", (f32(13), f32(13, 3))),
    ("c36_cache_slot_minus_one", (f32(6, 7), listed("i32", 3, -1, 15, 0, -1, 8), f32(4, 4, 7))),
    ("c38_grouped_tile_straddles", (f32(13, 7), f32(4, 7, 10), listed("i32", 0, 5, 5, 11, 13))),
    ("c40_rmsnorm_bwd_broadcast", (f32(11, 5), f32(11, 5))),
    ("c42_logsumexp_no_other", (f32(3, 13),)),
    ("c44_fixed_grid_short", (f32(53), f32(53))),
    ("c46_masked_row_exp_one", (f32(3, 6), index("i32", 1, 3, 6), f32(6, 8))),
    ("c50_dropout_seed_address", (f32(61), index("i32", 1 << 30, 8), 0.4)),
    ("d01_group_m_single_mod", (f32(18, 19),)),
]


_OPERATIONS: list[tuple[str, tuple[Argument, ...]]] = [
    ("integers", (index("i32", 1000, 37, low=-1000), index("i32", 9, 37, low=1))),
    ("integers", (index("i32", (1 << 31) - 1, 33, low=-(1 << 31)), index("i32", 99, 33, low=1))),
    ("floats", (f32(29),)),
    ("floats", (TensorArg("f16", (17,)),)),
    ("floats", (TensorArg("bf16", (17,)),)),
    ("reductions", (f32(4, 16),)),
    ("shapes", (index("i32", 99, 4, 8),)),
    ("atomics", (index("i32", 4, 29), index("i32", 99, 29, low=-99), index("i32", 1, 8, 5))),
    ("control", (index("i32", 60, 22, low=-20), 7)),
    ("integer_dots", (index("i8", 127, 16, 16, low=-128), index("i8", 100, 16, 16, low=-100))),
    ("random_numbers", (50, 1234567)),
]


_TILE_OPERATIONS: list[tuple[str, tuple[Argument, ...]]] = [
    ("transposed", (f32(12, 20),)),
    ("transposed", (f32(4, 28),)),
    ("padded", (f32(11, 12), "zero")),
    ("padded", (f32(9, 16), "nan")),
    ("picked_rows", (f32(9, 12), listed("i32", 3, 0, 8, 8, 1, 11, 5, 2))),
    ("counts", (index("i32", 7, 29),)),
    ("integer_folds", (index("i32", 50, 16, low=-50),)),
    ("integer_folds", (index("i32", 9, 32),)),
    ("casts", (f32(16),)),
    ("addresses", (f32(7),)),
    ("cells", (index("i32", 99, 21, low=-99),)),
    *(
        (
            "scaled",
            (
                index("u8", 120, 16, 64),
                index("u8", 120, 64, 16),
                index("u8", 130, 16, 2, low=124),
                index("u8", 131, 16, 2, low=125),
                f,
                g,
            ),
        )
        for f, g in (("e2m1", "e2m1"), ("e4m3", "e2m1"), ("e2m1", "e5m2"), ("e4m3", "e4m3"))
    ),
    ("signed_blocks", (index("i32", 40, 9, 12, low=-40),)),
]


def operation_calls() -> list[Call]:
    """Kernels of `operations.py` and `tile_operations.py`."""
    lists = {"operations": _OPERATIONS, "tile_operations": _TILE_OPERATIONS}
    paths = {name: str(Path(__file__).with_name(f"{name}.py")) for name in lists}
    return [Call(paths[name], launcher, args) for name, calls in lists.items() for launcher, args in calls]


def example_calls() -> list[Call]:
    """A few sizes of each example, spread over its list."""
    calls = []
    for file, launcher in LAUNCHERS.items():
        every = SMALL[file]
        few = every[:: max(1, -(-len(every) // MOST_OF_ONE_FILE))]
        calls.extend(Call(str(EXAMPLES / file), launcher, args) for args in few)
    return calls


def case_calls(version: str = "ok") -> list[Call]:
    """The right (or `bug`) file of each case that is present beside the checkout."""
    files = [(CASES / f"{name}_{version}.py", args) for name, args in _CASES]
    return [Call(str(path), "launch", args) for path, args in files if path.exists()]
