"""How operations are laid out, read off their declarations: the one table behind the text and the JSON form."""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_args

from argus_smt.ir import ops as O
from argus_smt.ir.ops import Op

KINDS = {
    "Value": "value",
    "Value | None": "optional",
    "tuple[Value, ...]": "values",
    "tuple[Value, Value]": "values",
    "Block": "block",
    "int": "plain",
    "str": "plain",
    "bool": "plain",
    "int | float": "number",
    "tuple[int, ...]": "ints",
}
"""Declared type of a field → how it is written."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an operation; `kind` is a value of `KINDS`, or `result`/`results` for what it defines."""

    name: str
    kind: str
    default: Any


def _layout(cls: type[Op]) -> tuple[Field, ...]:
    out = []
    for f in fields(cls):
        if f.name in ("result", "results"):
            out.append(Field(f.name, f.name, MISSING))
        elif f.name != "span":
            out.append(Field(f.name, KINDS[str(f.type)], f.default))
    return tuple(out)


CLASSES: dict[str, type[Op]] = {cls.__name__: cls for cls in get_args(Op)}
LAYOUT: dict[type[Op], tuple[Field, ...]] = {cls: _layout(cls) for cls in CLASSES.values()}
"""Fields of each kind of operation in the order of its constructor, span left out."""

MNEMONIC: dict[type[Op], str] = {cls: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name, cls in CLASSES.items()}
"""Name in the text form; `Unary` and `Binary` go by their function instead."""

FUNCTION_FIELD: dict[type[Op], str] = {
    O.Unary: "fn", O.Binary: "fn", O.Cmp: "pred", O.Cast: "kind", O.AtomicRMW: "fn", O.Hint: "kind",
}  # fmt: skip
"""Field that is written as part of the mnemonic: `cmp.slt`, `cast.sext`."""


def mnemonic(op: Op) -> str:
    """How an operation is called in texts: `add`, `cmp.slt`, `load`."""
    if isinstance(op, O.Unary | O.Binary):
        return op.fn
    function = FUNCTION_FIELD.get(type(op))
    return MNEMONIC[type(op)] + (f".{getattr(op, function)}" if function else "")
