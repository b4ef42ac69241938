"""Rows of 65,536 elements, each written by its own program: with 65,537 rows, 32-bit offsets bring the last one onto the first."""

import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def signed(y, stride):
    row = tl.program_id(0)
    tl.store(y + row * stride, row)


@triton.jit
def unsigned(y, stride):
    row = tl.program_id(0)
    offset = row.to(tl.uint32) * stride.to(tl.uint32)
    tl.store(y + offset.to(tl.int64), row)


@triton.jit
def wide(y, stride):
    row = tl.program_id(0).to(tl.int64)
    tl.store(y + row * stride, row)


@argus.launch("y: i32[M, N] where N == 65536, M <= 65537")
def narrow_rows(y):
    signed[(y.shape[0],)](y, y.stride(0))


@argus.launch("y: i32[M, N] where N == 65536, M <= 65537")
def unsigned_rows(y):
    unsigned[(y.shape[0],)](y, y.stride(0))


@argus.launch("y: i32[M, N] where N == 65536, M <= 65537")
def wide_rows(y):
    wide[(y.shape[0],)](y, y.stride(0))
