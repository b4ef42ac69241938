"""Where padding goes: from masked loads through arithmetic, loops and branches to reductions, and to what can be seen.

A pass of its own over a kernel whose integers, conditions and paths are known (`Facts`). What it finds are *meetings*, the
reductions that padding takes part in, and *sightings*: lanes that may carry a fault to a live store, an address, a mask or
a branch. Floats are taken to be finite as long as they come from tensors or from arithmetic on finite numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from argus_smt.absint import choices, meetings, routes, trips
from argus_smt.absint import content as C
from argus_smt.absint import signs as S
from argus_smt.absint.combine import How, neutral, region
from argus_smt.absint.content import Content
from argus_smt.absint.facts import Facts, Scope
from argus_smt.absint.pieces import Lane, Piece, Pieces, combined, conjoin, deny, known_of, merged, plain, settled
from argus_smt.absint.state import width_range
from argus_smt.absint.values import COORDS, Guards, IntV, PtrV
from argus_smt.ir import ops as I
from argus_smt.ir.launch import Case, PointerArg
from argus_smt.ir.types import Ptr, Scalar, elem_of, shape_of
from argus_smt.ir.walk import operands, results, walk
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

Impossible = Callable[[I.Op, str, Scope, tuple[int, ...], Term], bool]
"""Whether no lane of a tile of a shape meets a condition, at an operation, its site and scope."""
Keeps = Callable[[Content, Content], bool]
FEW = 3
"""Pieces up to which a value is kept as it is."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Lanes of `op`, of a tile of `shape`, where a fault may become visible if `cond`; `what` is it that depends on it."""

    op: I.Op
    site: str
    shape: tuple[int, ...]
    cond: Term
    bad: frozenset[str]
    what: str


