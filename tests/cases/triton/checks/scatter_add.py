"""Checks of `examples/triton/scatter_add.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor
from tests.oracle.jobs import TensorArg

FILE = "scatter_add.py"
LAUNCHER = "scatter_add"
SIZES = ((1, 1, 1), (3, 2, 5), (16, 4, 64), (17, 3, 65), (33, 1, 2))


def index(r: int, v: int) -> TensorArg:
    return TensorArg("i64", (r,), low=-1, high=v - 1, seed=r)


SMALL: list[Call] = []
for R, V, D in SIZES:
    SMALL.append((index(R, V), tensor("f32", R, D), tensor("f32", V, D)))
    SMALL.append((index(R, V), columns("f32", R, D), rows("f32", V, D, D + 3)))
    SMALL.append((TensorArg("i64", (R,), values=(V - 1,) * R), rows("f32", R, D, D + 2), tensor("f32", V, D)))
MUTANTS = (
    Mutant(
        FILE, "no_row_written", "(live & (target >= 0))[:, None]", "live[:, None]",
        (("AR302", "tl.atomic_add"),), "rows marked -1 are added before the tensor",
    ),
    Mutant(
        FILE, "index_mask_dropped", "tl.load(index_ptr + r, mask=live, other=-1)", "tl.load(index_ptr + r)",
        (("AR301", "target = tl.load"),), "the last block of the index is read whole",
    ),
    Mutant(
        FILE, "out_uses_rows_stride", "target[:, None] * out_stride", "target[:, None] * stride_rows",
        (("AR302", "tl.atomic_add"),), "rows of the input may be further apart than those of the output",
    ),
    Mutant(
        FILE, "column_mask_dropped", "[:, None] & (d < dim)[None, :]", "[:, None]",
        (("AR301", "rows = tl.load"), ("AR302", "tl.atomic_add")), "the last block of columns is moved whole",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    r, v, d = rng.randint(1, 60), rng.randint(1, 9), rng.randint(1, 150)
    source = rng.choice((tensor("f32", r, d), columns("f32", r, d), rows("f32", r, d, d + rng.randint(0, 9))))
    return index(r, v), source, rows("f32", v, d, d + rng.choice((0, 5)))


def references(example: Any) -> Iterator[Pair]:
    for r, v, d in SIZES:
        where, source, out = torch.randint(-1, v, (r,)), torch.randn(d, r).t(), torch.randn(v, d + 2)[:, :d]
        want = out.index_add(0, where[where >= 0], source[where >= 0])
        yield f"{r} into {v}x{d}", example.scatter_add(where, source, out), want
