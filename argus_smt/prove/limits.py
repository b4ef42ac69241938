"""Exact limits: up to which sizes no 32-bit result that matters wraps.

The exact result of an operation is grouped by the products of launch symbols in it: Σ S·L with L over program ids, trips
and coordinates. Each L gets its least upper bound among the hypotheses of the lanes that are live; Σ S·bound(L) is then
at least every value that the operation reaches, and equal to the largest where the bounds are attained together; that it
stays below the width is the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argus_smt.absint.values import COORDS
from argus_smt.obligations.obligation import Obligation
from argus_smt.obligations.overflow import Overflow
from argus_smt.prove.discharge import Prover
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.saturate import atoms_of
from argus_smt.smt.show import show
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Limit:
    """`text` for people. `term` is over launch symbols only, or None where no such bound was found."""

    text: str
    term: Term | None


def find(overflow: Overflow, duties: Sequence[Obligation], prover: Prover, source: str) -> Limit:
    """The limit under which `duties` hold; `source` is the operation's text for where no symbolic one is found."""
    bits = overflow.wrap.bits
    found: list[Limit] = []
    for duty in duties:
        limit = _symbolic(bits, duty, prover)
        if limit is None:
            return Limit(f"{source} < 2**{bits - 1}", None)
        found.append(limit)
    texts = list(dict.fromkeys(x.text for x in found))
    return Limit(" and ".join(texts), T.and_(*(x.term for x in found if x.term is not None)))


def _symbolic(bits: int, duty: Obligation, prover: Prover) -> Limit | None:
    """The first candidate that is not absurd, if the result cannot leave the width on the negative side.

    A candidate needs no proof of its own: it is at least the result because every group's bound is, and no group's
    symbols are negative.
    """
    assert duty.offset is not None
    bounds = prover.bounds(duty.reach)
    hyps = prover.hypotheses(duty.reach, guards=True)
    if not _not_below(bits, duty.offset, hyps, bounds, prover):
        return None
    for top, text in _tops(duty.offset, bits, hyps, bounds, prover):
        limit = T.lt(top, 1 << (bits - 1))
        if bounds.truth(limit) is not False:
            return Limit(f"{text} < 2**{bits - 1}", limit)
    return None


