"""Checks of `examples/triton/split_k_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "split_k_matmul.py"
LAUNCHER = "split_k_matmul"
SIZES = ((1, 1, 1), (15, 65, 127), (16, 64, 128), (17, 63, 129), (3, 70, 300))
SMALL: list[Call] = []
for M, N, K in SIZES:
    SMALL.append((tensor("f16", M, K), tensor("f16", K, N)))
    SMALL.append((columns("f16", M, K), columns("f16", K, N)))
    SMALL.append((rows("f16", M, K, K + 3), rows("f16", K, N, N + 5)))
MUTANTS = (
    Mutant(
        FILE, "parts_forgotten", "left = K - step * (BK * SPLIT_K)", "left = K - step * BK",
        (("AR301", "a = tl.load"), ("AR301", "b = tl.load")), "a step goes over the blocks of all parts",
    ),
    Mutant(
        FILE, "b_walks_columns", "b_ptrs += BK * SPLIT_K * stride_bk", "b_ptrs += BK * SPLIT_K * stride_bn",
        (("AR301", "b = tl.load"),), "the K loop walks along the rows of B",
    ),
    Mutant(
        FILE, "k_mask_dropped", "mask=live_m & (offs_k[None, :] < left)", "mask=live_m",
        (("AR301", "a = tl.load"),), "K need not be a multiple of a step",
    ),
    Mutant(
        FILE, "c_mask_half", "mask=live_m & live_n, sem", "mask=live_m, sem",
        (("AR302", "tl.atomic_add"),), "columns past N are added to",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n, k = rng.randint(1, 40), rng.randint(1, 140), rng.randint(1, 300)
    layouts = (tensor, columns, lambda d, h, w: rows(d, h, w, w + rng.randint(0, 9)))
    return rng.choice(layouts)("f16", m, k), rng.choice(layouts)("f16", k, n)


def references(example: Any) -> Iterator[Pair]:
    for m, n, k in SIZES:
        a, b = torch.randn(m, k).half(), torch.randn(n, k).half().t()
        yield f"{m}x{n}x{k}", example.split_k_matmul(a, b), a.float() @ b.float()
