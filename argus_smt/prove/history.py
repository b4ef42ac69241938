"""The launches of a path before one of its launches: what they may have written, under the conditions of the case at hand."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from argus_smt.absint.engine import analyze
from argus_smt.absint.facts import Facts
from argus_smt.absint.reach import written
from argus_smt.ir.launch import Launch, PointerArg, Program, Storage
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import Prover
from argus_smt.prove.domain import Domain, domain
from argus_smt.prove.elements import Asking, Elements
from argus_smt.smt import term as T
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

MAX_PARTS = 60


@dataclass(frozen=True, slots=True)
class Part:
    """A case of a launch, analysed under the conditions of the case at hand too; both name replaced symbols alike."""

    dom: Domain
    facts: Facts
    prover: Prover


def stages(program: Program, group: int) -> list[list[int]]:
    """The launches of a path in order, by number; configurations that compete for one launch stand together."""
    out: list[list[int]] = []
    for i, launch in enumerate(program.launches):
        if launch.group != group:
            continue
        rivals = [program.launches[k] for k in out[-1]] if out else []
        if rivals and _competes(launch, rivals):
            out[-1].append(i)
        else:
            out.append([i])
    return out


def _competes(launch: Launch, rivals: list[Launch]) -> bool:
    same = bool(launch.config) and (launch.kernel, launch.span) == (rivals[-1].kernel, rivals[-1].span)
    return same and all(launch.config != r.config for r in rivals)


def writes(launch: Launch, storage: int) -> bool:
    """Whether a launch may write a storage."""
    return any(storage in written(launch, c) for c in launch.cases)


def bare(program: Program, order: list[list[int]], until: int, storage: int) -> Storage | None:
    """The storage as the host last left it, up to stage `until`, before kernels wrote it; None if no launch was given it.

    Of configurations that differ in this, one that is left with what nobody wrote counts.
    """
    for members in reversed(order[: until + 1]):
        found = [s for i in members for s in program.launches[i].storages if s.ident == storage and s.contents != "kernel"]
        if found:
            return next((s for s in found if s.contents == "uninit"), found[0])
    return None


def parts(context: Context, launch: int) -> Iterator[Part]:
    """The cases of another launch of the path that may go with the case at hand."""
    program = context.program
    mine = program.launches[context.index]
    here = next(c for c in mine.cases if c.kernel is context.dom.case.kernel and c.label == context.dom.case.label)
    other = program.launches[launch]
    for case in other.cases:
        both = replace(case, condition=(*here.condition, *(c for c in case.condition if c not in here.condition)))
        dom = domain(program, other, both, ())
        solver = context.prover.solver
        if solver.unsat(dom.facts, dom.bounds, nonlinear=False).status == "unsat":
            continue
        yield analysed(dom, solver)


def analysed(dom: Domain, solver: Solver) -> Part:
    """The facts of a case."""
    elements = Elements({s.ident: s for s in dom.launch.storages}, dom.bounds.copy())
    facts = analyze(dom.launch, dom.case, dom.bounds, dom.facts, Asking(solver, elements), elements.about)
    return Part(dom, facts, Prover(facts, solver, elements, dom.display))


def here(context: Context) -> Part:
    """The case at hand."""
    return Part(context.dom, context.facts, context.prover)


def restated(dom: Domain, view: PointerArg) -> PointerArg:
    """A view in the names of a case."""
    memo: dict[Term, Term] = {}

    def sub(t: Term) -> Term:
        return T.substitute(t, dom.restore, memo)

    return replace(view, offset=sub(view.offset), shape=tuple(map(sub, view.shape)), strides=tuple(map(sub, view.strides)))


def out_of_time(context: Context) -> bool:
    """Whether the case has used up its time."""
    return time.monotonic() > context.prover.solver.deadline
