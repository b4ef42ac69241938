"""Random integer kernels: element-wise operations at all widths, moves of elements, loads, branches and loops."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from argus_smt.ir import ops as O
from argus_smt.ir.elementwise_rules import INT_PREDICATES
from argus_smt.ir.ops import Block, Kernel, Value
from argus_smt.ir.types import I1, I32, I64, Ptr, Scalar, Tile, Type, elem_of, shape_of, with_shape
from tests.unit.interp.build import Builder

SHAPES: tuple[tuple[int, ...], ...] = ((), (4,), (2, 4))
WIDTHS = tuple(Scalar(n) for n in ("i8", "i16", "i32", "i32", "i32", "i64"))
ARITHMETIC = ("add", "add", "add", "sub", "sub", "mul", "mul", "sdiv", "srem", "udiv", "urem", "and", "or", "xor", "shl",
              "lshr", "ashr", "smin", "smax", "umin", "umax", "mulhi_s", "mulhi_u")  # fmt: skip
DATA = 64
"""Elements of each of the kernel's tensors."""


class Maker(Builder):
    """Collects operations; `have` are the integers, and `pointers` the pointers, visible at the current place."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.depth = 0
        self.pointers = [self.param(Ptr(I32), "x"), self.param(Ptr(I64), "y"), self.param(Ptr(I32), "w")]
        self.out = self.pointers.pop()
        self.have = [self.param(I32, "a"), self.param(I32, "b"), self.param(I64, "c"), self.param(I32, "n")]
        self.have.append(self.let(I32, O.ProgramId, axis=0))
        self.have.append(self.let(Tile((4,), I32), O.Range, 0, 4))

    def make(self, of: Type, op: type, *operands: object, **more: object) -> Value:
        made = self.let(of, op, *operands, **more)
        if isinstance(elem_of(of), Ptr):
            self.pointers.append(made)
        else:
            self.have.append(made)
        return made

    def get(self, of: Type) -> Value:
        """A visible integer of a type, made from another one or from a constant if there is none."""
        found = [v for v in self.have if v.type == of]
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found[-6:])
        same = [v for v in self.have if shape_of(v.type) == shape_of(of) and v.type != of]
        if same and self.rng.random() < 0.7:
            return self.resized(self.rng.choice(same), of)
        scalars = [v for v in self.have if v.type == elem_of(of)]
        if shape_of(of) and scalars:
            return self.make(of, O.Splat, self.rng.choice(scalars))
        small = (0, 1) if elem_of(of) == I1 else (-2, -1, 0, 1, 2, 3, 4, 7, 8, 15, 100)
        return self.make(of, O.Const, self.rng.choice(small))

    def resized(self, v: Value, of: Type) -> Value:
        source, target = elem_of(v.type), elem_of(of)
        assert isinstance(source, Scalar)
        assert isinstance(target, Scalar)
        kind = "trunc" if source.bits > target.bits else self.rng.choice(("sext", "sext", "zext"))
        return self.make(of, O.Cast, kind, v)

    def step(self) -> None:
        self.rng.choice(STEPS if self.depth < 2 else STRAIGHT)(self)

    def scope(self, params: Sequence[Value], yields: Callable[[], Sequence[Value]], size: int) -> Block:
        """A nested block with `size` random steps; what it defines is not visible after it."""

        def fill(*given: Value) -> Sequence[Value]:
            outer = list(self.have), list(self.pointers)
            self.have += [v for v in given if not isinstance(elem_of(v.type), Ptr)]
            self.pointers += [v for v in given if isinstance(elem_of(v.type), Ptr)]
            self.depth += 1
            for _ in range(size):
                self.step()
            out = yields()
            self.depth -= 1
            self.have, self.pointers = outer
            return out

        return self.inside(params, fill)

    def number(self, of: Scalar) -> Value:
        return self.make(of, O.Const, self.rng.choice((0, 1, 2, 3, 5)))


def arithmetic(m: Maker) -> None:
    of = with_shape(m.rng.choice(WIDTHS), m.rng.choice(SHAPES))
    fn = m.rng.choice(ARITHMETIC)
    left = m.get(of)
    simple = fn not in ("add", "sub") and m.rng.random() < 0.5
    right = (
        m.make(
            of, O.Const, m.rng.choice((0, 6, 12, -8, -16, 96) if fn in ("and", "or", "xor") else (1, 2, 3, 4, 7, 8, 16, -3, -1))
        )
        if simple
        else m.get(of)
    )
    m.make(of, O.Binary, fn, left, right)


def logic(m: Maker) -> None:
    shape = m.rng.choice(SHAPES)
    of = with_shape(m.rng.choice(WIDTHS), shape)
    mask = with_shape(I1, shape)
    match m.rng.randrange(4):
        case 0:
            m.make(with_shape(I1, shape), O.Cmp, m.rng.choice(sorted(INT_PREDICATES)), m.get(of), m.get(of))
        case 1:
            fn = m.rng.choice(("and", "or", "xor", "add", "sub", "mul", "smin", "smax", "umin", "umax"))
            m.make(mask, O.Binary, fn, m.get(mask), m.get(mask))
        case 2:
            m.make(mask, O.Cmp, m.rng.choice(sorted(INT_PREDICATES)), m.get(mask), m.get(mask))
        case _:
            m.make(of, O.Select, m.get(m.rng.choice((I1, mask))), m.get(of), m.get(of))


def unary(m: Maker) -> None:
    of = with_shape(m.rng.choice((I1, *WIDTHS)), m.rng.choice(SHAPES))
    m.make(of, O.Unary, m.rng.choice(("neg", "abs", "not", "clz", "ctz", "popc")), m.get(of))


def cast(m: Maker) -> None:
    shape = m.rng.choice(SHAPES)
    source, target = (m.rng.choice((I1, *WIDTHS)) for _ in range(2))
    if source.bits != target.bits:
        m.resized(m.get(with_shape(source, shape)), with_shape(target, shape))


def moved(m: Maker) -> None:
    e = m.rng.choice((I1, *WIDTHS))
    line, grid = Tile((4,), e), Tile((2, 4), e)
    match m.rng.randrange(7):
        case 0:
            m.make(line, O.Splat, m.get(e))
        case 1:
            m.make(grid, O.Broadcast, m.let(Tile((1, 4), e), O.ExpandDims, m.get(line), axis=0))
        case 2:
            tall = m.let(Tile((4, 2), e), O.Reshape, m.get(grid))
            m.make(grid, O.Trans, tall, order=(1, 0))
        case 3:
            flat = m.let(Tile((8,), e), O.Reshape, m.let(Tile((4, 2), e), O.Trans, m.get(grid), order=(1, 0)))
            m.make(grid, O.Reshape, flat)
        case 4:
            pairs = m.let(Tile((4, 2), e), O.Join, m.get(line), m.get(line))
            halves = m.new(line), m.new(line)
            m.add(O.Split, halves, pairs)
            m.have += halves
            m.make(grid, O.Reshape, pairs)
        case 5:
            index = m.make(line, O.Binary, "and", m.get(line), m.let(line, O.Const, 3)) if e != I1 else None
            if index is not None:
                m.make(line, O.Gather, m.get(line), index, axis=0)
        case _:
            one = m.let(Tile((1,), e), O.Splat, m.get(e))
            m.make(e, O.Unsplat, one)


COMBINED = ("smax", "smin", "umax", "umin", "add", "or", "and", "xor", "mul", "add", "add")


def small(m: Maker, of: Type) -> Value:
    """A visible integer tile, or one with its elements between 0 and 7, or between -5 and 2."""
    made = m.get(of)
    if m.rng.random() < 0.3:
        return made
    low = m.make(of, O.Binary, "and", made, m.let(of, O.Const, 7))
    return low if m.rng.random() < 0.5 else m.make(of, O.Binary, "sub", low, m.let(of, O.Const, 5))


def folded(m: Maker) -> None:
    """A reduction or scan of one tile, or of a tile with the places of its elements: the best of them and where it is."""
    e = m.rng.choice(WIDTHS)
    line = Tile((4,), e)
    kind, after = m.rng.choice(((O.Reduce, ()), (O.Scan, (4,))))
    more = {} if kind is O.Reduce else {"reverse": m.rng.random() < 0.5}
    if m.rng.random() < 0.5:
        fn = m.rng.choice(COMBINED)
        body = m.inside((m.new(e), m.new(e)), lambda x, y: (m.let(e, O.Binary, fn, x, y),))
        results, operands = (m.new(with_shape(e, after)),), (small(m, line),)
    else:
        pred = m.rng.choice(("sgt", "slt", "ult"))

        def best(a: Value, i: Value, b: Value, j: Value) -> tuple[Value, Value]:
            first = m.let(I1, O.Cmp, pred, a, b)
            if m.rng.random() < 0.5:
                return m.let(e, O.Select, first, a, b), m.let(I32, O.Select, first, i, j)
            r, k = m.new(e), m.new(I32)
            m.add(O.If, (r, k), first, Block((), (), (a, i)), Block((), (), (b, j)))
            return r, k

        body = m.inside((m.new(e), m.new(I32), m.new(e), m.new(I32)), best)
        results = m.new(with_shape(e, after)), m.new(with_shape(I32, after))
        operands = m.get(line), m.let(Tile((4,), I32), O.Range, 0, 4)
    m.add(kind, results, operands, axis=0, combine=body, **more)
    m.have += results


def counted_up(m: Maker) -> None:
    """A histogram, a function of single elements, or tiles whose elements may be in any order."""
    e = m.rng.choice(WIDTHS)
    line = Tile((4,), e)
    match m.rng.randrange(3):
        case 0:
            mask = m.get(Tile((4,), I1)) if m.rng.random() < 0.5 else None
            m.make(Tile((4,), I32), O.Histogram, small(m, Tile((4,), I32)), mask)
        case 1:
            fn = m.rng.choice(("add", "sub", "mul", "smax", "and"))

            def function(x: Value, y: Value) -> tuple[Value, Value]:
                return m.let(e, O.Binary, fn, x, y), m.let(I1, O.Cmp, "sle", x, y)

            results = m.new(line), m.new(Tile((4,), I1))
            m.add(O.Map, results, (small(m, line), m.get(line)), m.inside((m.new(e), m.new(e)), function))
            m.have += results
        case _:
            both = m.let(Tile((8,), e), O.Cat, small(m, line), small(m, line))
            m.make(Tile((2, 4), e), O.Reshape, both, reorder=True)


def by_number(m: Maker, pointer: Value) -> Value:
    """The pointer by way of its address, moved on by a few elements."""
    kind = with_shape(I64, shape_of(pointer.type))
    address = m.make(kind, O.Cast, "ptr_to_int", pointer)
    step = m.let(kind, O.Const, m.rng.choice((0, 8, 16)))
    return m.let(pointer.type, O.Cast, "int_to_ptr", m.make(kind, O.Binary, "add", address, step))


def order(m: Maker) -> None:
    """Whether a pointer is before another one, most often one that was made from it."""
    p = m.rng.choice(m.pointers)
    same = [q for q in m.pointers if q.type == p.type]
    step = with_shape(I32, shape_of(p.type))
    by = m.let(step, O.Binary, "and", m.get(step), m.let(step, O.Const, 15))
    q = m.rng.choice(same) if m.rng.random() < 0.3 else m.let(p.type, O.AddPtr, p, by)
    m.make(with_shape(I1, shape_of(p.type)), O.Cmp, m.rng.choice(("eq", "ne", "ult", "ule", "ugt", "uge")), p, q)


def memory(m: Maker) -> None:
    source = m.rng.choice(m.pointers)
    if m.rng.random() < 0.3:
        source = by_number(m, source)
    shape = shape_of(source.type) or m.rng.choice(SHAPES)
    of = with_shape(elem_of(source.type), shape)
    ptr = source if source.type == of else m.let(of, O.Splat, source)
    wide = with_shape(m.rng.choice((I32, I64)), shape)
    index = m.make(wide, O.Binary, "and", m.get(wide), m.let(wide, O.Const, 15))
    at = m.make(of, O.AddPtr, ptr, index)
    data = with_shape(elem_of(of).elem, shape)  # type: ignore[union-attr]
    mask = m.get(with_shape(I1, shape)) if m.rng.random() < 0.6 else None
    other = m.get(data) if mask is not None and m.rng.random() < 0.7 else None
    m.make(data, O.Load, at, mask, other)


def written(m: Maker) -> None:
    ptr = m.let(Tile((4,), Ptr(I32)), O.Splat, m.out)
    at = m.let(ptr.type, O.AddPtr, ptr, m.let(Tile((4,), I32), O.Range, 0, 4))
    m.make(Tile((4,), I32), O.Load, at)
    m.add(O.Store, at, m.get(Tile((4,), I32)))


def branch(m: Maker) -> None:
    kinds = [with_shape(m.rng.choice((I1, *WIDTHS)), m.rng.choice(SHAPES)) for _ in range(m.rng.randint(1, 2))]
    results = tuple(m.new(k) for k in kinds)
    sides = [m.scope((), lambda: [m.get(k) for k in kinds], m.rng.randint(0, 3)) for _ in range(2)]
    m.add(O.If, results, m.get(I1), *sides)
    m.have += results


def _carried(m: Maker) -> tuple[list[Value], list[Value]]:
    """Initial values of what a loop carries, and parameters for them."""
    elems = (I32, I32, I64, Scalar("i8"), I1)
    kinds = [with_shape(m.rng.choice(elems), m.rng.choice(((), (), (4,)))) for _ in range(m.rng.randint(1, 3))]
    inits = [m.get(k) for k in kinds]
    if m.rng.random() < 0.4:
        inits.append(m.rng.choice(m.pointers))
    return inits, [m.new(v.type) for v in inits]


def _next(m: Maker, params: Sequence[Value]) -> list[Value]:
    """What becomes of the carried values: kept, advanced, exchanged or replaced."""
    out = []
    for p in params:
        kind = p.type
        if isinstance(elem_of(kind), Ptr):
            step = with_shape(I32, shape_of(kind))
            out.append(p if m.rng.random() < 0.3 else m.let(kind, O.AddPtr, p, m.get(step)))
            continue
        match m.rng.randrange(8):
            case 0:
                out.append(p)
            case 1 | 2 | 3:
                out.append(m.make(kind, O.Binary, m.rng.choice(("add", "add", "sub")), p, m.get(kind)))
            case 4 if elem_of(kind) != I1:
                there = m.let(kind, O.Binary, "mul", p, m.let(kind, O.Const, 2))
                out.append(m.make(kind, O.Binary, "sdiv", there, m.let(kind, O.Const, 2)))
            case 5:
                out.append(m.rng.choice([q for q in params if q.type == kind]))
            case _:
                out.append(m.get(kind))
    return out


def counted(m: Maker) -> None:
    of = m.rng.choice((I32, I32, I64))
    inits, params = _carried(m)
    limits = m.get(of) if m.rng.random() < 0.3 else m.number(of), m.get(of) if m.rng.random() < 0.3 else m.number(of)
    step = m.make(of, O.Const, m.rng.choice((1, 1, 2, 3)))
    counter = m.new(of)
    results = tuple(m.new(v.type) for v in inits)
    body = m.scope((counter, *params), lambda: _next(m, params), m.rng.randint(0, 4))
    m.add(O.For, results, *limits, step, tuple(inits), body)
    _visible(m, results)


def looped(m: Maker) -> None:
    """A `while` loop that counts up to something small."""
    inits, params = _carried(m)
    inits, params = [m.number(I32), *inits], [m.new(I32), *params]
    passed = [m.new(v.type) for v in params]
    results = tuple(m.new(v.type) for v in params)
    limit = m.number(I32)

    def test() -> list[Value]:
        return [m.let(I1, O.Cmp, "slt", params[0], limit), *params]

    def advance() -> list[Value]:
        first = m.let(I32, O.Binary, "add", passed[0], m.let(I32, O.Const, m.rng.choice((1, 2))))
        return [first, *_next(m, passed[1:])]

    before = m.scope(params, test, m.rng.randint(0, 1))
    after = m.scope(passed, advance, m.rng.randint(0, 3))
    m.add(O.While, results, tuple(inits), before, after)
    _visible(m, results)


def _visible(m: Maker, results: Sequence[Value]) -> None:
    for v in results:
        (m.pointers if isinstance(elem_of(v.type), Ptr) else m.have).append(v)


STRAIGHT = [arithmetic] * 6 + [logic, logic, unary, cast, moved, moved, memory, order, folded, folded, counted_up]
STEPS = [*STRAIGHT, written, branch, branch, counted, counted, looped]


def kernel(seed: int, size: int = 9) -> Kernel:
    """A random kernel `k(x: ptr<i32>, y: ptr<i64>, w: ptr<i32>, a: i32, b: i32, c: i64, n: i32)`; `w` may be written."""
    m = Maker(seed)
    for _ in range(size):
        m.step()
    return m.kernel()
