"""From one recorded launch to its compiled cases: constexpr values, integer widths, and what is refused or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from argus_smt.capture.compiled import Compiler, Form
from argus_smt.capture.constants import TILE_CAP, Split, Splitter
from argus_smt.capture.deadline import Deadline
from argus_smt.capture.labels import below, constants, label_of, width_label
from argus_smt.capture.record import Argument, Constant, Descriptor, Integer, Pointer, Real, Record
from argus_smt.capture.sizes import at_run_time, open_sizes, used_as_numbers
from argus_smt.capture.specialise import same_for_ones
from argus_smt.capture.ttir import CompileRefused, Unsupported
from argus_smt.capture.widths import Group, Widths, widths
from argus_smt.ir.launch import Arg, Case, Condition, NotCovered, PointerArg, Refusal, ScalarArg
from argus_smt.ir.ops import Kernel
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term

MAX_CASES = 128
MOST_ONES = 3
"""Of so many arguments all choices of those that are 1 are compiled."""
FLOATS = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"}
_OF_CONSTANTS = ("numel", "arange")
"""Words of Triton's messages about constexprs alone, which no width of an integer changes."""
GIVE_UP = 6
"""After so many refusals in a row that are no power of two, other such values are not tried."""


@dataclass(slots=True)
class Cases:
    """What became of a launch."""

    cases: list[Case] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    left_out: list[NotCovered] = field(default_factory=list)
    limits: list[Condition] = field(default_factory=list)


class CaseMaker:
    """Makes the cases of launches with one compiler and one solver session.

    Unless `wide`, integer arguments of 2**31 and more are left to a limit where smaller ones are possible.
    """

    def __init__(self, session: Session, compiler: Compiler, splitter: Splitter, wide: bool, deadline: Deadline) -> None:
        self.session, self.compiler, self.splitter, self.wide = session, compiler, splitter, wide
        self.deadline = deadline

    def cases(self, record: Record, hypotheses: Sequence[Term]) -> Cases:
        """All cases of a launch under the preconditions and its path.

        Sizes that the kernel takes as constexprs but uses as numbers are left symbolic where the compiled forms allow it.
        """
        under = [*hypotheses, *(c.term for c in record.path)]
        open_ = self._passable(record, under, open_sizes(record, under, self.session, self.splitter.facts))
        if open_:
            found = self._cases(at_run_time(record, open_), under, open_)
            if found is not None:
                return found
        found = self._cases(record, under, frozenset())
        assert found is not None
        return found

    def _passable(self, record: Record, under: Sequence[Term], names: frozenset[str]) -> frozenset[str]:
        """Of the constexprs `names` those that can be passed at run time, by the first choice of the others."""
        first = next((s for s in self.splitter.splits(at_run_time(record, names), under) if not s.rest), None)
        if first is None:
            return frozenset()

        def holds(chosen: frozenset[str]) -> bool:
            return _Widening(self, at_run_time(record, chosen), first, T.TRUE, Cases()).holds_at(chosen)

        if holds(names):
            return names
        chosen: frozenset[str] = frozenset()
        for name in sorted(names) if len(names) > 1 else ():
            chosen = chosen | {name} if holds(chosen | {name}) else chosen
        return chosen

    def _cases(self, record: Record, under: Sequence[Term], open_: frozenset[str]) -> Cases | None:
        """The cases of a launch, or None where a constexpr of `open_` is more to the kernel than a number."""
        out = Cases()
        path = T.and_(*(c.term for c in record.path))
        refused = 0
        for split in self.splitter.splits(record, under):
            if split.rest:
                self._beyond(record, split, path, out)
                continue
            if self.deadline.over:
                out.left_out.append(NotCovered(T.and_(path, *_terms(split.conditions)), self.deadline.reason, record.span))
                continue
            odd = any(v & (v - 1) for _, v in split.values)
            if len(out.cases) >= MAX_CASES or (odd and refused >= GIVE_UP):
                why = f"more than {MAX_CASES} cases" if len(out.cases) >= MAX_CASES else (
                    f"{label_of(split.values, record)}: not tried, since Triton refused {refused} other values "
                    "that are no power of two")  # fmt: skip
                out.left_out.append(NotCovered(T.and_(path, *_terms(split.conditions)), why, record.span))
                continue
            before = len(out.refusals), len(out.cases)
            widening = _Widening(self, record, split, path, out)
            if open_ and not widening.holds_at(open_):
                return None
            widening.run()
            if odd and len(out.cases) == before[1] and len(out.refusals) > before[0]:
                refused += 1
        return out

    def _beyond(self, record: Record, split: Split, path: Term, out: Cases) -> None:
        """Values above the tile cap are refused by Triton, if it refuses the first of them."""
        message = self._refuses_above_cap(record, split) if "tile cap" in split.rest else ""
        if message:
            out.refusals.append(Refusal(label_of(split.values, record) or split.rest, split.conditions, message))
        else:
            out.left_out.append(NotCovered(T.and_(path, *_terms(split.conditions)), split.rest, record.span))

    def _refuses_above_cap(self, record: Record, split: Split) -> str:
        """Triton's message where it refuses the tile sizes beyond its cap."""
        chosen = dict(split.values)
        form: list[tuple[str, str, object]] = []
        for name, a in record.arguments:
            if isinstance(a, Integer) and a.constexpr:
                t = T.substitute(a.term, split.mapping)
                summary = t.op == "var" and t.data in self.splitter.facts
                value = chosen.get(a.term, t.value if t.is_const else 2 * TILE_CAP if summary else 1)
                form.append((name, "constexpr", value))
            else:
                form.append(_plain(name, a, {}))
        try:
            self.compiler.kernel(record, tuple(form))
        except CompileRefused as error:
            return error.message if "1048576" in error.message or "numel" in error.message else ""
        except Unsupported:
            pass
        return ""


