"""Checks of `examples/triton/rotary_embedding.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, rows, tensor
from tests.oracle.jobs import TensorArg

FILE = "rotary_embedding.py"
LAUNCHER = "rotary_embedding"
Sizes = tuple[int, int, int, int, int, int]
SIZES: tuple[Sizes, ...] = (
    (1, 1, 1, 2, 1, 1), (3, 5, 1, 6, 2, 3), (7, 4, 4, 9, 3, 3), (2, 9, 3, 16, 8, 8), (5, 3, 2, 7, 40, 2)
)  # fmt: skip
"""Tokens, query heads, key heads, features, positions, pairs."""


def heads_first(dtype: str, tokens: int, heads: int, dim: int) -> TensorArg:
    """A [tokens, heads, dim] view of contiguous [heads, tokens, dim] memory."""
    return TensorArg(dtype, (tokens, heads, dim), (dim, tokens * dim, 1), seed=heads)


def call(sizes: Sizes, outer: bool) -> Call:
    t, hq, hk, d, p, r = sizes
    make = heads_first if outer else tensor
    return (
        make("f16", t, hq, d), make("f16", t, hk, d), rows("f32", p, r, r + outer), rows("f32", p, r, r + 3 * outer),
        TensorArg("i64", (t,), high=p - 1, seed=t),
    )  # fmt: skip


SMALL: list[Call] = [call(sizes, outer) for sizes in SIZES for outer in (False, True)]
MUTANTS = (
    Mutant(
        FILE, "head_mask_dropped", "mask = (h < heads)[:, None] & live_r[None, :]",
        "mask = (h >= 0)[:, None] & live_r[None, :]",
        (("AR301", "a = tl.load"), ("AR301", "b = tl.load"), ("AR302", "tl.store(left"), ("AR302", "tl.store(right")),
        "the last block has heads to spare",
    ),
    Mutant(
        FILE, "second_half_by_heads", "right = left + half * stride_d", "right = left + half * stride_h",
        (("AR301", "b = tl.load"), ("AR302", "tl.store(right")), "the partner of a feature is in the same head",
    ),
    Mutant(
        FILE, "token_as_position", "cos_ptr + position * stride_cp", "cos_ptr + token * stride_cp",
        (("AR301", "cos = tl.load"),), "there may be more tokens than positions",
    ),
    Mutant(
        FILE, "table_mask_dropped", "stride_sp + r, mask=live_r, other=0.0)", "stride_sp + r)",
        (("AR301", "sin = tl.load"),), "the block is padded to a power of two",
    ),
    Mutant(
        FILE, "query_heads_of_keys", "k_ptr + token * stride_kt, k_heads,", "k_ptr + token * stride_kt, q_heads,",
        (("AR301", "a = tl.load"), ("AR301", "b = tl.load"), ("AR302", "tl.store(left"), ("AR302", "tl.store(right")),
        "there may be fewer key heads than query heads",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    r = rng.randint(1, 20)
    sizes = (rng.randint(1, 9), rng.randint(1, 9), rng.randint(1, 9), 2 * r + rng.randint(0, 5), rng.randint(1, 30), r)
    return call(sizes, rng.random() < 0.5)


def turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b, rest = x.float().split((cos.shape[1], cos.shape[1], x.shape[2] - 2 * cos.shape[1]), dim=2)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), dim=2)


def references(example: Any) -> Iterator[Pair]:
    for t, hq, hk, d, p, r in SIZES:
        q, k = torch.randn(hq, t, d).half().transpose(0, 1), torch.randn(t, hk, d).half()
        angles, positions = torch.randn(p, r), torch.randint(0, p, (t,))
        cos, sin = angles.cos(), angles.sin()
        want = [turned(x, cos[positions], sin[positions]) for x in (q, k)]
        example.rotary_embedding(q, k, cos, sin, positions)
        yield f"queries {t}x{hq}x{d}", q, want[0]
        yield f"keys {t}x{hk}x{d}", k, want[1]
