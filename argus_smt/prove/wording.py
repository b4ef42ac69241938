"""What findings say: one sentence for what is wrong, one for what to do."""

from __future__ import annotations

from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Binary, Hint, Load, Op, Store
from argus_smt.obligations.access import VERB
from argus_smt.obligations.obligation import Obligation
from argus_smt.source import Span


def message(ob: Obligation, failing: bool) -> str:
    """The finding's sentence, stating the fault (`failing`) or the duty."""
    match ob.code:
        case "AR301" | "AR302":
            kind = _kind(ob.op)
            if failing:
                return f"{kind} {VERB[_access(ob.op)]} outside of `{ob.subject}`"
            return f"{kind} stays inside of `{ob.subject}`"
        case "AR303":
            return f"{ob.subject} wraps" if failing else f"{ob.subject} does not wrap"
        case "AR305":
            if ob.subject == "divisor":
                return "division or remainder by zero" if failing else "the divisor is not zero"
            if ob.subject == "gather index":
                return "gather index leaves the tile" if failing else "the gather index stays inside the tile"
            if ob.subject == "step":
                return "loop with a step that is not positive" if failing else "the loop's step is positive"
            return "shift past the width" if failing else "the shift amount is below the width"
        case "AR306":
            return _promise(ob, failing)
        case "AR307":
            verb = "leaves" if failing else "keeps to"
            return f"index {verb} its dimension of `{ob.subject}`"
        case code:
            raise AssertionError(code)


def _promise(ob: Obligation, failing: bool) -> str:
    if isinstance(ob.op, Hint):
        kind, _, n = ob.subject.partition(" ")
        return f"hinted {kind} of {n} {'does not hold' if failing else 'holds'}"
    name = {"assume": "assumption", "assert": "device assert"}[ob.subject]
    return f"{name} {'is false' if failing else 'holds'}"


def _kind(op: Op) -> str:
    match op:
        case Load():
            return "load"
        case Store():
            return "store"
        case _:
            return "atomic"


def _access(op: Op) -> str:
    match op:
        case Load():
            return "read"
        case Store():
            return "write"
        case _:
            return "atomic"


def help_text(ob: Obligation, masked: bool) -> str:
    """What would mend it."""
    match ob.code:
        case "AR301" | "AR302" if isinstance(ob.op, AtomicRMW | AtomicCAS | Load | Store):
            if not masked:
                return f"mask the {_kind(ob.op)} with the bounds of `{ob.subject}`"
            return "the mask lets lanes through whose address is outside; compare the same index that forms the address"
        case "AR303":
            return "convert one operand to int64 before the operation: `x.to(tl.int64)`"
        case "AR305":
            return "guard the operation so that the operand cannot take this value"
        case "AR306":
            return "state the property as a precondition of the launch, or drop the promise"
        case _:
            return ""


def source_text(lines: list[str], span: Span) -> str:
    """The code at a span that lies on one line, else the stripped line, else an empty text."""
    if not 1 <= span.line <= len(lines):
        return ""
    line = lines[span.line - 1]
    if span.column and span.end_line == span.line and span.end_column > span.column:
        return line[span.column - 1 : span.end_column - 1]
    return line.strip()


def operation(op: Op) -> str:
    """A short name of an integer operation for where its source text is not known."""
    return f"`{op.fn}`" if isinstance(op, Binary) else type(op).__name__.lower()
