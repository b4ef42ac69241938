"""Checks of `examples/triton/stream_k_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "stream_k_matmul.py"
LAUNCHER = "stream_k_matmul"
SIZES = ((1, 1, 1, 1), (65, 63, 70, 3), (64, 64, 64, 4), (3, 130, 97, 5))
SMALL: list[Call] = []
for M, N, K, PROGRAMS in SIZES:
    SMALL.append((tensor("f16", M, K), tensor("f16", K, N), PROGRAMS))
    SMALL.append((columns("f16", M, K), columns("f16", K, N), PROGRAMS))
    SMALL.append((rows("f16", M, K, K + 3), rows("f16", K, N, N + 5), PROGRAMS))
MUTANTS = (
    Mutant(
        FILE, "k_mask_dropped", "mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0", "mask=rows[:, None] < M, other=0.0",
        (("AR301", "x = tl.load"),), "K need not be a multiple of a step",
    ),
    Mutant(
        FILE, "b_strides_swapped", "b + ks[:, None] * b_row + cols[None, :] * b_col",
        "b + ks[:, None] * b_col + cols[None, :] * b_row", (("AR301", "y = tl.load"),), "B is read as if transposed",
    ),
    Mutant(
        FILE, "b_columns_unmasked", "mask=(ks[:, None] < K) & (cols[None, :] < N)", "mask=ks[:, None] < K",
        (("AR301", "y = tl.load"),), "the last tile is wider than B",
    ),
    Mutant(
        FILE, "c_rows_unmasked", "mask=(rows[:, None] < M) & (cols[None, :] < N),\n        )  # fmt: skip\n        step",
        "mask=cols[None, :] < N,\n        )  # fmt: skip\n        step",
        (("AR302", "tl.atomic_add"),), "rows past M are added to",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n, k = rng.randint(1, 140), rng.randint(1, 140), rng.randint(1, 100)
    layouts = (tensor, columns, lambda d, h, w: rows(d, h, w, w + rng.randint(0, 9)))
    return rng.choice(layouts)("f16", m, k), rng.choice(layouts)("f16", k, n), rng.randint(1, 6)


def references(example: Any) -> Iterator[Pair]:
    for m, n, k, programs in SIZES:
        a, b = torch.randn(m, k).half(), torch.randn(n, k).half().t()
        yield f"{m}x{n}x{k} by {programs}", example.stream_k_matmul(a, b, programs), a.float() @ b.float()
