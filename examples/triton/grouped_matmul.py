"""Grouped matrix products: as many as there are entries in tables of addresses, of any sizes, each by any number of programs."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def grouped_kernel(
    a_table, b_table, c_table, sizes_ptr, strides_ptr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    g = tl.program_id(1)
    m = tl.load(sizes_ptr + g * 3).to(tl.int64)
    n = tl.load(sizes_ptr + g * 3 + 1).to(tl.int64)
    k = tl.load(sizes_ptr + g * 3 + 2).to(tl.int64)
    stride_a = tl.load(strides_ptr + g * 3)
    stride_b = tl.load(strides_ptr + g * 3 + 1)
    stride_c = tl.load(strides_ptr + g * 3 + 2)
    a_ptr = tl.load(a_table + g).to(tl.pointer_type(tl.float16))
    b_ptr = tl.load(b_table + g).to(tl.pointer_type(tl.float16))
    c_ptr = tl.load(c_table + g).to(tl.pointer_type(tl.float16))
    tiles_n = tl.cdiv(n, BN)
    # The programs of a product take its tiles in turn; a small product leaves some of them idle.
    for tile in range(tl.program_id(0).to(tl.int64), tl.cdiv(m, BM) * tiles_n, tl.num_programs(0)):
        offs_m = tile // tiles_n * BM + tl.arange(0, BM)
        offs_n = tile % tiles_n * BN + tl.arange(0, BN)
        live_m = offs_m < m
        live_n = offs_n < n
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, k, BK):
            offs_k = start + tl.arange(0, BK)
            live_k = offs_k < k
            a_ptrs = a_ptr + offs_m[:, None] * stride_a + offs_k[None, :]
            b_ptrs = b_ptr + offs_k[:, None] * stride_b + offs_n[None, :]
            a = tl.load(a_ptrs, mask=live_m[:, None] & live_k[None, :], other=0.0)
            b = tl.load(b_ptrs, mask=live_k[:, None] & live_n[None, :], other=0.0)
            acc = tl.dot(a, b, acc)
        c_ptrs = c_ptr + offs_m[:, None] * stride_c + offs_n[None, :]
        tl.store(c_ptrs, acc.to(tl.float16), mask=live_m[:, None] & live_n[None, :])


@argus.launch(
    "a: table[g: G] of f16[sizes[g, 0], sizes[g, 2]]{strides[g, 0], 1},"
    " b: table[g: G] of f16[sizes[g, 2], sizes[g, 1]]{strides[g, 1], 1},"
    " c: table[g: G] of f16[sizes[g, 0], sizes[g, 1]]{strides[g, 2], 1} out,"
    " sizes: i32[G, 3] in [0, 2**31), strides: i64[G, 3], programs: int in [1, 2**16]"
)
def grouped_matmul(a, b, c, sizes, strides, programs):
    """Product g of the matrices at `a[g]` and `b[g]` to `c[g]`; its M, N and K are `sizes[g]`, the rows' strides `strides[g]`."""
    grouped_kernel[(programs, sizes.shape[0])](a, b, c, sizes, strides, BM=32, BN=64, BK=32)


def addresses(matrices):
    """The table of a list of matrices, which must outlive it."""
    return torch.tensor([x.data_ptr() for x in matrices], dtype=torch.int64, device=matrices[0].device)


def products(left, right, programs=8):
    """left[g] @ right[g] for each g, in one launch."""
    out = [torch.empty((x.shape[0], y.shape[1]), dtype=x.dtype, device=x.device) for x, y in zip(left, right, strict=True)]
    sizes = [(x.shape[0], y.shape[1], y.shape[0]) for x, y in zip(left, right, strict=True)]
    strides = [(x.stride(0), y.stride(0), z.stride(0)) for x, y, z in zip(left, right, out, strict=True)]
    device = left[0].device
    grouped_matmul(
        addresses(left), addresses(right), addresses(out),
        torch.tensor(sizes, dtype=torch.int32, device=device), torch.tensor(strides, dtype=torch.int64, device=device), programs,
    )  # fmt: skip
    return out
