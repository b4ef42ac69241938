"""Programs of a grid woven into each other: one thread a program, of which one runs at a time and hands on where it waits.

A program that polls what another has yet to write never ends by itself. Here it gives way after a few trips of its loop, so that
programs that wait for each other run to their ends in whatever order they start; and if nothing at all changes any more while
all that are left go round in their loops, they will wait for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from argus_smt.interp.context import Context
from argus_smt.interp.events import Access, Recorder, Stop, Trace
from argus_smt.interp.lanes import Lanes
from argus_smt.interp.machine import Machine
from argus_smt.interp.memory import Memory
from argus_smt.interp.pointers import PointerValue, Views
from argus_smt.interp.run import Arg, bind
from argus_smt.ir.ops import Kernel, While

PATIENCE = 2
"""Trips of a while loop after which a program gives way."""
STILL = 3
"""Rounds without any change after which all wait for ever."""
USUAL = 12
"""Rounds in which no program ends before anybody looks whether anything changes."""
MOST = 64
"""So many programs are woven; threads cost memory."""
_Program = tuple[int, int, int]


@dataclass(slots=True)
class _Turns:
    """Whose turn it is. All but the holder of the turn sleep on their semaphores."""

    time_left: Callable[[], bool]
    memory: Memory
    gates: list[threading.Semaphore]
    alive: list[int]
    over: bool = False
    """Whether all are to stop."""
    loops: dict[int, tuple[While, tuple[int, ...], bytes]] = field(default_factory=dict)
    """Where each program waits: in which loop, in which trip of the loops around it, and with which carried values."""
    trips: int = 0
    _seen: tuple[object, object] = (None, None)
    _still: int = 0
    _rounds: int = 0
    waits: tuple[tuple[int, While], ...] = ()

    def trip(self, mine: int, op: While, around: Sequence[int], carried: Sequence[Lanes]) -> None:
        """A program went round a while loop once more; raises Stop where all are to stop."""
        self.trips += 1
        self.loops[mine] = op, tuple(around), b"".join(x.data.tobytes() for x in carried)
        if self.trips >= PATIENCE:
            self._look(mine)
            if not self.over:
                self._hand_on(self.alive[(self.alive.index(mine) + 1) % len(self.alive)], mine)
        if self.over:
            raise Stop

    def _look(self, mine: int) -> None:
        """Once a round: whether anything has changed since the last."""
        if not self.time_left():
            self.over = True
        if self._still and self._bytes() != self._seen[0]:
            self._still, self._seen = 0, (None, None)
        if mine != self.alive[-1] or set(self.loops) < set(self.alive):
            return
        self._rounds += 1
        if self._rounds < USUAL:
            return
        now = (self._bytes(), {p: (id(self.loops[p][0]), *self.loops[p][1:]) for p in self.alive})
        self._still = self._still + 1 if now == self._seen else 0
        self._seen = now
        if self._still >= STILL:
            self.waits = tuple((p, self.loops[p][0]) for p in self.alive)
            self.over = True

    def _bytes(self) -> tuple[bytes, ...]:
        return tuple(self.memory.read_bytes(r.storage, 0, r.nbytes).tobytes() for r in self.memory.regions)

    def _hand_on(self, other: int, mine: int) -> None:
        self.trips = 0
        if other != mine:
            self.gates[other].release()
            self.gates[mine].acquire()

    def ended(self, mine: int) -> None:
        """A program is over; the next one goes on."""
        following = self.alive[(self.alive.index(mine) + 1) % len(self.alive)]
        self.alive.remove(mine)
        self.loops.pop(mine, None)
        self.trips, self._still, self._rounds, self._seen = 0, 0, 0, (None, None)
        if self.alive:
            self.gates[following].release()


def run_woven(
    kernel: Kernel, args: Sequence[Arg], grid: _Program, memory: Memory, programs: Sequence[_Program],
    on_access: Callable[[Access], None], step_limit: int, time_left: Callable[[], bool],
) -> tuple[Trace, tuple[tuple[_Program, While], ...]]:  # fmt: skip
    """Run programs, started in the order given, on `memory`, which they change.

    Gives the trace, and the programs that wait for ever with their loops. A run that is stopped is not complete.
    Raises ValueError for more than MOST programs.
    """
    if len(programs) > MOST:
        raise ValueError(f"{len(programs)} programs are too many to be woven")
    trace = Trace()
    turns = _Turns(time_left, memory, [threading.Semaphore(0) for _ in programs], list(range(len(programs))))
    views = Views(memory, [a for a in args if isinstance(a, PointerValue)])
    failures: list[BaseException] = []

    def body(number: int) -> None:
        turns.gates[number].acquire()
        recorder = Recorder(trace, on_access, frozenset())
        recorder.program = programs[number]

        def trip(op: While, carried: Sequence[Lanes]) -> None:
            turns.trip(number, op, recorder.iteration[:-1], carried)

        ctx = Context(memory, views, recorder, grid, programs[number], trip)
        machine = Machine(ctx, step_limit)
        try:
            if not turns.over:
                with np.errstate(all="ignore"):
                    machine.run(kernel.body, bind(kernel, args, ctx))
        except Stop:
            trace.complete = False
        except Exception as failed:  # noqa: BLE001 - handed to the caller
            failures.append(failed)
            turns.over = True
        trace.steps += machine.steps
        turns.ended(number)

    threads = [threading.Thread(target=body, args=(k,), daemon=True) for k in range(len(programs))]
    for thread in threads:
        thread.start()
    turns.gates[0].release()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    trace.complete = trace.complete and not turns.over
    return trace, tuple((programs[p], op) for p, op in turns.waits)
