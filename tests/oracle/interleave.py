"""Runs the programs of a grid interleaved: one thread a program, of which one at a time runs and hands on at atomics."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

LIMIT = 800
"""Steps after which a launch counts as stuck."""


class Stuck(BaseException):
    """Ends the programs of a launch that does not come to an end."""


class Interleaving:
    """`policy`: forward or backward run the programs one after the other and hand on only where one seems to spin."""

    def __init__(self, policy: str, seed: int) -> None:
        self.policy = policy
        self.stuck = False
        self.current = 0
        self._rng = random.Random(seed)
        self._turn: list[threading.Semaphore] = []
        self._alive: list[int] = []
        self._steps = 0
        self._since = 0
        self._failure: BaseException | None = None

    def run(self, count: int, program: Callable[[int], None], switched: Callable[[int], None]) -> None:
        """Run `program(0)` … `program(count - 1)`; `switched(p)` is called whenever p goes on. Raises what one raises."""
        self._turn = [threading.Semaphore(0) for _ in range(count)]
        self._alive = list(range(count))
        if self.policy == "backward":
            self._alive.reverse()
        self._switched = switched
        done = threading.Semaphore(0)
        threads = [threading.Thread(target=self._body, args=(p, program, done), daemon=True) for p in range(count)]
        for thread in threads:
            thread.start()
        if count:
            self._go(self._alive[0] if self.policy != "random" else self._rng.choice(self._alive))
            done.acquire()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def step(self) -> None:
        """A program is about to touch memory that others may wait for: perhaps another goes on first."""
        mine = self.current
        self._steps += 1
        self._since += 1
        if self._steps > LIMIT:
            self.stuck = True
            raise Stuck
        patience = 1 if self.policy == "random" else 25
        if self._since >= patience and len(self._alive) > 1 and (self.policy != "random" or self._rng.random() < 0.5):
            self._go(self._next(mine))
            self._turn[mine].acquire()
            if self.stuck or self._failure is not None:
                raise Stuck
            self._switched(mine)

    def _next(self, mine: int) -> int:
        if self.policy == "random":
            return self._rng.choice([p for p in self._alive if p != mine])
        return self._alive[(self._alive.index(mine) + 1) % len(self._alive)]

    def _go(self, program: int) -> None:
        self._since = 0
        self.current = program
        self._turn[program].release()

    def _body(self, number: int, program: Callable[[int], None], done: threading.Semaphore) -> None:
        self._turn[number].acquire()
        try:
            if not self.stuck and self._failure is None:
                self._switched(number)
                program(number)
        except Stuck:
            pass
        except BaseException as failed:  # noqa: BLE001 - handed to whoever called `run`
            self._failure = self._failure or failed
        following = self._alive[(self._alive.index(number) + 1) % len(self._alive)]
        self._alive.remove(number)
        if self._alive:
            self._go(following if self.policy != "random" else self._rng.choice(self._alive))
        else:
            done.release()
