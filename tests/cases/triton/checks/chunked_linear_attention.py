"""Checks of `examples/triton/chunked_linear_attention.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor
from tests.oracle.jobs import TensorArg

FILE = "chunked_linear_attention.py"
LAUNCHER = "chunked_linear_attention"
Sizes = tuple[int, int, int, int, int]
SIZES: tuple[Sizes, ...] = ((1, 1, 1, 1, 1), (2, 33, 3, 5, 7), (1, 32, 2, 64, 64), (1, 70, 1, 65, 66), (3, 31, 2, 9, 130))
"""Batch, sequence, heads, features of queries and keys, features of values."""


def heads_outside(dtype: str, batch: int, seq: int, heads: int, dim: int) -> TensorArg:
    """A [batch, seq, heads, dim] view of contiguous [batch, heads, seq, dim] memory."""
    return TensorArg(dtype, (batch, seq, heads, dim), (heads * seq * dim, dim, seq * dim, 1), seed=seq)


def call(sizes: Sizes, outside: bool) -> Call:
    b, t, h, dk, dv = sizes
    make = heads_outside if outside else tensor
    return make("f16", b, t, h, dk), tensor("f16", b, t, h, dk), make("f16", b, t, h, dv)


SMALL: list[Call] = [call(sizes, outside) for sizes in SIZES for outside in (False, True)]
MUTANTS = (
    Mutant(
        FILE, "state_by_batch", "h_ptrs += stride_hc", "h_ptrs += stride_hb",
        (("AR302", "tl.store(h_ptrs"),), "the loop over chunks walks over the batch",
    ),
    Mutant(
        FILE, "tokens_in_chunk", "live_t = chunk * CHUNK + t < seq_len", "live_t = t < seq_len",
        (
            ("AR301", "k = tl.load(k_ptrs"),
            ("AR301", "v = tl.load(v_ptrs, mask=live_t[:, None] & live_v[None, :], other=0.0)\n        state"),
        ),
        "the mask compares the place in the chunk with the length of the whole",
    ),
    Mutant(
        FILE, "chunks_rounded_down", "chunks = triton.cdiv(seq_len, chunk)", "chunks = max(1, seq_len // chunk)",
        (("AR302", "tl.store(h_ptrs"),), "the launcher forgets the last chunk",
    ),
    Mutant(
        FILE, "chunk_and_head_swapped", "chunk * stride_hc + head * stride_hh", "chunk * stride_hh + head * stride_hc",
        (("AR301", "h = tl.load"),), "two strides of the states are swapped",
    ),
    Mutant(
        FILE, "state_columns_unmasked", "mask=live_k[:, None] & live_v[None, :], other=0.0)\n        scores",
        "mask=live_k[:, None], other=0.0)\n        scores",
        (("AR301", "h = tl.load"),), "the last block has values' features to spare",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    sizes = (rng.randint(1, 2), rng.randint(1, 100), rng.randint(1, 3), rng.randint(1, 70), rng.randint(1, 70))
    return call(sizes, rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for b, t, h, dk, dv in SIZES:
        q, k = torch.randn(b, t, h, dk).half() * dk**-0.5, torch.randn(b, h, t, dk).half().transpose(1, 2)
        v = torch.randn(b, t, h, dv).half() / 4
        scores = torch.einsum("bthd,bshd->bhts", q.float(), k.float()).tril()
        want = torch.einsum("bhts,bshd->bthd", scores, v.float())
        yield f"{b}x{t}x{h}x{dk}x{dv}", example.chunked_linear_attention(q, k, v), want
