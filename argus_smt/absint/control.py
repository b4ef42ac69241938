"""Transfer functions of branches and loops."""

from __future__ import annotations

from collections.abc import Callable

from argus_smt.absint.facts import Arithmetic, Wait, Wrap
from argus_smt.absint.fixpoint import End, Held, Loop, relied
from argus_smt.absint.integers import bits_of, is_integer
from argus_smt.absint.state import State, fits, guard
from argus_smt.absint.values import (
    NO_GUARDS,
    AbsValue,
    Guards,
    IntV,
    choose,
    map_guards,
    map_terms,
    terms_of,
    under,
)
from argus_smt.ir.ops import Block, For, If, Value, While
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

RunBlock = Callable[[State, Block], tuple[AbsValue, ...]]


def branch(state: State, op: If, run: RunBlock) -> None:
    """Both sides under their condition; results are chosen by it."""
    cond = state.integer(op.cond)
    if state.recording and cond.guards:
        state.facts.relied.append((cond.guards, state.scope(), ()))
    test = state.simp(cond.term)
    sides: list[tuple[AbsValue, ...] | None] = []
    learnt: list[tuple[Term, Guards]] = []
    for held, block in ((test, op.then), (T.not_(test), op.orelse)):
        if held is T.FALSE:
            sides.append(None)
            continue
        with state.under(held, guards=cond.guards):
            before = state.path, state.path_guards
            sides.append(run(state, block))
            learnt.append(_outlasting(state, held, *before))
    for fact, guards in learnt:
        _ended_with(state, fact, guards)
    for i, result in enumerate(op.results):
        yes, no = sides
        if yes is None or no is None:
            chosen = yes or no
            assert chosen is not None
            state.put(result, chosen[i])
        else:
            state.put(result, choose(test, yes[i], no[i], cond.guards))


def _outlasting(state: State, held: Term, before: tuple[Term, ...], guards: Guards) -> tuple[Term, Guards]:
    """What a side of a branch has learnt of the loops inside it, as it can be said after the branch."""
    known = set(before)
    new = [f for f in state.path if f not in known and any(_of_a_loop(t) for t in f.free | f.apps)]
    if not new:
        return T.TRUE, NO_GUARDS
    return T.and_(*(T.implies(held, f) for f in new)), under(held, state.path_guards - guards)


def _of_a_loop(t: Term) -> bool:
    return str(t.data).startswith(("?loop", "$x"))


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

    def once() -> End:
        state.put(params[0], IntV(counter_value, lower.guards | step.guards))
        return _ended(state, op, run(state, op.body))

    loop = Loop(state, params[1:], [_definite(state, v) for v in op.inits], trip, entering, guards, once)
    held = _run(loop, None)
    last = state.simp(trips)
    for result, form in zip(op.results, held.forms, strict=True):
        state.put(result, map_terms(form, {trip: last}))
    if held.invariants:
        _ended_with(state, T.substitute(T.and_(*held.invariants), {trip: last}), NO_GUARDS)


def _run(loop: Loop, earlier: Callable[[Term], Term] | None) -> Held:
    """Find what holds in every trip, then run the body for good.

    `earlier(trip)`, if given, says that the loop went on in the trip before, in terms of what the body's last run found.
    """
    state = loop.state
    counters = state.counters
    state.counters = (*counters, loop.trip)
    held = loop.settle()
    holding = [*held.invariants, *_of_the_trip_before(loop, held)]
    if earlier is not None:
        recording, state.recording = state.recording, False
        loop.run(held.forms, holding)
        state.recording = recording
        holding.append(earlier(loop.trip))
    end = loop.run(held.forms, [h for h in holding if h is not T.TRUE])
    if state.recording:
        state.facts.invariants[str(loop.trip.data)] = held.invariants
        relied(loop, held, end)
    state.counters = counters
    return held


def _of_the_trip_before(loop: Loop, held: Held) -> list[Term]:
    """The invariants as they held a trip earlier, where some carried value still speaks of it."""
    if not held.invariants:
        return []
    before = {loop.trip: loop.trip - 1}
    older = [T.substitute(i, before) for i in held.invariants]
    told = {a for f in held.forms for t in terms_of(f) for a in t.apps}
    return [T.implies(T.gt(loop.trip, 0), i) for i in older if i.apps & told]


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
    held: list[tuple[Term, Guards]] = []
    passed: list[tuple[AbsValue, ...]] = []

    def once() -> End:
        before = run(state, op.before)
        cond = before[0]
        test = cond if isinstance(cond, IntV) else state.unknown(op.before.yields[0].type, f"{trip.data}/c", "a loop condition")
        assert isinstance(test, IntV)
        held[:] = [(state.simp(test.term), test.guards)]
        passed[:] = [before[1:]]
        if state.recording:
            state.facts.waits.append(Wait(op, held[0][0], state.scope()))
        if state.recording and test.guards:
            state.facts.relied.append((test.guards, state.scope(), ()))
        with state.under(held[0][0], guards=test.guards):
            for param, value in zip(op.after.params, before[1:], strict=True):
                state.put(param, value)
            return _ended(state, op, run(state, op.after))

    loop = Loop(state, op.before.params, [_definite(state, v) for v in op.inits], trip, T.ge(trip, 0), NO_GUARDS, once)

    def earlier(at: Term) -> Term:
        """The condition held in the trip before trip `at`, if there was one."""
        return T.implies(T.gt(at, 0), T.substitute(held[0][0], {trip: at - 1}))

    found = _run(loop, earlier)
    exit_name = f"$x{state.site(op)}{len(state.counters)}"  # inside another loop, each of its trips has an exit of its own
    exit_trip = T.app(exit_name, *state.counters) if state.counters else T.var(exit_name)
    at_exit = {trip: exit_trip}
    for result, value in zip(op.results, passed[0], strict=True):
        state.put(result, map_terms(value, at_exit))
    cond, guards = held[0]
    after = [T.ge(exit_trip, 0), T.not_(T.substitute(cond, at_exit)), earlier(exit_trip)]
    after += [T.substitute(i, at_exit) for i in found.invariants]
    _ended_with(state, T.and_(*after), map_guards(guards, at_exit))


def _ended_with(state: State, fact: Term, guards: Guards) -> None:
    """What holds after a loop, in every run in which it ends."""
    fresh = [c for c in T.conjuncts(fact) if c not in state.path]
    state.assume(fact, guards)
    state.outcomes |= frozenset(fresh)


def _ended(state: State, op: For | While, yields: tuple[AbsValue, ...]) -> End:
    """The end of a trip."""
    if state.recording:
        state.facts.scopes[f"{state.site(op)}/end"] = state.scope()
    return End(yields, state.scope(), state.facts.bounds.copy())


def _definite(state: State, value: Value) -> AbsValue:
    return state.integer(value) if is_integer(value) else state.get(value)
