"""The region that a case is proved for: its conditions, symbol ranges, and substitutions that make it simpler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from argus_smt.absint.values import PIDS
from argus_smt.ir.launch import Arg, Case, Facts, Launch, Members, PointerArg, Program, ScalarArg, Storage
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.show import parse_term
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Domain:
    """A case ready for analysis. `restore` gives each symbol that was replaced as a term over the others."""

    launch: Launch
    case: Case
    facts: tuple[Term, ...]
    bounds: Bounds
    restore: Mapping[Term, Term]
    display: Mapping[Term, Term]
    """Names that stand for exact quotients, as quotients of the user's symbols again."""
    extents: tuple[Term, ...]
    replayable: tuple[Term, ...]
    """What a replay needs of the sizes: that all tensors together fit into 63 bits."""
    """No tensor is as large as the address space; only duties of 64-bit width need to know."""

    def symbols(self, program: Program, model: Model) -> dict[str, int]:
        """Values of the user's symbols in a model, without those that only sum up a host function."""
        out = {}
        for s in program.symbols:
            if s.kind == "summary":
                continue
            name = T.var(s.name)
            out[s.name] = model.value(self.restore.get(name, name))
        return out


def domain(program: Program, launch: Launch, case: Case, assume: Sequence[str]) -> Domain:
    """Domain of `case`. Raises ValueError for an `assume` expression that does not parse or names an unknown symbol."""
    facts = [c.term for c in (*program.preconditions, *launch.path, *case.condition)]
    facts += [_assumed(text, program) for text in assume]
    ranges: list[Term] = []
    for s in program.symbols:
        name = T.var(s.name)
        ranges += [T.ge(name, s.lower)] if s.lower is not None else []
        ranges += [T.le(name, s.upper)] if s.upper is not None else []
    known = [p for f in (*ranges, *facts) for p in T.conjuncts(f)]
    known, restore = _eliminate(known)
    launch, case = _substitute(launch, case, restore)
    bounds = Bounds()
    bounds.learn(known)
    for pid, extent in zip(PIDS, launch.grid, strict=True):
        known += [T.ge(pid, 0), T.lt(pid, extent)]
        known += [] if extent.is_const else [T.lt(extent, 1 << 31)]
    known = [f for f in dict.fromkeys(known) if f is not T.TRUE]
    bounds.learn(known)
    display = {q: T.div(name, by) for name, (q, by) in _quotients(restore).items()}
    return Domain(launch, case, tuple(known), bounds, restore, display, tuple(_extents(launch, 63)), tuple(_extents(launch, 58)))


def _assumed(text: str, program: Program) -> Term:
    try:
        term = parse_term(text)
    except ValueError as error:
        raise ValueError(f"--assume {text!r}: {error}") from None
    names = {s.name for s in program.symbols}
    for v in term.free:
        if v.data not in names:
            raise ValueError(f"--assume {text!r}: no symbol `{v.data}`; there are {', '.join(sorted(names))}")
    if term.sort is not T.Sort.BOOL:
        raise ValueError(f"--assume {text!r}: not a condition")
    return term


def _extents(launch: Launch, bits: int) -> list[Term]:
    return [T.lt(s.nbytes, 1 << bits) for s in launch.storages if not s.nbytes.is_const]


def _eliminate(facts: list[Term]) -> tuple[list[Term], dict[Term, Term]]:
    """Use `x == term` and `x % m == 0` as substitutions, so that quotients by m become exact.

    Returns the rewritten facts and, for each replaced symbol, its value.
    """
    restore: dict[Term, Term] = {}
    progress = True
    while progress:
        progress = False
        for f in facts:
            bounds = Bounds()
            bounds.learn(facts)
            found = _solved(f, bounds)
            if found is None:
                continue
            name, value, extra = found
            mapping = {name: value}
            memo: dict[Term, Term] = {}
            facts = [T.substitute(g, mapping, memo) for g in facts]
            restore = {k: T.substitute(v, mapping, memo) for k, v in restore.items()}
            restore[name] = value
            facts = [p for g in (*facts, *extra) for p in T.conjuncts(g)]
            progress = True
            break
    return facts, restore


