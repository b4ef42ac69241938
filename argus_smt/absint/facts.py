"""What the analysis of one kernel in one case finds out: plain data that the duties are made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from argus_smt.absint.values import AbsValue, Guards, IntV, PtrV
from argus_smt.ir.ops import Op
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Scope:
    """Where something happens: `path` holds there, `counters` are the trip numbers of the loops around it, outermost first."""

    path: tuple[Term, ...]
    counters: tuple[Term, ...]
    guards: Guards
    """Guards of the conditions and loop bounds that lead here."""
    outcomes: frozenset[Term] = frozenset()
    """Parts of the path that are no conditions: they hold since loops before have ended."""


@dataclass(frozen=True, slots=True)
class Access:
    """A load (`read`), store (`write`) or atomic (`atomic`) of `nbytes` a lane at the lanes where `mask`."""

    site: str
    op: Op
    kind: str
    pointer: PtrV
    shape: tuple[int, ...]
    mask: Term
    mask_guards: Guards
    nbytes: int
    scope: Scope
    value: Term | None = None
    """The integer that a store or atomic writes or combines with memory, where one is known."""
    old: Term | None = None
    """The integer that an atomic finds."""
    compare: Term | None = None
    """What a compare-and-swap must find to write, where that is known."""


@dataclass(frozen=True, slots=True)
class Lost:
    """An access or promise of which nothing can be said, with the reason."""

    site: str
    op: Op
    kind: str
    reason: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`goal` must hold at every element for the operation to have a result: a divisor that is not 0, a shift below the width."""

    site: str
    op: Op
    goal: Term
    shape: tuple[int, ...]
    guards: Guards
    scope: Scope


@dataclass(frozen=True, slots=True)
class Wrap:
    """An integer operation whose exact result `term` may not fit `bits` bits; `cond` says that it does."""

    site: str
    op: Op
    term: Term
    bits: int
    cond: Term
    shape: tuple[int, ...]
    guards: Guards
    scope: Scope


@dataclass(frozen=True, slots=True)
class Promise:
    """What the author promised the compiler: assume, assert or hint; `goal` must hold where `where`."""

    site: str
    op: Op
    what: str
    where: Term
    goal: Term
    shape: tuple[int, ...]
    guards: Guards
    scope: Scope


@dataclass(frozen=True, slots=True)
class Wait:
    """A while loop: it goes on where `cond`, over its trip number, the last of the scope's counters."""

    op: Op
    cond: Term
    scope: Scope


@dataclass(slots=True)
class Facts:
    """All of it, in program order; `ledger` names each approximation by the unknown function that stands for it."""

    bounds: Bounds
    accesses: list[Access] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    arithmetic: list[Arithmetic] = field(default_factory=list)
    wraps: dict[str, Wrap] = field(default_factory=dict)
    promises: list[Promise] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    relied: list[tuple[Guards, Scope, tuple[int, ...]]] = field(default_factory=list)
    """Guards, over tiles of a shape, that a branch, a loop or a derived interval relies on for every element."""
    lemmas: list[tuple[frozenset[Term], Term]] = field(default_factory=list)
    """`(path, fact)`: what the solver showed on the way; it holds wherever all of the path does."""
    ledger: dict[str, str] = field(default_factory=dict)
    contents: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Function name → (storage, dtype) for integers loaded from memory that the kernel does not write."""
    unreal: dict[str, str] = field(default_factory=dict)
    """Functions that stand for numbers which no input of the launcher need produce: no counterexample may lean on them."""
    tables: dict[int, str] = field(default_factory=dict)
    """Storage → name of the tables whose entries are followed as pointers."""
    integers: dict[int, IntV] = field(default_factory=dict)
    """By the number of a value, what is known of it where it is defined."""
    invariants: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    """By the name of a loop's trip number: what was shown to hold at the start of every trip."""
    scopes: dict[str, Scope] = field(default_factory=dict)
    """By the site of an operation: where it runs; by that of a loop with `/end`: the end of a trip."""
    values: dict[int, AbsValue] = field(default_factory=dict)
    """By number: what is known of each value, in terms of the scope that it is defined in."""
