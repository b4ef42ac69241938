"""Persistent matrix product with tensor descriptors: a fixed number of programs take turns at the tiles.

The descriptors hold the bounds, so the kernel has no mask at all; loads past an edge give zeros, stores there do nothing.
"""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def descriptor_matmul_kernel(
    x_ptr, w_ptr, y_ptr, M, N, K, stride_xm, stride_wn, stride_ym,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, K], strides=[stride_xm, 1], block_shape=[BM, BK])
    w_desc = tl.make_tensor_descriptor(w_ptr, shape=[N, K], strides=[stride_wn, 1], block_shape=[BN, BK])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[M, N], strides=[stride_ym, 1], block_shape=[BM, BN])

    tiles_n = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * tiles_n
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        row = (tile // tiles_n) * BM
        col = (tile % tiles_n) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            x = x_desc.load([row, k])
            w = w_desc.load([col, k])
            acc = tl.dot(x, w.T, acc)
        y_desc.store([row, col], acc.to(tl.float16))


def scratch(size, alignment, stream):
    """Memory in which the kernel writes its descriptors."""
    return torch.empty(size, device="cuda", dtype=torch.int8)


@argus.launch(
    "x: f16[M, K] {ldx, 1}, weight: f16[N, K] {ldw, 1}, sms: int in [1, 1024] where ldx % 8 == 0, ldw % 8 == 0, N % 8 == 0"
)
def descriptor_matmul(x, weight, sms):
    """Returns `x @ weight.T`; `sms` is the number of multiprocessors to keep busy."""
    M, K = x.shape
    N = weight.shape[0]
    assert weight.shape[1] == K, "inner sizes differ"
    assert x.stride(0) % 8 == 0 and weight.stride(0) % 8 == 0 and N % 8 == 0, "rows must begin at multiples of 16 bytes"
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    triton.set_allocator(scratch)
    tiles = triton.cdiv(M, 64) * triton.cdiv(N, 64)
    descriptor_matmul_kernel[(min(sms, tiles),)](
        x, weight, y, M, N, K, x.stride(0), weight.stride(0), y.stride(0), BM=64, BN=64, BK=32
    )
    return y
