"""Signatures as text; `parse_signature` reads it back to the same meaning."""

from __future__ import annotations

from argus_smt.capture.signature import (
    Argument,
    Helper,
    Literal,
    Range,
    ScalarType,
    SequenceType,
    Signature,
    TableType,
    TensorType,
    Type,
    Where,
)  # fmt: skip
from argus_smt.smt import term as T
from argus_smt.smt.show import show
from argus_smt.smt.term import Term


def show_signature(s: Signature) -> str:
    """`s` on one line, in canonical spelling."""
    out = f"{s.name}({', '.join(map(_argument, s.arguments))})"
    if s.grid is not None:
        out += f" grid ({', '.join(map(_expr, s.grid))})"
    if s.where:
        out += f" where {', '.join(map(_where, s.where))}"
    out += "".join(map(_helper, s.helpers))
    for d in s.defined:
        out += f" defined {d.tensor}[{', '.join(d.index)}] if {', '.join(map(_expr, d.conditions))}"
    return out


def _argument(a: Argument) -> str:
    if not a.pinned:
        return f"{a.name}: {_type(a.type)}{' or None' if a.optional else ''}"
    value = _literal(a.value, isinstance(a.type, ScalarType) and a.type.kind == "tuple")
    if isinstance(a.type, ScalarType) and a.type.kind == "constexpr":
        return f"{a.name}={value}"
    return f"{a.name}: {_type(a.type)} = {value}"


def _literal(value: Literal, round: bool = False) -> str:
    if isinstance(value, tuple):
        inside = ", ".join(_literal(v) for v in value)
        return f"({inside}{',' if len(value) == 1 else ''})" if round else f"[{inside}]"
    return str(value) if isinstance(value, Term) else repr(value)


def _type(t: Type) -> str:
    match t:
        case TensorType():
            return _tensor(t)
        case TableType(item, index, count):
            return (
                f"table[{index}: {_expr(count) if count is not None else ''}] of {_tensor(item)}"
                if index
                else f"table of {_tensor(item)}"
            )
        case SequenceType(kind, items):
            return f"{kind}({', '.join(map(_type, items))})"
        case ScalarType(kind, range_, text):
            return f"{kind} {text}" if text else kind if range_ is None else f"{kind}{_inside(range_)}"


def _expr(t: Term) -> str:
    """A term in the spelling of signatures, where elements of tensors are `name[index]`."""
    names: dict[Term, Term] = {}
    for a in sorted(t.apps, key=lambda a: a.ident):  # arguments are made before what they are in
        names[a] = T.var(f"{a.data}[{', '.join(map(_expr, a.args))}]")
    return show(T.substitute(t, names)) if names else str(t)


def _tensor(t: TensorType) -> str:
    out = f"{t.dtype}[{', '.join(map(_expr, t.dims))}]"
    if t.strides is not None:
        out += f" {{{', '.join(map(_expr, t.strides))}}}"
    out += " strided" if t.strided else ""
    out += _inside(t.range) if t.range else ""
    out += " distinct" if t.distinct else ""
    out += f" except {_expr(t.distinct_except)}" if t.distinct_except is not None else ""
    out += " nondecreasing" if t.nondecreasing else ""
    out += f" steps{_inside(t.steps)}" if t.steps else ""
    out += f" covering {_range(t.covering)}" if t.covering else ""
    return out + (f" {t.role}" if t.role else "")


def _inside(r: Range) -> str:
    return f" in {_range(r)}"


def _range(r: Range) -> str:
    return f"{{{', '.join(map(str, r.values))}}}" if r.values else f"[{r.lower}, {r.upper}]"


def _where(w: Where) -> str:
    return f"{w.tensor}[{', '.join(map(_expr, w.index))}] == {_expr(w.term)}" if w.tensor else w.text


def _helper(h: Helper) -> str:
    return f" helper {h.name}({', '.join(h.params)}) -> {', '.join(map(_type, h.results))}"
