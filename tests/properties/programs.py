"""The program of a generated kernel, made from what the generator knows and not by running its launcher."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.ir.launch import (
    Arg,
    Case,
    Condition,
    Facts,
    Launch,
    PointerArg,
    Program,
    ScalarArg,
    Storage,
    Symbol,
)
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from tests.properties.brute_force import load_module
from tests.properties.drafting import Tensor
from tests.properties.generate import Generated

POINTERS = {"f32": "*fp32", "f16": "*fp16", "i8": "*i8", "i32": "*i32", "i64": "*i64"}
NBYTES = {"f32": 4, "f16": 2, "i8": 1, "i32": 4, "i64": 8}
LARGEST = 2**31 - 1
PADDED_UP_TO = 16
"""Blocks padded to a power of two are tried up to this width, and sizes kept below it."""


def cdiv(a: Term, b: int) -> Term:
    return T.div(T.lift(a) + (b - 1), T.const(b))


def term(text: str, names: dict[str, Term]) -> Term:
    """Term of an expression over sizes, as the generator writes it."""
    return T.lift(eval(text, {"__builtins__": {}, "triton": SimpleNamespace(cdiv=cdiv)}, dict(names)))


def strides_of(t: Tensor, shape: tuple[Term, ...], names: dict[str, Term]) -> tuple[Term, ...]:
    if t.strided:
        return tuple(names[f"{t.name}_s{k}"] for k in range(len(shape)))
    out = [T.ONE]
    for extent in reversed(shape[1:]):
        out.append(out[-1] * extent)
    return tuple(reversed(out))


def storage(number: int, t: Tensor, names: dict[str, Term]) -> Storage:
    shape = tuple(names[dim] for dim in t.dims)
    strides = strides_of(t, shape, names)
    reach = T.add(*((n - 1) * s for n, s in zip(shape, strides, strict=True)))
    facts = Facts(term(t.low, names), term(t.high, names) - 1) if t.high else None
    contents, role = ("uninit", "out") if t.made else ("input", "")
    return Storage(number, t.name, t.dtype, (reach + 1) * NBYTES[t.dtype], shape, strides, contents, role, facts)


def symbols_of(g: Generated) -> tuple[Symbol, ...]:
    strides = [f"{t.name}_s{k}" for t in g.parameters if t.strided for k in range(len(t.dims))]
    return (
        *(Symbol(dim, "dim", 1, LARGEST) for dim in g.dims),
        *(Symbol(name, "int", 0, LARGEST) for name, _ in g.ints),
        *(Symbol(name, "stride", 0, LARGEST) for name in strides),
    )


def program(g: Generated, path: Path) -> Program:
    """The program of `g`, whose file is `path`; one case for each choice of padded block widths."""
    symbols = symbols_of(g)
    names = {s.name: T.var(s.name) for s in symbols}
    storages = tuple(storage(number, t, names) for number, t in enumerate(g.parameters))
    pointers: list[Arg] = [PointerArg(s.ident, s.dtype, T.ZERO, s.shape, s.strides) for s in storages]
    scalars: list[Arg] = [ScalarArg("i32", names[s.name]) for s in symbols]
    padded = [name for name, value in g.constants if "next_power" in value]
    kernel = load_module(path).kernel
    cases = []
    for widths in product((1, 2, 4, 8, PADDED_UP_TO), repeat=len(padded)):
        values = {name: int(value) for name, value in g.constants if name not in padded}
        condition = []
        for name, width in zip(padded, widths, strict=True):
            values[name] = width
            size = names[dict(g.constants)[name].removeprefix("triton.next_power_of_2(").removesuffix(")")]
            condition += [Condition(T.le(size, width), "case"), Condition(T.lt(width // 2, size), "case")]
        imported = import_kernel(raw_ttir(kernel, types(g, symbols), values))
        shown = tuple((name, str(value)) for name, value in values.items())
        cases.append(Case(str(widths), tuple(condition), shown, imported, (*pointers, *scalars)))
    grid = [term(text, names) for text in g.grid] + [T.ONE] * (3 - len(g.grid))
    stated = tuple(Condition(T.lt(names[name], term(bound, names)), "call") for name, bound in g.ints)
    span = cases[0].kernel.span
    launch = Launch("kernel", span, span, (), (grid[0], grid[1], grid[2]), storages, tuple(cases))
    return Program(str(path), "launch", f"launch({g.signature})", symbols, stated, (launch,))


def types(g: Generated, symbols: tuple[Symbol, ...]) -> dict[str, Any]:
    """Triton's types of the kernel's parameters."""
    pointers = {f"{t.name}_ptr": POINTERS[t.dtype] for t in g.parameters}
    return pointers | {s.name: "i32" for s in symbols} | {name: "constexpr" for name, _ in g.constants}
