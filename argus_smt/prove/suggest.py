"""The weakest simple precondition that would make a failing duty hold: "holds if K % 64 == 0"."""

from __future__ import annotations

import time
from collections.abc import Iterator

from argus_smt.obligations.obligation import Obligation
from argus_smt.prove.context import Context
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

SECONDS = 1.5
RLIMIT = 200_000


def suggest(context: Context, ob: Obligation) -> str:
    """Text of a precondition, or an empty one if no simple one was found in time."""
    solver = context.prover.solver
    started, rlimit = time.monotonic(), solver.rlimit
    solver.rlimit = RLIMIT
    try:
        for text, mapping, fact in _candidates(context, ob):
            if time.monotonic() - started > SECONDS:
                break
            if _enough(context, ob, mapping, fact):
                return text
        return _bound(context, ob, started)
    finally:
        solver.rlimit = rlimit
    return ""


def _candidates(context: Context, ob: Obligation) -> Iterator[tuple[str, dict[Term, Term], Term]]:
    """Text, substitution and fact; the ones that leave most shapes first."""
    names = _sizes(context, ob)
    for name in names:
        for n in _blocks(context):
            q = T.var(f"{name.data}//{n}")
            yield f"{name.data} % {n} == 0", {name: q * n}, T.ge(q, 1)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            yield f"{a.data} == {b.data}", {b: a}, T.TRUE
            yield f"{a.data} % {b.data} == 0", {a: T.var(f"{a.data}//{b.data}") * b}, T.ge(T.var(f"{a.data}//{b.data}"), 1)


def _bound(context: Context, ob: Obligation, started: float) -> str:
    """The largest upper bound of one size that is enough: by halves from above, then by bisection."""
    for name in _sizes(context, ob):
        low, high = 0, 1 << 17
        while high - low > 1 and time.monotonic() - started < SECONDS:
            middle = high // 2 if low == 0 else (low + high) // 2
            if _enough(context, ob, {}, T.le(name, middle)):
                low = middle
            else:
                high = middle
        if low:
            return f"{name.data} <= {low}"
    return ""


def _sizes(context: Context, ob: Obligation) -> list[Term]:
    """Sizes and integer arguments that the duty speaks of."""
    hyps = context.prover.hypotheses(ob.reach, guards=False, goal=ob.goal)
    present = {v for t in (*ob.reach.where, ob.goal, *(h for h in hyps if h.free & ob.goal.free)) for v in t.free}
    names = [T.var(s.name) for s in context.program.symbols if s.kind in ("dim", "int")]
    return [n for n in names if n in present and n in context.facts.bounds.env]


def _blocks(context: Context) -> list[int]:
    """Integer constexprs of the case, smallest first."""
    values = {int(v) for _, v in context.dom.case.values if v.isdigit()}
    return sorted(v for v in values if 1 < v <= 1 << 16)


def _enough(context: Context, ob: Obligation, mapping: dict[Term, Term], fact: Term) -> bool:
    prover = context.prover
    hyps = prover.hypotheses(ob.reach, guards=False, goal=ob.goal)
    memo: dict[Term, Term] = {}
    moved = [T.substitute(h, mapping, memo) for h in hyps] + [fact]
    if T.FALSE in moved:
        return False
    goal = T.substitute(ob.goal, mapping, memo)
    base = prover.bounds(ob.reach)
    bounds = Bounds({k: v for k, v in base.env.items() if k not in mapping}, base.functions)
    bounds.learn(moved)
    if prover.refute(moved, goal, bounds, nonlinear=False).status != "unsat":
        return False
    return prover.solver.unsat(moved, bounds).status == "sat"
