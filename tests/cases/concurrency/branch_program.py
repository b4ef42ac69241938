"""One program writes the header; the faulty kernel's branch lets two of them."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def first(head, y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    if pid == 0:
        tl.store(head, pid)
    tl.store(y + i, i, mask=i < n)


@triton.jit
def two(head, y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    if pid < 2:
        tl.store(head, pid)
    tl.store(y + i, i, mask=i < n)


@argus.launch("head: i32[1] out, y: i32[n] out")
def ok(head, y):
    first[(triton.cdiv(y.shape[0], 16),)](head, y, y.shape[0], B=16)


@argus.launch("head: i32[1] out, y: i32[n] out")
def bug(head, y):
    two[(triton.cdiv(y.shape[0], 16),)](head, y, y.shape[0], B=16)
