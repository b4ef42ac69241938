"""AR603: the integer value of a pointer that is used as a number, instead of as an address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from argus_smt.absint.values import IntV
from argus_smt.ir import ops as I
from argus_smt.ir.launch import PointerArg
from argus_smt.ir.ops import Op
from argus_smt.ir.types import Ptr, elem_of
from argus_smt.ir.walk import operands, results, walk
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Counterexample, Finding, Related, Severity, Verdict
from argus_smt.prove.padding_runs import Variant, compared

SHIFTS = (0, 4096 * 524_341)
"""How far all allocations are moved in the two runs, in bytes; they may lie anywhere."""
_HELP = "load the number that the pointer leads to, `tl.load(…)`, instead of converting the pointer itself"


@dataclass(frozen=True, slots=True)
class Use:
    """Where a number made of an address is used for something else than an address; `stored` if it becomes data."""

    op: Op
    what: str
    stored: bool


def address_findings(context: Context) -> Iterator[Finding]:
    """One finding for each conversion of a pointer to an integer; one for the kernel where there is none."""
    kernel = context.dom.case.kernel
    conversions = [op for op in walk(kernel.body) if isinstance(op, I.Cast) and _of_pointer(op)]
    base = Finding(
        "AR603", Verdict.PROVED, Severity.ERROR, kernel.span, "no address is used as a number", method="algebra", site="address",
    )  # fmt: skip
    if not conversions and any(isinstance(a, PointerArg) for a in context.dom.case.args):
        yield base
    for number, op in enumerate(conversions):
        found = replace(base, span=op.span, site=f"address {op.span.line}:{op.span.column} {number}")
        uses = _uses(context, op)
        yield _judged(context, found, uses) if uses else found


def _of_pointer(op: I.Cast) -> bool:
    return isinstance(elem_of(op.operand.type), Ptr) and not isinstance(elem_of(op.result.type), Ptr)


def _judged(context: Context, found: Finding, uses: list[Use]) -> Finding:
    related = tuple(Related(u.op.span, f"used here, in {u.what}") for u in uses[:2])
    found = replace(found, message="an address is used as a number", related=related, help=_HELP)
    seen = _replayed(context)
    if seen is not None:
        values = seen.values
        message = f"an address is used as a number: {values['stored']} or {values['stored_otherwise']} is stored, as memory lies"
        return replace(found, verdict=Verdict.REFUTED, method="execution", message=message, counterexample=seen)
    return replace(
        found, verdict=Verdict.UNKNOWN, reason_code="AR902",
        reason=f"{uses[0].what} depends on an address, and no small launch was seen to store something else for it",
    )  # fmt: skip


def _replayed(context: Context) -> Counterexample | None:
    """A launch that stores something else when its tensors lie elsewhere."""

    found = compared(context, lambda: [Variant(shift=by) for by in SHIFTS])
    return None if found is None else found.counterexample


def _uses(context: Context, source: I.Cast) -> list[Use]:
    """Where a converted address ends up as data, or decides what is done."""
    kernel = context.dom.case.kernel
    tainted = {source.result.number}
    uses: dict[tuple[int, str], Use] = {}
    changed = True
    while changed:
        before = len(tainted)
        for op in walk(kernel.body):
            _flow(context, op, tainted)
            for value, what, stored in _sinks(op):
                if value.number in tainted:
                    uses[id(op), what] = Use(op, what, stored)
        changed = len(tainted) > before
    return sorted(uses.values(), key=lambda u: not u.stored)


def _sinks(op: Op) -> Iterator[tuple[I.Value, str, bool]]:
    match op:
        case I.Store():
            yield op.value, "a stored value", True
        case I.AtomicRMW():
            yield op.value, "a value of an atomic", True
        case I.AtomicCAS():
            yield op.value, "a value of an atomic", True
            yield op.compare, "a value of an atomic", True
        case I.If():
            yield op.cond, "a branch", False
        case I.For():
            for v in (op.lower, op.upper, op.step):
                yield v, "a bound of a loop", False
        case I.While():
            yield op.before.yields[0], "the condition of a loop", False
    if isinstance(op, I.Load | I.Store | I.AtomicRMW) and op.mask is not None:
        yield op.mask, "the mask of a memory access", False


def _flow(context: Context, op: Op, tainted: set[int]) -> None:
    """Mark the results of an operation on marked values, and what blocks hand on."""
    match op:
        case I.For():
            _hand_on(tainted, (op.inits, op.body.params[1:]), (op.body.yields, op.body.params[1:]))
            _hand_on(tainted, (op.inits, op.results), (op.body.yields, op.results))
            if op.lower.number in tainted or op.step.number in tainted:
                tainted.add(op.body.params[0].number)
        case I.While():
            passed = op.before.yields[1:]
            _hand_on(tainted, (op.inits, op.before.params), (passed, op.after.params))
            _hand_on(tainted, (op.after.yields, op.before.params), (passed, op.results))
        case I.If():
            _hand_on(tainted, (op.then.yields, op.results), (op.orelse.yields, op.results))
            if op.cond.number in tainted:
                tainted.update(r.number for r in op.results)
        case I.Reduce() | I.Scan() | I.Map() if any(v.number in tainted for v in op.operands):
            tainted.update(r.number for r in op.results)
        case I.Load() | I.AtomicRMW() | I.AtomicCAS() | I.AddPtr():
            pass  # what lies at an address is no address
        case _ if any(v.number in tainted for v in operands(op)):
            tainted.update(r.number for r in results(op) if not _harmless(context, op, r))


def _hand_on(tainted: set[int], *pairs: tuple[tuple[I.Value, ...], tuple[I.Value, ...]]) -> None:
    for sources, sinks in pairs:
        tainted.update(b.number for a, b in zip(sources, sinks, strict=False) if a.number in tainted)


def _harmless(context: Context, op: Op, result: I.Value) -> bool:
    """Whether a result is an address again, a test of alignment, or a number in which the address cancels out."""
    if isinstance(elem_of(result.type), Ptr):
        return True
    if isinstance(op, I.Cmp) and any(_low_bits(context, v) for v in (op.lhs, op.rhs)):
        return True
    known = context.facts.values.get(result.number)
    return isinstance(known, IntV) and not any(str(a.data).startswith("?") for a in known.term.apps)


def _low_bits(context: Context, value: I.Value) -> bool:
    """Whether a value is the remainder of an address by a constant power of two up to a page, or its low bits."""
    made = {r.number: op for op in walk(context.dom.case.kernel.body) for r in results(op)}
    op = made.get(value.number)
    if not isinstance(op, I.Binary) or op.fn not in ("and", "urem", "srem") or not _is_address(made, op.lhs):
        return False
    by = made.get(op.rhs.number)
    if not isinstance(by, I.Const):
        return False
    n = int(by.value) + (op.fn == "and")
    return 1 <= n <= 4096 and n & (n - 1) == 0


def _is_address(made: dict[int, Op], value: I.Value) -> bool:
    """Whether a value is a converted pointer, perhaps with something added."""
    match made.get(value.number):
        case I.Cast() as op:
            return _of_pointer(op) or (op.kind in ("sext", "zext", "same", "trunc") and _is_address(made, op.operand))
        case I.Binary(fn="add" | "sub") as op:
            return _is_address(made, op.lhs) or (op.fn == "add" and _is_address(made, op.rhs))
        case I.Splat() as op:
            return _is_address(made, op.operand)
        case _:
            return False
