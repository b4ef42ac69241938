"""Accesses of a concrete launch that meet without an order, found byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from argus_smt.interp.events import Access


@dataclass(frozen=True, slots=True)
class Touch:
    """One lane of one access at one byte; `value` is what it writes there."""

    program: tuple[int, int, int]
    kind: str
    line: int
    value: object


@dataclass(slots=True)
class Meetings:
    """Feed it every access of a launch; `faults` are pairs that race, and lanes of one store that disagree."""

    touched: dict[tuple[int, int], list[Touch]] = field(default_factory=dict)
    lanes: list[tuple[str, int]] = field(default_factory=list)

    def note(self, access: Access) -> None:
        """An access; masked lanes touch nothing."""
        own: dict[int, object] = {}
        for at in np.argwhere(access.active):
            lane = tuple(at)
            value = np.broadcast_to(access.values, access.offsets.shape)[lane]
            for b in range(access.size):
                byte = int(access.offsets[lane]) + b
                if access.kind == "store" and not _same(own.setdefault(byte, value), value):
                    self.lanes.append(("AR403", access.op.span.line))
                self.touched.setdefault((access.storage, byte), []).append(
                    Touch(access.program, access.kind, access.op.span.line, value)
                )

    def faults(self) -> Iterator[tuple[str, int]]:
        """Code and line of every fault; a race has the line of the writer."""
        yield from self.lanes
        for touches in self.touched.values():
            writers = [t for t in touches if t.kind != "load"]
            for a in writers:
                for b in touches:
                    if a.program != b.program:
                        yield from self._pair(a, b)

    def _pair(self, a: Touch, b: Touch) -> Iterator[tuple[str, int]]:
        if a.kind == b.kind == "atomic":
            return
        if b.kind == "load":
            yield "AR402", a.line
        elif not (a.kind == b.kind == "store" and _same(a.value, b.value)):
            yield "AR401", a.line


def _same(a: object, b: object) -> bool:
    return bool(a == b) or (a != a and b != b)
