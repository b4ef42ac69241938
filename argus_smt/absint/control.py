"""Transfer functions of branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from argus_smt.absint.facts import Wrap
from argus_smt.absint.integers import bits_of, is_integer
from argus_smt.absint.recurrence import HOLE, Carried, Closed, close, holes_in, past
from argus_smt.absint.state import State, fits, guard
from argus_smt.absint.values import (
    COORDS,
    NO_GUARDS,
    AbsValue,
    FloatV,
    Guard,
    Guards,
    IntV,
    LostV,
    PtrV,
    Target,
    choose,
    map_terms,
)  # fmt: skip
from argus_smt.ir.ops import Block, For, If, Value, While
from argus_smt.ir.types import shape_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

RunBlock = Callable[[State, Block], tuple[AbsValue, ...]]


def branch(state: State, op: If, run: RunBlock) -> None:
    """Both sides under their condition; results are chosen by it."""
    cond = state.integer(op.cond)
    if state.recording and cond.guards:
        state.facts.branch_guards.append((cond.guards, state.scope()))
    test = state.simp(cond.term)
    sides: list[tuple[AbsValue, ...] | None] = []
    for held, block in ((test, op.then), (T.not_(test), op.orelse)):
        if held is T.FALSE:
            sides.append(None)
            continue
        with state.under(held, guards=cond.guards):
            sides.append(run(state, block))
    for i, result in enumerate(op.results):
        yes, no = sides
        if yes is None or no is None:
            chosen = yes or no
            assert chosen is not None
            state.put(result, chosen[i])
        else:
            state.put(result, choose(test, yes[i], no[i], cond.guards))


def counted_loop(state: State, op: For, run: RunBlock) -> None:
    """A `for` loop with any number of trips, zero included."""
    lower, upper, step = (state.integer(v) for v in (op.lower, op.upper, op.step))
    guards = lower.guards | upper.guards | step.guards
    if state.recording and guards:
        state.facts.branch_guards.append((guards, state.scope()))
    trip = T.var(f"$k{state.site(op)}")
    counter_value = lower.term + trip * step.term
    entering = T.and_(T.ge(trip, 0), T.lt(counter_value, upper.term), T.gt(step.term, 0))
    trips = T.maximum(T.ZERO, T.div(upper.term - lower.term + step.term - 1, step.term))
    _final_counter(state, op, lower, upper, step, trips)
    params = op.body.params

    def once() -> tuple[AbsValue, ...]:
        state.put(params[0], IntV(counter_value, lower.guards | step.guards))
        return run(state, op.body)

    _loop(state, op, params[1:], op.inits, trip, entering, guards, once)
    last = state.simp(trips)
    for result, param, after in zip(op.results, params[1:], op.body.yields, strict=True):
        state.put(result, _after_loop(state, param, after, trip, last))


def _final_counter(state: State, op: For, lower: IntV, upper: IntV, step: IntV, trips: Term) -> None:
    """The counter is advanced once past the end; a step other than 1 can wrap there."""
    if not state.recording or step.term is T.ONE:
        return
    bits = bits_of(op.lower)
    exact = state.simp(upper.term - 1 + step.term)  # the largest value that the last advance can reach
    cond = state.simp(T.or_(T.ge(lower.term, upper.term), fits(exact, bits)))
    if cond is not T.TRUE:
        site = state.site(op)
        guards = lower.guards | upper.guards | step.guards
        state.facts.wraps[site] = Wrap(site, op, exact, bits, cond, (), guards, state.scope())
        state.facts.branch_guards.append((guard(site, cond, exact), state.scope()))


def while_loop(state: State, op: While, run: RunBlock) -> None:
    """A `while` loop: as a counted one without a bound, its condition known inside and refuted after."""
    trip = T.var(f"$k{state.site(op)}")
    entering = T.ge(trip, 0)
    held: list[tuple[Term, Guards]] = []

    def once() -> tuple[AbsValue, ...]:
        before = run(state, op.before)
        cond = before[0]
        test = cond if isinstance(cond, IntV) else state.unknown(op.before.yields[0].type, f"{trip.data}/c", "a loop condition")
        assert isinstance(test, IntV)
        held[:] = [(state.simp(test.term), test.guards)]
        if state.recording and test.guards:
            state.facts.branch_guards.append((test.guards, state.scope()))
        with state.under(held[0][0], guards=test.guards):
            for param, value in zip(op.after.params, before[1:], strict=True):
                state.put(param, value)
            return run(state, op.after)

    params = op.before.params
    _loop(state, op, params, op.inits, trip, entering, NO_GUARDS, once)
    exit_trip = T.var(f"$x{state.site(op)}{len(state.counters)}")
    passed = op.before.yields[1:]
    for result, value in zip(op.results, passed, strict=True):
        state.put(result, _renamed(state, state.get(value), trip, exit_trip))
    cond, guards = held[0]
    state.assume(T.and_(T.ge(exit_trip, 0), T.not_(T.substitute(cond, {trip: exit_trip}))), guards)


def _renamed(state: State, value: AbsValue, trip: Term, exit_trip: Term) -> AbsValue:
    return map_terms(value, {trip: exit_trip})


def _loop(
    state: State, op: For | While, params: Sequence[Value], inits: Sequence[Value], trip: Term,
    entering: Term, guards: Guards, once: Callable[[], tuple[AbsValue, ...]],
) -> None:  # fmt: skip
    """Find closed forms of the carried values by trial runs, then run the body with them for good."""
    entry = [_definite(state, v) for v in inits]
    counters = state.counters
    state.counters = (*counters, trip)
    with state.under(entering, guards=guards):
        recording, state.recording = state.recording, False
        holes = [_with_hole(value, param) for value, param in zip(entry, params, strict=True)]
        for param, value in zip(params, holes, strict=True):
            state.put(param, value)
        after = once()
        forms = _closed_forms(state, params, entry, holes, after, trip)
        for param, value in zip(params, forms, strict=True):
            state.put(param, value)
        _widen(state, params, entry, once)
        state.recording = recording
        once()
    state.counters = counters


def _definite(state: State, value: Value) -> AbsValue:
    return state.integer(value) if is_integer(value) else state.get(value)


def _with_hole(value: AbsValue, param: Value) -> AbsValue:
    """The carried value at the start of an unknown trip, as a function of the coordinates only."""
    coords = COORDS[: len(shape_of(param.type))]
    match value:
        case IntV(term) if term.sort is Sort.BOOL:
            return IntV(T.bapp(f"{HOLE}{param.number}", *coords))
        case IntV():
            return IntV(T.app(f"{HOLE}{param.number}", *coords))
        case PtrV(targets) if len(targets) == 1:
            hole = T.app(f"{HOLE}{param.number}", *coords)
            return PtrV((Target(T.TRUE, targets[0].arg, hole),))
        case PtrV():
            return LostV("a pointer with several targets carried by a loop")
        case _:
            return value


def _closed_forms(
    state: State, params: Sequence[Value], entry: Sequence[AbsValue], holes: Sequence[AbsValue],
    after: Sequence[AbsValue], trip: Term,
) -> list[AbsValue]:  # fmt: skip
    forms: list[AbsValue | None] = [None] * len(params)
    solved: dict[Term, Term] = {}
    progress = True
    while progress:
        progress = False
        for i, param in enumerate(params):
            if forms[i] is not None:
                continue
            form = _form(state, param, entry[i], holes[i], after[i], trip, solved)
            if form is not None:
                forms[i], progress = form, True
    return [f if f is not None else _opaque(state, p, h) for f, p, h in zip(forms, params, holes, strict=True)]


def _opaque(state: State, param: Value, hole: AbsValue) -> AbsValue:
    if isinstance(hole, PtrV):
        return LostV("a pointer carried by a loop in a way that has no closed form")
    if isinstance(hole, IntV):
        return state.unknown(param.type, f"loop{param.number}", f"`{param.name or param}` has no closed form in its loop")
    return hole


def _form(
    state: State, param: Value, entry: AbsValue, hole: AbsValue, after: AbsValue, trip: Term,
    solved: dict[Term, Term],
) -> AbsValue | None:  # fmt: skip
    """Closed form of one carried value, or None where it has to wait for others or has none."""
    state.shape = shape_of(param.type)
    match entry, hole, after:
        case IntV(first, g0), IntV(mark), IntV(term, g1):
            closed = close_any(first, mark, term, trip, solved)
            guards = None if closed is None else _past(state, g1, trip, solved, closed.how)
            if closed is None or guards is None:
                return None
            solved[mark] = closed.value
            return IntV(state.simp(closed.value), g0 | guards)
        case PtrV((start, *_), g0), PtrV((mark_target,)), PtrV((stop, *more), g1):
            if more or stop.arg != start.arg:
                return None
            closed = close(Carried(start.offset, mark_target.offset, stop.offset), trip, solved)
            guards = None if closed is None else _past(state, g1, trip, solved, closed.how)
            if closed is None or guards is None:
                return None
            solved[mark_target.offset] = closed.value
            return PtrV((Target(T.TRUE, start.arg, state.simp(closed.value)),), g0 | guards)
        case _, FloatV() | LostV(), _:
            return after if isinstance(after, LostV) else hole
        case _:
            return None


def close_any(first: Term, mark: Term, after: Term, trip: Term, solved: dict[Term, Term]) -> Closed | None:
    """`close`, also for carried booleans, which only stay or are replaced."""
    if first.sort is not Sort.BOOL:
        return close(Carried(first, mark, after), trip, solved)
    known = T.substitute(after, solved) if solved else after
    if known is mark:
        return Closed(first, "same")
    if holes_in(known):
        return None
    return Closed(T.ite(T.eq(trip, 0), first, T.substitute(known, {trip: trip - 1})), "replaced")


def _past(state: State, guards: Guards, trip: Term, solved: dict[Term, Term], how: str) -> Guards | None:
    """The guards of all earlier trips, or None if they cannot be put into terms of this one."""
    if how == "same":
        return NO_GUARDS
    moved = []
    for g in guards:
        known = T.substitute(g.cond, solved)
        cond = None if holes_in(known) else past(known, trip, how)
        if cond is None:
            return None
        cond = state.simp(cond)
        if cond is not T.TRUE:
            exact = T.substitute(T.substitute(g.exact, solved), {trip: trip - 1})
            moved.append(Guard(g.site, cond, exact))
    return frozenset(moved)


def _widen(
    state: State, params: Sequence[Value], entry: Sequence[AbsValue], once: Callable[[], tuple[AbsValue, ...]]
) -> None:
    """Interval invariants of carried integers without a closed form: guessed from the entry, kept if inductive."""
    loose = [
        (i, v.term) for i, p in enumerate(params)
        if isinstance(v := state.get(p), IntV) and v.term.op == "app" and v.term.data.startswith("?loop")
    ]  # fmt: skip
    if not loose:
        return
    guesses = {i: _entry_interval(state, params[i], entry[i]) for i, _ in loose}
    full = {i: state.facts.bounds.functions[t.data] for i, t in loose}
    for _ in range(4):
        for i, t in loose:
            state.facts.bounds.functions[t.data] = guesses[i]
        state.facts.bounds.forget()
        state._renew()
        after = once()
        stable = True
        for i, _ in loose:
            state.shape = shape_of(params[i].type)
            found = after[i]
            lo, hi = state.bounds.of(found.term) if isinstance(found, IntV) else (None, None)
            glo, ghi = guesses[i]
            nlo = glo if lo is not None and glo is not None and lo >= glo else full[i][0]
            nhi = ghi if hi is not None and ghi is not None and hi <= ghi else full[i][1]
            stable &= (nlo, nhi) == guesses[i]
            guesses[i] = (nlo, nhi)
        if stable:
            return
    for i, t in loose:
        state.facts.bounds.functions[t.data] = full[i]
    state._renew()


def _entry_interval(state: State, param: Value, entry: AbsValue) -> tuple[int | None, int | None]:
    state.shape = shape_of(param.type)
    return state.bounds.of(entry.term) if isinstance(entry, IntV) else (None, None)


def _after_loop(state: State, param: Value, after: Value, trip: Term, trips: Term) -> AbsValue:
    """The carried value at the start of trip `trips`, which is when the loop ends."""
    return map_terms(state.get(param), {trip: trips})
