"""Random well-formed kernels and programs survive their text and their JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.ir import launch as L
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.elementwise_rules import FLOAT_BINARY, INT_PREDICATES, INT_UNARY
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.parse import parse_kernel
from argus_smt.ir.rules import ATOMICS, HINTS, ORDERINGS, SCOPES
from argus_smt.ir.serialise import dumps_program, loads_program
from argus_smt.ir.text import print_kernel
from argus_smt.ir.types import (
    FLOAT_BITS,
    I1,
    I32,
    I64,
    INT_BITS,
    Ptr,
    Scalar,
    Tile,
    Type,
    elem_of,
    with_shape,
)
from argus_smt.ir.walk import blocks, operands, results, walk
from argus_smt.smt import term as T
from argus_smt.source import NOWHERE, Span

F16, F32 = Scalar("f16"), Scalar("f32")
SCALARS = [Scalar(n) for n in (*INT_BITS, *FLOAT_BITS)]
SHAPES: list[tuple[int, ...]] = [(), (1,), (4,), (2, 4), (4, 1), (2, 2, 2)]
NAMES = ["", "", "x", "row_start", "two words", 'a "quoted" \\ name', "größe", "n.5"]
FLOATS = [0.0, -0.0, 1.5, -1e-30, 1e300, math.inf, -math.inf, math.nan]


class Maker:
    """Builds a random well-formed kernel; `have` are the values visible at the current place."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0
        self.depth = 0
        self.have: list[Value] = []
        self.ops: list[Op] = []

    def fresh(self, t: Type) -> Value:
        self.count += 1
        return Value(self.count, t, self.rng.choice(NAMES))

    def span(self) -> Span:
        r = self.rng
        full = (r.randrange(1, 99), r.randrange(99), r.randrange(99), r.randrange(99))
        return r.choice([NOWHERE, Span("a.py", *full), Span('dir/b "c" @1.py', *full), Span("a.py", 7)])

    def emit(self, op: Op) -> None:
        self.ops.append(dataclasses.replace(op, span=self.span()))
        self.have.extend(results(op))

    def get(self, t: Type) -> Value:
        """A visible value of type `t`, made on the spot if there is none."""
        found = [v for v in self.have if v.type == t]
        if found and self.rng.random() < 0.8:
            return self.rng.choice(found)
        elem, v = elem_of(t), self.fresh(t)
        if isinstance(elem, Ptr):
            self.emit(O.Undef(v))
        elif elem.is_int:
            self.emit(O.Const(v, self.rng.choice([0, 1] if elem == I1 else [0, 1, -1, -(1 << elem.bits - 1), 127])))
        else:
            self.emit(O.Const(v, self.rng.choice(FLOATS)))
        return v

    def block(self, params: tuple[Type, ...], yields: tuple[Type, ...], size: int) -> Block:
        outer, ops = list(self.have), self.ops
        made = tuple(self.fresh(t) for t in params)
        self.ops, self.have = [], [*outer, *made]
        self.depth += 1
        for _ in range(size):
            self.step()
        self.depth -= 1
        out = Block(made, (), tuple(self.get(t) for t in yields))
        out = dataclasses.replace(out, ops=tuple(self.ops))
        self.ops, self.have = ops, outer
        return out

    def kernel(self, size: int = 6) -> Kernel:
        types: tuple[Type, ...] = (Ptr(F32), I32, F16, Ptr(Ptr(I64)), I64)
        body = self.block(types, (), size)
        return Kernel(self.rng.choice(["k", "a b"]), body, tuple(f"p{i}" for i in range(len(types))), self.span())

    def step(self) -> None:
        makers = [m for m in MAKERS if self.depth < 3 or m not in NESTED]
        for op in self.rng.choice(makers)(self):
            self.emit(op)

    # ------------------------------------------------------------ choices

    def shape(self, rank: int = 0) -> tuple[int, ...]:
        return self.rng.choice([s for s in SHAPES if len(s) >= rank])

    def number(self) -> Scalar:
        return self.rng.choice(SCALARS)

    def integer(self) -> Scalar:
        return self.rng.choice([s for s in SCALARS if s.is_int])

    def floating(self) -> Scalar:
        return self.rng.choice([s for s in SCALARS if not s.is_int])

    def pick(self, names: frozenset[str]) -> str:
        return self.rng.choice(sorted(names))


def sources(m: Maker) -> list[Op]:
    start = m.rng.randrange(-3, 4)
    return [
        O.Undef(m.fresh(with_shape(m.number(), m.shape()))),
        O.Range(m.fresh(Tile((4,), I32)), start, start + 4),
        O.ProgramId(m.fresh(I32), m.rng.randrange(3)),
        O.NumPrograms(m.fresh(I32), m.rng.randrange(3)),
    ]


