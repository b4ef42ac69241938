"""Linearisation: facts that let linear arithmetic over monomials decide what is not linear.

Every monomial is taken as one unknown, so anything that linear arithmetic refutes is refuted. What links the monomials
is added here: definitions of quotients, extremes and choices, intervals, and products of facts (0 <= u and 0 <= v give
0 <= u * v: Handelman's certificates of degree two) as long as they speak of monomials that already occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

MAX_PRODUCTS = 600


def remove_mod(t: Term, memo: dict[Term, Term]) -> Term:
    """`t` with each remainder a % b written as a - b * (a // b)."""
    found = memo.get(t)
    if found is None:
        if not t.args:
            found = t
        else:
            args = tuple(remove_mod(a, memo) for a in t.args)
            if t.op == "mod":
                found = args[0] - args[1] * T.div(args[0], args[1])
            elif all(x is y for x, y in zip(args, t.args, strict=True)):
                found = t
            else:
                found = T.rebuild(t, args)
        memo[t] = found
    return found


def atoms_of(terms: Iterable[Term]) -> list[Term]:
    """Atoms that occur anywhere in `terms`, inside other atoms too, innermost first."""
    seen: dict[Term, None] = {}

    def visit(t: Term) -> None:
        if t in seen:
            return
        for a in t.args:
            visit(a)
        seen[t] = None

    for t in terms:
        visit(t)
    return [t for t in seen if t.op in ("var", "app", "div", "min", "max", "ite")]


def definitions(atom: Term, bounds: Bounds) -> list[Term]:
    """What the meaning of an atom says in linear arithmetic over monomials."""
    match atom.op:
        case "div":
            return _quotient(atom, bounds)
        case "min" | "max":
            a, b = atom.args
            order = (T.le(atom, a), T.le(atom, b)) if atom.op == "min" else (T.ge(atom, a), T.ge(atom, b))
            return [*order, T.or_(T.eq(atom, a), T.eq(atom, b))]
        case "ite":
            c, a, b = atom.args
            return [T.or_(T.not_(c), T.eq(atom, a)), T.or_(c, T.eq(atom, b))]
        case _:
            return []


def _quotient(atom: Term, bounds: Bounds) -> list[Term]:
    a, b = atom.args
    rest = a - b * atom
    inside = [T.ge(rest, 0), T.lt(rest, b)]
    sign = T.implies(T.ge(a, 0), T.ge(atom, 0))
    positive = bounds.truth(T.gt(b, 0))
    if positive:
        return [*inside, bounds_known(sign, bounds)]
    down = [T.le(rest, 0), T.gt(rest, b)]
    return [T.implies(T.gt(b, 0), f) for f in (*inside, sign)] + [T.implies(T.lt(b, 0), f) for f in down]


def bounds_known(clause: Term, bounds: Bounds) -> Term:
    """A clause without the parts that the intervals refute."""
    if clause.op != "or":
        return clause
    return T.or_(*(p for p in clause.args if bounds.truth(p) is not False))


def interval_facts(t: Term, bounds: Bounds) -> list[Term]:
    """Ends of the interval of an atom or monomial as facts."""
    lo, hi = bounds.of(t)
    out = []
    if lo is not None:
        out.append(T.nonneg(t - lo))
    if hi is not None:
        out.append(T.nonneg(T.const(hi) - t))
    return out


def monomials(facts: Iterable[Term]) -> dict[Term, None]:
    """Products of atoms that occur in the facts, as terms."""
    out: dict[Term, None] = {}

    def visit(t: Term) -> None:
        if t.op == "mul":
            out[t] = None
        elif t.op in ("add", "nonneg", "zero", "and", "or", "not", "bite"):
            for a in t.args:
                visit(a)

    for f in facts:
        visit(f)
    return out


def saturate(facts: Sequence[Term], bounds: Bounds) -> list[Term]:
    """The facts, their definitions and intervals, and products that link their monomials."""
    memo: dict[Term, Term] = {}
    known: dict[Term, None] = {}
    for f in facts:
        for part in T.conjuncts(remove_mod(f, memo)):
            known[part] = None
    atoms = atoms_of(list(known))
    for atom in atoms:
        for f in (*definitions(atom, bounds), *interval_facts(atom, bounds)):
            for part in T.conjuncts(f):
                known[part] = None
    known.pop(T.TRUE, None)
    wanted = monomials(known)
    if wanted:
        for mono in wanted:
            for f in interval_facts(mono, bounds):
                known[f] = None
        for f in _products(known, wanted, bounds):
            known[f] = None
        known.pop(T.TRUE, None)
    return list(known)


def _products(known: dict[Term, None], wanted: dict[Term, None], bounds: Bounds) -> list[Term]:
    units = [f.args[0] for f in known if f.op == "nonneg"]
    equal = [f.args[0] for f in known if f.op == "zero"]
    factors: dict[Term, None] = {}
    for mono in wanted:
        for atom in mono.args:
            factors[atom] = None
    parts = {q for mono in wanted for q in _divisors(mono)}
    multipliers = [f for f in parts if (bounds.of(f)[0] or 0) >= 0 and bounds.of(f)[0] is not None]
    out: list[Term] = []
    for u in units:
        for v in multipliers:
            _keep(T.nonneg(u * v), u * v, wanted, out)
    linear = [u for u in units if all(len(m) <= 1 for m in T.poly(u)) and any(f in u.free or f in T.poly_atoms(u) for f in factors)]
    for i, u in enumerate(linear):
        for v in linear[i:]:
            if len(out) > MAX_PRODUCTS:
                return out
            _keep(T.nonneg(u * v), u * v, wanted, out)
    for e in equal:
        for f in parts:
            _keep(T.zero(e * f), e * f, wanted, out)
    return out


def _divisors(mono: Term) -> list[Term]:
    """Proper divisors of a product of atoms: what a fact may be multiplied by to speak of it."""
    atoms = mono.args
    out = list(atoms)
    if len(atoms) == 3:
        out += [T.mul(atoms[0], atoms[1]), T.mul(atoms[0], atoms[2]), T.mul(atoms[1], atoms[2])]
    return out


def _keep(fact: Term, product: Term, wanted: dict[Term, None], out: list[Term]) -> None:
    if all(len(m) <= 1 or T.from_poly({m: 1}) in wanted for m in T.poly(product)):
        out.append(fact)
