"""From a signature to the symbols of a launch, their bounds, the preconditions, and what each argument is."""

from __future__ import annotations

from dataclasses import dataclass, field

from argus_smt.capture import signature as S
from argus_smt.capture.expressions import introduced
from argus_smt.capture.failure import SignatureError
from argus_smt.capture.signature import Argument, Range, ScalarType, Signature, TableType, TensorType
from argus_smt.ir.launch import Condition, Defined, Facts, Symbol
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

INT64 = (-(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of the signature over the symbols; dims and strides in elements."""

    name: str
    dtype: str
    dims: tuple[Term, ...]
    strides: tuple[Term, ...]
    role: str
    facts: Facts | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of addresses: `count` entries, of which number `index` points to a tensor of these dims and strides.

    Terms may apply names of integer tensors to indices. `index` is empty for `table of …`.
    """

    name: str
    index: str
    count: Term
    item: Tensor

    @property
    def tensor(self) -> Tensor:
        """The table itself."""
        return Tensor(self.name, "i64", (self.count,), (T.ONE,), "", None)


@dataclass(frozen=True, slots=True)
class Domain:
    """All integers that a signature speaks of. `ints` maps integer arguments to terms, `grid` is over the symbols too.

    Items of lists and tuples are called `name_0`, `name_1`, …
    """

    signature: Signature
    symbols: tuple[Symbol, ...]
    preconditions: tuple[Condition, ...]
    tensors: dict[str, Tensor]
    results: dict[str, tuple[Tensor | Term, ...]]
    """Of each helper: tensors, and terms for integers."""
    ints: dict[str, Term]
    grid: tuple[Term, ...] | None
    notes: tuple[str, ...] = ()
    tables: dict[str, Table] = field(default_factory=dict)
    defined: tuple[Defined, ...] = ()
    """Of single tensors: where they are initialised."""
    mapping: dict[Term, Term] = field(default_factory=dict)
    """Names of the signature that stand for terms."""

    def over_symbols(self, t: Term) -> Term:
        """A term of the signature over the symbols."""
        return T.substitute(t, self.mapping)

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        """Preconditions and bounds of symbols, as terms."""
        return (*bounds(self.symbols), *(c.term for c in self.preconditions))


def bounds(symbols: tuple[Symbol, ...]) -> tuple[Term, ...]:
    """The bounds that symbols state."""
    lower = [T.ge(T.var(s.name), s.lower) for s in symbols if s.lower is not None]
    return (*lower, *(T.le(T.var(s.name), s.upper) for s in symbols if s.upper is not None))


def contiguous(dims: tuple[Term, ...]) -> tuple[Term, ...]:
    """Strides of a dense row-major tensor whose dims are all at least 1."""
    out, stride = [], T.ONE
    for d in reversed(dims):
        out.append(stride)
        stride = stride * d
    return tuple(reversed(out))


def build_domain(signature: Signature) -> Domain:
    """The domain of a parsed signature. Raises SignatureError where the parts do not hold together."""
    return _Builder(signature).build()


class _Builder:
    def __init__(self, signature: Signature) -> None:
        self.s = signature
        self.kinds: dict[str, tuple[str, str]] = {}
        self.conditions: list[Condition] = []
        self.mapping: dict[Term, Term] = {}
        self.notes: list[str] = []

    def fail(self, message: str, position: int) -> SignatureError:
        return SignatureError(message, self.s.text, position)

    def build(self) -> Domain:
        leaves, results = self.s.leaves, tuple(r for h in self.s.helpers for r in h.leaves)
        for a in (*leaves, *results):
            self.introduce(a)
        self.pin()
        tensors = {a.name: self.tensor(a.name, a.type, a.position) for a in leaves if isinstance(a.type, TensorType)}
        tables = {a.name: self.table(a.name, a.type, a.position) for a in leaves if isinstance(a.type, TableType)}
        returned = {h.name: tuple(self.result(r) for r in h.leaves) for h in self.s.helpers}
        for w in self.s.where:
            if not w.tensor and T.var(w.defines) not in self.mapping:
                self.require(w.term, "call", w.text)
            elif w.tensor and w.tensor not in tensors:
                raise self.fail(f"`{w.tensor}` is not a tensor of the call", w.position)
        integers = [(a, a.type) for a in leaves if isinstance(a.type, ScalarType) and a.type.kind == "int"]
        for a, t in integers:
            if t.range is not None:
                self.in_range(T.var(a.name), t.range, f"{a.name} {t.text}")
        ints = {a.name: self.sub(T.var(a.name)) for a, _ in integers}
        self.notes += [f"initialised elements: {d.text}" for d in self.s.defined]
        grid = None if self.s.grid is None else tuple(map(self.sub, self.s.grid))
        return Domain(
            self.s, self.symbols(), tuple(self.conditions), tensors, returned, ints, grid, tuple(self.notes), tables,
            tuple(self.defined(d) for d in self.s.defined), dict(self.mapping),
        )  # fmt: skip

    # ------------------------------------------------------------ names

    def introduce(self, a: Argument) -> None:
        """Note the names that an argument brings, with kind and description."""
        if a.optional:
            if any(b.name == a.given for b in self.s.leaves):
                raise self.fail(f"whether `{a.name}` is given would be called `{a.given}`, as another argument is", a.position)
            self.kinds[a.given] = ("bool", f"whether `{a.name}` is given")
        match a.type:
            case TableType(item, index, count):
                if count is None:
                    self.name(_count(a.name), "dim", f"number of entries of `{a.name}`")
                for d in (*item.dims, *(item.strides or ()), *(() if count is None else (count,))):
                    self.name(d, "dim" if d is count or d in item.dims else "stride", f"`{a.name}`", index)
            case TensorType():
                for i, d in enumerate(a.type.dims):
                    self.name(d, "dim", f"size {i} of `{a.name}`")
                for i, d in enumerate(self.strides_of(a.name, a.type) or ()):
                    self.name(d, "stride", f"stride {i} of `{a.name}`")
            case ScalarType("int"):
                if a.name not in self.kinds:
                    self.kinds[a.name] = ("int", f"argument `{a.name}`")
            case ScalarType("str" | "list" | "tuple" | "constexpr" as kind) if not a.pinned:
                items = f" or its items' types: `{a.name}: {kind}[2] of f32[N]`" if kind in ("list", "tuple") else ""
                raise self.fail(f"a {kind} argument needs a value: `{a.name}: {kind} = …`{items}", a.position)
            case ScalarType("bool") if not a.pinned:
                self.kinds[a.name] = ("bool", f"argument `{a.name}`")

    def strides_of(self, name: str, t: TensorType) -> tuple[Term, ...] | None:
        return tuple(T.var(f"{name}_s{i}") for i in range(len(t.dims))) if t.strided else t.strides

    def name(self, expr: Term, kind: str, about: str, but: str = "") -> None:
        """Declare the names of a size or stride, but for the one that an index binds."""
        for v in sorted((v for v in introduced(expr) if v.data != but), key=lambda v: v.ident):
            old = self.kinds.get(v.data, ("", ""))[0]
            if not old or (old in ("stride", "int") and kind == "dim"):
                self.kinds[v.data] = (kind, about if expr is v else f"in {about}")

    def pin(self) -> None:
        """Names that stand for terms: pinned arguments and `where name == term`."""
        for a in self.s.leaves:
            if a.pinned and isinstance(a.type, ScalarType) and a.type.kind in ("int", "constexpr"):
                if isinstance(a.value, Term | int) and not isinstance(a.value, bool):
                    self.define(a.name, T.lift(a.value), f"{a.name} == {a.value}")
                elif a.type.kind == "int":
                    raise self.fail(f"`{a.name}` is an integer", a.position)
        for w in self.s.where:
            if w.defines and w.other is not None and w.defines in self.kinds:
                self.define(w.defines, w.other, w.text)

    def define(self, name: str, term: Term, text: str) -> None:
        target = self.sub(T.var(name))
        term = self.sub(term)
        if target.op != "var" or target in term.free:
            self.require(T.eq(target, term), "call", text)
            return
        for key in list(self.mapping):
            self.mapping[key] = T.substitute(self.mapping[key], {target: term})
        self.mapping[target] = term

    def sub(self, t: Term) -> Term:
        return T.substitute(t, self.mapping)

    # ------------------------------------------------------------ what must hold

    def require(self, term: Term, source: str, text: str) -> None:
        for part in T.conjuncts(self.sub(term)):
            if all(c.term is not part for c in self.conditions):
                self.conditions.append(Condition(part, source, text))

    def symbols(self) -> tuple[Symbol, ...]:
        """Declared names with their bounds; names that stand for terms keep their default bound as a condition."""
        out = []
        for name, (kind, about) in self.kinds.items():
            lower, upper = {"dim": (1, INT64[1]), "stride": (0, INT64[1]), "bool": (0, 1)}.get(kind, INT64)
            stated = [b for c in self.conditions if c.source == "call" for b in [_bound(c.term, name)] if b]
            at_least = [k for side, k in stated if side > 0]
            if at_least:
                lower = max(0 if kind in ("dim", "stride") else lower, *at_least)
            upper = min([upper, *(k for side, k in stated if side < 0)])
            if T.var(name) in self.mapping:
                if kind in ("dim", "stride"):
                    self.require(T.ge(T.var(name), lower), "default", f"{name} >= {lower}")
                continue
            out.append(Symbol(name, "int" if kind == "bool" else kind, lower, upper, about))
        return tuple(out)

    def in_range(self, t: Term, r: Range, text: str) -> None:
        if r.values:
            self.require(T.or_(*(T.eq(t, v) for v in r.values)), "call", text)
        if r.lower is not None and r.upper is not None:
            self.require(T.and_(T.le(r.lower, t), T.le(t, r.upper)), "call", text)

    # ------------------------------------------------------------ arguments

    def result(self, a: Argument) -> Tensor | Term:
        match a.type:
            case TensorType() as t:
                return self.tensor(a.name, t, a.position)
            case ScalarType("int" | "bool") as t:
                if t.range:
                    self.in_range(T.var(a.name), t.range, f"{a.name} {t.text}")
                return self.sub(T.var(a.name))
            case _:
                raise self.fail("a helper returns tensors, integers and booleans", a.position)

    def defined(self, d: S.Defined) -> Defined:
        """The clause over the symbols; names that its index binds are not those of the call."""
        inside = {k: v for k, v in self.mapping.items() if k.data not in d.index}
        return Defined(d.tensor, d.index, T.and_(*(T.substitute(c, inside) for c in d.conditions)), d.text)

    def table(self, name: str, t: TableType, position: int) -> Table:
        if t.item.role == "uninit":
            raise self.fail("what a table points to is given, `out` or `inout`", position)
        if t.item.strided:
            raise self.fail("strides of what a table points to are written out: `table[g: G] of f16[M, K]{s[g], 1}`", position)
        self.given(t.item, position)
        count = _count(name) if t.count is None else self.sub(t.count)
        if not count.is_const:
            self.require(T.ge(count, 1), "default", f"{count} >= 1")
        dims = tuple(map(self.sub, t.item.dims))
        strides = contiguous(dims) if t.item.strides is None else tuple(map(self.sub, t.item.strides))
        item = Tensor(f"{name}[{t.index or '…'}]", _memory_type(t.item), dims, strides, t.item.role, self.facts("", t.item))
        return Table(name, t.index, count, item)

    def given(self, item: TensorType, position: int) -> None:
        """Sizes and strides of what a table points to stand in tensors that hold something when the launcher is called."""
        leaves = {a.name: a.type for a in self.s.leaves}
        for term in (*item.dims, *(item.strides or ())):
            for name in sorted(a.data for a in term.apps):
                holder = leaves.get(name)
                if isinstance(holder, TensorType) and holder.role in ("out", "uninit"):
                    raise self.fail(f"`{name}` is `{holder.role}`: its elements are no sizes of what a table points to", position)

    def tensor(self, name: str, t: TensorType, position: int) -> Tensor:
        for d in t.dims:
            if d.is_const and d.value < 1:
                raise self.fail(f"a size of `{name}` is {d.value}; sizes are at least 1", position)
        dims = tuple(map(self.sub, t.dims))
        for d in dims:
            if d.op != "var":
                self.require(T.ge(d, 1), "default", f"{d} >= 1")
        given = self.strides_of(name, t)
        strides = contiguous(dims) if given is None else tuple(map(self.sub, given))
        if t.strided and t.role in ("out", "inout"):
            self.notes.append(f"no two elements of `{name}` share an address (assumed of its strides)")
        return Tensor(name, _memory_type(t), dims, strides, t.role, self.facts(name, t))

    def facts(self, name: str, t: TensorType) -> Facts | None:
        r = t.range or Range()
        elements = tuple((tuple(map(self.sub, w.index)), self.sub(w.term)) for w in self.s.where if w.tensor == name)
        facts = Facts(
            self.maybe(r.lower), self.maybe(r.upper), r.values, t.distinct, self.maybe(t.distinct_except),
            t.nondecreasing, self.pair(t.steps), self.pair(t.covering), elements,
        )  # fmt: skip
        return None if facts == Facts() else facts

    def maybe(self, t: Term | None) -> Term | None:
        return None if t is None else self.sub(t)

    def pair(self, r: Range | None) -> tuple[Term, Term] | None:
        if r is None or r.lower is None or r.upper is None:
            return None
        return self.sub(r.lower), self.sub(r.upper)


def _count(table: str) -> Term:
    """The number of entries of a table that does not state it."""
    return T.var(f"{table}_n")


def _memory_type(t: TensorType) -> str:
    return "i1" if t.dtype == "bool" else t.dtype


def _bound(t: Term, name: str) -> tuple[int, int] | None:
    """`(1, k)` where `t` says `name >= k`, `(-1, k)` where it says `name <= k`."""
    if t.op != "nonneg":
        return None
    p = dict(T.poly(t.args[0]))
    offset = p.pop((), 0)
    key = (T.var(name),)
    return (1, -offset) if p == {key: 1} else (-1, offset) if p == {key: -1} else None
