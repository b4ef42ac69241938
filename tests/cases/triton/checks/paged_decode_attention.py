"""Checks of `examples/triton/paged_decode_attention.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, rows, tensor
from tests.oracle.jobs import TensorArg

FILE = "paged_decode_attention.py"
LAUNCHER = "paged_decode_attention"
Sizes = tuple[int, int, int, int, int]
SIZES: tuple[Sizes, ...] = ((1, 1, 1, 1, 1), (2, 4, 2, 3, 2), (1, 3, 1, 7, 5))
"""Sequences, query heads, key/value heads, pages of the cache, pages of a sequence."""


def heads_outside(dtype: str, pages: int, heads: int) -> TensorArg:
    """A [pages, 16, heads, 128] view of contiguous [heads, pages, 16, 128] memory."""
    return TensorArg(dtype, (pages, 16, heads, 128), (2048, 128, pages * 2048, 1), seed=heads)


def call(sizes: Sizes, lengths: tuple[int, ...], outside: bool) -> Call:
    b, hq, hkv, pages, width = sizes
    k, v = tensor("f16", pages, 16, hkv, 128), heads_outside("f16", pages, hkv)
    table = rows("i32", b, width, width + 2 * outside)
    table = TensorArg("i32", table.shape, table.strides, high=pages - 1, seed=width)
    return tensor("f16", b, hq, 128), v if outside else k, v, table, TensorArg("i32", (b,), values=lengths)


SMALL: list[Call] = []
for SIZE in SIZES:
    BATCH, _, _, _, WIDTH = SIZE
    SMALL.append(call(SIZE, (16 * WIDTH,) * BATCH, outside=False))
    SMALL.append(call(SIZE, tuple(1 + 7 * i % (16 * WIDTH) for i in range(BATCH)), outside=True))
MUTANTS = (
    Mutant(
        FILE, "table_mask_dropped", "n // PAGE, mask=live_n, other=0)", "n // PAGE)",
        (("AR301", "page = tl.load"),), "a block of keys may reach past the last page",
    ),
    Mutant(
        FILE, "slot_as_page", "n // PAGE, mask=live_n", "n % PAGE, mask=live_n",
        (("AR301", "page = tl.load"),), "a sequence may have fewer pages than a page has slots",
        followed_by=(("AR301", "k = tl.load"), ("AR301", "v = tl.load")),
    ),
    Mutant(
        FILE, "split_not_clamped", "end = tl.minimum(begin + split_len, length)", "end = begin + split_len",
        (("AR301", "page = tl.load"),), "the last split ends where the sequence ends",
        followed_by=(("AR301", "k = tl.load"), ("AR301", "v = tl.load")),
    ),
    Mutant(
        FILE, "program_per_query_head", "split_kernel[(batch, kv_heads, splits)]", "split_kernel[(batch, heads, splits)]",
        (
            ("AR301", "q = tl.load"), ("AR301", "k = tl.load"), ("AR301", "v = tl.load"),
            ("AR302", "tl.store(out_ptrs"), ("AR302", "tl.store(lse_ptr"),
        ),
        "a program takes all query heads of its key/value head",
    ),
    Mutant(
        FILE, "head_mask_of_block", "live_h = h < heads_per_kv", "live_h = h < BLOCK_H",
        (("AR301", "q = tl.load"), ("AR302", "tl.store(out_ptrs"), ("AR302", "tl.store(lse_ptr")),
        "a block may have heads to spare",
    ),
    Mutant(
        FILE, "merge_stride", "head * stride_lh + s * stride_lp)", "head * stride_lh + s * stride_lh)",
        (("AR301", "lse = tl.load"),), "the splits of a head are stride_lp apart",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    hkv, width = rng.randint(1, 3), rng.randint(1, 6)
    sizes = (rng.randint(1, 3), hkv * rng.randint(1, 4), hkv, rng.randint(1, 9), width)
    return call(sizes, tuple(rng.randint(1, 16 * width) for _ in range(sizes[0])), rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for b, hq, hkv, pages, width in SIZES:
        for lengths in (torch.full((b,), 16 * width), torch.randint(1, 16 * width + 1, (b,))):
            q = torch.randn(b, hq, 128).half()
            k, v = torch.randn(pages, 16, hkv, 128).half(), torch.randn(hkv, pages, 16, 128).half().permute(1, 2, 0, 3)
            table = torch.randint(0, pages, (b, width), dtype=torch.int32)
            got = example.paged_decode_attention(q, k, v, table, lengths.int())
            keys, values = (x[table.long()].reshape(b, 16 * width, hkv, 128).float() for x in (k, v))
            keys, values = (x.repeat_interleave(hq // hkv, dim=2) for x in (keys, values))
            scores = torch.einsum("bhd,bnhd->bhn", q.float(), keys) * 128**-0.5
            dead = torch.arange(16 * width)[None, None] >= lengths[:, None, None]
            p = scores.masked_fill(dead, -float("inf")).softmax(2)
            yield f"{b}x{hq}/{hkv} of {lengths.tolist()}", got, torch.einsum("bhn,bnhd->bhd", p, values)
