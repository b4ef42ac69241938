"""AR601: padding lanes that change what they are combined with, and undefined lanes that can be seen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from argus_smt.absint.engine import name_sites
from argus_smt.absint.facts import Scope
from argus_smt.absint.padding import Impossible, Padding, Sighting
from argus_smt.absint.pieces import deny
from argus_smt.absint.trips import sums_of_loops
from argus_smt.ir import ops as I
from argus_smt.ir.ops import Op
from argus_smt.ir.types import elem_of
from argus_smt.ir.walk import walk
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding, Related, Severity, Verdict
from argus_smt.prove.padding_runs import Difference, left_out, nothing_left, undefined
from argus_smt.smt.term import Term, conjuncts

ROUNDS = 3
FINITE = "floats in tensors are finite, and arithmetic on finite floats stays finite (AR601)"
_NEUTRAL = {
    "fadd": "0", "add": "0", "or": "0", "xor": "0", "fmul": "1", "mul": "1", "and": "-1 (all bits set)",
    "fmax": "-inf", "fmaximum": "-inf", "fmin": "inf", "fminimum": "inf", "umax": "0",
    "smax": "the least integer of its type", "smin": "the largest integer of its type", "umin": "the largest integer of its type",
}  # fmt: skip


def padding_findings(context: Context) -> Iterator[Finding]:
    """A finding for each operation that combines padding with other lanes, and for each load that leaves lanes undefined."""
    kernel = context.dom.case.kernel
    if not any(isinstance(op, I.Undef) or (isinstance(op, I.Load) and op.mask is not None) for op in walk(kernel.body)):
        return
    followed = _followed(context)
    seen: dict[str, list[Sighting]] = {}
    for s in followed.sightings:
        if not all(name in seen for name in s.bad) and not followed.refuted(s.op, s.shape, s.cond):
            for name in s.bad:
                seen.setdefault(name, []).append(s)
    for name, op in _duties(followed, kernel, seen):
        started = time.monotonic()
        found = _finding(context, followed, name, op, seen.get(name, []))
        yield replace(found, time_s=time.monotonic() - started)


def _duties(followed: Padding, kernel: I.Kernel, seen: dict[str, list[Sighting]]) -> Iterator[tuple[str, Op]]:
    """What is to be shown, by the name of the fault; the loads and reductions that are fine are among them."""
    for op in walk(kernel.body):
        site = followed.sites[id(op)]
        names = [f"mixed {site}"] if site in followed.met else []
        if isinstance(op, I.Load) and op.mask is not None and op.other is None:
            names.append(f"undefined {site}")
        others = [f"{kind} {site}" for kind in ("undefined", "mixed", "unsure", "nan")]
        for name in dict.fromkeys([*names, *(n for n in others if n in seen)]):
            yield name, op


def _followed(context: Context) -> Padding:
    """The pass, again where padding that is stored may be loaded."""
    kernel = context.dom.case.kernel
    padded: frozenset[int] = frozenset()
    for _ in range(ROUNDS):
        out = Padding(context.facts, context.dom.case, name_sites(kernel), _impossible(context), padded)
        out.run()
        if out.stored & out.loaded <= padded:
            break
        padded |= out.stored
    context.facts.relied += out.relied
    if out.met:
        context.assumed |= dict.fromkeys([FINITE, *sorted(out.assumed)])
    return out


def _impossible(context: Context) -> Impossible:
    """The prover as an oracle: intervals first, then what linear arithmetic settles."""
    known: dict[tuple[str, tuple[int, ...], Term], bool] = {}

    def ask(op: Op, site: str, scope: Scope, shape: tuple[int, ...], cond: Term) -> bool:
        reach = Reach(scope, shape, conjuncts(cond), frozenset())
        bounds = context.prover.bounds(reach)
        if any(bounds.truth(c) is False for c in reach.hypotheses):
            return True
        ob = Obligation("AR601", site, op, Reach(scope, shape, (), frozenset()), deny(cond), "padding")
        return context.prover.decide(ob, nonlinear=False).status == "proved"

    def remembered(op: Op, site: str, scope: Scope, shape: tuple[int, ...], cond: Term) -> bool:
        key = site, shape, cond
        if key not in known:
            known[key] = ask(op, site, scope, shape, cond)
        return known[key]

    return remembered


def _finding(context: Context, followed: Padding, name: str, op: Op, seen: Sequence[Sighting]) -> Finding:
    what = _what(op)
    kind = name.partition(" ")[0]
    proved = "undefined lanes of the load are never seen" if kind == "undefined" else f"padding lanes do not change the {what}"
    base = Finding("AR601", Verdict.PROVED, Severity.ERROR, op.span, proved, method="algebra", site=f"padding {name}")
    scope = context.facts.scopes.get(followed.site(op))
    if not seen:
        return replace(base, unreachable=scope is None)
    shown = tuple(dict.fromkeys((s.op.span, s.what) for s in seen))[:2]
    related = tuple(Related(span, f"seen here, in {where}") for span, where in shown)
    wrong = "undefined lanes of the load are seen" if kind == "undefined" else f"padding lanes change the {what}"
    base = replace(base, verdict=Verdict.UNKNOWN, message=wrong, related=related, reason_code="AR902", help=_help(kind, op))
    if kind == "unsure":
        return replace(
            base, message=f"padding lanes may change the {what}",
            reason="lanes hold a fill value and numbers from memory at once, so that it is not clear which of them are padding",
        )  # fmt: skip
    if kind == "nan":
        return _all_masked(context, op, base)
    found = _replayed(context, kind, op)
    if found is None and kind == "mixed":
        masked = _all_masked(context, op, base)
        if masked.verdict is Verdict.REFUTED:
            return masked
    if found is None:
        return replace(base, reason=f"it is not shown that {proved}, and no small launch was seen to fail")
    return replace(
        base, verdict=Verdict.REFUTED, method="execution", reason_code="", message=_failing(kind, what, found),
        counterexample=found.counterexample,
    )  # fmt: skip


def _all_masked(context: Context, op: Op, base: Finding) -> Finding:
    """A row of which nothing is left: infinite fill less itself is NaN."""
    base = replace(
        base, message="nan is stored where no lane of a row is left: an infinity less itself", related=(),
        help="choose another number where nothing is left: `tl.where(m == -float('inf'), 0.0, m)`",
    )  # fmt: skip
    found = nothing_left(context, op)
    if found is None:
        reason = "it is not shown that some lane of each row is live, and no small launch was seen to store nan"
        return replace(base, reason=reason)
    return replace(base, verdict=Verdict.REFUTED, method="execution", reason_code="", counterexample=found.counterexample)


def _replayed(context: Context, kind: str, op: Op) -> Difference | None:
    if kind == "undefined":
        return undefined(context, op) if isinstance(op, I.Load) else None
    sums = frozenset(id(x) for x in sums_of_loops(context.dom.case.kernel.body))
    return left_out(context, op, sums)


def _failing(kind: str, what: str, found: Difference) -> str:
    values = found.counterexample.values
    pair = f"{values['stored']} instead of {values['stored_otherwise']} is stored"
    if kind == "undefined":
        return f"what is stored depends on undefined lanes of the load ({values['stored']} or {values['stored_otherwise']})"
    if found.padding is None:
        return f"padding lanes change the {what}: {pair}"
    lane, number = found.padding
    return f"padding lanes change the {what}: lane {list(lane)} holds {number:.6g}, and {pair}"


def _what(op: Op) -> str:
    match op:
        case I.Reduce():
            return "reduction"
        case I.Scan():
            return "scan"
        case I.Dot():
            return "product of tiles"
        case I.Histogram():
            return "histogram"
        case I.Binary():
            return "sum that the loop keeps" if op.fn in ("add", "fadd") else "value that the loop keeps"
        case _:
            return "result"


def _help(kind: str, op: Op) -> str:
    if kind == "undefined":
        return "give the load a fill value, `other=`, that is neutral for what its lanes are combined with"
    neutral = _neutral(op)
    return f"padding must hold {neutral} here: fill the load with it, or choose with `tl.where(mask, …, …)` before"


def _neutral(op: Op) -> str:
    match op:
        case I.Dot():
            return "0 in both factors"
        case I.Binary():
            return _NEUTRAL.get(op.fn, "the neutral element")
        case I.Reduce() | I.Scan():
            fns = [x.fn for x in op.combine.ops if isinstance(x, I.Binary)]
            if len(op.operands) == 1 and len(op.combine.ops) == 1 and fns:
                return _NEUTRAL.get(fns[0], "the neutral element")
            compared = [x.pred for x in op.combine.ops if isinstance(x, I.Cmp) and not elem_of(x.lhs.type).is_int]
            if compared and compared[0].endswith("gt"):
                return "-inf"
            return "inf" if compared and compared[0].endswith("lt") else "the neutral element of the combine function"
        case _:
            return "a number that is not counted"
