"""Checks of `examples/triton/cumulative_sum.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "cumulative_sum.py"
LAUNCHER = "cumulative_sum"
SIZES = ((1, 1), (3, 127), (4, 128), (5, 129), (9, 300))
SMALL: list[Call] = [
    (x,) for m, n in SIZES for x in (tensor("f32", m, n), columns("f32", m, n), rows("f32", m, n, n + 3), rows("f32", m, n, 0))
]  # fmt: skip
MUTANTS = (
    Mutant(
        FILE, "row_mask_dropped", "mask = row_mask[:, None] & (cols < n_cols)[None, :]",
        "mask = (rows >= 0)[:, None] & (cols < n_cols)[None, :]",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the last program has rows to spare",
    ),
    Mutant(
        FILE, "column_mask_in_block", "(cols < n_cols)", "(tl.arange(0, BLOCK) < n_cols)",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the mask forgets where the block starts",
    ),
    Mutant(
        FILE, "out_uses_x_stride", "cols[None, :] * stride_on", "cols[None, :] * stride_xn",
        (("AR302", "tl.store"),), "the columns of the input may be further apart than those of the output",
    ),
    Mutant(
        FILE, "strides_exchanged", "*x.stride(), *out.stride()", "*out.stride(), *x.stride()",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the launcher takes each tensor's strides for the other's",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n = rng.randint(1, 12), rng.randint(1, 400)
    return (rng.choice((tensor("f32", m, n), columns("f32", m, n), rows("f32", m, n, n + rng.randint(0, 9)))),)


def references(example: Any) -> Iterator[Pair]:
    for m, n in SIZES:
        for layout, x in (("rows", torch.randn(m, n)), ("columns", torch.randn(n, m).t()), ("one", torch.ones(1).expand(m, n))):
            yield f"{m}x{n} {layout}", example.cumulative_sum(x), x.cumsum(1)
