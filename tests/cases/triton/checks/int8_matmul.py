"""Checks of `examples/triton/int8_matmul.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor
from tests.oracle.jobs import TensorArg

FILE = "int8_matmul.py"
LAUNCHER = "int8_matmul"
SIZES = ((1, 1, 1), (33, 65, 63), (5, 64, 65), (70, 31, 128))


def bytes_of(height: int, width: int, row: int, column: int) -> TensorArg:
    return TensorArg("i8", (height, width), (row, column), low=-128, high=127, seed=height)


def call(m: int, n: int, k: int, turned: bool) -> Call:
    a = bytes_of(m, k, 1, m) if turned else bytes_of(m, k, k, 1)
    b = bytes_of(k, n, 1, k + 3) if turned else bytes_of(k, n, n, 1)
    return a, b, tensor("f32", m), tensor("f32", n), tensor("f16", n)


SMALL: list[Call] = [call(*sizes, turned) for sizes in SIZES for turned in (False, True)]
MUTANTS = (
    Mutant(
        FILE, "even_in_n", "args[\"K\"] % args[\"BK\"]", "args[\"N\"] % args[\"BN\"]",
        (
            ("AR301", "a = tl.load(a_ptrs, mask=live_m[:, None], other"),
            ("AR301", "b = tl.load(b_ptrs, mask=live_n[None, :], other"),
        ),
        "the branch without a mask along K is chosen by another size",
    ),
    Mutant(
        FILE, "even_columns_unmasked", "b = tl.load(b_ptrs, mask=live_n[None, :], other=0)", "b = tl.load(b_ptrs)",
        (("AR301", "b = tl.load(b_ptrs)"),), "an even K says nothing about N",
    ),
    Mutant(
        FILE, "k_in_block", "live_k = k + offs_k < K", "live_k = offs_k < K",
        (("AR301", "mask=live_m[:, None] & live_k"), ("AR301", "mask=live_k[:, None] & live_n")),
        "the mask compares the place in the block with the length of the whole",
    ),
    Mutant(
        FILE, "scale_mask_dropped", "a_scale_ptr + offs_m, mask=live_m, other=0.0)", "a_scale_ptr + offs_m)",
        (("AR301", "a_scale = tl.load"),), "the last block has rows to spare",
    ),
    Mutant(
        FILE, "scales_swapped", "a, b, c, a_scale, b_scale, bias", "a, b, c, b_scale, a_scale, bias",
        (("AR301", "a_scale = tl.load"), ("AR301", "b_scale = tl.load")), "the launcher swaps the scales",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    return call(rng.randint(1, 70), rng.randint(1, 140), rng.choice((64, 128, rng.randint(1, 200))), rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for m, n, k in SIZES:
        a = torch.randint(-128, 128, (k, m), dtype=torch.int8).t()
        b = torch.randint(-128, 128, (k, n), dtype=torch.int8)
        a_scale, b_scale, bias = torch.rand(m) / 128, torch.rand(n) / 128, torch.randn(n).half()
        want = (a.double() @ b.double()) * a_scale[:, None] * b_scale
        yield f"{m}x{n}x{k}", example.int8_matmul(a, b, a_scale, b_scale), want
        yield f"{m}x{n}x{k} with bias", example.int8_matmul(a, b, a_scale, b_scale, bias), want + bias
