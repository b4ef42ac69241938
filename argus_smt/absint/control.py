"""Transfer functions of branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from argus_smt.absint.facts import Arithmetic, Wrap
from argus_smt.absint.integers import bits_of, is_integer
from argus_smt.absint.recurrence import HOLE, Carried, Closed, close, holes_in, past
from argus_smt.absint.state import State, fits, guard, width_range
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
    guards_of,
    map_terms,
)  # fmt: skip
from argus_smt.ir.ops import Block, For, If, Value, While
from argus_smt.ir.types import Scalar, elem_of, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Interval, meet
from argus_smt.smt.term import Sort, Term

RunBlock = Callable[[State, Block], tuple[AbsValue, ...]]


def branch(state: State, op: If, run: RunBlock) -> None:
    """Both sides under their condition; results are chosen by it."""
    cond = state.integer(op.cond)
    if state.recording and cond.guards:
        state.facts.relied.append((cond.guards, state.scope(), ()))
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
        state.facts.relied.append((guards, state.scope(), ()))
    _positive_step(state, op, step)
    trip = T.var(f"$k{state.site(op)}")
    counter_value = lower.term + trip * step.term
    entering = T.and_(T.ge(trip, 0), T.lt(counter_value, upper.term), T.gt(step.term, 0))
    trips = T.maximum(T.ZERO, T.div(upper.term - lower.term + step.term - 1, step.term))
    _final_counter(state, op, lower, upper, step, trips)
    params = op.body.params

    def once() -> tuple[AbsValue, ...]:
        state.put(params[0], IntV(counter_value, lower.guards | step.guards))
        return run(state, op.body)

    forms = _loop(state, op, params[1:], op.inits, trip, entering, guards, once)
    last = state.simp(trips)
    for result, form in zip(op.results, forms, strict=True):
        state.put(result, map_terms(form, {trip: last}))


def _positive_step(state: State, op: For, step: IntV) -> None:
    """A loop whose step is not positive never ends."""
    goal = state.simp(T.gt(step.term, 0))
    if state.recording and goal is not T.TRUE:
        state.facts.arithmetic.append(Arithmetic(state.site(op), op, goal, (), step.guards, state.scope()))


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
        state.facts.relied.append((guard(site, cond, exact), state.scope(), ()))


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
            state.facts.relied.append((test.guards, state.scope(), ()))
        with state.under(held[0][0], guards=test.guards):
            for param, value in zip(op.after.params, before[1:], strict=True):
                state.put(param, value)
            return run(state, op.after)

    params = op.before.params
    _loop(state, op, params, op.inits, trip, entering, NO_GUARDS, once)
    exit_name = f"$x{state.site(op)}{len(state.counters)}"  # inside another loop, each of its trips has an exit of its own
    exit_trip = T.app(exit_name, *state.counters) if state.counters else T.var(exit_name)
    passed = op.before.yields[1:]
    for result, value in zip(op.results, passed, strict=True):
        state.put(result, map_terms(state.get(value), {trip: exit_trip}))
    cond, guards = held[0]
    state.assume(T.and_(T.ge(exit_trip, 0), T.not_(T.substitute(cond, {trip: exit_trip}))), guards)


def _loop(
    state: State, op: For | While, params: Sequence[Value], inits: Sequence[Value], trip: Term,
    entering: Term, guards: Guards, once: Callable[[], tuple[AbsValue, ...]],
) -> list[AbsValue]:  # fmt: skip
    """Find closed forms of the carried values by trial runs, then run the body with them for good.

    Returns the values at the start of trip `trip`, not simplified by what only holds inside the loop.
    """
    entry = [_definite(state, v) for v in inits]
    counters = state.counters
    state.counters = (*counters, trip)
    recording, state.recording = state.recording, False
    holes = [_with_hole(value, param) for value, param in zip(entry, params, strict=True)]
    after = _run(state, params, holes, entering, guards, once)
    forms = _closed_forms(state, params, entry, holes, after, trip)
    scope = state.scope()
    leaning = _widen(state, params, entry, lambda: _run(state, params, forms, entering, guards, once))
    state.recording = recording
    after = _run(state, params, forms, entering, guards, once)
    for i in leaning if recording else ():
        state.facts.relied.append((guards_of(entry[i]), scope, shape_of(params[i].type)))
        with state.under(entering, guards=guards):
            state.facts.relied.append((guards_of(after[i]), state.scope(), shape_of(params[i].type)))
    state.counters = counters
    return forms


def _run(
    state: State, params: Sequence[Value], values: Sequence[AbsValue], entering: Term, guards: Guards,
    once: Callable[[], tuple[AbsValue, ...]],
) -> tuple[AbsValue, ...]:  # fmt: skip
    """One run of the body from given carried values; what it assumes on its way ends with it."""
    with state.under(entering, guards=guards):
        for param, value in zip(params, values, strict=True):
            state.shape = shape_of(param.type)
            state.put(param, _simplified(state, value))
        return once()


def _simplified(state: State, value: AbsValue) -> AbsValue:
    match value:
        case IntV(term, guards):
            kept = frozenset(Guard(g.site, c, g.exact) for g in guards if (c := state.simp(g.cond)) is not T.TRUE)
            return IntV(state.simp(term), kept)
        case PtrV(targets, guards):
            return PtrV(tuple(Target(t.cond, t.arg, state.simp(t.offset)) for t in targets), guards)
        case _:
            return value


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
    carried: dict[Term, Guards] = {}
    progress = True
    while progress:
        progress = False
        for i in range(len(params)):
            if forms[i] is not None:
                continue
            form = _form(entry[i], holes[i], after[i], trip, solved, carried)
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
    entry: AbsValue, hole: AbsValue, after: AbsValue, trip: Term, solved: dict[Term, Term], carried: dict[Term, Guards]
) -> AbsValue | None:
    """Closed form of one carried value, or None where it has to wait for others or has none.

    `solved` and `carried` hold values and guards of the closed forms so far, by their holes; this one is added.
    """
    match entry, hole, after:
        case IntV(first, g0), IntV(mark), IntV(term, g1):
            closed = close_any(first, mark, term, trip, solved)
            lent = g1 | _lent(term, mark, carried)
            guards = None if closed is None else _past(lent, trip, {**solved, mark: closed.value}, closed.how)
            if closed is None or guards is None:
                return None
            solved[mark], carried[mark] = closed.value, g0 | guards
            return IntV(closed.value, g0 | guards)
        case PtrV((start, *_), g0), PtrV((mark_target,)), PtrV((stop, *more), g1):
            if more or stop.arg != start.arg:
                return None
            mark = mark_target.offset
            closed = close(Carried(start.offset, mark, stop.offset), trip, solved)
            lent = g1 | _lent(stop.offset, mark, carried)
            guards = None if closed is None else _past(lent, trip, {**solved, mark: closed.value}, closed.how)
            if closed is None or guards is None:
                return None
            solved[mark], carried[mark] = closed.value, g0 | guards
            return PtrV((Target(T.TRUE, start.arg, closed.value),), g0 | guards)
        case _, FloatV() | LostV(), _:
            return after if isinstance(after, LostV) else hole
        case _:
            return None


def _lent(after: Term, own: Term, carried: dict[Term, Guards]) -> Guards:
    """Guards of the other carried values that the next value is made of."""
    return NO_GUARDS.union(*(carried.get(h, NO_GUARDS) for h in holes_in(after) if h is not own))


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


def _past(guards: Guards, trip: Term, solved: dict[Term, Term], how: str) -> Guards | None:
    """The guards of all earlier trips, or None if they cannot be put into terms of this one."""
    moved = []
    for g in guards:
        known = T.substitute(g.cond, solved)
        cond = None if holes_in(known) else past(known, trip, how)
        if cond is None:
            return None
        if cond is not T.TRUE:
            exact = T.substitute(T.substitute(g.exact, solved), {trip: trip - 1})
            moved.append(Guard(g.site, cond, exact))
    return frozenset(moved)


def _widen(
    state: State, params: Sequence[Value], entry: Sequence[AbsValue], run: Callable[[], tuple[AbsValue, ...]]
) -> list[int]:
    """Interval invariants of carried integers without a closed form: guessed from the entry, kept if inductive.

    Returns the places of those whose interval is that of exact results, so that it relies on their guards.
    """
    names = {i: f"?loop{p.number}" for i, p in enumerate(params) if f"?loop{p.number}" in state.bounds.functions}
    loose = {i: n for i, n in names.items() if is_integer(params[i]) and isinstance(entry[i], IntV)}
    loose = {i: n for i, n in loose.items() if elem_of(params[i].type).is_int and bits_of(params[i]) > 1}
    if not loose:
        return []
    full = {i: width_range(Scalar(str(elem_of(params[i].type)))) for i in loose}
    guesses: dict[int, Interval] = {i: _entry_interval(state, params[i], entry[i]) for i in loose}
    for attempt in range(5):
        for i, name in loose.items():
            state.set_range(name, Scalar(str(elem_of(params[i].type))), guesses[i])
        state.renew()
        after = run()
        kept = {i: _inductive(state, params[i], after[i], guesses[i], full[i], join=attempt == 0) for i in loose}
        if kept == guesses:
            return [i for i in loose if guesses[i] != full[i]]
        guesses = kept
    for i, name in loose.items():
        state.set_range(name, Scalar(str(elem_of(params[i].type))), full[i])
    state.renew()
    return []


def _inductive(state: State, param: Value, after: AbsValue, guess: Interval, full: Interval, join: bool) -> Interval:
    """Ends of the guess that one trip keeps; for the others what the trip gives (`join`), or the type's own."""
    state.shape = shape_of(param.type)
    low, high = state.bounds.of(after.term) if isinstance(after, IntV) else ALL
    glow, ghigh = guess
    kept_low = low is not None and glow is not None and low >= glow
    kept_high = high is not None and ghigh is not None and high <= ghigh
    return (
        glow if kept_low else low if join and low is not None and full[0] is not None and low >= full[0] else full[0],
        ghigh if kept_high else high if join and high is not None and full[1] is not None and high <= full[1] else full[1],
    )


def _entry_interval(state: State, param: Value, entry: AbsValue) -> Interval:
    """Interval of the value at entry, within its type."""
    state.shape = shape_of(param.type)
    width = width_range(Scalar(str(elem_of(param.type))))
    return meet(width, state.bounds.of(entry.term) if isinstance(entry, IntV) else ALL)