@dataclass(slots=True)
class _Widening:
    """The width cases of one split."""

    maker: CaseMaker
    record: Record
    split: Split
    path: Term
    out: Cases

    def holds_at(self, names: frozenset[str]) -> bool:
        """Whether the kernel compiled for some values of `names` is the one that takes them at run time, with these values."""
        w = self._widths()
        form = self._form(w, dict.fromkeys(names, "i32"))
        session, under = self.maker.session, self.split.hypotheses
        return used_as_numbers(self.maker.compiler, self.record, form, names, lambda t: session.implied(under, t) is True)

    def run(self) -> None:
        w = self._widths()
        try:
            self.maker.compiler.kernel(self.record, self._form(w, {}))
        except CompileRefused as error:
            if any(word in error.message for word in _OF_CONSTANTS):
                label = label_of(self.split.values, self.record) or constants(self.record)
                self.out.refusals.append(Refusal(label, self.split.conditions, error.message))
                return
        except Unsupported:
            pass
        if w.limits:
            fits = T.and_(*_terms(w.limits))
            self._limit(fits, " and ".join(c.text for c in w.limits))
        mergeable, apart = self._ones(w)
        under = [*w.limits, *map(_apart, apart)]
        merged = mergeable if self._all_ones_agree(w, {}, mergeable) else []
        if not merged and len(mergeable) > 1:
            both = w.several_ones(mergeable)
            self._leave_out(both, "two different arguments that are both 1, for which the compiled kernels differ")
            under.append(Condition(T.not_(both), "case", "at most one argument is 1"))
        if all(g.small for g in w.groups):
            self._add({}, [*under, *w.within()], width_label(w) if self.maker.wide else "")
        for g in apart:
            types = dict.fromkeys(g.ones, "constexpr")
            conditions = [*w.limits, _is_one(g), *w.within(g), *(_apart(o) for o in apart if o is not g)]
            self._special(w, types, conditions, merged, f"{g.term} = 1")
        big = [g for g in w.groups if g.big]
        if not self.maker.wide and all(g.small for g in w.groups):
            self._limit(T.and_(*(g.fits for g in big)), below(big))
            big = []
        for g in big:
            self._big(w, g, under, [o for o in merged if o is not g], apart)
        for some in (s for n in range(2, min(len(apart), MOST_ONES) + 1) for s in combinations(apart, n)):
            self._several_ones(w, some, [g for g in apart if g not in some], merged)
        if len(apart) > MOST_ONES:
            self._leave_out(w.several_ones(apart), "two arguments with forms of their own are both 1")
        if len(big) > 1:
            names = ", ".join(str(g.term) for g in big)
            self._limit(T.not_(w.several_big()), f"at most one of {names} is 2**31 or more")

    def _widths(self) -> Widths:
        s = self.split
        ints = [
            (name, a, T.substitute(a.term, s.mapping))
            for outer, argument in self.record.arguments
            for name, a in _run_time_integers(outer, argument)
        ]
        return widths(ints, self.maker.session, s.hypotheses)

    def _big(self, w: Widths, g: Group, under: list[Condition], ones: list[Group], apart: list[Group]) -> None:
        outside = T.not_(g.fits)
        conditions = [*under, Condition(outside, "case", f"{g.term} needs 64 bits"), *w.within(g)]
        if self.maker.session.possible([*self.split.hypotheses, *_terms(conditions)]) is False:
            return
        types = dict.fromkeys(g.params, "i64")
        self._special(w, types, conditions, ones, f"{g.term} is i64")
        for a in (a for a in apart if a is not g):
            both = [c for c in conditions if c.term is not T.ne(a.term, 1)] + [_is_one(a)]
            with_one = {**types, **dict.fromkeys(a.ones, "constexpr")}
            self._special(w, with_one, both, ones, f"{g.term} is i64, {a.term} = 1")

    def _special(self, w: Widths, types: dict[str, str], conditions: list[Condition], ones: list[Group], label: str) -> None:
        """A form of its own; `ones` are merged into it where the kernels agree, else that region is left out."""
        if ones and not self._all_ones_agree(w, types, ones) and not self._refused_for_ones(types, ones):
            some = T.or_(*(T.eq(o.term, 1) for o in ones))
            self._leave_out(T.and_(*_terms(conditions), some), f"{label} and another argument is 1")
            conditions = [*conditions, *map(_apart, ones)]
        self._add(types, conditions, label)

    def _limit(self, condition: Term, text: str) -> None:
        limit = Condition(condition, "limit", text)
        if condition is not T.TRUE and limit not in self.out.limits:
            self.out.limits.append(limit)

    # ------------------------------------------------------------ the constant 1

    def _ones(self, w: Widths) -> tuple[list[Group], list[Group]]:
        """Groups whose form for 1 is the general kernel at 1, and those that are cases of their own."""
        mergeable: list[Group] = []
        apart: list[Group] = []
        for g in w.groups:
            if g.one and g.small:
                (mergeable if self._agrees(w, {}, g.ones) else apart).append(g)
        return mergeable, apart

    def _agrees(self, w: Widths, types: dict[str, str], ones: Sequence[str]) -> bool:
        general = self._kernel(w, types)
        special = self._kernel(w, {**types, **dict.fromkeys(ones, "constexpr")})
        return general is not None and special is not None and same_for_ones(general, special, ones)

    def _all_ones_agree(self, w: Widths, types: dict[str, str], groups: Sequence[Group]) -> bool:
        return not groups or self._agrees(w, types, [p for g in groups for p in g.ones])

    def _refused_for_ones(self, types: dict[str, str], groups: Sequence[Group]) -> bool:
        """Whether Triton refuses a form, whichever of the arguments of `groups` are 1."""
        subsets = [s for n in range(len(groups) + 1) for s in combinations(groups, n)] if len(groups) <= MOST_ONES else []
        made = [self._refused({**types, **dict.fromkeys((p for g in s for p in g.ones), "constexpr")}) for s in subsets]
        return bool(made) and all(made)

    def _refused(self, types: dict[str, str]) -> bool:
        try:
            self.maker.compiler.kernel(self.record, self._form(self._widths(), types))
        except CompileRefused:
            return True
        except Unsupported:
            pass
        return False

    def _several_ones(self, w: Widths, some: Sequence[Group], others: Sequence[Group], merged: list[Group]) -> None:
        """Arguments with forms of their own are 1 at once: refused by Triton, or not looked at."""
        types = dict.fromkeys((p for g in some for p in g.ones), "constexpr")
        conditions = [*w.limits, *map(_is_one, some), *w.within(), *map(_apart, others)]
        names = [str(g.term) for g in some]
        if self._refused_for_ones(types, merged):
            self._special(w, types, conditions, merged, f"{' = '.join(names)} = 1")
        else:
            self._leave_out(T.and_(*_terms(conditions)), f"{', '.join(names[:-1])} and {names[-1]} are both 1")

    # ------------------------------------------------------------ forms

    def _form(self, w: Widths, types: dict[str, str]) -> Form:
        chosen = dict(self.split.values)
        out: list[tuple[str, str, object]] = []
        for name, a in self.record.arguments:
            if isinstance(a, Integer) and not a.constexpr:
                type_ = types.get(name) or w.types.get(name, "i32")
                out.append((name, type_, 1 if type_ == "constexpr" else None))
            else:
                out.append(_plain(name, a, chosen))
        return tuple(out)

    def _kernel(self, w: Widths, types: dict[str, str]) -> Kernel | None:
        try:
            return self.maker.compiler.kernel(self.record, self._form(w, types))
        except (CompileRefused, Unsupported):
            return None

    def _add(self, types: dict[str, str], conditions: list[Condition], width: str) -> None:
        """Compile a form and enter it as a case, a refusal or a region left out."""
        conditions = _distinct([*self.split.conditions, *conditions])
        if self.maker.session.possible([*self.split.hypotheses, *_terms(conditions)]) is False:
            return
        label = ", ".join(part for part in (label_of(self.split.values, self.record), width) if part)
        form = self._form(self._widths(), types)
        try:
            kernel = self.maker.compiler.kernel(self.record, form)
        except CompileRefused as error:
            self.out.refusals.append(Refusal(label, tuple(conditions), error.message))
            return
        except Unsupported as error:
            self._leave_out(T.and_(*_terms(conditions)), f"the compiled kernel cannot be read: {error.message}")
            return
        values = tuple((n, _text(v)) for n, t, v in form if t == "constexpr")
        by_name = {n: (t, a) for (n, t, _), (_, a) in zip(form, self.record.arguments, strict=True)}
        for name, a in self.record.arguments:
            if isinstance(a, Descriptor):
                by_name |= {n: (i.fixed, i) for n, i in a.integers(name)}
        args = tuple(self._arg(*by_name[p]) for p in kernel.params)
        self.out.cases.append(Case(label, tuple(conditions), values, kernel, args, self.record.options))

    def _arg(self, type_: str, a: Argument) -> Arg:
        memo: dict[Term, Term] = {}

        def sub(t: Term) -> Term:
            return T.substitute(t, self.split.mapping, memo)

        match a:
            case Pointer(arg=p) | Descriptor(pointer=Pointer(arg=p)):
                return PointerArg(p.storage, p.dtype, sub(p.offset), tuple(map(sub, p.shape)), tuple(map(sub, p.strides)))
            case Integer(term=t):
                return ScalarArg({"u1": "i1"}.get(type_, type_), sub(t))
            case Real(number=number):
                return ScalarArg(FLOATS.get(type_, type_), None, number)
            case _:
                return ScalarArg(FLOATS.get(type_, type_), None)

    def _leave_out(self, condition: Term, reason: str) -> None:
        condition = T.and_(self.path, *_terms(self.split.conditions), condition)
        if self.maker.session.possible([*self.split.hypotheses, condition]) is not False:
            self.out.left_out.append(NotCovered(condition, reason, self.record.span))


