"""A tuned kernel, and one that reads what it wrote."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


def keep_all(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] < 128]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 32}, num_warps=2),
        triton.Config({"BLOCK": 64}, num_warps=4, num_stages=2),
        triton.Config({"BLOCK": 256}),
    ],
    key=["n"],
    prune_configs_by={"early_config_prune": keep_all},
)
@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def add_one(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(y + i, mask=i < n) + 1, mask=i < n)


def launch(x):
    n = x.shape[0]
    y = torch.empty_like(x)
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
    add_one[(triton.cdiv(n, 64),)](y, n, BLOCK=64)
    return y
