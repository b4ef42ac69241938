"""Numbers that the host reads from index tensors, tied to the elements they come from.

An element of an input is a symbol, and what is stated of the tensor says that this element equals it. The greatest (or
least) element bounds all others and equals one, at a place that is a symbol too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from argus_smt.capture.computed import Computed, Unknown, followable
from argus_smt.capture.domain import bounds
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.frames import of_user, outside_engine
from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.world import World
from argus_smt.ir.launch import INDEX, Facts, Storage, Symbol
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

MOST = 64
"""So many elements are read into a list."""
_LAST = (1 << 63) - 1
_OVER_PLACES = ", over all places"
"""End of the reasons of products of symbols, which other questions do without."""


class Picked:
    """Symbols for elements along one run. `storage` and `keep` give and take the allocation of a number."""

    def __init__(
        self, world: World, computed: Computed, storage: Callable[[int], Storage | None], keep: Callable[[Storage], None]
    ) -> None:
        self.world, self.computed = world, computed
        self._storage, self._keep = storage, keep
        self.touched: set[int] = set()
        """Allocations that a kernel may have written."""
        self.tied: set[int] = set()
        """Allocations of which elements have symbols."""

    def number(self, t: torch.Tensor) -> Term | None:
        """The one element of `t`; None where it is not followed."""
        if not followable(t) or t.dtype is torch.bool:
            return None
        try:
            found = self.computed.read(t, (T.ZERO,) * t.dim())
        except (Unknown, Untranslatable):
            return None
        return None if found.sort is Sort.BOOL else self._over_symbols(found)

    def extreme(self, name: str, args: Any, out: torch.Tensor) -> Term | None:
        """The greatest or least element of an input or of the differences of its neighbours; None for other tensors."""
        t = args[0]
        if out.dim() or t.dim() != 1 or not followable(t) or t.dtype is torch.bool:
            return None
        try:
            values = self.computed.read(t, INDEX[:1])
            count = self.world.term(t.shape[0])
        except (Unknown, Untranslatable):
            return None
        greatest = name in ("max", "amax")
        for cell in values.apps:
            s = self._whole(cell)
            if s is None or not self.world.oracle.known(T.ge(count, 1)):
                continue
            if values is cell and count is s.shape[0]:
                return self._extreme(s, greatest)
            later = T.app(cell.data, (INDEX[0] + 1) * element(s.dtype).nbytes)
            if greatest and count is s.shape[0] - 1 and self._difference(values, later, cell, s):
                return self._widest(s)
        return None

    # ------------------------------------------------------------ elements

    def _over_symbols(self, found: Term) -> Term | None:
        mapping: dict[Term, Term] = {}
        for cell in sorted(found.apps, key=lambda a: a.ident):  # what an index is made of comes first
            at = T.substitute(cell, mapping)
            symbol = self._element(at)
            if symbol is None:
                return None
            mapping[cell] = symbol
        return T.substitute(found, mapping)

    def _place(self, cell: Term) -> tuple[Storage, Term] | None:
        """The allocation of one contiguous dimension that a cell is in, and its index there."""
        if cell.op != "app" or not cell.data.startswith("m"):
            return None
        ident = int(cell.data[1:].split(":")[0])
        s = self._storage(ident)
        if s is None or ident in self.touched or len(s.shape) != 1 or s.strides != (T.ONE,):
            return None
        if s.contents != "input" and (s.facts is None or s.facts.running is None):
            return None
        place = T.quotient(cell.args[0], T.const(element(s.dtype).nbytes))
        return None if place is None else (s, place)

    def _whole(self, cell: Term) -> Storage | None:
        """The input that a cell over the first index goes through."""
        found = self._place(cell)
        return found[0] if found is not None and found[1] is INDEX[0] and found[0].contents == "input" else None

    def _element(self, cell: Term) -> Term | None:
        found = self._place(cell)
        if found is None or found[1].apps:
            return None
        s, at = found
        for (known_at,), value in (s.facts or Facts()).elements:
            if known_at is at or self.world.oracle.known(T.eq(known_at, at)):
                return value
        name = s.name or "sum"
        symbol = self._symbol(f"{name}_at_{at}" if at.op in ("const", "var") else name, s, f"element {at}", at)
        self._tie(s, at, symbol)
        return symbol

    def _symbol(self, wish: str, s: Storage, what: str, at: Term) -> Term:
        """A symbol within what is stated of the elements; the same on every path for the same thing."""
        facts = s.facts or Facts()
        key = (what, s.ident, f"{s.name} {at}", str(facts))
        readings = self.world.registry.readings
        if key not in readings:
            readings[key] = self.world.registry.name(wish)
        bits = element(s.dtype).bits
        least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        lower = facts.lower.value if facts.lower is not None and facts.lower.is_const else least
        upper = facts.upper.value if facts.upper is not None and facts.upper.is_const else most
        kind = "data" if s.contents == "input" and _free(facts) else "unfollowed"
        return self._register(
            Symbol(readings[key], kind, lower, upper, f"{what} of {f'`{s.name}`' if s.name else 'a running sum'}")
        )

    def _register(self, symbol: Symbol) -> Term:
        out = self.world.register(symbol)
        self.world.oracle.hypotheses += bounds((symbol,))
        return out

    def _tie(self, s: Storage, at: Term, value: Term, top: bool = False, low: bool = False) -> None:
        """From now on the element at `at` is `value`; what follows for it is taken for granted, as the signature says it."""
        facts = s.facts or Facts()
        text = f"`{value}` is an element of `{s.name or 'a running sum'}`"
        inside = T.and_(T.ge(at, 0), T.lt(at, s.shape[0]))
        for part in self._follows(s, facts, at, value):
            self._assume(inside, part, text)
        if top or low:
            facts = replace(facts, upper=value if top else facts.upper, lower=value if low else facts.lower)
        facts = replace(facts, elements=(*facts.elements, ((at,), value)))
        self.tied.add(s.ident)
        self._keep(replace(s, facts=facts))

    def _follows(self, s: Storage, facts: Facts, at: Term, x: Term) -> Iterator[Term]:
        """What the signature states of an element, alone and beside those that are known."""
        if facts.lower is not None:
            yield T.le(facts.lower, x)
        if facts.upper is not None:
            yield T.le(x, facts.upper)
        if facts.values:
            yield T.or_(*(T.eq(x, v) for v in facts.values))
        for (other,), y in facts.elements:
            there = T.and_(T.ge(other, 0), T.lt(other, s.shape[0]))
            yield T.implies(T.and_(there, T.eq(at, other)), T.eq(x, y))
            if facts.distinct:
                yield T.implies(T.and_(there, T.ne(at, other)), T.ne(x, y))
            if facts.nondecreasing:
                yield T.implies(T.and_(there, T.le(at, other)), T.le(x, y))
                yield T.implies(T.and_(there, T.le(other, at)), T.le(y, x))
            if facts.steps is not None:
                low, high = facts.steps
                between = T.and_(T.le((at - other) * low, x - y), T.le(x - y, (at - other) * high))
                yield T.implies(T.and_(there, T.le(other, at)), between)

    def _assume(self, where: Term, part: Term, text: str) -> None:
        """Take for granted that `part` holds if `where` does; as little is said as is needed on all paths."""
        registry, domain = self.world.registry, self.world.registry.domain
        simple = [t for t, why in registry.assumed.items() if not why.endswith(_OVER_PLACES)]
        base = [*domain.hypotheses, *bounds(tuple(registry.symbols.values())), *simple]

        def always(t: Term) -> bool:
            return registry.session.implied(base, t) is True

        needed = T.implies(T.and_(*(t for t in T.conjuncts(where) if not always(t))), part)
        if not always(needed):
            self.world.assume(needed, text)
        elif needed in registry.assumed:
            self.world.oracle.hypotheses.append(needed)

    # ------------------------------------------------------------ extremes

    def _extreme(self, s: Storage, greatest: bool) -> Term:
        facts = s.facts or Facts()
        what = "greatest" if greatest else "least"
        at = self._somewhere(s, what, s.shape[0])
        found = self._symbol(f"{'max' if greatest else 'min'}_{s.name}", s, f"the {what} element", at)
        for (other,), y in facts.elements:
            there = T.and_(T.ge(other, 0), T.lt(other, s.shape[0]))
            self._assume(there, T.le(y, found) if greatest else T.le(found, y), f"`{found}` is the {what} of `{s.name}`")
        self._tie(s, at, found, top=greatest, low=not greatest)
        return found

    def _somewhere(self, s: Storage, what: str, count: Term) -> Term:
        """The place of an extreme: a symbol that is an index if there is any."""
        key = (f"place of the {what}", s.ident, s.name, str(s.facts))
        readings = self.world.registry.readings
        if key not in readings:
            readings[key] = self.world.registry.name(f"place_in_{s.name}")
        last = max(count.value - 1, 0) if count.is_const else _LAST
        at = self._register(Symbol(readings[key], "data", 0, last, f"place of the {what} in `{s.name}`"))
        self._assume(T.ge(count, 1), T.lt(at, count), f"`{at}` is a place in `{s.name}`")
        return at

    def _difference(self, values: Term, later: Term, cell: Term, s: Storage) -> bool:
        """Whether `values` are differences of neighbours, none of which is cut off in its type."""
        facts = s.facts or Facts()
        if facts.steps is not None or facts.lower is None or facts.upper is None:
            return False
        span = facts.upper - facts.lower
        if not self.world.oracle.known(T.lt(span, 1 << (element(s.dtype).bits - 1))):
            return False
        exact = later - cell
        low = -(1 << (element(s.dtype).bits - 1))
        return values is exact or values is T.mod(exact - low, T.const(1 << element(s.dtype).bits)) + low

    def _widest(self, s: Storage) -> Term:
        """The greatest difference of neighbours bounds all steps, and is one of them."""
        facts = s.facts or Facts()
        assert facts.lower is not None
        assert facts.upper is not None
        at = self._somewhere(s, "greatest step", s.shape[0] - 1)
        first = self._symbol(f"start_in_{s.name}", s, "the element before the greatest step", at)
        key = ("the greatest step", s.ident, s.name, str(facts))
        readings = self.world.registry.readings
        if key not in readings:
            readings[key] = self.world.registry.name(f"step_{s.name}")
        kind = "data" if _free(facts) else "unfollowed"
        step = self._register(Symbol(readings[key], kind, None, None, f"the greatest step of `{s.name}`"))
        least = T.ZERO if facts.nondecreasing else facts.lower - facts.upper
        for part in (T.le(least, step), T.le(step, facts.upper - facts.lower)):
            self._assume(T.TRUE, part, f"`{step}` is the greatest step of `{s.name}`")
        self._tie(s, at, first)
        self._tie(self._storage(s.ident) or s, at + 1, first + step)
        s = self._storage(s.ident) or s
        facts = s.facts or Facts()
        for (a,), x in facts.elements:
            for (b,), y in facts.elements:
                if a is not b:
                    places = T.and_(T.le(0, a), T.le(a, b), T.lt(b, s.shape[0]))
                    self._assume(
                        places, T.le(y - x, (b - a) * step), f"`{step}` is the greatest step of `{s.name}`{_OVER_PLACES}"
                    )
        self._keep(replace(s, facts=replace(facts, steps=(least, step))))
        return step


def _free(facts: Facts) -> bool:
    """Whether elements that meet what `_follows` says can always be completed to a tensor."""
    bound = facts.distinct or facts.distinct_except is not None or facts.steps is not None or facts.covering is not None
    return not bound and not (facts.values and facts.nondecreasing) and not facts.exact


def as_list(world: World, tensor: torch.Tensor) -> Any:
    """`tensor.tolist()` for integers of a known number; ends the path for others, and says which contract to state."""
    whole = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex and tensor.dtype is not torch.bool
    if whole and not tensor.dim():
        return tensor.item()
    size: Any = tensor.shape[0] if tensor.dim() else 0
    if whole and isinstance(size, torch.SymInt):
        only = world.oracle.session.values(world.oracle.hypotheses, world.term(size), 1)
        size = only[0] if only is not None and len(only) == 1 else size
    if whole and isinstance(size, int) and size <= MOST:
        return [as_list(world, tensor[i]) for i in range(size)]
    span, _ = world.oracle.asker()
    world.oracle.stop(PathEnd(f"line {span.line} reads the contents of a tensor into a list; {contract(world)}", span))
    raise AssertionError


def contract(world: World) -> str:
    """Which contract stands for the code that reads contents: of the function around it, if that is not the launcher."""
    frame = of_user(outside_engine())
    name = frame.f_code.co_name if frame is not None else ""
    if frame is None or name == world.registry.domain.signature.name or not name.isidentifier():
        where = "move what is computed from it into a function, and state what that returns"
        return f"{where}, as in `helper plan(lens) -> int in [1, 64]`"
    params = ", ".join(frame.f_code.co_varnames[: frame.f_code.co_argcount])
    return f"state what the function around it returns, as in `helper {name}({params}) -> int in [1, 64]`"
