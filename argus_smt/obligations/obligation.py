"""A duty as plain data: hypotheses ⊢ goal, for every lane, trip, program and shape."""

from __future__ import annotations

from dataclasses import dataclass

from argus_smt.absint.facts import Scope
from argus_smt.absint.values import Guards
from argus_smt.ir.launch import PointerArg
from argus_smt.ir.ops import Op
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Reach:
    """The lanes that the duty speaks of: tile `shape`, where `where` holds, in `scope`; the guards make its terms exact."""

    scope: Scope
    shape: tuple[int, ...]
    where: tuple[Term, ...]
    guards: Guards

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        return (*self.scope.path, *self.where)


@dataclass(frozen=True, slots=True)
class Obligation:
    """`code` names the check, `op` at `site` is where it shows. `arg` is the kernel argument accessed, or reached through.

    `offset` is the address in bytes from the view's start, for AR303 the exact result.
    """

    code: str
    site: str
    op: Op
    reach: Reach
    goal: Term
    subject: str
    arg: int | None = None
    offset: Term | None = None
    nbytes: int = 0
    view: PointerArg | None = None
    """What the offset is into."""
    member: Term | None = None
    """The entry of the table of addresses, argument `arg`, whose tensor the view is of."""
    lost: str = ""
    """Why nothing is known of what is accessed where the goal does not hold."""
