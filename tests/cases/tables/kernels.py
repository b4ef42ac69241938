"""Launchers that pass tables of addresses: what is read from a table, and what becomes of it."""

import torch
import triton
import triton.language as tl

POINTER = tl.constexpr(tl.pointer_type(tl.float32))


@triton.jit
def double_kernel(table, sizes, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    n = tl.load(sizes + g)
    x = tl.load(table + g).to(POINTER)
    offs = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offs, tl.load(x + offs, mask=offs < n) * 2, mask=offs < n)


def double(table, sizes):
    double_kernel[(table.shape[0], 4)](table, sizes, BLOCK=32)


def double_past(table, sizes):
    double_kernel[(table.shape[0] + 1, 4)](table, sizes, BLOCK=32)


def double_tails(table, sizes):
    double_kernel[(table.shape[0] - 1, 4)](table[1:], sizes[1:], BLOCK=32)


def double_shifted(table, sizes):
    double_kernel[(table.shape[0] - 1, 4)](table[1:], sizes, BLOCK=32)


def double_larger(table, sizes):
    sizes += 1
    double_kernel[(table.shape[0], 4)](table, sizes, BLOCK=32)


@triton.jit
def raise_kernel(sizes):
    at = sizes + tl.program_id(0)
    tl.store(at, tl.load(at) + 1)


def double_raised(table, sizes):
    raise_kernel[(sizes.shape[0],)](sizes)
    double_kernel[(table.shape[0], 4)](table, sizes, BLOCK=32)


@triton.jit
def guarded_kernel(table, count, GUARD: tl.constexpr, OTHER: tl.constexpr):
    g = tl.program_id(0)
    if OTHER:
        x = tl.load(table + g, mask=g < count, other=0).to(POINTER)
    else:
        x = tl.load(table + g, mask=g < count).to(POINTER)
    if GUARD:
        tl.store(x, 1.0, mask=g < count)
    else:
        tl.store(x, 1.0)


def guarded(table, guard, other):
    guarded_kernel[(triton.cdiv(table.shape[0], 8) * 8,)](table, table.shape[0], GUARD=guard, OTHER=other)