def elementwise(m: Maker) -> list[Op]:
    shape = m.shape()
    i, f = with_shape(m.integer(), shape), with_shape(m.floating(), shape)
    int_fn, float_fn = m.pick(O.BINARY - FLOAT_BINARY), m.pick(FLOAT_BINARY)
    unary = m.pick(O.UNARY - INT_UNARY)
    mask = with_shape(I1, shape)
    return [
        O.Unary(m.fresh(i), m.pick(INT_UNARY), m.get(i)),
        O.Unary(m.fresh(mask if unary in ("isnan", "isinf") else f), unary, m.get(f)),
        O.Binary(m.fresh(i), int_fn, m.get(i), m.get(i)),
        O.Binary(m.fresh(f), float_fn, m.get(f), m.get(f)),
        O.Fma(m.fresh(f), m.get(f), m.get(f), m.get(f)),
        O.Cmp(m.fresh(mask), m.pick(INT_PREDICATES), m.get(i), m.get(i)),
        O.Cmp(m.fresh(mask), m.pick(O.PREDICATES - INT_PREDICATES), m.get(f), m.get(f)),
        O.Select(m.fresh(f), m.get(m.rng.choice([I1, mask])), m.get(f), m.get(f)),
    ]


def casts(m: Maker) -> list[Op]:
    shape = m.shape()

    def cast(kind: str, source: Scalar | Ptr, target: Scalar | Ptr) -> Op:
        return O.Cast(m.fresh(with_shape(target, shape)), kind, m.get(with_shape(source, shape)))

    return [
        cast(m.rng.choice(["sext", "zext"]), Scalar("i8"), I32), cast("trunc", I64, I1), cast("sitofp", I32, F16),
        cast("fptoui", F32, I64), cast("fpext", F16, F32), cast("fptrunc", F32, Scalar("bf16")), cast("fptrunc_rz", F32, F16),
        cast("bitcast", F32, I32), cast("ptr_to_int", Ptr(F32), I64), cast("int_to_ptr", I64, Ptr(F16)),
        cast("ptr_cast", Ptr(F32), Ptr(Scalar("i8"))), cast("same", I32, I32),
    ]  # fmt: skip


def reshaping(m: Maker) -> list[Op]:
    e, shape = m.number(), m.shape(1)
    tile = Tile(shape, e)
    axis = m.rng.randrange(len(shape) + 1)
    order = tuple(m.rng.sample(range(len(shape)), len(shape)))
    size = math.prod(shape)
    one = Tile((*shape, 1), e)
    return [
        O.Splat(m.fresh(tile), m.get(e)),
        O.ExpandDims(m.fresh(Tile((*shape[:axis], 1, *shape[axis:]), e)), m.get(tile), axis),
        O.Broadcast(m.fresh(Tile((*shape, 8), e)), m.get(one)),
        O.Reshape(m.fresh(Tile((1, size), e)), m.get(tile), m.rng.random() < 0.5),
        O.Trans(m.fresh(Tile(tuple(shape[i] for i in order), e)), m.get(tile), order),
        O.Join(m.fresh(Tile((*shape, 2), e)), m.get(tile), m.get(tile)),
        O.Split((m.fresh(tile), m.fresh(tile)), m.get(Tile((*shape, 2), e))),
        O.Cat(m.fresh(Tile((8,), e)), m.get(Tile((4,), e)), m.get(Tile((4,), e))),
        O.Unsplat(m.fresh(e), m.get(Tile((1, 1), e))),
    ]


def memory(m: Maker) -> list[Op]:
    e, shape = m.number(), m.shape()
    ptr, data, mask = with_shape(Ptr(e), shape), with_shape(e, shape), with_shape(I1, shape)
    masked = m.get(mask) if m.rng.random() < 0.7 else None
    other = m.get(data) if masked and m.rng.random() < 0.5 else None
    fn = m.pick(ATOMICS)
    number = F32 if fn.startswith("f") else I32
    at, new = with_shape(Ptr(number), shape), with_shape(number, shape)
    return [
        O.AddPtr(m.fresh(ptr), m.get(ptr), m.get(with_shape(m.integer(), shape))),
        O.Load(m.fresh(data), m.get(ptr), masked, other, m.rng.random() < 0.3),
        O.Load(m.fresh(data), m.get(ptr), masked, None, False, "acquire", m.pick(SCOPES)),
        O.Store(m.get(ptr), m.get(data), masked),
        O.Store(m.get(ptr), m.get(data), masked, "release", m.pick(SCOPES)),
        O.AtomicRMW(m.fresh(new), fn, m.get(at), m.get(new), masked, m.pick(ORDERINGS), m.pick(SCOPES)),
        O.AtomicCAS(m.fresh(new), m.get(at), m.get(new), m.get(new)),
        O.Barrier(),
    ]


