"""Checks of `examples/triton/varlen_attention.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor
from tests.oracle.jobs import TensorArg

FILE = "varlen_attention.py"
LAUNCHER = "varlen_attention"
LENGTHS = ((1, 1, (1,)), (2, 1, (5, 0, 3)), (4, 2, (33, 1)), (1, 1, (0, 65)))
"""Query heads, key/value heads, lengths of the sequences."""


def heads_outside(dtype: str, tokens: int, heads: int) -> TensorArg:
    """A [tokens, heads, 64] view of contiguous [heads, tokens, 64] memory."""
    return TensorArg(dtype, (tokens, heads, 64), (64, tokens * 64, 1), seed=heads)


def starts(lengths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(accumulate(lengths, initial=0))


def call(hq: int, hkv: int, lengths: tuple[int, ...], outside: bool) -> Call:
    r = sum(lengths)
    cu = TensorArg("i32", (len(lengths) + 1,), values=starts(lengths))
    q, k = tensor("f16", r, hq, 64), tensor("f16", r, hkv, 64)
    return q, k, heads_outside("f16", r, hkv) if outside else tensor("f16", r, hkv, 64), cu, max(lengths)


SMALL: list[Call] = [call(*case, outside) for case in LENGTHS for outside in (False, True)]
AFTER = (
    ("AR301", "q = tl.load"), ("AR301", "k = tl.load"), ("AR301", "v = tl.load"), ("AR302", "tl.store"),
)  # fmt: skip
MUTANTS = (
    Mutant(
        FILE, "keys_of_block", "live_n = n < seq_len", "live_n = n < start_m + BLOCK_M",
        (("AR301", "k = tl.load"), ("AR301", "v = tl.load")), "a block of queries may be longer than the rest of the sequence",
    ),
    Mutant(
        FILE, "query_mask_dropped", "d[None, :] * stride_qd, mask=live_m[:, None], other=0.0)", "d[None, :] * stride_qd)",
        (("AR301", "q = tl.load"),), "the last block of the last sequence is read whole",
    ),
    Mutant(
        FILE, "one_sequence_more", "heads, cu_seqlens.shape[0] - 1)", "heads, cu_seqlens.shape[0])",
        (("AR301", "seq_len = tl.load"),), "there is one start more than there are sequences", followed_by=AFTER,
    ),
    Mutant(
        FILE, "values_by_key_stride", "first * stride_vt", "first * stride_kt",
        (("AR301", "v = tl.load"),), "keys and values may be laid out differently",
    ),
    Mutant(
        FILE, "gqa_head_direct", "kv_head = head // heads_per_kv", "kv_head = head",
        (("AR301", "k = tl.load"), ("AR301", "v = tl.load")), "there are fewer key/value heads than query heads",
    ),
    Mutant(
        FILE, "length_is_end", "seq_len = tl.load(cu_ptr + seq + 1) - first", "seq_len = tl.load(cu_ptr + seq + 1)",
        AFTER, "the end of a sequence is not its length",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    hkv = rng.randint(1, 2)
    lengths = (rng.randint(1, 90), *(rng.choice((0, 1, rng.randint(0, 90))) for _ in range(rng.randint(0, 3))))
    return call(hkv * rng.randint(1, 3), hkv, lengths, rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for hq, hkv, lengths in LENGTHS:
        r = sum(lengths)
        q, k = torch.randn(r, hq, 64).half(), torch.randn(r, hkv, 64).half()
        v = torch.randn(hkv, r, 64).half().transpose(0, 1)
        cu = starts(lengths)
        got = example.varlen_attention(q, k, v, torch.tensor(cu, dtype=torch.int32), max(lengths))
        want = torch.zeros(r, hq, 64)
        for a, b in pairwise(cu):
            heads_first = [x[a:b].float().transpose(0, 1)[None] for x in (q, k, v)]
            if b > a:
                one = F.scaled_dot_product_attention(*heads_first, is_causal=True, enable_gqa=True)
                want[a:b] = one[0].transpose(0, 1)
        yield f"{hq}/{hkv} lengths {lengths}", got, want