@dataclass(slots=True)
class Padding:
    """Mutable: the pass over one kernel in one case. `padded` are storages that may hold padding which was stored."""

    facts: Facts
    case: Case
    sites: dict[int, str]
    impossible: Impossible
    padded: frozenset[int] = frozenset()
    env: dict[int, Pieces] = field(default_factory=dict)
    recording: bool = True
    met: dict[str, I.Op] = field(default_factory=dict)
    """Operations that combine padding with other lanes, by site."""
    sightings: list[Sighting] = field(default_factory=list)
    stored: set[int] = field(default_factory=set)
    """Storages into which padding was stored."""
    loaded: set[int] = field(default_factory=set)
    assumed: set[str] = field(default_factory=set)
    held: dict[str, Content] = field(default_factory=dict)
    """By fault: what the padding held that was not neutral."""
    folded: frozenset[int] = frozenset()
    """Values that are only reduced, over all of their lanes: their order does not matter."""
    accumulating: frozenset[int] = frozenset()
    """Sums that loops keep, by the operation's id."""
    relied: list[tuple[Guards, Scope, tuple[int, ...]]] = field(default_factory=list)
    """Guards of choices that what is found depends on, beyond those that memory accesses and branches rely on."""
    covered: frozenset[str] = frozenset()
    """Operations whose results are shown not to wrap, or to matter where they do."""
    made_by: dict[int, I.Op] = field(default_factory=dict)
    """By the number of a value, the operation that makes it."""
    _paths: dict[tuple[Term, ...], frozenset[Term]] = field(default_factory=dict)

    def run(self) -> None:
        """Follow padding through the whole kernel."""
        accesses = self.facts.accesses
        guards = [g for a in accesses for g in (*a.mask_guards, *a.pointer.guards, *a.scope.guards)]
        guards += [g for found, _, _ in self.facts.relied for g in found]
        self.covered = frozenset(g.site for g in guards)
        self.accumulating = frozenset(id(op) for op in trips.sums_of_loops(self.case.kernel.body))
        self.folded = meetings.only_folded(self.case.kernel.body)
        self.made_by = {r.number: op for op in walk(self.case.kernel.body) for r in results(op)}
        for param, arg in zip(self.case.kernel.body.params, self.case.args, strict=True):
            self.env[param.number] = plain(C.anything(elem_of(param.type)) if isinstance(arg, PointerArg) else self.known(param))
        self.block(self.case.kernel.body)

    def get(self, value: I.Value) -> Pieces:
        """What is known of a value; a plain number if nothing is."""
        return self.env.get(value.number) or plain(C.real(elem_of(value.type)))

    def site(self, op: I.Op) -> str:
        return self.sites[id(op)]

    def block(self, block: I.Block) -> list[Pieces]:
        """Follow one block; what it yields."""
        for op in block.ops:
            self._step(op)
            for result in results(op):
                self.env[result.number] = self._trimmed(op, result)
        return [self.get(v) for v in block.yields]

    def _trimmed(self, op: I.Op, result: I.Value) -> Pieces:
        """What is known of a result, without what cannot be where it is made; the solver is asked if it is much."""
        value = settled(self.get(result), self._known_at(op))
        return trips.pruned(self, op, value, result, self.site(op)) if len(value) > FEW else value

    def _known_at(self, op: I.Op) -> frozenset[Term]:
        """What holds outright where the operation runs."""
        scope = self.facts.scopes.get(self.site(op))
        path = scope.path if scope is not None else ()
        found = self._paths.get(path)
        if found is None:
            found = self._paths[path] = known_of(path)
        return found

    def refuted(self, op: I.Op, shape: tuple[int, ...], cond: Term, site: str = "") -> bool:
        """Whether no lane meets a condition where the operation runs."""
        if cond is T.FALSE:
            return True
        scope = self.facts.scopes.get(site or self.site(op))
        return scope is None or self.impossible(op, site or self.site(op), scope, shape, cond)

    def see(self, op: I.Op, value: I.Value, what: str, where: Term = T.TRUE) -> None:
        """Note what of a value's faults may be seen where a condition holds."""
        if not self.recording:
            return
        for p in self.get(value):
            cond = conjoin(p.cond, where)
            if p.lane.bad and cond is not T.FALSE:
                self.sightings.append(Sighting(op, self.site(op), shape_of(value.type), cond, p.lane.bad, what))

    # ------------------------------------------------------------ operations

    def _step(self, op: I.Op) -> None:
        made = results(op)
        match op:
            case I.For():
                trips.counted(self, op)
            case I.While():
                trips.repeated(self, op)
            case I.If():
                self._branch(op)
            case I.Store():
                self._store(op)
            case I.AtomicRMW() | I.AtomicCAS():
                self._atomic(op)
            case I.Split():
                for half, result in enumerate(op.results):
                    self.env[result.number] = routes.half(self.get(op.operand), len(shape_of(op.operand.type)), half)
            case I.Reduce() | I.Scan():
                for result, value in zip(op.results, meetings.folded(self, op), strict=True):
                    self.env[result.number] = value
            case I.Map() | I.Opaque():
                how = region(op.body) if isinstance(op, I.Map) else None
                for i, result in enumerate(op.results):
                    self.env[result.number] = self._applied(op, result, how, i)
            case _ if made:
                self.env[made[0].number] = self._value(op, made[0])

    def _applied(self, op: I.Map | I.Opaque, result: I.Value, how: How | None, i: int) -> Pieces:
        anything = C.anything(elem_of(result.type))
        given = [self.get(v) for v in op.operands]
        if not isinstance(op, I.Map):
            given = [routes.anywhere(v) for v in given]
        found = combined(given, lambda x: how(x)[i] if how is not None else anything) if given else plain(anything)
        return found if isinstance(op, I.Map) else routes.anywhere(found)

    def _value(self, op: I.Op, result: I.Value) -> Pieces:
        elem = elem_of(result.type)
        match op:
            case I.Const():
                return plain(C.constant(op.value, elem))
            case I.Undef():
                nothing = replace(C.anything(elem), given=False)
                return (Piece(T.TRUE, Lane(nothing, True, frozenset((f"undefined {self.site(op)}",)))),)
            case I.Range() | I.ProgramId() | I.NumPrograms():
                return plain(self.known(result))
            case I.Load():
                return self._load(op)
            case I.Select():
                return choices.select(self, op)
            case I.Reshape(reorder=True) if result.number in self.folded:
                return routes.move(replace(op, reorder=False), self.get(op.operand), self.facts.bounds)
            case I.Splat() | I.ExpandDims() | I.Broadcast() | I.Reshape() | I.Trans() | I.Unsplat():
                return routes.move(op, self.get(op.operand), self.facts.bounds)
            case I.Join():
                return routes.join(self.get(op.lhs), self.get(op.rhs), len(shape_of(op.result.type)))
            case I.Cat():
                return merged((*routes.anywhere(self.get(op.lhs)), *routes.anywhere(self.get(op.rhs))))
            case I.Gather():
                return self._gather(op)
            case I.Dot():
                return meetings.product(self, op)
            case I.Histogram():
                return meetings.histogram(self, op)
            case _:
                return self._elementwise(op, result, elem)

    def known(self, value: I.Value) -> Content:
        """An integer as the analysis of integers knows it; any number of the type otherwise."""
        elem = elem_of(value.type)
        found = self.facts.values.get(value.number)
        if isinstance(found, IntV) and found.term.sort is Sort.INT and not found.guards and isinstance(elem, Scalar):
            bounds = self.facts.bounds.copy()
            for d, n in enumerate(shape_of(value.type)):
                bounds.narrow(COORDS[d], (0, n - 1))
            low, high = bounds.of(found.term)
            least, most = width_range(elem)
            if low is not None and high is not None and least <= low <= high <= most:
                return C.integers(low, high)
        if isinstance(found, IntV) and found.term in (T.TRUE, T.FALSE):
            return C.integers(*[int(found.term is T.TRUE)] * 2)
        return C.real(elem)

    def _elementwise(self, op: I.Op, result: I.Value, elem: Scalar | Ptr) -> Pieces:
        given = operands(op)
        pieces = [self.get(v) for v in given]
        if elem.is_int and not any(p.lane.padding or p.lane.bad for v in pieces for p in v):
            data = frozenset().union(*(p.lane.data for v in pieces for p in v)) if pieces else frozenset()
            return plain(self.known(result), data)
        kind = elem_of(given[0].type) if given else elem

        def how(x: Sequence[Content]) -> Content:
            match op:
                case I.Unary() if isinstance(kind, Scalar):
                    return C.unary(op.fn, x[0], kind)
                case I.Binary() if isinstance(kind, Scalar):
                    return C.binary(op.fn, *self.loosened(op, x[0], x[1]), kind)
                case I.Fma() if isinstance(elem, Scalar):
                    times = C.binary("fmul", *self.loosened(op, x[0], x[1]), elem)
                    return C.binary("fadd", *self.loosened(op, times, x[2]), elem)
                case I.Cmp() if isinstance(kind, Scalar):
                    return C.compare(op.pred, *self.loosened(op, x[0], x[1]), kind)
                case I.Cast():
                    return C.cast(op.kind, x[0], kind, elem)
                case _:
                    return C.anything(elem)

        if isinstance(op, I.Binary) and isinstance(elem, Scalar):
            fn = op.fn
            keeps: Keeps = lambda x, by: neutral(lambda y: [C.binary(fn, y[0], y[1], elem)], [x], [by])  # noqa: E731
            if id(op) in self.accumulating:
                return self._accumulated(op, pieces[0], pieces[1], how, keeps)
            return combined(pieces, how, keeps)
        if isinstance(op, I.Cast) and len(pieces[0]) == 1 and isinstance(kind, Scalar) and kind.bits == 1:
            mask = self.facts.values.get(op.operand.number)  # as a number
            if isinstance(mask, IntV) and mask.term.sort is Sort.BOOL and {g.site for g in mask.guards} <= self.covered:
                sides = ((mask.term, 1), (deny(mask.term), 0))
                return merged(Piece(c, Lane(C.cast(op.kind, C.integers(n, n), kind, elem))) for c, n in sides)
        return combined(pieces, how)

    def _accumulated(
        self, op: I.Binary, a: Pieces, b: Pieces, how: Callable[[Sequence[Content]], Content], keeps: Keeps
    ) -> Pieces:
        """A sum that a loop keeps: padding of one trip meets in it what other trips loaded."""
        out = list(combined([a, b], how, keeps))
        shape = shape_of(op.result.type)
        for p, q in ((p, q) for p in a for q in b):
            x, y = (p.lane, q.lane) if q.lane.padding else (q.lane, p.lane)
            if not y.padding or x.padding or not x.data or x.bad | y.bad or keeps(x.content, y.content):
                continue
            cond = conjoin(p.cond, q.cond)
            if not self.refuted(op, shape, cond):
                name = f"mixed {self.site(op)}"
                self.held.setdefault(name, y.content)
                out.append(Piece(cond, Lane(how([x.content, y.content]), False, frozenset((name,)), x.data | y.data)))
        if self.recording and any(p.lane.padding for p in (*a, *b)):
            self.met[self.site(op)] = op
        return merged(out)

    def loosened(self, op: I.Op, a: Content, b: Content) -> tuple[Content, Content]:
        """A large fill value that meets a number which is not known stands for infinity, as an assumption."""
        if (a.number is None) == (b.number is None):
            return a, b
        x = a if a.number is not None else b
        if x.given or x.span is not None or not isinstance(x.number, float) or not C.LARGE <= abs(x.number) < float("inf"):
            return a, b
        self.assumed.add(f"no number that meets the fill value {x.number:g} at {op.span} comes near it")
        y = replace(C.of_signs(S.PINF if x.number > 0 else S.NINF), given=False)
        return (y, b) if x is a else (a, y)

    # ------------------------------------------------------------ memory

    def mask(self, op: I.Op, mask: I.Value | None) -> Term:
        if mask is None:
            return T.TRUE
        self.see(op, mask, "the mask of a memory access")
        found = self.facts.values.get(mask.number)
        return found.term if isinstance(found, IntV) and found.term.sort is Sort.BOOL else T.TRUE

    def _load(self, op: I.Load) -> Pieces:
        mask = self.mask(op, op.mask)
        self.see(op, op.ptr, "an address", mask)
        elem, rank = elem_of(op.result.type), len(shape_of(op.result.type))
        pointer = self.facts.values.get(op.ptr.number)
        terms = [t.offset for t in pointer.targets] if isinstance(pointer, PtrV) else list(COORDS[:rank])
        data = frozenset(d for d in range(rank) if any(COORDS[d] in t.free for t in terms))
        known = self.known(op.result) if op.mask is None else C.real(elem)
        out = [Piece(mask, Lane(known, data=data))]
        self.loaded |= self._storages(op.ptr)
        if self._storages(op.ptr) & self.padded:
            out.append(Piece(mask, Lane(replace(C.real(elem), given=False), True, frozenset((f"unsure {self.site(op)}",)), data)))
        if op.mask is None or mask is T.TRUE:
            return tuple(out)
        off = deny(mask)
        if op.other is None:
            lost = frozenset((f"undefined {self.site(op)}",))
            return merged((*out, Piece(off, Lane(replace(C.anything(elem), given=False), True, lost))))
        for p in self.get(op.other):
            filled = replace(p.lane, content=replace(p.lane.content, given=False), padding=True)
            out.append(Piece(conjoin(off, p.cond), filled))
        return merged(out)

    def _store(self, op: I.Store) -> None:
        mask = self.mask(op, op.mask)
        self.see(op, op.ptr, "an address", mask)
        self.see(op, op.value, "a stored value", mask)
        self._see_nan(op, mask)
        if self.recording and any(p.lane.padding for p in self.get(op.value)):
            live = [conjoin(p.cond, mask) for p in self.get(op.value) if p.lane.padding]
            if not all(self.refuted(op, shape_of(op.ptr.type), c) for c in live):
                self.stored |= self._storages(op.ptr)

    def _see_nan(self, op: I.Store, mask: Term) -> None:
        """Note live lanes that may hold NaN since all that they were made from is padding, as after masking a whole row."""
        for p in self.get(op.value) if self.recording else ():
            if p.lane.padding and not p.lane.bad and p.lane.content.span is None and p.lane.content.signs & S.NAN:
                cond, fault = conjoin(p.cond, mask), frozenset((f"nan {self.site(op)}",))
                if cond is not T.FALSE:
                    self.sightings.append(Sighting(op, self.site(op), shape_of(op.value.type), cond, fault, "a stored value"))

    def _storages(self, ptr: I.Value) -> set[int]:
        """Storages that a pointer may lead to: all of them if that is not known."""
        pointer = self.facts.values.get(ptr.number)
        args = list(self.case.args)
        if isinstance(pointer, PtrV) and all(t.arg >= 0 and t.member is None for t in pointer.targets):
            args = [self.case.args[t.arg] for t in pointer.targets]
        return {a.storage for a in args if isinstance(a, PointerArg)}

    def _atomic(self, op: I.AtomicRMW | I.AtomicCAS) -> None:
        mask = self.mask(op, op.mask if isinstance(op, I.AtomicRMW) else None)
        self.see(op, op.ptr, "an address", mask)
        for v in (op.value, *((op.compare,) if isinstance(op, I.AtomicCAS) else ())):
            self.see(op, v, "a value of an atomic", mask)
        self.env[op.result.number] = plain(C.real(elem_of(op.result.type)), range(len(shape_of(op.result.type))))

    # ------------------------------------------------------------ choices

    def condition(self, op: I.Op, value: I.Value) -> Term | None:
        """A boolean as a condition; None if it is not known. That its integers do not wrap is noted as relied on."""
        found = self.facts.values.get(value.number)
        if not isinstance(found, IntV) or found.term.sort is not Sort.BOOL:
            return None
        scope = self.facts.scopes.get(self.site(op))
        if self.recording and scope is not None and not {g.site for g in found.guards} <= self.covered:
            self.relied.append((found.guards, scope, shape_of(value.type)))
        return found.term

    def _branch(self, op: I.If) -> None:
        self.see(op, op.cond, "a branch")
        term = self.condition(op, op.cond)
        sides = [T.TRUE, T.TRUE] if term is None else [term, deny(term)]
        found: list[list[Piece]] = [[] for _ in op.results]
        for held, block in zip(sides, (op.then, op.orelse), strict=True):
            if held is T.FALSE:
                continue
            for pieces, value in zip(found, self.block(block), strict=True):
                pieces += [Piece(conjoin(held, p.cond), p.lane) for p in value]
        for result, pieces in zip(op.results, found, strict=True):
            self.env[result.number] = merged(pieces)

    def _gather(self, op: I.Gather) -> Pieces:
        index = self.facts.values.get(op.index.number)
        source = self.get(op.operand)
        if isinstance(index, IntV) and index.term.sort is Sort.INT and not index.guards:
            source = routes.picked(source, op.axis, index.term)
        else:
            source = routes.anywhere(source)
        return combined([source, self.get(op.index)], lambda x: x[0])
