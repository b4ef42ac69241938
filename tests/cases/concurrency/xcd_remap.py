"""Neighbouring tiles to one of 8 dies; with a remainder the first dies get one more, which the faulty kernel forgets."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def with_remainder(y, tiles, DIES: tl.constexpr):
    pid = tl.program_id(0)
    die = pid % DIES
    each = tiles // DIES
    more = tiles % DIES
    tile = die * each + min(die, more) + pid // DIES
    tl.store(y + tile, pid)


@triton.jit
def without_remainder(y, tiles, DIES: tl.constexpr):
    pid = tl.program_id(0)
    tile = pid % DIES * (tiles // DIES) + pid // DIES
    tl.store(y + tile, pid)


@argus.launch("y: i32[n] out")
def ok(y):
    with_remainder[(y.shape[0],)](y, y.shape[0], DIES=8)


@argus.launch("y: i32[n] out")
def bug(y):
    without_remainder[(y.shape[0],)](y, y.shape[0], DIES=8)
