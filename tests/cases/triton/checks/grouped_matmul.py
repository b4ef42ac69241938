"""Checks of `examples/triton/grouped_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair
from tests.oracle.jobs import TableArg, TensorArg

FILE = "grouped_matmul.py"
LAUNCHER = "grouped_matmul"
Sizes = tuple[int, int, int]
GROUPS: tuple[tuple[Sizes, ...], ...] = (
    ((1, 1, 1),),
    ((33, 65, 40), (2, 3, 5)),
    ((5, 0, 3), (3, 5, 2), (0, 5, 3), (5, 4, 0), (34, 70, 31)),
    ((70, 129, 1), (1, 64, 32), (32, 1, 64)),
)
"""M, N and K of each product."""


def call(groups: tuple[Sizes, ...], gaps: Sizes, programs: int) -> Call:
    """Matrices whose rows are `gaps` elements further apart than they are long."""

    def table(rows: int, columns: int, gap: int) -> tuple[TableArg, list[int]]:
        shapes = [(sizes[rows], sizes[columns]) for sizes in groups]
        strides = [max(width, 1) + gap for _, width in shapes]
        members = tuple(
            TensorArg("f16", shape, (stride, 1), seed=i) for i, (shape, stride) in enumerate(zip(shapes, strides, strict=True))
        )
        return TableArg(members), strides

    (a, of_a), (b, of_b), (c, of_c) = table(0, 2, gaps[0]), table(2, 1, gaps[1]), table(0, 1, gaps[2])
    strides = tuple(s for row in zip(of_a, of_b, of_c, strict=True) for s in row)
    sizes = tuple(n for group in groups for n in group)
    return (
        a, b, c, TensorArg("i32", (len(groups), 3), values=sizes), TensorArg("i64", (len(groups), 3), values=strides), programs
    )  # fmt: skip


SMALL: list[Call] = [call(groups, gaps, n) for groups in GROUPS for gaps, n in (((0, 0, 0), 2), ((0, 3, 9), 5))]
MUTANTS = (
    Mutant(
        FILE, "inner_mask_dropped", "mask=live_k[:, None] & live_n[None, :]", "mask=(live_k | True)[:, None] & live_n[None, :]",
        (("AR301", "b = tl.load(b_ptrs"),), "the last block of K is read whole",
    ),
    Mutant(
        FILE, "rows_of_another", "tl.load(strides_ptr + g * 3 + 1)", "tl.load(strides_ptr + g * 3 + 2)",
        (("AR301", "b = tl.load(b_ptrs"),), "rows of C may be further apart than those of B",
    ),
    Mutant(
        FILE, "result_into_left", "tl.load(c_table + g)", "tl.load(a_table + g)",
        (("AR302", "tl.store"),), "A has other sizes than C",
    ),
    Mutant(
        FILE, "single_precision", "tl.load(c_table + g).to(tl.pointer_type(tl.float16))",
        "tl.load(c_table + g).to(tl.pointer_type(tl.float32))", (("AR302", "tl.store"),), "elements of C have two bytes",
    ),
    Mutant(
        FILE, "one_tile_more", "tl.cdiv(m, BM) * tiles_n, tl", "tl.cdiv(m, BM) * tiles_n + 1, tl",
        (("AR305", "offs_m = tile"),), "a product without columns has no tiles to divide by",
        followed_by=(("AR305", "offs_n = tile"),),
    ),
    Mutant(
        FILE, "left_of_the_next", "tl.load(a_table + g)", "tl.load(a_table + g + 1)",
        (("AR301", "a_ptr = tl.load"), ("AR301", "a = tl.load(a_ptrs")), "the entry after the last, and matrices of other sizes",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    sizes = [(rng.randint(0, 70), rng.randint(0, 140), rng.randint(0, 70)) for _ in range(rng.randint(1, 4))]
    return call(tuple(sizes), (rng.randint(0, 9), rng.randint(0, 9), rng.randint(0, 9)), rng.randint(1, 9))


def references(example: Any) -> Iterator[Pair]:
    for groups in GROUPS:
        left = [torch.randn(m, k + 3)[:, :k].half() for m, _, k in groups]
        right = [torch.randn(k, n).half() for _, n, k in groups]
        for sizes, a, b, got in zip(groups, left, right, example.products(left, right, 3), strict=True):
            if got.numel():
                yield f"{sizes} of {len(groups)}", got, a.float() @ b.float()
