"""Whether any contents of the index tensors meet what the signature states of them: a proof about none would hold emptily."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.ir.launch import Storage
from argus_smt.prove.contents import complete
from argus_smt.prove.discharge import guesses
from argus_smt.prove.domain import Domain
from argus_smt.prove.scene import stated_numbers
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.solver import Solver

MAX_LAUNCHES = 12


def unmet(dom: Domain, solver: Solver) -> str:
    """The name of an index tensor for which no contents were found in any of a few launches; empty if there are some."""
    name = ""
    for tried, launch in enumerate(_launches(dom, solver)):
        if tried == MAX_LAUNCHES:
            break
        missing = next((s.name for s in dom.launch.storages if not _exists(s, launch)), "")
        if not missing:
            return ""
        name = missing
    return name


def _launches(dom: Domain, solver: Solver) -> Iterator[Model]:
    """Sizes that meet the conditions of the case, small ones first; the solver's own last."""
    for guess in guesses(dom.facts, dom.bounds):
        if guess.satisfies(dom.facts):
            yield guess
    sizes = [v for s in dom.launch.storages for n in s.shape for v in n.free if v.op == "var"]
    for cap in (4, 40, 400):
        found = solver.unsat([*dom.facts, *(T.le(v, cap) for v in sizes)], dom.bounds).model
        if found is not None:
            yield found
    found = solver.unsat(dom.facts, dom.bounds).model
    if found is not None:
        yield found


def _exists(s: Storage, launch: Model) -> bool:
    """Whether a storage has contents; one of which nothing is stated of the order always has, if its range is not empty."""
    if s.contents != "input":
        return True
    try:
        stated = stated_numbers(s, launch)
        if stated is None:
            return True
        if not stated.ordered:
            return launch.value(s.nbytes) == 0 or stated.low <= stated.high
        return complete(tuple(launch.value(n) for n in s.shape), stated, {}) is not None
    except (ZeroDivisionError, ValueError, OverflowError, MemoryError):
        return False
