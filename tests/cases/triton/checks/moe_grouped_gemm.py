"""Checks of `examples/triton/moe_grouped_gemm.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, tensor
from tests.oracle.jobs import TensorArg

FILE = "moe_grouped_gemm.py"
LAUNCHER = "moe_grouped_gemm"
Sizes = tuple[int, int, int, int, int]
SIZES: tuple[Sizes, ...] = ((1, 1, 1, 1, 1), (5, 2, 33, 3, 70), (17, 1, 32, 2, 64), (9, 3, 31, 4, 5), (20, 2, 1, 1, 65))
"""Tokens, choices of each, inner size, experts, outer size."""


def sorted_by_expert(choices: list[int], experts: int) -> tuple[list[int], list[int]]:
    """Pairs in the order of their experts, each expert's share padded to blocks of 16; and the expert of each block."""
    ids: list[int] = []
    of_block: list[int] = []
    for expert in range(experts):
        own = [pair for pair, chosen in enumerate(choices) if chosen == expert]
        own += [len(choices)] * (-len(own) % 16)
        ids += own
        of_block += [expert] * (len(own) // 16)
    return ids, of_block


def plan(sizes: Sizes, rng: random.Random, spare: int) -> tuple[list[int], list[int], list[int]]:
    """Choice of each pair, and what the kernel gets; the arrays are `spare` blocks longer than what counts."""
    tokens, top, _, experts, _ = sizes
    choices = [rng.randrange(experts) for _ in range(tokens * top)]
    ids, of_block = sorted_by_expert(choices, experts)
    return choices, ids + [tokens * top] * (16 * spare), of_block + [0] * spare


def call(sizes: Sizes, spare: int, weighted: bool, turned: bool, used: int | None = None) -> Call:
    t, top, k, e, n = sizes
    _, ids, of_block = plan(sizes, random.Random(t + n), spare)
    count = len(ids) - 16 * spare if used is None else used
    b = TensorArg("f16", (e, n, k), (n * k, 1, n), seed=k) if turned else tensor("f16", e, n, k)
    return (
        (columns if turned else tensor)("f16", t, k), b, tensor("f32", t, top),
        TensorArg("i32", (len(ids),), values=tuple(ids)), TensorArg("i32", (len(of_block),), values=tuple(of_block)),
        TensorArg("i32", (1,), values=(count,)), weighted,
    )  # fmt: skip


SMALL: list[Call] = [call(sizes, spare, spare == 0, turned=spare == 1) for sizes in SIZES for spare in (0, 1)]
SMALL.append(call(SIZES[1], 0, weighted=True, turned=False, used=0))
MUTANTS = (
    Mutant(
        FILE, "padding_read", "mask=live[:, None] & (offs_k[None, :] < K - k * BK)", "mask=offs_k[None, :] < K - k * BK",
        (("AR301", "a = tl.load"),), "the token of the padding id is one past the last",
    ),
    Mutant(
        FILE, "padding_written", "mask=live[:, None] & (offs_cn < N)[None, :])",
        "mask=(pairs >= 0)[:, None] & (offs_cn < N)[None, :])",
        (("AR302", "tl.store"),), "the padding id has no row in the result",
    ),
    Mutant(
        FILE, "pair_as_token", "(pairs // top_k)[:, None] * stride_am", "pairs[:, None] * stride_am",
        (("AR301", "a = tl.load"),), "each token has several pairs",
    ),
    Mutant(
        FILE, "expert_of_program", "expert_ids_ptr + pid_m)", "expert_ids_ptr + pid)",
        (("AR301", "expert = tl.load"),), "several programs share a block of tokens",
        followed_by=(("AR301", "b = tl.load"),),
    ),
    Mutant(
        FILE, "one_program_more", "if pid >= tiles_m * tiles_n:", "if pid > tiles_m * tiles_n:",
        (("AR305", "pid_m = first_m"),), "with nothing to do there is no group to divide by",
        followed_by=(("AR305", "pid_n = (pid"),),
    ),
    Mutant(
        FILE, "weight_mask_dropped", "tl.load(weights_ptr + pairs, mask=live, other=0.0)", "tl.load(weights_ptr + pairs)",
        (("AR301", "weights = tl.load"),), "the padding id has no weight",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    top = rng.randint(1, 4)
    sizes = (rng.randint(1, 40), top, rng.randint(1, 70), rng.randint(1, 5), rng.randint(1, 140))
    return call(sizes, rng.randint(0, 2), rng.random() < 0.5, rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for sizes in SIZES:
        t, top, k, e, n = sizes
        a, b, weights = torch.randn(t, k).half(), torch.randn(e, k, n).half().transpose(1, 2), torch.rand(t, top)
        for weighted, spare in ((True, 1), (False, 0)):
            choices, ids, of_block = plan(sizes, random.Random(t), spare)
            index = [torch.tensor(x, dtype=torch.int32) for x in (ids, of_block, [len(ids) - 16 * spare])]
            got = example.moe_grouped_gemm(a, b, weights, *index, weighted)
            chosen = torch.tensor(choices).reshape(t, top)
            want = torch.einsum("tk,tjnk->tjn", a.float(), b.float()[chosen])
            yield f"{sizes} weighted {weighted}", got, want * weights[:, :, None] if weighted else want
