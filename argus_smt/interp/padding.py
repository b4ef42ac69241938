"""Runs that ask what padding does: undefined lanes hold a chosen number, or one operation leaves padding lanes out.

While such a run goes on, lanes that a masked load fills are marked (as if they came from an operation that wraps), and the
marks travel as they do for wrapped results: through arithmetic, to reductions, which take them off unless all lanes of a
row are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from argus_smt.interp.lanes import Array, Lanes, choose
from argus_smt.ir.ops import Op

Combine = Callable[[Sequence[Lanes]], list[Lanes]]
Run = Callable[[Sequence[Lanes], Combine], list[Lanes]]


@dataclass(slots=True)
class Substitution:
    """`op` leaves padding out if `skip`; else its undefined lanes hold `fill`. `accumulating`: sums kept in loops, by id.

    `settled`: an infinity less the same infinity is 0, and not NaN.
    """

    op: Op
    skip: bool = False
    fill: float = 0.0
    accumulating: frozenset[int] = frozenset()
    settled: bool = False
    marks: set[int] = field(default_factory=set)
    """Numbers of the operations whose marks stand for padding."""
    left_out: list[tuple[tuple[int, int, int], tuple[int, ...], float | int]] = field(default_factory=list)
    """Program, lane and number of the first padding that each execution of `op` met."""

    def padding(self, x: Lanes) -> Array:
        """Which lanes are padding."""
        if x.wrapped is None:
            return np.zeros(x.shape, bool)
        return np.broadcast_to(np.isin(x.wrapped, list(self.marks)), x.shape)

    def unmarked(self, x: Lanes, kept: Array | None = None) -> Lanes:
        """The value without marks of padding, but where `kept`."""
        if x.wrapped is None and kept is None:
            return x
        wrapped = np.zeros(x.shape, np.int32) if x.wrapped is None else np.where(self.padding(x), np.int32(0), x.wrapped)
        if kept is not None and self.marks:
            wrapped = np.where(kept, np.int32(next(iter(self.marks))), wrapped)
        return x.marked(x.undef, wrapped)

    def note(self, program: tuple[int, int, int], pads: Array, values: Array) -> None:
        """Remember the first lane that is left out."""
        if pads.any():
            at = tuple(int(i) for i in np.unravel_index(int(np.argmax(pads)), pads.shape))
            self.left_out.append((program, at, np.broadcast_to(values, pads.shape)[at].item()))

    def fold(
        self, op: Op, program: tuple[int, int, int], operands: Sequence[Lanes], axis: int | None, how: Combine, run: Run
    ) -> list[Lanes]:
        """A reduction along `axis`, or a scan if that is None; `run` does it."""
        pads = np.logical_or.reduce([self.padding(x) for x in operands])
        plain = [self.unmarked(x) for x in operands]
        if op is self.op and self.skip:
            self.note(program, pads, operands[0].data)
            made = run([*plain, Lanes((~pads).astype(np.int64))], _skipping(how))[:-1]
        else:
            made = run(plain, how)
        whole = pads if axis is None else pads.all(axis=axis)
        return [self.unmarked(x, whole) for x in made]

    def product(self, op: Op, program: tuple[int, int, int], a: Lanes, b: Lanes) -> tuple[Lanes, Lanes, Array]:
        """Both factors of a product, and which of its results are padding."""
        first, second = self.padding(a), self.padding(b)
        counted = np.matmul((~first).astype(np.int64), (~second).astype(np.int64))
        a, b = self.unmarked(a), self.unmarked(b)
        if op is self.op and self.skip:
            self.note(program, first, a.data)
            self.note(program, second, b.data)
            a = Lanes(np.where(first, np.zeros_like(a.data), a.data), a.view, a.undef, a.wrapped)
            b = Lanes(np.where(second, np.zeros_like(b.data), b.data), b.view, b.undef, b.wrapped)
        return a, b, counted == 0

    def difference(self, out: Lanes, a: Lanes, b: Lanes) -> Lanes:
        """The result of a subtraction of floats."""
        if not self.settled:
            return out
        alike = np.broadcast_to(np.isinf(a.data) & (a.data == b.data), out.shape)
        return Lanes(np.where(alike, np.zeros_like(out.data), out.data), out.view, out.undef, out.wrapped)

    def accumulated(self, op: Op, program: tuple[int, int, int], out: Lanes, a: Lanes, b: Lanes) -> Lanes:
        """The result of a sum that a loop keeps: it is not padding, and does without it if it is the one that is asked about."""
        if op is self.op and self.skip:
            first, second = (np.broadcast_to(self.padding(x), out.shape) for x in (a, b))
            self.note(program, second & ~first, b.data)
            self.note(program, first & ~second, a.data)
            wide = [x.map(lambda part: np.broadcast_to(part, out.shape)) for x in (a, b)]
            out = choose(first & ~second, wide[1], choose(second & ~first, wide[0], out))
        return self.unmarked(out)


def _skipping(how: Combine) -> Combine:
    """Combination of elements that come with whether they count."""

    def combined(parts: Sequence[Lanes]) -> list[Lanes]:
        half = len(parts) // 2
        left, right = parts[: half - 1], parts[half:-1]
        here, there = parts[half - 1].data != 0, parts[-1].data != 0
        both = how([*left, *right])
        out = [choose(here & there, x, choose(here, a, b)) for x, a, b in zip(both, left, right, strict=True)]
        return [*out, Lanes((here | there).astype(np.int64))]

    return combined
