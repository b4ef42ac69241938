"""Names for sizes that are computed: `(H + 2*pad - R) // step + 1` becomes one unknown, so that products of sizes stay products.

Polynomials in normal form multiply such sizes out, and then no stride divides an offset any more, though one is plainly the
product of sizes. A size that is a quotient plus a constant is renamed by writing the quotient as the name minus the constant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term


@dataclass(slots=True)
class NamedSizes:
    """`new` writes terms over the names, `old` over what they stand for; `meaning` are the facts that tie both."""

    _to: dict[Term, Term] = field(default_factory=dict)
    _back: dict[Term, Term] = field(default_factory=dict)
    meaning: tuple[Term, ...] = ()
    _memo: dict[Term, Term] = field(default_factory=dict)

    def new(self, t: Term) -> Term:
        """`t` over the names."""
        return T.substitute(t, self._to, self._memo) if self._to else t

    def old(self, t: Term) -> Term:
        """`t` without the names."""
        return T.substitute(t, self._back) if self._back else t

    def learn(self, bounds: Bounds) -> None:
        """Add the intervals of the names."""
        for name, value in self._back.items():
            bounds.narrow(name, bounds.of(value))


def named_sizes(extents: Iterable[Term]) -> NamedSizes:
    """Names for those of the extents that are a quotient plus a constant."""
    out = NamedSizes()
    meaning = []
    for n in dict.fromkeys(extents):
        p = T.poly(n)
        atoms = [m for m in p if m]
        if len(atoms) != 1 or len(atoms[0]) != 1 or p[atoms[0]] != 1:
            continue
        atom = atoms[0][0]
        if atom.op in ("var", "const") or atom in out._to or any(v.data.startswith("$") for v in atom.free):
            continue
        if n is atom:
            continue
        name = T.var(f"size {len(out._to)}")
        out._to[atom] = name - p.get((), 0)
        out._back[name] = n
        meaning.append(T.eq(name, n))
    out.meaning = tuple(meaning)
    return out
