"""Order between programs by atomics: locks, turns, flags and counters, recognised and checked symbolically.

What orders an access x of program p before an access y of program q: p releases a cell after x, all its threads having met
since, and q acquires from that release, or from a later one that goes on from it, before y. Which release it was is only
known from the value that q found. Four idioms are understood; theorems, each for one cell, over every execution:

- *Lock.* A cell starts at r. Programs change it only by compare-and-swap from r to something else, or back to r after a
  compare-and-swap of their own that found r, with nothing of theirs on the cell between. Then what stands between finding r
  and putting r back is never done by two programs at once, and all such sections are in order.
- *Turn.* A cell starts at a number. A program puts v there only after it found v - 1, and two programs never put the same v.
  Then a program that finds v - 1 comes after all that put smaller numbers, one acquiring from the other: sections are in order.
- *Flag.* Only fixed values are put into the cell. q found a value that is not the initial one, and of all operations that
  might have put it there, in whichever program, each stands behind x in program p.
- *Counter.* The cell starts at c and each program adds 1 at most once. q found at least c + N, where at most N programs add to
  the cell (or c + N - 1 by its own addition): then all others have added, p among them.
- *Ticket.* Values that additions to one cell find are distinct, and a cell leaves a value at most once if nothing puts it
  there: what is chosen by such a number is one program's.

Read-modify-writes continue the release that they read from, as in C++ and PTX; scope `cta` orders no other program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from argus_smt.absint.facts import Access, Scope
from argus_smt.absint.values import PIDS
from argus_smt.encodings.instances import Other
from argus_smt.encodings.sizes import NamedSizes
from argus_smt.ir.place import Places
from argus_smt.obligations.obligation import Reach
from argus_smt.obligations.pairs import Pair
from argus_smt.prove.cells import ACQUIRES, RELEASES, CellOp, Cells, Taken, all_cells, taken_before
from argus_smt.prove.context import Context
from argus_smt.prove.tickets import unique
from argus_smt.prove.twins import Twins
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

ONE_THREAD = "a single element is accessed by the thread that makes the program's atomics of one element"
NO_WRAP = "fewer than 2**31 additions are made to one counter"


@dataclass(slots=True)
class Orders:
    """What is recognised in one case; asked for each pair of accesses that may meet.

    `lenient` takes any atomic for one that acquires and releases at any scope, with no barrier needed: what will have been meant.
    """

    context: Context
    sizes: NamedSizes
    lenient: bool = False
    places: Places = field(init=False)
    cells: tuple[Cells, ...] = field(init=False)
    _locks: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dom = self.context.dom
        self.places = Places(dom.case.kernel)
        self.cells = all_cells(self.context.facts, dom.case, dom.launch.storages)

    def why(self, pair: Pair, twins: Twins) -> str:
        """By which idiom the accesses of a pair are ordered, or are of one program; empty if by none.

        `twins` are fresh facts of two instances that touch one byte.
        """
        known = [c for c in self.cells if not c.problem and (self.lenient or c.narrow is None)]
        if not known:
            return ""
        twins.facts += unique(self.cells, twins.facts, self._axes())
        a, b = pair.first.access, pair.second.access
        for cells in known:
            kind = self._in_sections(cells, a, b, twins)
            if kind:
                return kind
            for x, y, swapped in ((a, b, False), (b, a, True)):
                if self._counted(cells, x, y, twins, swapped):
                    return "counter"
                if self._flagged(cells, x, y, twins, swapped):
                    return "flag"
        if self.lenient:
            return ""
        return "ticket" if all(self._equal(twins, p, twins.other(p)) for p in self._axes()) else ""

    def fenced(self, access: Access, release: CellOp) -> bool:
        """Whether all threads that make an access have made it before the release that follows it."""
        if self.lenient or self.places.barrier_between(access.op, release.access.op):
            return True
        if not access.shape:
            self.context.assumed[ONE_THREAD] = None
        return not access.shape

    def releases(self, op: CellOp) -> bool:
        """Whether what its program did before can be known to who reads from it."""
        return self.lenient or op.sem in RELEASES

    def acquires(self, op: CellOp) -> bool:
        """Whether its program knows what was released into the cell."""
        return self.lenient or op.sem in ACQUIRES

    # ------------------------------------------------------------ sections

    def _in_sections(self, cells: Cells, a: Access, b: Access, twins: Twins) -> str:
        kind = self.section_kind(cells)
        if not kind:
            return ""
        for mine in self._sections(kind, cells, a):
            for theirs in self._sections(kind, cells, b):
                if self._equal(twins, self.sizes.new(mine.cell), twins.other(self.sizes.new(theirs.cell))):
                    return kind
        return ""

    def section_kind(self, cells: Cells) -> str:
        """`lock` or `turn` where all that changes the cells keeps to the rules of one; else empty."""
        found = self._locks.get(cells.storage.ident)
        if found is None:
            found = "lock" if self._is_lock(cells) else "turn" if self._is_turn(cells) else ""
            self._locks[cells.storage.ident] = found
        return found

    def _is_lock(self, cells: Cells) -> bool:
        taking, freeing = _sorted_out(cells)
        known = len(taking) + len(freeing) == len(cells.writers) and bool(taking) and bool(freeing)
        return known and all(any(self._won("lock", cells, t, r.access) for t in self._holding(cells, r)) for r in freeing)

    def _is_turn(self, cells: Cells) -> bool:
        if len(cells.writers) != 1:
            return False
        (put,) = cells.writers
        if put.effect != "set" or put.compare is not None or put.value is None or self.places.in_loop(put.access.op):
            return False
        if not any(self._won("turn", cells, t, put.access) for t in self._holding(cells, put)):
            return False
        twins = self._twice(put, (put.cell, put.value))
        return all(self._equal(twins, p, twins.other(p)) for p in self._axes())

    def _holding(self, cells: Cells, release: CellOp) -> Iterator[Taken]:
        """Acquisitions that a release gives back: in one block, of one cell, with nothing else done to cells between."""
        if not self.releases(release):
            return
        depth = len(self.places.of(release.access.op)) - 1
        last = self.places.of(release.access.op)[depth]
        for taken in taken_before(self.places, cells, release.access):
            place = self.places.of(taken.op.access.op)
            if not self.acquires(taken.op) or taken.cell is not release.cell or len(place) > depth + 2:
                continue
            if len(place) <= depth or place[depth].block != last.block:
                continue
            first = place[depth].index
            others = [o for o in cells.writers if o is not taken.op and o is not release]
            if not any(self._inside(o.access, depth, last.block, first, last.index) for o in others):
                yield taken

    def _inside(self, access: Access, depth: int, block: int, first: int, last: int) -> bool:
        place = self.places.of(access.op)
        return len(place) > depth and place[depth].block == block and first <= place[depth].index <= last

    def _won(self, kind: str, cells: Cells, taken: Taken, access: Access) -> bool:
        """Whether the access is only made by a program that has found what lets it in."""
        taking, _ = _sorted_out(cells)
        if kind == "lock":
            values = {o.value for o in taking if o.value is not None}
            return taken.op in taking and all(self._follows(access, T.ne(taken.old, v)) for v in values)
        (put,) = cells.writers
        return put.value is not None and self._follows(access, T.eq(taken.old, put.value - 1))

    def _sections(self, kind: str, cells: Cells, access: Access) -> Iterator[Taken]:
        """The acquisitions whose sections an access stands in."""
        for release in cells.writers:
            depth = len(self.places.of(release.access.op)) - 1
            last = self.places.of(release.access.op)[depth]
            for taken in self._holding(cells, release):
                first = self.places.of(taken.op.access.op)[depth].index
                standing = self._inside(access, depth, last.block, first + 1, last.index - 1)
                if standing and self.fenced(access, release) and self._won(kind, cells, taken, access):
                    yield taken

    # ------------------------------------------------------------ hand-overs

    def _behind(self, access: Access, op: CellOp) -> bool:
        """Whether an operation hands over all executions of an access that its program ever makes."""
        places = self.places
        alone = places.precedes(access.op, op.access.op) and not places.in_one_loop(access.op, op.access.op)
        return alone and self.releases(op) and self.fenced(access, op)

    def _counted(self, cells: Cells, x: Access, y: Access, twins: Twins, swapped: bool) -> bool:
        writers = cells.writers
        if len(writers) != 1 or writers[0].effect != "add" or writers[0].value is not T.ONE:
            return False
        (adding,) = writers
        if self.places.in_loop(adding.access.op) or not self._behind(x, adding):
            return False
        once = self._twice(adding, (adding.cell,))
        total = T.ONE
        for p, n in zip(PIDS, self.context.dom.launch.grid, strict=True):
            if p in self._axes() and not self._equal(once, p, once.other(p)):
                total = total * n
        for taken in self._acquired(cells, y):
            own = 1 if taken.op is adding else 0
            if not self._follows(y, T.ge(taken.old, total + _start(cells) - own)):
                continue
            mine, theirs = self.sizes.new(adding.cell), self.sizes.new(taken.cell)
            left, right = (theirs, mine) if swapped else (mine, theirs)
            if self._equal(twins, left, twins.other(right)):
                self.context.assumed[NO_WRAP] = None
                return True
        return False

    def _flagged(self, cells: Cells, x: Access, y: Access, twins: Twins, swapped: bool) -> bool:
        if not cells.writers or any(o.effect != "set" for o in cells.writers):
            return False
        for taken in self._acquired(cells, y):
            started = T.ne(taken.old, _start(cells))
            if self._follows(y, started) and all(self._from(x, taken, put, twins, swapped, cells) for put in cells.writers):
                return True
        return False

    def _from(self, x: Access, taken: Taken, put: CellOp, twins: Twins, swapped: bool, cells: Cells) -> bool:
        """Whether what was found, if it was put there by `put` in any program, hands over access x."""
        first = twins.other
        third = _Third(first)
        mine, theirs = (first, _same) if swapped else (_same, first)
        new = self.sizes.new
        assert put.value is not None
        reach = _reach(put.access)
        bounds = twins.bounds.copy()
        third.bounds(self.context.prover.bounds(reach), bounds)
        facts = [third(new(f)) for f in self.context.prover.given(reach, guards=True)]
        facts += [T.eq(third(new(put.cell)), theirs(new(taken.cell))), T.eq(third(new(put.value)), theirs(new(taken.old)))]
        facts = [*twins.facts, *(p for f in facts for p in T.conjuncts(f))]
        facts += unique(self.cells, facts, self._axes())
        bounds.learn(facts)
        if self._refuted(facts, T.FALSE, bounds):
            return True
        return self._behind(x, put) and all(self._refuted(facts, T.eq(third(p), mine(p)), bounds) for p in self._axes())

    def _acquired(self, cells: Cells, access: Access) -> Iterator[Taken]:
        return (t for t in taken_before(self.places, cells, access) if self.acquires(t.op))

    # ------------------------------------------------------------ questions

    def of_one_program(self, a: CellOp, b: CellOp) -> bool:
        """Whether two operations that meet in a cell are always one program's."""
        prover, other = self.context.prover, Other()
        first, second = _reach(a.access), _reach(b.access)
        facts = [*prover.given(first, guards=True), *other.all(prover.given(second, guards=True)), T.eq(a.cell, other(b.cell))]
        bounds = prover.bounds(first)
        other.bounds(prover.bounds(second), bounds)
        twins = _settled(self.context, other, facts, bounds)
        return all(self._equal(twins, p, other(p)) for p in self._axes())

    def never_both(self, scope: Scope, a: Term, b: Term) -> bool:
        """Whether two conditions never hold together."""
        reach = Reach(scope, (), (a,), scope.guards)
        prover = self.context.prover
        return self._refuted(prover.hypotheses(reach, guards=True, goal=b), T.not_(b), prover.bounds(reach))

    def _axes(self) -> list[Term]:
        """Program ids that are not always 0."""
        bounds = self.context.facts.bounds
        grid = self.context.dom.launch.grid
        return [p for p, n in zip(PIDS, grid, strict=True) if bounds.truth(T.le(n, 1)) is not True]

    def _follows(self, access: Access, goal: Term) -> bool:
        """Whether a goal holds wherever an access is made."""
        prover, reach = self.context.prover, _reach(access)
        return self._refuted(prover.hypotheses(reach, guards=True, goal=goal), goal, prover.bounds(reach))

    def _refuted(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        return self.context.prover.refute(facts, goal, bounds).status == "unsat"

    def _equal(self, twins: Twins, a: Term, b: Term) -> bool:
        return twins.equal(a, b) or twins.nonlinear(a, b)

    def _twice(self, op: CellOp, terms: Sequence[Term]) -> Twins:
        """Two executions of an operation by programs for which some terms are equal."""
        prover, reach, other = self.context.prover, _reach(op.access), Other()
        given = prover.given(reach, guards=True)
        facts = [*given, *other.all(given), *(T.eq(t, other(t)) for t in terms)]
        bounds = prover.bounds(reach)
        other.bounds(prover.bounds(reach), bounds)
        return _settled(self.context, other, facts, bounds)


class _Third(Other):
    """A third instance: primed twice."""

    def __init__(self, once: Other) -> None:
        super().__init__()
        self._once = once

    def __call__(self, t: Term) -> Term:
        return self._once(self._once(t))

    def bounds(self, own: Bounds, into: Bounds) -> None:
        for atom, interval in own.env.items():
            into.narrow(self(atom), interval)
        functions = {f"{n}''": i for n, i in own.functions.items() if n.startswith(("?", "$"))}
        into.functions = {**into.functions, **functions}
        into.forget()


def _settled(context: Context, other: Other, facts: Sequence[Term], bounds: Bounds) -> Twins:
    flat = [p for f in facts for p in T.conjuncts(f)]
    bounds.learn(flat)
    return Twins(context.prover, other, list(dict.fromkeys(f for f in flat if f is not T.TRUE)), bounds)


def _same(t: Term) -> Term:
    return t


def _reach(access: Access) -> Reach:
    guards = access.pointer.guards | access.mask_guards | access.scope.guards
    return Reach(access.scope, access.shape, tuple(T.conjuncts(access.mask)), guards)


def _start(cells: Cells) -> int:
    assert cells.initial is not None
    return cells.initial


def _sorted_out(cells: Cells) -> tuple[list[CellOp], list[CellOp]]:
    """Of the operations that change a cell, those that take a lock and those that free it."""
    free = T.const(_start(cells))
    constant = [o for o in cells.writers if o.effect == "set" and o.value is not None and not o.value.free and not o.value.apps]
    taking = [o for o in constant if o.compare is free and o.value is not free]
    return taking, [o for o in constant if o.compare is None and o.value is free]
