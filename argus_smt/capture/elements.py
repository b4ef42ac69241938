"""What is known of the integers inside tensors: their range, where they come from, and numbers that the host reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from argus_smt.capture.domain import bounds
from argus_smt.capture.record import Record, pointer_of
from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.world import World, storage_key
from argus_smt.ir.launch import Facts, Symbol
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_PICKS = ("clone", "contiguous", "select", "slice", "view", "_unsafe_view", "reshape", "permute", "transpose", "t",
          "unsqueeze", "squeeze", "expand", "alias", "detach", "flip", "index", "index_select", "repeat", "unbind",
          "amax", "amin", "max", "min", "sort", "_to_copy", "take", "roll", "lift_fresh")  # fmt: skip
"""Operations whose (first) result holds only elements of their first operand."""
_JOINS = ("cat", "stack", "max", "min", "maximum", "minimum")
"""Operations each of whose elements is one of some operand's."""

Span2 = tuple[Term, Term]


@dataclass(frozen=True, slots=True)
class Known:
    """Of one tensor: bounds of its elements, the allocation it looks into, and the input it picks its elements from."""

    range: Span2 | None
    home: int
    source: int | None


class Elements:
    """Knowledge of integer contents along one run, by tensor object."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[int, Known] = {}
        self._read: dict[str, int] = {}
        """Symbols that stand for elements of an input, with its allocation."""

    def adopt(self, t: torch.Tensor, facts: Facts | None) -> None:
        """An input that nothing has touched yet."""
        range_ = None
        if facts is not None and facts.lower is not None and facts.upper is not None:
            range_ = (facts.lower, facts.upper)
        elif facts is not None and facts.values:
            range_ = (T.const(min(facts.values)), T.const(max(facts.values)))
        free = facts is None or facts == Facts(lower=facts.lower, upper=facts.upper)
        self._set(t, range_, storage_key(t) if free else None)

    def _set(self, t: torch.Tensor, range_: Span2 | None, source: int | None) -> None:
        if is_integer(t) and (range_ is not None or source is not None):
            self._known[id(t)] = Known(range_, storage_key(t), source)

    def range(self, t: torch.Tensor) -> Span2 | None:
        """Bounds of the elements, if there are any besides the type's."""
        known = self._known.get(id(t))
        return None if known is None else known.range

    def forget(self, t: torch.Tensor) -> None:
        """The allocation behind `t` is written: what was known of any view of it no longer holds."""
        key = storage_key(t)
        for ident in [i for i, k in self._known.items() if k.home == key]:
            del self._known[ident]

    def fill(self, t: torch.Tensor, value: int) -> None:
        """All elements are `value`."""
        if fits_type(value, t.dtype):
            self._set(t, (T.const(value), T.const(value)), None)

    # ------------------------------------------------------------ operations

    def derive(self, func: Any, name: str, operands: Sequence[torch.Tensor], outs: Sequence[torch.Tensor]) -> None:
        """What follows for the results of an operation that writes nothing else."""
        if func._schema.overload_name == "dtype" or not operands:  # reads the same bytes as another type
            return
        if name in ("sum", "cumsum") and len(operands) == 1 and outs:
            self._total(operands[0], outs[0], name == "sum" and outs[0].dim() == 0)
            return
        chosen = list(operands[1:] if name == "where" else operands)
        for i, out in enumerate(outs):
            if i and name != "unbind":
                break
            if (name in _PICKS and len(chosen) == 1) or name in ("index", "index_select", "take"):
                self._pick(chosen[0], out)
            elif name in (*_JOINS, "where") and len(chosen) > 1 and all(c.dtype == out.dtype for c in chosen):
                joined = self._join(chosen)
                if joined is not None:
                    self._set(out, joined, None)

    def _pick(self, operand: torch.Tensor, out: torch.Tensor) -> None:
        known = self._known.get(id(operand))
        if known is None:
            return
        if operand.dtype == out.dtype or self._fits(known.range or of_type(operand.dtype), out.dtype):
            self._set(out, known.range or of_type(operand.dtype), known.source)

    def _total(self, operand: torch.Tensor, out: torch.Tensor, whole: bool) -> None:
        """Sums of elements: of all of them (`whole`), or of any number of them."""
        range_ = self.range(operand) or (of_type(torch.bool) if operand.dtype is torch.bool else None)
        if range_ is None or out.dtype is not torch.int64:
            return
        try:
            count = T.ONE
            for size in operand.shape:
                count = count * self.world.term(size)
        except Untranslatable:
            return
        low, high = count * range_[0], count * range_[1]
        if not whole:
            low, high = T.minimum(range_[0], low), T.maximum(range_[1], high)
            if not self.world.oracle.known(T.ge(count, 1)):
                low, high = T.minimum(low, T.ZERO), T.maximum(high, T.ZERO)
        least, most = of_type(torch.int64)
        for part in (T.le(least, low), T.le(high, most)):
            if not self.world.oracle.known(part):
                self.world.assume(part, "sums over a tensor fit in 64 bits")
        self._set(out, (low, high), None)

    def _fits(self, range_: Span2, dtype: torch.dtype) -> bool:
        """Whether a conversion keeps all values; others are cut off."""
        if dtype.is_floating_point or dtype.is_complex:
            return False
        low, high = of_type(dtype)
        known = self.world.oracle.known
        return known(T.le(low, range_[0])) and known(T.le(range_[1], high))

    def _join(self, operands: Iterable[torch.Tensor]) -> Span2 | None:
        out: Span2 | None = None
        for t in operands:
            r = self.range(t)
            if r is None:
                return None
            out = r if out is None else (T.minimum(out[0], r[0]), T.maximum(out[1], r[1]))
        return out

    # ------------------------------------------------------------ numbers

    def item(self, t: torch.Tensor, out: Any) -> None:
        """`out` is a number read from `t`: a symbol within what is known of the elements."""
        if not isinstance(out, torch.SymInt) or out.node.expr in self.world.names:
            return
        known = self._known.get(id(t), Known(None, 0, None))
        line = self.world.oracle.asker()[0].line
        own = of_type(t.dtype)
        term = self.world.adopt(out.node.expr, known.range, f"a number that line {line} reads from a tensor")
        self._bound(term, own, "")
        if known.range is not None:
            self._bound(term, known.range, f"`{term}` is read from a tensor with a stated range")
        if known.source is not None:
            self._read[term.data] = known.source

    def _bound(self, term: Term, r: Span2, text: str) -> None:
        registry = self.world.registry
        parts = (T.le(r[0], term), T.le(term, r[1]))
        self.world.oracle.hypotheses += parts
        old = registry.symbols[term.data]
        lower, upper = (x.value if x.op == "const" else None for x in r)
        new = replace(old, lower=old.lower if lower is None else lower, upper=old.upper if upper is None else upper)
        registry.symbols[term.data] = new
        for part in parts:
            if text and part not in bounds((new,)):
                registry.assumed.setdefault(part, text)

    def settle(self, records: Sequence[Record], idents: dict[int, int], tied: Collection[int]) -> None:
        """At the end of a run: numbers that say nothing about any other reading of the same input are followed.

        `idents` gives the storage of each allocation, `tied` are those read in other ways too. A kernel that sees the
        input sees what the number came from.
        """
        passed = {p.arg.storage for r in records for _, a in r.arguments if (p := pointer_of(a)) is not None}
        times = Counter(self._read.values())
        symbols = self.world.registry.symbols
        for name in self.world.adopted:
            source = self._read.get(name)
            free = source is not None and times[source] == 1 and idents.get(source) not in {*passed, *tied}
            if not free:
                self.world.registry.unfollowed.add(name)
            kind = "unfollowed" if name in self.world.registry.unfollowed else "data"
            symbols[name] = Symbol(name, kind, symbols[name].lower, symbols[name].upper, symbols[name].about)


def is_integer(t: torch.Tensor) -> bool:
    """Integers and booleans."""
    return not t.dtype.is_floating_point and not t.dtype.is_complex


def of_type(dtype: torch.dtype) -> Span2:
    """All values of an integer type."""
    if dtype == torch.bool:
        return T.ZERO, T.ONE
    info = torch.iinfo(dtype)
    return T.const(info.min), T.const(info.max)


def fits_type(value: int, dtype: torch.dtype) -> bool:
    """Whether an integer type has the value."""
    if dtype.is_floating_point or dtype.is_complex:
        return False
    low, high = of_type(dtype)
    return bool(low.value <= value <= high.value)
