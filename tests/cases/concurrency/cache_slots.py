"""Rows of new tokens go to slots of a cache, distinct except -1; the faulty signature says nothing of the slots."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def insert(new, slot, cache, D, B: tl.constexpr):
    token = tl.program_id(0)
    at = tl.load(slot + token)
    if at >= 0:
        c = tl.arange(0, B)
        row = tl.load(new + token * D + c, mask=c < D)
        tl.store(cache + at * D + c, row, mask=c < D)


@argus.launch("new: f32[T, D], slot: i32[T] in [-1, S) distinct except -1, cache: f32[S, D] inout where D <= 64")
def ok(new, slot, cache):
    T, D = new.shape
    insert[(T,)](new, slot, cache, D, B=64)


@argus.launch("new: f32[T, D], slot: i32[T] in [-1, S), cache: f32[S, D] inout where D <= 64")
def bug(new, slot, cache):
    T, D = new.shape
    insert[(T,)](new, slot, cache, D, B=64)