def tile_wide(m: Maker) -> list[Op]:
    batch = m.rng.choice([(), (2,)])
    a, b, c = (Tile((*batch, *s), t) for s, t in (((4, 8), F16), ((8, 2), F16), ((4, 2), F32)))
    return [
        O.Dot(m.fresh(c), m.get(a), m.get(b), m.get(c)),
        O.Gather(m.fresh(Tile((2, 8), F16)), m.get(Tile((2, 4), F16)), m.get(Tile((2, 8), I32)), 1),
    ]


def statements(m: Maker) -> list[Op]:
    shape = m.shape()
    mask, numbers = with_shape(I1, shape), with_shape(m.integer(), shape)
    return [
        O.Assume(m.get(I1)),
        O.Assert(m.get(mask), 'index "i" out of\nrange ü', m.get(mask) if m.rng.random() < 0.5 else None),
        O.Hint(m.get(numbers), m.pick(HINTS), (16,) * max(1, len(shape))),
        O.Opaque((m.fresh(I32), m.fresh(Tile((4,), F32))), "tt.new", (m.get(I32),), "not known: yet", True),
        O.Opaque((), "nothing", (), ""),
    ]


def combining(m: Maker) -> list[Op]:
    shape = m.shape(1)
    elems = (F32, I32)[: m.rng.randrange(1, 3)]
    xs = tuple(m.get(Tile(shape, e)) for e in elems)
    axis = m.rng.randrange(len(shape))
    left = shape[:axis] + shape[axis + 1 :]
    reduced = tuple(m.fresh(with_shape(e, left)) for e in elems)
    scanned = tuple(m.fresh(Tile(shape, e)) for e in elems)
    return [
        O.Reduce(reduced, xs, axis, m.block(elems * 2, elems, 1)),
        O.Scan(scanned, xs, axis, m.rng.random() < 0.5, m.block(elems * 2, elems, 1)),
        O.Map((m.fresh(Tile(shape, I64)),), xs, m.block(elems, (I64,), 0)),
        O.Histogram(m.fresh(Tile((8,), I32)), m.get(Tile((4,), I32)), m.get(Tile((4,), I1)) if m.rng.random() < 0.5 else None),
    ]


def loops(m: Maker) -> list[Op]:
    counter = m.rng.choice([I32, I64])
    carried: tuple[Type, ...] = (F32, Tile((4,), Ptr(F16)), I32)[: m.rng.randrange(4)]
    passed: tuple[Type, ...] = (I64, Tile((2, 4), F32))[: m.rng.randrange(3)]
    bounds = m.get(counter), m.get(counter), m.get(counter)
    inits = tuple(m.get(t) for t in carried)
    body = m.block((counter, *carried), carried, 2)
    before, after = m.block(carried, (I1, *passed), 2), m.block(passed, carried, 2)
    return [
        O.For(tuple(m.fresh(t) for t in carried), *bounds, inits, body),
        O.While(tuple(m.fresh(t) for t in passed), inits, before, after),
        O.If(tuple(m.fresh(t) for t in passed), m.get(I1), m.block((), passed, 2), m.block((), passed, 0)),
    ]


NESTED = [combining, loops]
MAKERS: list[Callable[[Maker], list[Op]]] = [
    sources, elementwise, casts, reshaping, memory, tile_wide, statements, *NESTED,
]  # fmt: skip
kernels = st.integers(0, 2**32).map(lambda seed: Maker(seed).kernel())


def exact(kernel: Kernel) -> list[object]:
    """All of a kernel, names, spans and signs of zero included, which equality leaves out; nan made comparable."""
    out: list[object] = [kernel.span, kernel.params, [(v.number, v.type, v.name) for v in kernel.body.params]]
    for op in walk(kernel.body):
        inner = [(v, v.name) for b in blocks(op) for v in (*b.params, *b.yields)]
        data = repr(op.value) if isinstance(op, O.Const) else ""
        out.append((type(op), op.span, [(v, v.name) for v in (*operands(op), *results(op))], inner, data))
    return out


def same(a: Kernel, b: Kernel) -> bool:
    return repr(a) == repr(b) and exact(a) == exact(b)


@settings(max_examples=40, deadline=None)
@given(kernels)
def test_made_kernels_are_well_formed(kernel: Kernel) -> None:
    assert check(kernel) == ()


def test_made_kernels_hold_every_operation() -> None:
    seen = {type(op) for seed in range(60) for op in walk(Maker(seed).kernel().body)}
    assert seen == set(get_args(Op))


@settings(max_examples=60, deadline=None)
@given(kernels)
def test_text_reads_back(kernel: Kernel) -> None:
    assert same(parse_kernel(print_kernel(kernel, spans=True)), kernel)
    bare = print_kernel(kernel)
    assert print_kernel(parse_kernel(bare)) == bare
    assert "@0" not in bare


