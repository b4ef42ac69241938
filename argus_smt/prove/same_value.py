"""Whether two instances of a store write the same value where they meet: what the value is made from is then equal."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.absint.facts import Access, Facts
from argus_smt.absint.uniform import PROGRAM, Axes
from argus_smt.absint.values import NOWHERE
from argus_smt.ir import ops as I
from argus_smt.ir.launch import Arg, PointerArg, members_of
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import operands, results, walk
from argus_smt.obligations.pairs import Pair
from argus_smt.prove.twins import Twins
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


class SameValue:
    """Answers for the stores of one kernel."""

    def __init__(self, kernel: I.Kernel, facts: Facts, args: tuple[Arg, ...], uniform: dict[int, Axes]) -> None:
        self._uniform = uniform
        self._made = {r.number: op for op in walk(kernel.body) for r in results(op)}
        self._reads = {id(a.op): a for a in facts.accesses if a.kind == "read"}
        self._written = {s for a in facts.accesses if a.kind != "read" for s in _storages(a, args)}
        self._args = args
        self._integers = facts.integers
        self._all_known = not any(lost.kind != "read" for lost in facts.lost)

    def along(self, access: Access, axes: set[int]) -> bool:
        """Whether the stored value repeats itself along these axes of its tile."""
        assert isinstance(access.op, I.Store)
        return axes <= self._uniform[access.op.value.number]

    def holds(self, pair: Pair, twins: Twins) -> bool:
        """Whether both sides write the same value."""
        a, b = pair.first.access, pair.second.access
        if not (isinstance(a.op, I.Store) and isinstance(b.op, I.Store)):
            return False
        if a.op is b.op and self.along(a, {PROGRAM, *range(len(a.shape))}):
            return True
        x, y = self._integer(a.op.value, a), self._integer(b.op.value, b)
        if x is not None and y is not None and twins.equal(x, twins.other(y)):
            return True
        if a.op is not b.op:
            return False
        known = self._leaves(a.op.value, a, set(twins.facts))
        return known is not None and all(twins.equal(t, twins.other(t)) for t in dict.fromkeys(known))

    def _integer(self, value: I.Value, access: Access) -> Term | None:
        """An integer, if what it takes for granted is taken for granted of the access anyway."""
        found = self._integers.get(value.number)
        given = access.pointer.guards | access.mask_guards | access.scope.guards
        return found.term if found is not None and found.guards <= given else None

    def _leaves(self, value: I.Value, access: Access, held: set[Term]) -> list[Term] | None:
        """What a value is a function of, element by element; None if that is not known."""
        out: list[Term] = []
        work, seen = [value], set()
        while work:
            v = work.pop()
            if v.number in seen:
                continue
            seen.add(v.number)
            term = self._integer(v, access)
            if term is not None:
                out.append(term)
                continue
            op = self._made.get(v.number)
            match op:
                case I.Const():
                    continue
                case I.Splat() | I.Unary() | I.Binary() | I.Fma() | I.Cmp() | I.Select() | I.Cast():
                    if any(shape_of(o.type) not in (access.shape, ()) for o in operands(op)):
                        return None
                    work += operands(op)
                case I.Load() if id(op) in self._reads:
                    terms = self._of_load(op, held)
                    if terms is None:
                        return None
                    out += terms
                    work += [op.other] if op.other is not None else []
                case _:
                    return None
        return out

    def _of_load(self, op: I.Load, held: set[Term]) -> list[Term] | None:
        """Address and mask of a load of what nobody writes meanwhile."""
        access = self._reads[id(op)]
        if op.volatile or op.sem or not self._all_known or self._written & set(_storages(access, self._args)):
            return None
        if op.other is None and not held >= set(T.conjuncts(access.mask)):
            return None  # lanes that are switched off hold nothing in particular
        if any(t.arg == NOWHERE for t in access.pointer.targets):
            return None
        terms = [x for t in access.pointer.targets for x in (t.cond, t.offset, t.member)]
        return [access.mask, *(x for x in terms if x is not None)]


def _storages(access: Access, args: tuple[Arg, ...]) -> Iterator[int]:
    for target in access.pointer.targets:
        arg = args[target.arg] if target.arg != NOWHERE else None
        if isinstance(arg, PointerArg):
            yield arg.storage if target.member is None else members_of(arg.storage)