def _solved(f: Term, bounds: Bounds) -> tuple[Term, Term, list[Term]] | None:
    """`(x, value, facts)` if `f` says `x == value`; facts are what was known of x, said of the value."""
    if f.op != "zero":
        return None
    inner = f.args[0]
    if inner.op == "mod" and inner.args[0].op == "var":
        return _multiple(inner.args[0], inner.args[1], bounds)
    p = T.poly(inner)
    for mono, coef in p.items():
        if len(mono) == 1 and mono[0].op == "var" and abs(coef) == 1:
            name = mono[0]
            value = T.from_poly({m: -c * coef for m, c in p.items() if m != mono})
            if name not in value.free:
                return name, value, _range(name, value, bounds)
    return None


def _multiple(name: Term, by: Term, bounds: Bounds) -> tuple[Term, Term, list[Term]] | None:
    low, divisor = bounds.of(name)[0], bounds.of(by)[0]
    if name in by.free or divisor is None or divisor < 1:
        return None
    q = T.var(f"{name.data}//{by}")
    known = [T.ge(q, 1 if low >= 1 else 0)] if low is not None and low >= 0 else []
    return name, q * by, [*known, *_range(name, q * by, bounds)]


def _quotients(restore: Mapping[Term, Term]) -> dict[Term, tuple[Term, Term]]:
    """Symbols that were replaced by `q * m`, with q and m; q is the name that `_multiple` gave."""
    out = {}
    for name, value in restore.items():
        for q in value.free:
            if q.data.startswith(f"{name.data}//"):
                by = T.quotient(value, q)
                if by is not None:
                    out[name] = (q, by)
    return out


def _range(name: Term, value: Term, bounds: Bounds) -> list[Term]:
    """What was known of the replaced symbol, said of its value."""
    lo, hi = bounds.of(name)
    return ([T.ge(value, lo)] if lo is not None else []) + ([T.le(value, hi)] if hi is not None else [])


def _facts(facts: Facts, sub: Callable[[Term], Term]) -> Facts:
    """Statements about contents with all of their terms replaced."""

    def pair(found: tuple[Term, Term] | None) -> tuple[Term, Term] | None:
        return None if found is None else (sub(found[0]), sub(found[1]))

    return replace(
        facts,
        lower=None if facts.lower is None else sub(facts.lower),
        upper=None if facts.upper is None else sub(facts.upper),
        distinct_except=None if facts.distinct_except is None else sub(facts.distinct_except),
        steps=pair(facts.steps),
        covering=pair(facts.covering),
        elements=tuple((tuple(map(sub, at)), sub(value)) for at, value in facts.elements),
        element=None if facts.element is None else sub(facts.element),
        running=None if facts.running is None else sub(facts.running),
    )


def _members(members: Members, sub: Callable[[Term], Term]) -> Members:
    """What a table points to with all of its terms replaced."""
    facts = None if members.facts is None else _facts(members.facts, sub)
    return replace(members, shape=tuple(map(sub, members.shape)), strides=tuple(map(sub, members.strides)), facts=facts)


def _substitute(launch: Launch, case: Case, mapping: Mapping[Term, Term]) -> tuple[Launch, Case]:
    if not mapping:
        return launch, case
    memo: dict[Term, Term] = {}

    def sub(t: Term) -> Term:
        return T.substitute(t, mapping, memo)

    def storage(s: Storage) -> Storage:
        facts = s.facts
        if facts is not None:
            facts = _facts(facts, sub)
        shape, strides = tuple(map(sub, s.shape)), tuple(map(sub, s.strides))
        members = None if s.members is None else _members(s.members, sub)
        return replace(s, nbytes=sub(s.nbytes), shape=shape, strides=strides, facts=facts, members=members)

    def arg(a: Arg) -> Arg:
        if isinstance(a, ScalarArg):
            return replace(a, value=None if a.value is None else sub(a.value))
        assert isinstance(a, PointerArg)
        return replace(a, offset=sub(a.offset), shape=tuple(map(sub, a.shape)), strides=tuple(map(sub, a.strides)))

    grid = (sub(launch.grid[0]), sub(launch.grid[1]), sub(launch.grid[2]))
    moved = replace(launch, grid=grid, storages=tuple(map(storage, launch.storages)))
    return moved, replace(case, args=tuple(map(arg, case.args)))
