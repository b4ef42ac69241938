"""State of the abstract interpreter: environment, path and loops around the current operation, and the growing facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from argus_smt.absint.facts import Facts, Scope
from argus_smt.absint.values import COORDS, NO_GUARDS, AbsValue, FloatV, Guard, Guards, IntV, LostV, PtrV, Target
from argus_smt.ir.launch import Arg, PointerArg, Storage
from argus_smt.ir.ops import Op, Value
from argus_smt.ir.types import INT_BITS, Ptr, Scalar, Type, elem_of, element, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Bounds, Interval, meet
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term


def never(facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
    """The oracle that knows nothing."""
    return False


def silent(terms: Iterable[Term]) -> list[Term]:
    """Nothing is stated of any element."""
    return []


@dataclass(slots=True)
class State:
    """Mutable; one for a kernel in a case. `recording` is off while a loop body is tried out for its recurrences."""

    args: tuple[Arg, ...]
    storages: dict[int, Storage]
    grid: tuple[Term, Term, Term]
    written: frozenset[int]
    """Storages that some operation of the kernel may write."""
    sites: dict[int, str]
    facts: Facts
    env: dict[int, AbsValue] = field(default_factory=dict)
    path: tuple[Term, ...] = ()
    path_guards: Guards = NO_GUARDS
    outcomes: frozenset[Term] = frozenset()
    """Parts of the path that hold since loops before have ended."""
    counters: tuple[Term, ...] = ()
    ask: Callable[[Sequence[Term], Term, Bounds], bool] = never
    """Whether facts imply a goal, for the few questions that intervals leave open."""
    stated: Callable[[Iterable[Term]], list[Term]] = silent
    """What the signature states of the elements of index tensors that occur in terms, and of those that this leads to."""
    recording: bool = True
    entry: Bounds = field(default_factory=Bounds)
    """Intervals at the start of the kernel, which hold on every path."""
    shape: tuple[int, ...] = ()
    """Shape of the tile whose coordinates the terms at hand are over."""
    answers: dict[tuple[frozenset[Term], Term, frozenset[tuple[Term, Interval]]], bool] = field(default_factory=dict)
    """What the solver said of guesses at invariants: by facts, goal, and the intervals of what they speak of."""
    _views: dict[tuple[int, ...], tuple[Bounds, dict[Term, Term]]] = field(default_factory=dict)

    def _view(self) -> tuple[Bounds, dict[Term, Term]]:
        """Intervals under the current path, with the coordinates inside `shape`, and the simplifier's memory for them."""
        view = self._views.get(self.shape)
        if view is None:
            base = self.facts.bounds
            coords = {COORDS[d]: (0, n - 1) for d, n in enumerate(self.shape)}
            view = self._views[self.shape] = (Bounds({**base.env, **coords}, base.functions), {})
        return view

    @property
    def bounds(self) -> Bounds:
        return self._view()[0]

    def scope(self) -> Scope:
        return Scope(self.path, self.counters, self.path_guards, self.outcomes)

    def site(self, op: Op) -> str:
        return self.sites[id(op)]

    def get(self, value: Value) -> AbsValue:
        return self.env[value.number]

    def put(self, value: Value, abstract: AbsValue) -> None:
        self.env[value.number] = abstract

    def simp(self, t: Term) -> Term:
        """`t` simplified by the intervals that are known here."""
        bounds, memo = self._view()
        return simplify(t, bounds, memo)

    def known(self, goal: Term) -> bool:
        """Whether `goal` holds wherever the current operation runs; what is learnt of an atom is kept."""
        for part in T.conjuncts(self.simp(goal)):
            if not self.ask(self.path, part, self.bounds):
                return False
            self._keep(part)
        return True

    def _keep(self, part: Term) -> None:
        if any(c in part.free for c in COORDS):
            self._view()[0].learn([part])
            self._view()[1].clear()
        else:
            if self.recording:  # a trial run may believe intervals that do not last
                self.facts.lemmas.append((frozenset(self.path), part))
            self.facts.bounds.learn([part])
            self.renew()

    def integer(self, value: Value) -> IntV:
        """The integer or boolean behind `value`; a fresh unknown one if it is lost."""
        found = self.get(value)
        if isinstance(found, IntV):
            return found
        reason = found.reason if isinstance(found, LostV) else "a number computed from floats"
        fresh = self.unknown(value.type, f"v{value.number}", reason)
        assert isinstance(fresh, IntV)
        return fresh

    def unknown(self, kind: Type, name: str, reason: str, interval: Interval = ALL) -> AbsValue:
        """A value of type `kind` of which only the width, and perhaps an interval, is known.

        It may differ by element and loop trip. The interval replaces one that an earlier run gave under this name.
        """
        elem = elem_of(kind)
        if isinstance(elem, Ptr):
            return LostV(reason)
        if not elem.is_int:
            return FloatV()
        args = COORDS[: len(shape_of(kind))] + self.counters
        name = f"?{name}"
        self.facts.ledger.setdefault(name, reason)
        if elem.name == "i1":
            return IntV(T.bapp(name, *args))
        self.set_range(name, elem, interval)
        return IntV(T.app(name, *args))

    def set_range(self, name: str, elem: Scalar, interval: Interval) -> None:
        """Bound an unknown function; an interval from dead code, which is empty, is not believed."""
        width = width_range(elem)
        low, high = meet(width, interval)
        assert low is not None
        assert high is not None
        found = (low, high) if low <= high else width
        if self.facts.bounds.functions.get(name) != found:
            self.facts.bounds.functions[name] = found
            self.renew()

    @contextmanager
    def under(self, *conditions: Term, guards: Guards = NO_GUARDS) -> Iterator[None]:
        """Within: the conditions hold too."""
        path, old_guards, env, outcomes = self.path, self.path_guards, self.facts.bounds.env, self.outcomes
        self.facts.bounds.env = dict(env)
        self.assume(T.and_(*conditions), guards)
        try:
            yield
        finally:
            self.path, self.path_guards, self.facts.bounds.env, self.outcomes = path, old_guards, env, outcomes
            self.renew()

    def assume(self, condition: Term, guards: Guards = NO_GUARDS) -> None:
        """From here to the end of the enclosing block `condition` holds."""
        self.path += tuple(c for c in T.conjuncts(condition) if c not in self.path)
        self.path_guards |= guards
        self.facts.bounds.learn([condition])
        self.renew()

    def renew(self) -> None:
        """Drop what was derived from intervals, after they changed."""
        self.facts.bounds.forget()
        self._views.clear()


