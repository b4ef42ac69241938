"""Checks of `examples/triton/dropout.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor

FILE = "dropout.py"
LAUNCHER = "dropout"
SIZES = ((1, 1), (3, 341), (2, 512), (5, 205))
SMALL: list[Call] = [(tensor("f32", m, n), 0.25, seed) for m, n in SIZES for seed in (0, 77)]
MUTANTS = (
    Mutant(
        FILE, "load_mask_dropped", "x = tl.load(x_ptr + offsets, mask=mask)", "x = tl.load(x_ptr + offsets)",
        (("AR301", "x = tl.load"),), "the last block reads past the end",
    ),
    Mutant(
        FILE, "store_mask_dropped", "0.0), mask=mask)", "0.0))",
        (("AR302", "tl.store"),), "the last block writes past the end",
    ),
    Mutant(
        FILE, "mask_inclusive", "offsets < n_elements", "offsets <= n_elements",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "element `n_elements` is one too many",
    ),
    Mutant(
        FILE, "mask_in_block", "mask = offsets < n_elements", "mask = tl.arange(0, BLOCK) < n_elements",
        (("AR301", "x = tl.load"), ("AR302", "tl.store")), "the mask forgets where the block starts",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    return tensor("f32", rng.randint(1, 9), rng.randint(1, 700)), rng.random() * 0.9, rng.randint(0, 1 << 30)


def references(example: Any) -> Iterator[Pair]:
    """Each element is dropped or scaled, the right share is dropped, and the seed alone says which."""
    for m, n in (*SIZES, (40, 1000)):
        x = 1 + torch.rand(m, n)
        out = example.dropout(x, 0.3, 5)
        yield f"values {m}x{n}", out, torch.where(out != 0, x / 0.7, 0.0)
        yield f"again {m}x{n}", example.dropout(x, 0.3, 5), out
    yield "share dropped", (out == 0).float().mean(), torch.tensor(0.3)
    yield "other seeds differ", (example.dropout(x, 0.3, 6) == out).float().mean(), torch.tensor(0.3**2 + 0.7**2)
