"""Checks of `examples/triton/im2col_convolution.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor
from tests.oracle.jobs import TensorArg

FILE = "im2col_convolution.py"
LAUNCHER = "convolution"
Sizes = tuple[int, int, int, int, int, int, int, int, int, int]
SIZES: tuple[Sizes, ...] = (
    (1, 1, 1, 1, 1, 1, 1, 1, 0, 1), (2, 3, 5, 7, 4, 3, 3, 1, 1, 1), (1, 2, 9, 8, 33, 3, 2, 2, 0, 1),
    (2, 1, 7, 6, 2, 2, 3, 1, 2, 2), (3, 5, 4, 6, 3, 1, 1, 3, 0, 1), (1, 4, 8, 9, 31, 3, 3, 2, 1, 2),
)  # fmt: skip
"""N, C, H, W, K, R, S, step, padding, dilation."""


def channels_last(dtype: str, n: int, c: int, h: int, w: int) -> TensorArg:
    """An [n, c, h, w] view of contiguous [n, h, w, c] memory."""
    return TensorArg(dtype, (n, c, h, w), (h * w * c, 1, w * c, c), seed=n + c)


def call(sizes: Sizes, last: bool) -> Call:
    n, c, h, w, k, r, s, step, pad, dilation = sizes
    make = channels_last if last else tensor
    return make("f16", n, c, h, w), make("f16", k, c, r, s), step, pad, dilation


SMALL: list[Call] = [call(sizes, last) for sizes in SIZES for last in (False, True)]
MUTANTS = (
    Mutant(
        FILE, "left_edge_open", "(x >= 0) & (x < width)", "(x < width)",
        (("AR301", "patch = tl.load"),), "with padding the first patches begin left of the image",
    ),
    Mutant(
        FILE, "bottom_edge_inclusive", "(y < height)", "(y <= height)",
        (("AR301", "patch = tl.load"),), "row `height` is one too many",
    ),
    Mutant(
        FILE, "filter_mask_dropped", "mask=(q < taps)[:, None] & (k < filters)[None, :]", "mask=(q < taps)[:, None]",
        (("AR301", "taps_of_k = tl.load"),), "the last block has filters to spare",
    ),
    Mutant(
        FILE, "tap_row_by_rows", "r = q // S % R", "r = q // R % S",
        (("AR301", "taps_of_k = tl.load"),), "the two sizes of the filter are mixed up",
    ),
    Mutant(
        FILE, "image_mask_dropped", "mask=(n < batch)[:, None] & (k < filters)[None, :])", "mask=(k < filters)[None, :])",
        (("AR302", "tl.store"),), "the last block has pixels to spare",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    r, s, dilation, pad = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 3), rng.randint(0, 3)
    h = max(1, dilation * (r - 1) + 1 - 2 * pad) + rng.randint(0, 9)
    w = max(1, dilation * (s - 1) + 1 - 2 * pad) + rng.randint(0, 9)
    sizes = (rng.randint(1, 3), rng.randint(1, 5), h, w, rng.randint(1, 40), r, s, rng.randint(1, 3), pad, dilation)
    return call(sizes, rng.random() < 0.5)


def references(example: Any) -> Iterator[Pair]:
    for n, c, h, w, k, r, s, step, pad, dilation in SIZES:
        for layout in (torch.contiguous_format, torch.channels_last):
            x = torch.randn(n, c, h, w).half().contiguous(memory_format=layout)
            f = torch.randn(k, c, r, s).half().contiguous(memory_format=layout)
            want = F.conv2d(x.float(), f.float(), None, step, pad, dilation)
            yield f"{n}x{c}x{h}x{w} by {k}x{r}x{s} {layout}", example.convolution(x, f, step, pad, dilation), want
