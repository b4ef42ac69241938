"""Checks of `examples/triton/top_k.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, tensor

FILE = "top_k.py"
LAUNCHER = "top_k"
SIZES = ((1, 1, 1), (3, 5, 3), (4, 8, 2), (5, 9, 5), (7, 64, 8), (2, 33, 7))
SMALL: list[Call] = [(x, k) for t, e, k in SIZES for x in (tensor("f32", t, e), columns("f32", t, e))]
MUTANTS = (
    Mutant(
        FILE, "expert_mask_dropped", "mask = live[:, None] & (e < n_experts)[None, :]",
        "mask = live[:, None] & (e >= 0)[None, :]", (("AR301", "rest = tl.load"),), "the block is padded to a power of two",
    ),
    Mutant(
        FILE, "ids_mask_dropped", "winner, mask=live)", "winner)",
        (("AR302", "tl.store(ids_ptr"),), "the last program has tokens to spare",
    ),
    Mutant(
        FILE, "one_rank_more", "(rank < k)", "(rank <= k)",
        (("AR302", "tl.store(weights_ptr"),), "rank k is that of the next token, and the last token has none",
    ),
    Mutant(
        FILE, "ids_row_is_experts", "ids_ptr + t * k + i", "ids_ptr + t * n_experts + i",
        (("AR302", "tl.store(ids_ptr"),), "a row of the result is k long",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    t, e = rng.randint(1, 12), rng.randint(1, 130)
    return rng.choice((tensor, columns))("f32", t, e), rng.randint(1, min(e, 8))


def references(example: Any) -> Iterator[Pair]:
    for t, e, k in SIZES:
        x = torch.randn(t, e)
        weights, ids = example.top_k(x, k)
        best, wanted = x.topk(k)
        yield f"weights {k} of {t}x{e}", weights, best.softmax(1)
        yield f"ids {k} of {t}x{e}", ids, wanted
