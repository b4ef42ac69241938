"""What the cases of a launch are called, and the arguments in their limits."""

from __future__ import annotations

from collections.abc import Sequence

from argus_smt.capture.record import Integer, Record
from argus_smt.capture.widths import Group, Widths
from argus_smt.smt.term import Term

SHOWN = 4
"""So many arguments are named in a limit; more are summed up."""


def below(groups: Sequence[Group]) -> str:
    """`M, N < 2**31`, for arguments that are not bounded otherwise."""
    names = [str(g.term) for g in groups]
    return f"{', '.join(names)} < 2**31" if len(names) <= SHOWN else "every integer argument < 2**31"


def label_of(values: Sequence[tuple[Term, int]], record: Record) -> str:
    """`BLOCK = 64` for each parameter whose constant was chosen."""
    chosen = dict(values)
    parts = []
    for name, a in record.arguments:
        if isinstance(a, Integer) and a.constexpr and a.term in chosen:
            parts.append(f"{name} = {bool(chosen[a.term]) if a.boolean else chosen[a.term]}")
    return ", ".join(parts)


def constants(record: Record) -> str:
    """The constexprs of a launch that are the same in all cases."""
    numbers = [(n, a) for n, a in record.arguments if isinstance(a, Integer) and a.constexpr and a.term.is_const]
    return ", ".join(f"{n} = {bool(a.term.value) if a.boolean else a.term.value}" for n, a in numbers)


def width_label(w: Widths) -> str:
    return "integers are i32" if any(g.big for g in w.groups) else ""
