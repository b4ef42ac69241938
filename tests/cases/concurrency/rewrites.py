"""A program writes its own cell in every trip, which is in order; the faulty one writes the trip's cell."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def own_cell(y, K):
    for k in range(0, K):
        tl.store(y + tl.program_id(0), k)


@triton.jit
def trip_cell(y, K):
    for k in range(0, K):
        tl.store(y + k, tl.program_id(0))


@argus.launch("y: i32[P] inout, K: int where K >= 1")
def ok(y, K):
    own_cell[(y.shape[0],)](y, K)


@argus.launch("y: i32[P] inout")
def bug(y):
    trip_cell[(y.shape[0],)](y, y.shape[0])
