"""Kernels on tensor descriptors: blocks copied, rows gathered and scattered, updates, all ways through control flow."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy_block(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 8])
    e = tl.make_tensor_descriptor(o, shape=[m, n], strides=[n, 1], block_shape=[B, 8])
    e.store([i, j], d.load([i, j]))


@triton.jit
def nan_block(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 8], padding_option="nan")
    at = tl.arange(0, B)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(o + at, d.load([i, j]))


@triton.jit
def chosen(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 8], padding_option="nan")
    if i > 0:
        d = tl.make_tensor_descriptor(x + j, shape=[i, n], strides=[n, 1], block_shape=[B, 8])
    at = tl.arange(0, B)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(o + at, d.load([0, 0]))


@triton.jit
def pick(d, o, i):
    if i > 2:
        return d
    return tl.make_tensor_descriptor(o, shape=[i, 8], strides=[8, 1], block_shape=[4, 8])


@triton.jit
def carried(x, o, m, n, i, j, B: tl.constexpr):
    """Two descriptors that change places on every trip, by way of a helper with an early return."""
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[4, 8])
    e = tl.make_tensor_descriptor(o, shape=[m, n], strides=[n, 1], block_shape=[4, 8])
    k = 0
    while k < j:
        v = d.load([k, i])
        f = pick(e, x, k)
        f.store([i, k], v)
        t = d
        d = e
        e = t
        k += 1


@triton.jit
def rows(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[1, 8])
    e = tl.make_tensor_descriptor(o, shape=[m, n], strides=[n, 1], block_shape=[1, 8])
    at = tl.arange(0, 8)
    e.scatter(d.gather(at * i - 2, j), at + i, j)


@triton.jit
def updates(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 8])
    e = tl.make_tensor_descriptor(o, shape=[m, n], strides=[n, 1], block_shape=[B, 8])
    e.atomic_add([i, j], d.load([i, j]))
    e.atomic_add([i, j + 1], d.load([i, j]))


@triton.jit
def extremes(x, o, m, n, i, j, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 8])
    e = tl.make_tensor_descriptor(o, shape=[m * n], strides=[1], block_shape=[8])
    v = d.load([i, j])
    d.atomic_max([i, j], v)
    d.atomic_min([i, j], v)
    d.atomic_xor([i, j], v)
    e.atomic_or([i], e.load([j]))


@triton.jit
def from_host(d, o, i, j, B: tl.constexpr):
    tl.store(o + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :], d.load([i, j]) + d.shape[0] + d.strides[0])