@triton.jit
def firsts_kernel(table, out, count, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    live = offs < count
    x = tl.load(table + offs, mask=live, other=0).to(POINTER)
    tl.store(out + offs, tl.load(x, mask=live), mask=live)


def firsts(table):
    out = torch.empty(table.shape[0], dtype=torch.float32)
    firsts_kernel[(1,)](table, out, table.shape[0], BLOCK=64)
    return out


def firsts_of(table, n):
    return firsts(table)


@triton.jit
def second_kernel(table, out):
    g = tl.program_id(0)
    tl.store(out + g, tl.load((tl.load(table + g) + 4).to(POINTER)))


def second(table):
    out = torch.empty(table.shape[0], dtype=torch.float32)
    second_kernel[(table.shape[0],)](table, out)
    return out


@triton.jit
def choose_kernel(table, sizes, SAME: tl.constexpr):
    g = tl.program_id(0)
    odd = g % 2 == 1
    a, b = tl.load(table + g).to(POINTER), tl.load(table).to(POINTER)
    n = tl.where(odd, tl.load(sizes + g), tl.load(sizes)) if SAME else tl.load(sizes)
    offs = tl.arange(0, 16)
    tl.store(tl.where(odd, a, b) + offs, 0.0, mask=offs < n)


def choose(table, sizes, same):
    choose_kernel[(table.shape[0],)](table, sizes, SAME=same)


@triton.jit
def branch_kernel(table, sizes, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    if g % 3 == 0:
        x = tl.load(table).to(POINTER)
        n = tl.load(sizes)
    else:
        x = tl.load(table + g).to(POINTER)
        n = tl.load(sizes + g)
    for start in range(0, tl.cdiv(n, BLOCK)):
        offs = start * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + tl.arange(0, BLOCK), 0.0, mask=offs < n)
        x += BLOCK


def branch(table, sizes):
    branch_kernel[(table.shape[0],)](table, sizes, BLOCK=16)


@triton.jit
def moving_kernel(table, count):
    x = tl.load(table).to(POINTER)
    for g in range(1, count):
        tl.store(x, 1.0)
        x = tl.load(table + g).to(POINTER)


def moving(table):
    moving_kernel[(1,)](table, table.shape[0])


@triton.jit
def overwriting_kernel(table):
    at = table + tl.program_id(0)
    tl.store(at, tl.load(at))
    tl.store(tl.load(at).to(POINTER), 1.0)


def overwriting(table):
    overwriting_kernel[(table.shape[0],)](table)


@triton.jit
def swelling_kernel(table, sizes, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    tl.store(sizes + g, tl.load(sizes + g) + 1)
    n = tl.load(sizes + g)
    offs = tl.arange(0, BLOCK)
    tl.store(tl.load(table + g).to(POINTER) + offs, 0.0, mask=offs < n)


def swelling(table, sizes):
    swelling_kernel[(table.shape[0],)](table, sizes, BLOCK=16)


@triton.jit
def hinted_kernel(table, BYTES: tl.constexpr):
    x = tl.multiple_of(tl.load(table + tl.program_id(0)).to(POINTER), BYTES)
    tl.store(x, 0.0)


def hinted(table, size):
    hinted_kernel[(table.shape[0],)](table, BYTES=size)


@triton.jit
def number_kernel(table, out):
    g = tl.program_id(0)
    tl.store(out + (tl.load(table + g) >> 41) % 2 * 4, 1.0)


def number(table, out):
    number_kernel[(table.shape[0],)](table, out)


@triton.jit
def indirect_kernel(table, out):
    g = tl.program_id(0)
    tl.store(out + tl.load(tl.load(table + g).to(tl.pointer_type(tl.int32))), 1.0)


def indirect(table, out):
    indirect_kernel[(table.shape[0],)](table, out)


@triton.jit
def shared_kernel(table, index, out):
    g = tl.program_id(0)
    tl.store(tl.load(table + g).to(POINTER), 1.0)
    tl.store(out + tl.load(index + g), 1.0)


def shared(table, n, index, out):
    shared_kernel[(table.shape[0],)](table, index, out)


@triton.jit
def rows_kernel(table, strides, ROW: tl.constexpr):
    g = tl.program_id(0)
    x = tl.load(table + g).to(POINTER) + ROW * tl.load(strides + g)
    tl.store(x + tl.arange(0, 8), 0.0)


def rows(table, strides, row):
    rows_kernel[(table.shape[0],)](table, strides, ROW=row)


@triton.jit
def walk_kernel(table, sizes, strides, groups, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    done = 0
    for g in range(groups):
        height, width = tl.load(sizes + 2 * g), tl.load(sizes + 2 * g + 1)
        tiles = tl.cdiv(height, BLOCK)
        while tile >= done and tile < done + tiles:
            stride = tl.load(strides + g)
            rows = (tile - done) * BLOCK + tl.arange(0, BLOCK)
            columns = tl.arange(0, BLOCK)
            x = tl.load(table + g).to(POINTER) + rows[:, None] * stride + columns[None, :]
            for start in range(0, tl.cdiv(width, BLOCK)):
                inside = columns < width - start * BLOCK
                tl.store(x, 0.0, mask=(rows < height)[:, None] & inside[None, :])
                x += BLOCK
            tile += PROGRAMS
        done += tiles


def walk(table, sizes, strides):
    walk_kernel[(12,)](table, sizes, strides, sizes.shape[0], PROGRAMS=12, BLOCK=16)


@triton.jit
def fill_kernel(table):
    tl.store(tl.load(table + tl.program_id(0)).to(POINTER), 0.0)


def moved(table):
    fill_kernel[(table.shape[0],)](table + 4)


def copied(table):
    fill_kernel[(table.shape[0],)](table.clone())


@triton.jit
def number_of_kernel(out, n):
    tl.store(out + tl.program_id(0) + (n >> 41) % 2 * 4, 1.0)


def counted(table, out):
    number_of_kernel[(4,)](out, table[0].item())
