"""Checks of `examples/triton/persistent_softmax.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "persistent_softmax.py"
LAUNCHER = "persistent_softmax"
SIZES = ((1, 1), (3, 5), (16, 4), (17, 3), (2, 65))
SMALL: list[Call] = [
    (x,) for m, n in SIZES for x in (tensor("f16", m, n), columns("f16", m, n), rows("f16", m, n, 0), rows("f16", m, n, n + 2))
]
MUTANTS = (
    Mutant(
        FILE, "load_mask_dropped", "cols * stride_xn, mask=mask, other=-float(\"inf\"))", "cols * stride_xn)",
        (("AR301", "x = tl.load"),), "the block is padded to a power of two",
    ),
    Mutant(
        FILE, "one_row_more", ".to(tl.int64), n_rows,", ".to(tl.int64), n_rows + 1,",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the program that is due next takes a row past the last",
    ),
    Mutant(
        FILE, "out_uses_x_stride", "out_ptr + row * stride_om", "out_ptr + row * stride_xm",
        (("AR302", "tl.store"),), "rows of the input may be further apart than rows of the output",
    ),
    Mutant(
        FILE, "sizes_swapped", "n_rows, n_cols, BLOCK=", "n_cols, n_rows, BLOCK=",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the launcher swaps the sizes",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n = rng.randint(1, 50), rng.randint(1, 130)
    return (rng.choice((tensor("f16", m, n), columns("f16", m, n), rows("f16", m, n, n + rng.randint(0, 9)))),)


def references(example: Any) -> Iterator[Pair]:
    for m, n in SIZES:
        for x in (torch.randn(m, n).half(), torch.randn(n, m).half().t(), torch.randn(n).half().expand(m, n)):
            yield f"{m}x{n} strides {x.stride()}", example.persistent_softmax(x), x.float().softmax(1)