def _plain(name: str, a: Argument, chosen: dict[Term, int]) -> tuple[str, str, object]:
    """Type and constant of an argument that is no run-time integer."""
    match a:
        case Constant(value=value):
            return name, "constexpr", value
        case Pointer(triton=t) | Real(triton=t):
            return name, t, None
        case Descriptor(block=block, padding=padding):
            return name, a.type(tuple(chosen.get(t, t.value if t.is_const else 1) for t in block)), padding
        case Integer(term=t, constexpr=True, boolean=boolean):
            value = chosen.get(t, t.value if t.is_const else 1)
            return name, "constexpr", bool(value) if boolean else value
        case Integer(fixed=fixed):
            return name, fixed or "i32", None


def _run_time_integers(name: str, a: Argument) -> tuple[tuple[str, Integer], ...]:
    """The integers that an argument passes at run time, with the parameters that take them."""
    if isinstance(a, Descriptor):
        return a.integers(name)
    return ((name, a),) if isinstance(a, Integer) and not a.constexpr else ()


def _terms(conditions: Sequence[Condition]) -> list[Term]:
    return [c.term for c in conditions]


def _distinct(conditions: Sequence[Condition]) -> list[Condition]:
    seen: dict[Term, Condition] = {}
    for c in conditions:
        if c.term is not T.TRUE:
            seen.setdefault(c.term, c)
    return list(seen.values())


def _is_one(g: Group) -> Condition:
    return Condition(T.eq(g.term, 1), "case", f"{g.term} == 1")


def _apart(g: Group) -> Condition:
    return Condition(T.ne(g.term, 1), "case", f"{g.term} != 1")


def _text(value: object) -> str:
    return str(getattr(value, "__name__", value)) if callable(value) else str(value)
