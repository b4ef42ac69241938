"""Checks of `examples/triton/layer_norm_backward.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, rows, tensor

FILE = "layer_norm_backward.py"
LAUNCHER = "layer_norm_backward"
SIZES = ((1, 1), (3, 5), (2, 64), (4, 65), (13, 2), (257, 3))


def call(m: int, n: int, dy_stride: int, x_stride: int) -> Call:
    return rows("f16", m, n, dy_stride), rows("f16", m, n, x_stride), tensor("f16", n), tensor("f32", m), tensor("f32", m)


SMALL: list[Call] = [call(m, n, dy, x) for m, n in SIZES[:-1] for dy, x in ((n, n), (0, n + 3), (n + 5, 0))]
SMALL.append(call(257, 3, 3, 5))
MUTANTS = (
    Mutant(
        FILE, "last_rows_not_clamped", "min((part + 1) * rows_each, n_rows)", "(part + 1) * rows_each",
        (
            ("AR301", "x = tl.load"), ("AR301", "dy = tl.load"), ("AR301", "mean = tl.load"), ("AR301", "rstd = tl.load"),
            ("AR302", "tl.store(dx_ptr"),
        ),
        "the last program has fewer rows than the others",
    ),
    Mutant(
        FILE, "gradient_by_input_stride", "dy_ptr + row * stride_dy", "dy_ptr + row * stride_x",
        (("AR301", "dy = tl.load"),), "rows of input and gradient may be laid out differently",
    ),
    Mutant(
        FILE, "parts_mask_dropped", "mask = (parts < n_parts)[:, None] & (cols", "mask = (parts >= 0)[:, None] & (cols",
        (("AR301", "dw += tl.load"), ("AR301", "db += tl.load")), "the last block has parts to spare",
    ),
    Mutant(
        FILE, "too_few_parts", "dw_parts = torch.empty((n_parts, n_cols)", "dw_parts = torch.empty((rows_each, n_cols)",
        (("AR302", "tl.store(dw_ptr + part"), ("AR301", "dw += tl.load")), "the launcher allocates a row for each row of a part",
    ),
    Mutant(
        FILE, "columns_unmasked", "tl.store(db_ptr + part * stride_part + cols, db, mask=mask)",
        "tl.store(db_ptr + part * stride_part + cols, db)",
        (("AR302", "tl.store(db_ptr + part"),), "the block is padded to a power of two",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n = rng.choice((rng.randint(1, 40), rng.randint(250, 600))), rng.randint(1, 90)
    return call(m, n, rng.choice((0, n, n + 3)), rng.choice((0, 1, n, n + 4)))


def references(example: Any) -> Iterator[Pair]:
    for m, n in SIZES:
        x, w, b = (torch.randn(*s).half() for s in ((m, n), (n,), (n,)))
        dy = torch.randn(m, n + 3).half()[:, :n]
        mean, rstd = x.float().mean(1), (x.float().var(1, unbiased=False) + 1e-5).rsqrt()
        leaves = [t.float().requires_grad_() for t in (x, w, b)]
        y = F.layer_norm(leaves[0], (n,), leaves[1], leaves[2])
        wanted = torch.autograd.grad(y, leaves, dy.float())
        for name, got, want in zip(("dx", "dw", "db"), example.layer_norm_backward(dy, x, w, mean, rstd), wanted, strict=True):
            yield f"{name} {m}x{n}", got, want