def _not_below(bits: int, exact: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> bool:
    goal = simplify(T.ge(exact, -(1 << (bits - 1))), bounds)
    return goal is T.TRUE or prover.refute(hyps, goal, bounds, nonlinear=False).status == "unsat"


def is_local(t: Term) -> bool:
    """Whether a term depends on the program, lane, trip or on data, and not on launch symbols alone."""
    return any(v.data.startswith("$") for v in t.free if v.op == "var") or bool(t.apps)


def _tops(exact: Term, bits: int, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> list[tuple[Term, str]]:
    """Candidates for the largest value of `exact`, over symbols only, with their text; tightest first.

    A bound that is a mere number has to be small for the width, as block sizes are: the range of a program id would make
    a limit that hardly any launch keeps.
    """
    numbers = 1 << bits * 3 // 4
    groups: dict[Term, T.Poly] = {}
    for mono, coef in T.poly(exact).items():
        outer = tuple(a for a in mono if not is_local(a))
        inner = tuple(a for a in mono if is_local(a))
        groups.setdefault(T.from_poly({outer: 1}), {})[inner] = coef
    choices: list[list[tuple[Term, str]]] = [[]]
    for symbol, part in groups.items():
        if bounds.truth(T.ge(symbol, 0)) is not True:
            return []
        local = T.from_poly(part)
        tops = [local]
        if is_local(local):
            tops = [t for t in _upper(local, hyps, bounds, prover) if not t.is_const or t.value < numbers]
        shown = T.substitute(symbol, prover.display)
        parts = [(symbol * t, _factored(shown, T.substitute(t, prover.display))) for t in tops[:3]]
        choices = [[*c, one] for c in choices for one in parts]
    return [(T.add(*(t for t, _ in c)), _joined(c)) for c in choices[:9]]


def _joined(parts: Sequence[tuple[Term, str]]) -> str:
    """The summands' texts, numbers last."""
    shown = sorted((p for p in parts if p[0] is not T.ZERO), key=lambda p: p[0].is_const)
    return " + ".join(text for _, text in shown).replace("+ -", "- ") or "0"


def _factored(symbol: Term, top: Term) -> str:
    """`symbol * top` as people write it."""
    if symbol is T.ONE or top is T.ONE:
        return show(symbol * top)
    text = show(top)
    return f"{text if top.op in ('const', 'var') else f'({text})'} * {show(symbol)}"


def _upper(local: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> list[Term]:
    """Bounds of a term over local variables by symbols only: from one hypothesis, or atom by atom."""
    found = []
    for h in hyps:
        if h.op == "nonneg":
            top = h.args[0] + local
            if not is_local(top):
                found.append(top)
    stepwise = _stepwise(local, hyps, bounds, prover)
    if stepwise is not None:
        found.append(stepwise)
    high = bounds.of(local)[1]
    if high is not None:
        found.append(T.const(high))
    return list(dict.fromkeys(found))


def _stepwise(local: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> Term | None:
    """Every local atom replaced by its own bound, the lower one where its factor is negative; None where one has none."""
    out = T.ZERO
    for mono, coef in T.poly(local).items():
        if not any(is_local(a) for a in mono):
            out = out + T.from_poly({mono: coef})
            continue
        top = None
        if len(mono) == 1:
            top = _atom_top(mono[0], hyps, bounds, prover) if coef > 0 else _atom_low(mono[0], hyps, bounds)
        if top is None:
            return None
        out = out + top * coef
    return out


def _atom_top(atom: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> Term | None:
    if atom in COORDS:
        return T.const(bounds.of(atom)[1] or 0)
    if atom.op == "mod" and not is_local(atom.args[1]) and bounds.truth(T.gt(atom.args[1], 0)):
        return atom.args[1] - 1
    if atom.op in ("min", "max", "ite"):
        return _choice_top(atom, hyps, bounds, prover)
    for h in hyps:
        if h.op == "nonneg":
            p = T.poly(h.args[0])
            scale = -p.get((atom,), 0)
            rest = T.from_poly({m: c for m, c in p.items() if m != (atom,)})
            if scale > 0 and not is_local(rest):
                return rest if scale == 1 else T.div(rest, T.const(scale))
    return _below_extent(atom, hyps, bounds, prover) if atom.op in ("div", "mod") else None


def _atom_low(atom: Term, hyps: Sequence[Term], bounds: Bounds) -> Term | None:
    """A number or symbols that an atom does not fall below."""
    low = bounds.of(atom)[0]
    if low is not None and low >= 0:
        return T.const(low)
    for h in hyps:
        if h.op == "nonneg" and T.poly(h.args[0]).get((atom,), 0) == 1:
            rest = atom - h.args[0]
            if not is_local(rest):
                return rest
    return None if low is None else T.const(low)


def _choice_top(atom: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> Term | None:
    """The top of a minimum is that of either side, of a maximum or choice that of both."""
    tops = []
    for side in atom.args[-2:]:
        found = [side] if not is_local(side) else _upper(side, hyps, bounds, prover)
        if found:
            tops.append(found[0])
    if atom.op == "min":
        return tops[0] if tops else _below_extent(atom, hyps, bounds, prover)
    return simplify(T.maximum(tops[0], tops[1]), bounds) if len(tops) == 2 else None


def _below_extent(atom: Term, hyps: Sequence[Term], bounds: Bounds, prover: Prover) -> Term | None:
    """A number of tiles (a quotient of symbols) that the atom stays below, as the index of a tile does."""
    extents = {t: None for h in (*hyps, atom) for t in atoms_of([h]) if t.op == "div" and not is_local(t)}
    for extent in list(extents)[:6]:
        if prover.refute(hyps, T.lt(atom, extent), bounds, nonlinear=False).status == "unsat":
            return extent - 1
    return None


def prune(limits: Sequence[Limit], facts: Sequence[Term], prover: Prover) -> list[Limit]:
    """Limits without those that another one implies."""
    kept = list({x.text: x for x in limits}.values())
    for one in sorted(kept, key=lambda x: -len(x.text)):
        others = [x.term for x in kept if x is not one and x.term is not None]
        if one.term is None or not others:
            continue
        bounds = prover.facts.bounds.copy()
        bounds.learn([*facts, *others])
        if prover.refute([*facts, *others], one.term, bounds, nonlinear=False).status == "unsat":
            kept.remove(one)
    return kept
