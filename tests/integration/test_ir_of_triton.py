"""Kernels that come from Triton's own front end are well formed, and survive their text and their JSON."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language as tl

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.ir import launch as L
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.ops import Kernel
from argus_smt.ir.parse import parse_kernel
from argus_smt.ir.serialise import dumps_program, loads_program
from argus_smt.ir.text import print_kernel
from argus_smt.ir.walk import walk
from argus_smt.smt.term import ONE
from argus_smt.source import NOWHERE


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def many_operations(x_ptr, i_ptr, o_ptr, n, B: tl.constexpr):
    """At least one use of nearly every operation that the language has."""
    tl.device_assert(n > 0, "n")
    tl.assume(n > 0)
    cols = tl.arange(0, B)
    off = tl.multiple_of(tl.program_id(0) * B, 16) + cols
    x = tl.load(x_ptr + off, mask=off < n, other=0.0).to(tl.float32)
    i = tl.load(i_ptr + off, mask=off < n, other=0)
    top, where = tl.max(x, 0, return_indices=True)
    sums = tl.cumsum(x, 0)
    sorted_ = tl.sort(i.to(tl.int32))
    counts = tl.histogram(i.to(tl.int32), 32)
    picked = tl.gather(x, sorted_, 0)
    pair = tl.join(x, picked)
    first, second = tl.split(pair)
    turned = tl.trans(tl.reshape(pair, (2, B)))
    product = tl.dot(tl.broadcast_to(x[:, None], (B, B)), tl.broadcast_to(picked[None, :], (B, B)))
    k = n
    while k > 0:
        k = k // 2
        if k == 5:
            x += 1.0
        else:
            x = tl.where(x > 0, x, -x)
    for _ in range(0, n, 3):
        x += tl.exp(first) * tl.sqrt(tl.abs(second)) / (tl.sigmoid(x) + 1e-6)
        x = tl.maximum(x, 0.0)
    tl.atomic_add(o_ptr + off, x.to(tl.float16), mask=off < n)
    tl.atomic_cas(i_ptr, tl.full((), 0, tl.int64), tl.full((), 1, tl.int64))
    tl.atomic_xchg(i_ptr + 1, where.to(tl.int64))
    tl.atomic_max(i_ptr + off, i, mask=off < n)
    tl.debug_barrier()
    both = tl.cat(x, x, can_reorder=True)
    bits = (x.to(tl.int8).to(tl.uint8) >> 1).to(tl.float32) + tl.umulhi(n, 3)
    words = tl.load(i_ptr.to(tl.pointer_type(tl.int32)) + off)
    table = tl.load(i_ptr).to(tl.pointer_type(tl.float32))
    halves = tl.load(x_ptr + cols).to(tl.int16, bitcast=True)
    small = x.to(tl.float8e5).to(tl.bfloat16)
    scanned = tl.associative_scan(x, 0, _product, reverse=True)
    if n > 7:
        return
    tl.store(o_ptr + off, (bits + words + tl.load(table + cols) + scanned).to(tl.float16), mask=(off < n) & (x > 0))
    tl.store(o_ptr + cols[:, None] * B + cols[None, :], product.to(tl.float16))
    tl.store(o_ptr + tl.arange(0, 32), counts.to(tl.float16))
    tl.store(o_ptr + tl.arange(0, 2 * B), both.to(tl.float16))
    tl.store(o_ptr, top.to(tl.float16))
    tl.store(o_ptr + cols, halves.to(tl.float16, bitcast=True))
    tl.store(o_ptr + off, small.to(tl.float16))
    tl.store(o_ptr + cols[:, None] * 2 + tl.arange(0, 2)[None, :], turned.to(tl.float16))
    tl.store(o_ptr + cols, sums.to(tl.float16))


def imported(fn: Any, types: dict[str, str], constants: dict[str, object]) -> Kernel:
    return import_kernel(raw_ttir(fn, types | dict.fromkeys(constants, "constexpr"), constants))


def assert_sound(kernel: Kernel) -> None:
    """Well formed, and the same after a trip through each form, names and places included."""
    assert check(kernel) == ()
    text = print_kernel(kernel, spans=True)
    again = parse_kernel(text)
    assert repr(again) == repr(kernel)
    assert print_kernel(again, spans=True) == text
    case = L.Case("", (), (), kernel, ())
    program = L.Program("k.py", "f", "", (), (), (L.Launch("k", NOWHERE, NOWHERE, (), (ONE, ONE, ONE), (), (case,)),))
    stored = loads_program(dumps_program(program)).launches[0].cases[0].kernel
    assert print_kernel(stored, spans=True) == text


def test_many_operations() -> None:
    kernel = imported(many_operations, {"x_ptr": "*fp16", "i_ptr": "*i64", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})
    assert_sound(kernel)
    kinds = {type(op) for op in walk(kernel.body)}
    assert {O.While, O.For, O.If, O.Reduce, O.Scan, O.Gather, O.Dot, O.Join, O.Split, O.AtomicCAS} <= kinds


@pytest.mark.parametrize(
    ("file", "name", "types", "constants"),
    [
        ("vector_add", "add_kernel", {"n": "i32"}, {"BLOCK": 1024}),
        ("vector_add", "add_kernel", {"n": "i64"}, {"BLOCK": 1024}),
        ("softmax", "softmax_kernel", {}, {"BLOCK": 256}),
        ("matmul", "matmul_kernel", {}, {"BM": 32, "BN": 64, "BK": 16, "GROUP_M": 4}),
        ("layer_norm", "layer_norm_kernel", {"eps": "fp32"}, {"BLOCK": 64}),
        ("rms_norm", "rms_norm_kernel", {"eps": "fp32"}, {"ROWS": 4, "BLOCK": 64}),
        ("embedding", "embedding_kernel", {"tokens_ptr": "*i64"}, {"BLOCK_T": 4, "BLOCK_D": 32}),
        ("attention", "attention_kernel", {"scale": "fp32"}, {"D": 64, "BLOCK_M": 32, "BLOCK_N": 32}),
    ],
)
def test_examples(root: Path, file: str, name: str, types: dict[str, str], constants: dict[str, object]) -> None:
    fn = getattr(load(root / "examples" / "triton" / f"{file}.py"), name)
    others = [p.name for p in fn.params if not p.is_constexpr]
    guessed = {p: "*fp16" if p.endswith("_ptr") else "i32" for p in others}
    assert_sound(imported(fn, guessed | types, constants))


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
