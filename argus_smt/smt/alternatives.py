"""Proof by cases of a hypothesis: `n == 1 or stride == 1` is two questions, each with one symbol less."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

MOST = 4
"""Alternatives that one hypothesis may have."""
DEPTH = 5
"""Hypotheses that are taken apart one inside the other."""
Question = Callable[[Sequence[Term], Term, Bounds], bool]
"""Whether facts imply a goal."""


def by_alternatives(facts: Sequence[Term], goal: Term, bounds: Bounds, ask: Question, depth: int = DEPTH) -> bool:
    """Whether the goal follows in every alternative of a hypothesis that settles a symbol; False if there is none.

    `ask` is put a question for each, over facts, a goal and intervals in which the settled symbols are replaced.
    """
    flat = [p for f in facts for p in T.conjuncts(f)]
    choice = next((f for f in flat if f.op == "or" and len(f.args) <= MOST and _settles(f)), None)
    if choice is None or not depth:
        return False
    rest = [f for f in flat if f is not choice]
    return all(_holds([*rest, *T.conjuncts(a)], goal, bounds, ask, depth) for a in choice.args)


def _holds(facts: list[Term], goal: Term, bounds: Bounds, ask: Question, depth: int) -> bool:
    mapping: dict[Term, Term] = {}
    for f in facts:
        for v, n in _settled(f):
            if v not in mapping and not any(v in other.free for other in mapping.values()) and not n.free & mapping.keys():
                mapping[v] = n
    memo: dict[Term, Term] = {}
    facts = [T.substitute(f, mapping, memo) for f in facts] + [T.eq(v, n) for v, n in mapping.items()]
    goal = T.substitute(goal, mapping, memo)
    local = bounds.copy()
    local.learn(facts)
    if goal is T.TRUE or T.FALSE in facts or any(local.truth(f) is False for f in facts):
        return True
    return ask(facts, goal, local) or by_alternatives(facts, goal, local, ask, depth - 1)


def _settles(choice: Term) -> bool:
    return any(True for a in choice.args for p in T.conjuncts(a) for _ in _settled(p))


def _settled(fact: Term) -> Iterator[tuple[Term, Term]]:
    """A symbol that an equation gives as a term of others, or as a number, and that term."""
    if fact.op != "zero":
        return
    parts = T.poly(fact.args[0])
    for mono, coefficient in parts.items():
        if len(mono) == 1 and mono[0].op == "var" and abs(coefficient) == 1:
            value = T.from_poly({m: -c * coefficient for m, c in parts.items() if m != mono})
            if mono[0] not in value.free:
                yield mono[0], value
                return