@settings(max_examples=60, deadline=None)
@given(kernels, st.integers(0, 2**32))
def test_programs_read_back(kernel: Kernel, seed: int) -> None:
    program = make_program(kernel, random.Random(seed))
    text = dumps_program(program)
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    again = loads_program(text)
    first = again.launches[0].cases[0].kernel
    assert same(first, kernel)
    assert strip(again) == strip(program)
    assert again.seconds == program.seconds
    assert all(case.kernel is first for launch in again.launches for case in launch.cases)


def strip(program: L.Program) -> L.Program:
    """Without kernels, which may hold nan, unequal to itself."""
    blank = Kernel("", Block((), ()), ())
    launches = tuple(
        dataclasses.replace(x, cases=tuple(dataclasses.replace(c, kernel=blank) for c in x.cases)) for x in program.launches
    )
    return dataclasses.replace(program, launches=launches)


def make_term(rng: random.Random, depth: int) -> T.Term:
    if depth == 0:
        return rng.choice([T.var("M"), T.var("N"), T.const(rng.choice([0, 5, -(2**63), 2**200]))])
    a, b = make_term(rng, depth - 1), make_term(rng, depth - 1)
    guard = T.or_(T.lt(a, b), T.and_(T.bvar("flag"), T.ne(b, 3)), T.bapp("known", a))
    return rng.choice([
        a + b, T.mul(a, b), T.div(a, b), T.mod(a, b), T.minimum(a, b), T.maximum(a, b), T.app("at", a, b),
        T.ite(guard, a, b), T.ite(T.ite(T.bvar("flag"), T.lt(a, b), T.eq(a, b)), a, b), T.tdiv(a, T.const(-8)),
    ])  # fmt: skip


def make_program(kernel: Kernel, rng: random.Random) -> L.Program:
    def t() -> T.Term:
        return make_term(rng, rng.randrange(4))

    span = Span("launch.py", 3, 1, 4, 9)
    lower, other = T.ge(t(), 0), T.or_(T.bvar("flag"), T.lt(t(), t()))
    condition = L.Condition(T.and_(lower, other), "call", "M ≥ 0", span)
    facts = L.Facts(t(), None, (1, -2), True, t(), False, (t(), t()), None, (((t(), t()), t()), ((), T.ZERO)))
    storages = (
        L.Storage(0, "x", "f32", t(), (t(), t()), (t(), T.ONE), "fill inf", "out", facts),
        L.Storage(1, "y", "i64", t(), (), ()),
    )
    args: tuple[L.Arg, ...] = (
        L.PointerArg(0, "f32", t(), (t(),), (t(),)), L.ScalarArg("i32", t()), L.ScalarArg("f16", None),
    )  # fmt: skip
    cases = tuple(L.Case(f"BLOCK = {n}", (condition,), (("B", str(n)),), kernel, args, (("w", n),)) for n in (1, 2))
    launch = L.Launch(
        "k", span, NOWHERE, (condition,), (t(), T.ONE, t()), storages, cases,
        (L.Refusal("big", (), "too\nbig"),), "config 1", (("x", span), ("n", NOWHERE)),
    )  # fmt: skip
    symbols = (L.Symbol("M", "dim", 0, None, "size 0 of `x`"), L.Symbol("N", "int", -(2**63), 2**63 - 1))
    return L.Program(
        "launch.py", "f", "f(x: f32[M])", symbols, (condition,), (launch, launch),
        (L.NotCovered(lower, "why", span, True),), ("note",), (("triton", "3.9"),),
        (("imports", 0.25), ("odd", math.inf)), other,
    )  # fmt: skip


def test_shared_terms_are_stored_once() -> None:
    t = T.var("N")
    for _ in range(200):
        t = T.maximum(T.mod(t, T.const(97)), T.app("f", t, t))
    program = L.Program("f.py", "f", "", (), (), (), coverage=T.ge(t, 0))
    text = dumps_program(program)
    assert len(text) < 60_000
    assert loads_program(text).coverage is program.coverage


def test_absent_nan_and_infinity_come_back() -> None:
    values = tuple(O.Const(Value(i, F32), x) for i, x in enumerate(FLOATS))
    kernel = Kernel("k", Block((), values), ())
    assert same(parse_kernel(print_kernel(kernel)), kernel)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a captured program"),
        ("[]", "no schema"),
        ('{"schema": 1}', "schema 1; this version reads schema 2"),
        ('{"schema": 2}', "damaged"),
        ('{"schema": 2, "files": [], "types": ["q"], "terms": [], "kernels": [], "roots": []}', "no such type: q"),
    ],
)
def test_unreadable_programs_are_refused_with_one_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        loads_program(text)
    assert "\n" not in str(caught.value)
