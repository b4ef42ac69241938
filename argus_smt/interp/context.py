"""What every operation of one run may ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from argus_smt.interp.events import Recorder
from argus_smt.interp.lanes import Lanes
from argus_smt.interp.memory import FIRST_PROGRAM, Memory
from argus_smt.interp.padding import Substitution
from argus_smt.interp.pointers import Views
from argus_smt.ir.ops import While


@dataclass(slots=True)
class Context:
    """Memory, views, the recorder, and which program of which grid is running."""

    memory: Memory
    views: Views
    recorder: Recorder
    grid: tuple[int, int, int]
    program: tuple[int, int, int] = (0, 0, 0)
    on_trip: Callable[[While, Sequence[Lanes]], None] | None = None
    """Called after each trip of a while loop with what it carries; may raise Stop."""
    padding: Substitution | None = None
    """What is done about padding, in runs that ask for it."""

    @property
    def writer_code(self) -> int:
        """The code by which memory knows this program: its number, x fastest, after the host's."""
        x, y, z = self.program
        return FIRST_PROGRAM + x + self.grid[0] * (y + self.grid[1] * z)
