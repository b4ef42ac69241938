"""Linearisation: facts that let linear arithmetic over monomials decide what is not linear.

Every monomial is taken as one unknown, so anything that linear arithmetic refutes is refuted. What links the monomials
is added here: definitions of quotients, extremes and choices, intervals, and products of facts (0 <= u and 0 <= v give
0 <= u * v: Handelman's certificates of degree two) as long as they speak of monomials that already occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.quotients import quotient_bounds
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
    lo, hi = bounds.ends(t)
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


def saturate(facts: Sequence[Term], bounds: Bounds, products: bool = True) -> list[Term]:
    """The facts, their definitions and intervals, and products that link their monomials."""
    memo: dict[Term, Term] = {}
    known: dict[Term, None] = {}
    for f in facts:
        for part in T.conjuncts(remove_mod(f, memo)):
            known[part] = None
    atoms = atoms_of(list(known))
    for f in quotient_bounds(atoms, known, bounds):
        known[f] = None
    for atom in atoms:
        for f in (*definitions(atom, bounds), *interval_facts(atom, bounds)):
            for part in T.conjuncts(f):
                known[part] = None
    known.pop(T.TRUE, None)
    wanted = monomials(known)
    if wanted and products:
        for mono in wanted:
            for f in interval_facts(mono, bounds):
                known[f] = None
        for f in _products(known, wanted, bounds):
            known[f] = None
        known.pop(T.TRUE, None)
    return list(known)


Mono = tuple[Term, ...]


def _products(known: dict[Term, None], wanted: dict[Term, None], bounds: Bounds) -> list[Term]:
    """Products of facts all of whose monomials occur already. Works on polynomials: most candidates are dropped."""
    names = {mono.args for mono in wanted}
    parts = dict.fromkeys(q for mono in names for q in _divisors(mono))
    fitting = {q: _fitting(q, names) for q in parts}
    multipliers = [q for q in parts if _nonnegative(q, bounds)]
    units = [T.poly(f.args[0]) for f in known if f.op == "nonneg"]
    equal = [T.poly(f.args[0]) for f in known if f.op == "zero"]
    factors = {a for mono in names for a in mono}
    out: dict[Term, None] = {}
    for u in units:
        for q in multipliers:
            if u.keys() <= fitting[q].keys() and (len(q) > 1 or any(u)):
                out[T.nonneg(T.from_poly({fitting[q][m]: c for m, c in u.items()}))] = None
    for e in equal:
        for q in parts:
            if e.keys() <= fitting[q].keys() and (len(q) > 1 or any(e)):
                out[T.zero(T.from_poly({fitting[q][m]: c for m, c in e.items()}))] = None
    linear = [u for u in units if all(len(m) <= 1 for m in u) and any(m[0] in factors for m in u if m)]
    others = [frozenset(m for m in u if m) for u in linear]
    for i, u in enumerate(linear):
        partners = [fitting[m].keys() for m in others[i] if m in fitting]
        if len(partners) < len(others[i]):
            continue
        for v, atoms in zip(linear[i:], others[i:], strict=True):
            if len(out) > MAX_PRODUCTS:
                return list(out)
            if all(atoms <= p for p in partners):
                product = _times(u, v, names)
                if product is not None:
                    out[T.nonneg(T.from_poly(product))] = None
    return list(out)


def _fitting(q: Mono, names: set[Mono]) -> dict[Mono, Mono]:
    """What a fact's monomials may be for its product with `q` to speak of `names` alone, each with its product."""
    out: dict[Mono, Mono] = {(): q} if len(q) == 1 or q in names else {}
    for mono in names:
        rest = list(mono)
        for atom in q:
            if atom not in rest:
                break
            rest.remove(atom)
        else:
            if rest:
                out[tuple(rest)] = mono
    return out


def _nonnegative(mono: Mono, bounds: Bounds) -> bool:
    low = bounds.of(T.from_poly({mono: 1}))[0]
    return low is not None and low >= 0


def _divisors(mono: Mono) -> list[Mono]:
    """Proper divisors of a product of atoms: what a fact may be multiplied by to speak of it."""
    out: list[Mono] = [(a,) for a in mono]
    if len(mono) == 3:
        out += [(mono[0], mono[1]), (mono[0], mono[2]), (mono[1], mono[2])]
    return out


def _times(u: T.Poly, v: T.Poly, names: set[Mono]) -> T.Poly | None:
    """The product if each of its monomials is linear or in `names`, and one at least is in `names`."""
    out: T.Poly = {}
    hit = False
    for m1, c1 in u.items():
        for m2, c2 in v.items():
            mono = m1 + m2
            if len(mono) > 1:
                mono = tuple(sorted(mono, key=_age))
                if mono not in names:
                    return None
                hit = True
            out[mono] = out.get(mono, 0) + c1 * c2
    return out if hit else None


def _age(t: Term) -> int:
    return t.ident


def relevant(facts: Sequence[Term], goal: Term, depth: int) -> list[Term]:
    """Facts that speak of the goal's unknowns, or of unknowns that such facts speak of, `depth` times over."""
    names: frozenset[Term] = goal.free | goal.apps
    chosen: dict[Term, None] = {}
    for _ in range(depth):
        new = [f for f in facts if f not in chosen and (f.free & names or f.apps & names)]
        if not new:
            break
        for f in new:
            chosen[f] = None
        names = names.union(*(f.free | f.apps for f in new))
    return [f for f in facts if f in chosen]
