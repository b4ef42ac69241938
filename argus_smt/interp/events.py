"""What a run records: faults, accesses, and where undefined and wrapped values come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from argus_smt.interp.lanes import Array
from argus_smt.ir.ops import Op, Opaque, Unary
from argus_smt.source import Span

KINDS = frozenset(
    [
        "oob_read",
        "oob_write",
        "uninit_read",
        "wrap",
        "wrap_used",
        "div_zero",
        "shift_width",
        "gather_index",
        "assume_false",
        "assert_false",
        "hint_false",
        "undef_used",
        "unsupported",
        "limit",
    ]
)
"""Kinds of events.

`oob_*`: a lane touches a byte outside the view that its pointer derives from. `uninit_read`: a byte that nobody wrote.
`wrap`: the exact result of an integer operation does not fit; harmless by itself. `wrap_used`: a value that derives
from one reaches an active address, a mask or a branch. `div_zero`, `shift_width`, `gather_index`: an operand for
which the operation has no result. `undef_used`: an undefined value reaches an active address, a mask or a branch;
`unsupported`: the same, where it comes from an operation without a meaning here, or such an operation has effects
on memory. `limit`: the run was given up (too many steps, or a loop that would never end).
"""


@dataclass(frozen=True, slots=True)
class Event:
    """One execution of one operation at which something happened; `element` is the first lane concerned, `hits` all.

    `address` is in bytes from the start of `storage` (None for a wild pointer), where the view is [lower, upper) and
    the storage has `extent` bytes; `size` bytes are accessed. `value`: the exact result of what wraps, or the address
    or value at fault.
    """

    kind: str
    op: Op
    span: Span
    program: tuple[int, int, int]
    element: tuple[int, ...] = ()
    iteration: tuple[int, ...] = ()
    storage: int | None = None
    address: int | None = None
    extent: int | None = None
    size: int = 0
    value: Any = None
    detail: str = ""
    lower: int | None = None
    upper: int | None = None
    count: int = 1
    hits: Array | None = field(default=None, compare=False, repr=False)
    source: Op | None = field(default=None, compare=False, repr=False)
    """For `wrap_used`, `undef_used` and accesses at a marked address: the operation that the mark comes from."""


@dataclass(frozen=True, slots=True)
class Passed:
    """How often a program did something in which its threads meet.

    `exchanges`: operations that combine elements of different lanes or may hand them to others (reductions, dot products,
    transpositions …). `atomics`: those of one element, whose result all threads are given.
    """

    barriers: int = 0
    exchanges: int = 0
    atomics: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """The lanes of one memory operation that touch one storage; arrays have the shape of the operation's pointer.

    `kind` is load, store or atomic. `offsets` are bytes from the start of the storage, valid where `active`;
    lanes out of bounds are not active. `values`: what was read or written, the operand for an atomic.

    Of active lanes in row-major order: `raw` are the bytes that a store writes, one row a lane; `defined` whether they
    are known; `wrote` whether an atomic changed memory, which a compare and swap that fails does not. `passed`: what the
    program had done before that its threads do together.
    """

    op: Op
    kind: str
    program: tuple[int, int, int]
    iteration: tuple[int, ...]
    storage: int
    offsets: Array
    active: Array
    size: int
    values: Array
    raw: Array | None = None
    defined: Array | None = None
    wrote: Array | None = None
    passed: Passed = Passed()


@dataclass(slots=True)
class Trace:
    """Events in order. `complete` is false where a program was given up or `stop_at_first` ended the run."""

    events: list[Event] = field(default_factory=list)
    steps: int = 0
    complete: bool = True

    def of(self, *kinds: str) -> list[Event]:
        """The events of some kinds."""
        return [e for e in self.events if e.kind in kinds]


class Stop(Exception):
    """Ends the program (`everything` false) or the whole run."""

    def __init__(self, everything: bool = False) -> None:
        super().__init__()
        self.everything = everything


class Recorder:
    """Collects the events of a run, and numbers the operations that marks refer to."""

    def __init__(self, trace: Trace, on_access: Callable[[Access], None] | None, stop_kinds: frozenset[str]) -> None:
        self.trace = trace
        self.on_access = on_access
        self.stop_kinds = stop_kinds
        self.program = (0, 0, 0)
        self.iteration: list[int] = []
        self.passed = Passed()
        self._origins: list[Op] = []
        self._numbers: dict[int, int] = {}

    def number(self, op: Op) -> int:
        """The mark, from 1, that stands for `op`."""
        found = self._numbers.get(id(op))
        if found is None:
            self._origins.append(op)
            found = self._numbers[id(op)] = len(self._origins)
        return found

    def origin(self, mark: int) -> Op:
        """The operation that a mark stands for."""
        return self._origins[mark - 1]

    def event(self, kind: str, op: Op, hits: Array | None = None, **details: Any) -> None:
        """Record an event; `hits` are the lanes concerned (at least one), None for an operation as a whole.

        Raises Stop where events of this kind end the run.
        """
        element: tuple[int, ...] = ()
        count = 1
        if hits is not None:
            element, count = first_hit(hits), int(np.count_nonzero(hits))
        self.trace.events.append(
            Event(kind, op, op.span, self.program, element, tuple(self.iteration), count=count, hits=hits, **details)
        )
        if kind in self.stop_kinds:
            raise Stop(everything=True)

    def used(self, op: Op, undef: Array | None, wrapped: Array | None, where: str, hits: Array) -> None:
        """Report marks that reach an address, a mask or a branch in the lanes `hits`."""
        for mark, kind in ((wrapped, "wrap_used"), (undef, "undef_used")):
            if mark is None:
                continue
            marked = hits & (mark != 0)
            if marked.any():
                source = self.origin(int(np.broadcast_to(mark, marked.shape)[first_hit(marked)]))
                self._report_use(op, kind, source, where, marked)

    def _report_use(self, op: Op, kind: str, source: Op, where: str, marked: Array) -> None:
        if kind == "undef_used" and isinstance(source, Opaque | Unary):
            name = source.name if isinstance(source, Opaque) else source.fn
            self.event("unsupported", op, marked, source=source, detail=f"{where} depends on `{name}` at {source.span}")
            return
        verb = "derives from an operation that wraps" if kind == "wrap_used" else "depends on an undefined value made"
        self.event(kind, op, marked, source=source, detail=f"{where} {verb} at {source.span}")


def first_hit(hits: Array) -> tuple[int, ...]:
    """Index of the first true lane in row-major order."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(hits)), hits.shape))