def width_range(elem: Scalar) -> tuple[int, int]:
    """Least and greatest signed value of an integer type."""
    bits = INT_BITS[elem.name]
    return (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def stated_range(state: State, storage: Storage, elem: Scalar) -> Interval:
    """The interval that the signature states, as the kernel sees it: signed, and only if the types are the same.

    It is taken from the intervals at the kernel's start, since one name stands for the contents on every path.
    """
    facts = storage.facts
    if facts is None or element(storage.dtype) != elem:
        return ALL
    low = state.entry.of(facts.lower)[0] if facts.lower is not None else None
    high = state.entry.of(facts.upper)[1] if facts.upper is not None else None
    if facts.values:
        low, high = min(facts.values), max(facts.values)
    if storage.dtype.startswith("u") and (high is None or high > width_range(elem)[1] or low is None or low < 0):
        return ALL
    return low, high


def fits(term: Term, bits: int) -> Term:
    """`term` is representable in `bits` signed bits."""
    half = 1 << (bits - 1)
    return T.and_(T.ge(term, -half), T.lt(term, half))


def argument(index: int, arg: Arg) -> AbsValue:
    """Abstract value of a kernel argument."""
    if isinstance(arg, PointerArg):
        return PtrV((Target(T.TRUE, index, T.ZERO),))
    if arg.value is None:
        return FloatV()
    if arg.dtype == "i1" and arg.value.sort is T.Sort.INT:
        return IntV(T.ne(arg.value, 0))
    if arg.dtype.startswith("u"):
        half = 1 << (element(arg.dtype).bits - 1)
        return IntV(T.ite(T.lt(arg.value, half), arg.value, arg.value - 2 * half))
    return IntV(arg.value)


def guard(site: str, cond: Term, exact: Term) -> Guards:
    """A single guard."""
    return frozenset((Guard(site, cond, exact),))
