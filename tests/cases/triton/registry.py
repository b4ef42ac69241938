"""All that the tests know of each shipped example: launcher, calls, seeded faults, references.

The first examples are described in `shapes.py` and `mutants.py`, the others by one module each under `checks/`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from tests.cases.triton import mutants, shapes
from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair


class Checks(Protocol):
    """What a module under `checks/` holds, for the example of the same name."""

    LAUNCHER: str
    SMALL: list[Call]
    """Calls that every right version of the example survives; each seeded fault shows in one of them."""
    MUTANTS: Sequence[Mutant]

    def random_call(self, rng: random.Random) -> Call:
        """A call with random sizes of up to a few blocks, and random layouts where the signature allows."""

    def references(self, example: Any) -> Iterator[Pair]:
        """Results of the example, a module that was loaded for Triton's interpreter, beside those of torch."""


CHECKS: dict[str, Checks] = {
    f"{path.stem}.py": cast(Checks, import_module(f"tests.cases.triton.checks.{path.stem}"))
    for path in sorted((Path(__file__).parent / "checks").glob("*.py"))
}
"""By the file name of the example."""

LAUNCHERS = {**shapes.LAUNCHERS, **{name: checks.LAUNCHER for name, checks in CHECKS.items()}}
SMALL = {**shapes.SMALL, **{name: checks.SMALL for name, checks in CHECKS.items()}}
MUTANTS: tuple[Mutant, ...] = mutants.MUTANTS + tuple(m for checks in CHECKS.values() for m in checks.MUTANTS)
