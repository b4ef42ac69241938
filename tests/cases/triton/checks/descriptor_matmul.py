"""Checks of `examples/triton/descriptor_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, rows
from tests.oracle.jobs import TensorArg

FILE = "descriptor_matmul.py"
LAUNCHER = "descriptor_matmul"
SIZES = ((1, 8, 1, 1), (63, 64, 31, 4), (64, 56, 32, 2), (65, 72, 33, 3), (130, 136, 70, 4), (70, 8, 129, 1))
"""M, N, K and the number of programs."""


def aligned(height: int, width: int, more: int) -> TensorArg:
    """A matrix whose rows begin at multiples of 16 bytes, `more` times 16 bytes further apart than they must be."""
    return rows("f16", height, width, -(-width // 8) * 8 + 8 * more)


SMALL: list[Call] = [
    (aligned(m, k, a), aligned(n, k, b), sms) for m, n, k, sms in SIZES for a, b in ((0, 0), (1, 0), (0, 2))
]
MUTANTS = (
    Mutant(
        FILE, "x_wide_as_its_stride", "x_ptr, shape=[M, K]", "x_ptr, shape=[M, stride_xm]",
        (("AR301", "x = x_desc.load"),), "rows may be further apart than they are long",
    ),
    Mutant(
        FILE, "w_uses_x_stride", "shape=[N, K], strides=[stride_wn, 1]", "shape=[N, K], strides=[stride_xm, 1]",
        (("AR301", "w = w_desc.load"),), "the two matrices may be laid out differently",
    ),
    Mutant(
        FILE, "y_shape_turned", "shape=[M, N]", "shape=[N, M]",
        (("AR302", "y_desc.store"),), "the sizes of the result are exchanged",
    ),
    Mutant(
        FILE, "sizes_exchanged", "x, weight, y, M, N, K", "x, weight, y, N, M, K",
        (("AR301", "x = x_desc.load"), ("AR301", "w = w_desc.load"), ("AR302", "y_desc.store")),
        "the launcher passes the sizes in the wrong order",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n, k = rng.randint(1, 150), 8 * rng.randint(1, 18), rng.randint(1, 80)
    return aligned(m, k, rng.randint(0, 2)), aligned(n, k, rng.randint(0, 2)), rng.randint(1, 8)


def references(example: Any) -> Iterator[Pair]:
    for m, n, k, sms in SIZES:
        wide = -(-k // 8) * 8
        x, weight = torch.randn(m, wide).half()[:, :k], torch.randn(n, wide + 8).half()[:, :k]
        yield f"{m}x{n}x{k} by {sms}", example.descriptor_matmul(x, weight, sms), x.float() @ weight.float().t()
