"""Random terms over a small box, and points of it that give every unknown function a value everywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

NAMES = ("x", "y", "z")
FUNCTIONS = {"f": (-3, 5), "g": (0, 2)}
NONLINEAR = ("mul", "div", "mod", "min", "max", "ite", "app")


class Everywhere(Mapping[tuple[str, tuple[int, ...]], int]):
    """A value inside its interval for each function at each point."""

    def __init__(self, salt: int) -> None:
        self.salt = salt

    def __getitem__(self, key: tuple[str, tuple[int, ...]]) -> int:
        lo, hi = FUNCTIONS.get(key[0], (0, 1))
        return random.Random(f"{self.salt}{key}").randint(lo, hi)

    def __iter__(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Draw:
    """A box for `x`, `y` and `z`, and random terms over it; everything follows from the seed."""

    def __init__(self, seed: int, ops: Sequence[str] = NONLINEAR, widest: int = 12) -> None:
        self.rng = random.Random(seed)
        self.ops = ops
        self.box = {name: self._interval(widest) for name in NAMES}

    def _interval(self, widest: int) -> tuple[int, int]:
        low = self.rng.choice((-7, -3, -1, 0, 0, 1, 1, 2, 5))
        return low, low + self.rng.randint(0, widest)

    def bounds(self) -> Bounds:
        return Bounds({T.var(name): ends for name, ends in self.box.items()}, dict(FUNCTIONS))

    def point(self) -> Model:
        """A random point of the box."""
        return Model({n: self.rng.randint(*ends) for n, ends in self.box.items()} | {"p": self.rng.randint(0, 1)},
                     Everywhere(self.rng.randrange(1 << 30)))  # fmt: skip

    def points(self, names: Sequence[str] = NAMES) -> Iterator[Model]:
        """All points of the box, for terms without functions and booleans."""
        for values in product(*(range(lo, hi + 1) for lo, hi in (self.box[n] for n in names))):
            yield Model(dict(zip(names, values, strict=True)))

    def term(self, depth: int = 3) -> Term:
        if depth == 0 or self.rng.random() < 0.1:
            return self.rng.choice((T.var("x"), T.var("y"), T.var("z"), T.const(self.rng.randint(-4, 9))))
        a, b = self.term(depth - 1), self.term(depth - 1)
        match self.rng.choice(("add", "sub", "scale", *self.ops)):
            case "add":
                return a + b
            case "sub":
                return a - b
            case "scale":
                return a * self.rng.choice((-8, -1, 2, 3, 8))
            case "mul":
                return a * (a if self.rng.random() < 0.3 else b)
            case "div":
                return T.div(a, self._divisor(b))
            case "mod":
                return T.mod(a, self._divisor(b))
            case "min":
                return T.minimum(a, b)
            case "max":
                return T.maximum(a, b)
            case "ite":
                return T.ite(self.condition(depth - 1), a, b)
            case _:
                return T.app(self.rng.choice(sorted(FUNCTIONS)), a)

    def _divisor(self, t: Term) -> Term:
        """A symbolic divisor or, most often, a constant one of either sign."""
        return t if self.rng.random() < 0.4 and t is not T.ZERO else T.const(self.rng.choice((-3, -2, 2, 3, 4, 8)))

    def condition(self, depth: int = 2) -> Term:
        if depth and self.rng.random() < 0.3:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return self.rng.choice((T.and_(a, b), T.or_(a, b), T.not_(a), T.iff(a, b)))
        relation = self.rng.choice((T.le, T.lt, T.eq, T.ne, T.ge))
        if "app" in self.ops and self.rng.random() < 0.15:
            flag = T.bvar("p")
            return self.rng.choice((flag, T.bapp("q", self.term(depth)), T.ite(flag, T.le(0, T.var("x")), flag)))
        return relation(self.term(depth), self.term(depth) if self.rng.random() < 0.5 else T.const(self.rng.randint(-6, 20)))


def value_at(t: Term, model: Model) -> int | None:
    """Value at a point; None where something is divided by zero, which no term gives a meaning to."""
    try:
        return model.value(t)
    except ZeroDivisionError:
        return None


def defined(terms: Sequence[Term], model: Model) -> bool:
    """Whether no part of the terms, on any branch, divides by zero at a point."""
    seen: set[Term] = set()
    stack = list(terms)
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        stack.extend(t.args)
        if t.op in ("div", "mod") and value_at(t.args[1], model) in (0, None):
            return False
    return True
