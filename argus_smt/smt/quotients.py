"""Bounds of quotients by symbolic divisors, found by dividing the bounds of what is divided.

`a // b <= k - 1` follows from `a <= b * k + c` with `c < 0 < b`, and `a // b <= k` from it with `0 <= c < b`. That `k` is
a polynomial which no linear step finds, since it takes a positive factor out of an inequality.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

MOST_BOUNDS = 4
"""So many bounds of one unknown are tried."""
DEPTH = 3
"""So many times are unknowns replaced by their bounds, which may hold others."""


def quotient_bounds(atoms: Iterable[Term], facts: Iterable[Term], bounds: Bounds) -> list[Term]:
    """Upper bounds of the quotients among `atoms` by divisors that are single positive monomials, as facts."""
    divided = [a for a in atoms if a.op == "div" and not a.args[1].is_const and len(T.poly(a.args[1])) == 1]
    if not divided:
        return []
    polys = [T.poly(f.args[0]) for f in facts if f.op == "nonneg"]
    upper = _upper(polys)
    out = []
    for atom in divided:
        a, b = atom.args
        if bounds.truth(T.gt(b, 0)) is not True:
            continue
        for top in _tops(T.poly(a), b, polys, upper, bounds):
            k = _divided(top, b, bounds)
            if k is not None:
                out.append(T.le(atom, k))
    return list(dict.fromkeys(out))


def _upper(polys: list[T.Poly]) -> dict[Term, list[T.Poly]]:
    """Polynomials that unknowns do not exceed, the ones that are no numbers first."""
    out: dict[Term, list[T.Poly]] = {}
    for p in polys:
        for mono, c in p.items():
            if len(mono) == 1 and c == -1 and not any(mono[0] in m for m in p if m != mono):
                out.setdefault(mono[0], []).append({m: v for m, v in p.items() if m != mono})
    return {atom: sorted(found, key=lambda p: not any(p))[:MOST_BOUNDS] for atom, found in out.items()}


def _tops(
    a: T.Poly, b: Term, polys: list[T.Poly], upper: dict[Term, list[T.Poly]], bounds: Bounds
) -> Iterator[T.Poly]:  # fmt: skip
    """Polynomials that `a` does not exceed, all of whose monomials but the constant have the atoms of `b`."""
    (atoms,) = T.poly(b)
    for p in polys:
        top = _plus(p, a, 1)
        if _fits(top, atoms):
            yield top
    open_ = [a]
    for _ in range(DEPTH):
        following: list[T.Poly] = []
        for p in open_:
            mono = next((m for m in p if m and not _has(m, atoms)), None)
            if mono is None:
                yield p
                continue
            following.extend(_without(p, mono, upper, bounds))
        open_ = following[: 2 * MOST_BOUNDS]
    yield from (p for p in open_ if _fits(p, atoms))


def _without(p: T.Poly, mono: tuple[Term, ...], upper: dict[Term, list[T.Poly]], bounds: Bounds) -> Iterator[T.Poly]:
    """`p` with a monomial replaced by what it does not exceed."""
    c = p[mono]
    rest = {m: v for m, v in p.items() if m != mono}
    if c > 0 and len(mono) == 1:
        for top in upper.get(mono[0], ()):
            yield _plus(rest, top, c)
    low, high = bounds.of(T.from_poly({mono: 1}))
    end = high if c > 0 else low
    if end is not None:
        yield _plus(rest, {(): end}, c)


def _plus(p: T.Poly, q: T.Poly, k: int) -> T.Poly:
    out = dict(p)
    for m, c in q.items():
        out[m] = out.get(m, 0) + k * c
    return {m: c for m, c in out.items() if c}


def _has(mono: tuple[Term, ...], atoms: tuple[Term, ...]) -> bool:
    """Whether a product has all of the atoms, as often."""
    return all(mono.count(a) >= atoms.count(a) for a in atoms)


def _fits(p: T.Poly, atoms: tuple[Term, ...]) -> bool:
    return all(_has(m, atoms) for m in p if m)


def _divided(top: T.Poly, b: Term, bounds: Bounds) -> Term | None:
    """What `a // b` does not exceed where `a <= top`; None if `top` is no multiple of `b` but for a number less than `b`."""
    c = top.get((), 0)
    k = T.quotient(T.from_poly({m: v for m, v in top.items() if m}), b)
    if k is None or (c >= 0 and bounds.truth(T.gt(b, c)) is not True):
        return None
    return k - 1 if c < 0 else k
