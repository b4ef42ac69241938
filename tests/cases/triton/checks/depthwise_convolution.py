"""Checks of `examples/triton/depthwise_convolution.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, tensor
from tests.oracle.jobs import TensorArg

FILE = "depthwise_convolution.py"
LAUNCHER = "depthwise_convolution"
SIZES = ((1, 1, 1), (2, 3, 5), (1, 31, 64), (2, 32, 65), (1, 67, 3))


def time_last(dtype: str, b: int, t: int, c: int) -> TensorArg:
    """A [b, t, c] view of contiguous [b, c, t] memory."""
    return TensorArg(dtype, (b, t, c), (t * c, 1, t), seed=t)


SMALL: list[Call] = [
    (make("f16", b, t, c), tensor("f16", c, 4), tensor("f16", c)) for b, t, c in SIZES for make in (tensor, time_last)
]
MUTANTS = (
    Mutant(
        FILE, "start_open", "(earlier >= 0)[:, None] & ", "",
        (("AR301", "x = tl.load"),), "the first outputs look back before the start",
    ),
    Mutant(
        FILE, "channels_inclusive", "c < channels", "c <= channels",
        (("AR301", "bias = tl.load"), ("AR301", "w = tl.load"), ("AR301", "x = tl.load"), ("AR302", "tl.store")),
        "channel `channels` is one too many",
    ),
    Mutant(
        FILE, "y_uses_x_stride", "y_ptr += batch * stride_yb", "y_ptr += batch * stride_xb",
        (("AR302", "tl.store"),), "input batches may be further apart than output batches",
    ),
    Mutant(
        FILE, "one_tap_more", "TAPS=taps", "TAPS=taps + 1",
        (("AR301", "w = tl.load"),), "the last channel has no such tap",
    ),
)  # fmt: skip


def far_apart(dtype: str, b: int, t: int, c: int) -> TensorArg:
    return TensorArg(dtype, (b, t, c), (t * c + 5, c, 1), seed=c)


SMALL.append((far_apart("f16", 2, 2, 3), tensor("f16", 3, 4), tensor("f16", 3)))


def random_call(rng: random.Random) -> Call:
    b, t, c = rng.randint(1, 3), rng.randint(1, 80), rng.randint(1, 140)
    return rng.choice((tensor, time_last, far_apart))("f16", b, t, c), tensor("f16", c, 4), tensor("f16", c)


def references(example: Any) -> Iterator[Pair]:
    for b, t, c in SIZES:
        x, w, bias = torch.randn(b, c, t).half().transpose(1, 2), torch.randn(c, 4).half(), torch.randn(c).half()
        padded = F.pad(x.float().transpose(1, 2), (3, 0))
        want = F.silu(F.conv1d(padded, w.float()[:, None], bias.float(), groups=c)).transpose(1, 2)
        yield f"{b}x{t}x{c}", example.depthwise_convolution(x, w, bias), want
