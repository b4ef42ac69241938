"""Checks of `examples/triton/fp8_block_scaled_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "fp8_block_scaled_matmul.py"
LAUNCHER = "fp8_block_scaled_matmul"
SIZES = ((1, 1, 1), (65, 3, 129), (64, 64, 128), (2, 129, 65), (1, 200, 257))


def call(m: int, n: int, k: int, turned: bool) -> Call:
    strips, blocks = -(-k // 128), -(-n // 128)
    make = columns if turned else tensor
    return make("f8e4m3fn", m, k), rows("f8e4m3fn", n, k, k + turned), make("f32", m, strips), make("f32", blocks, strips)


SMALL: list[Call] = [call(*sizes, turned) for sizes in SIZES for turned in (False, True)]
MUTANTS = (
    Mutant(
        FILE, "strip_per_step", "strip = k * BK // STRIP", "strip = k",
        (("AR301", "a_scale = tl.load"), ("AR301", "b_scale = tl.load")), "two steps of the loop share a strip",
    ),
    Mutant(
        FILE, "block_per_tile", "b_scale_ptr + offs_n // STRIP * stride_bsn", "b_scale_ptr + offs_n // BN * stride_bsn",
        (("AR301", "b_scale = tl.load"),), "a block of scales is wider than a tile of the result",
    ),
    Mutant(
        FILE, "rows_not_wrapped", "(pid_m * BM + tl.arange(0, BM)) % M", "pid_m * BM + tl.arange(0, BM)",
        (("AR301", "a = tl.load"), ("AR301", "a_scale = tl.load")), "rows past M are read unmasked",
    ),
    Mutant(
        FILE, "k_mask_inclusive", "offs_k[:, None] < K - k * BK", "offs_k[:, None] <= K - k * BK",
        (("AR301", "b = tl.load"),), "column K of B is one too many",
    ),
    Mutant(
        FILE, "scale_strides_swapped", "*a_scale.stride(), *b_scale.stride()", "*b_scale.stride(), *a_scale.stride()",
        (("AR301", "a_scale = tl.load"), ("AR301", "b_scale = tl.load")), "the launcher swaps the strides of the scales",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    return call(rng.randint(1, 140), rng.randint(1, 260), rng.randint(1, 300), rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for m, n, k in SIZES:
        strips, blocks = -(-k // 128), -(-n // 128)
        a, b = torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(k, n).to(torch.float8_e4m3fn).t()
        a_scale, b_scale = torch.rand(strips, m).t(), torch.rand(blocks, strips)
        strip_of_k, block_of_n = torch.arange(k) // 128, torch.arange(n) // 128
        want = (a.float() * a_scale[:, strip_of_k]) @ (b.float() * b_scale[block_of_n][:, strip_of_k]).t()
        got = example.fp8_block_scaled_matmul(a, b, a_scale, b_scale, torch.float32)
        yield f"{m}x{n}x{k}", got, want
