"""Launchers that make tensor descriptors: of tensors, of views, with tuned blocks and with blocks that depend on a size."""

from __future__ import annotations

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy(src, dst, i):
    dst.store([i, 0], src.load([i, 0]))


def _block_of(args):
    args["src"].block_shape = [args["BLOCK"], 16]
    args["dst"].block_shape = [args["BLOCK"], 16]


@triton.autotune(
    configs=[triton.Config({"BLOCK": b}, pre_hook=_block_of) for b in (8, 32)],
    key=[],
)
@triton.jit
def tuned_copy(src, dst, i, BLOCK: triton.language.constexpr):
    dst.store([i * BLOCK, 0], src.load([i * BLOCK, 0]))


def _allocate(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8)


def whole(x):
    triton.set_allocator(_allocate)
    out = torch.empty_like(x)
    copy[(1,)](TensorDescriptor.from_tensor(x, [16, 16]), TensorDescriptor(out, out.shape, out.stride(), [16, 16]), 3)
    return out


def nan_padded(x):
    copy[(1,)](TensorDescriptor.from_tensor(x, [16, 16], padding="nan"), TensorDescriptor.from_tensor(x, [16, 16]), 3)


def shifted(x, first):
    part = x[first:]
    copy[(1,)](TensorDescriptor.from_tensor(part, [16, 16]), TensorDescriptor.from_tensor(x, [16, 16]), 3)


def transposed(x):
    copy[(1,)](TensorDescriptor.from_tensor(x.t(), [16, 16]), TensorDescriptor.from_tensor(x, [16, 16]), 3)


def careful(x):
    try:
        made = TensorDescriptor.from_tensor(x, [16, 16])
    except AssertionError:
        return None
    copy[(1,)](made, made, 3)
    return x


def tuned(x):
    out = torch.empty_like(x)
    tuned_copy[(1,)](TensorDescriptor.from_tensor(x, [1, 16]), TensorDescriptor.from_tensor(out, [1, 16]), 3)
    return out


def sized(x):
    n = triton.next_power_of_2(x.shape[1])
    copy[(1,)](TensorDescriptor.from_tensor(x, [16, n]), TensorDescriptor.from_tensor(x, [16, n]), 3)
