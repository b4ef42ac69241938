"""Memory of a whole launcher call on small sizes: what the host has put into each tensor before each of its launches.

Contents are random within what the signature states. What the host computes in ways that are not followed is undefined at first:
if no address, mask or branch of a run depends on it, the run is that of a real call whatever the numbers are, and then random
numbers may stand for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import numpy as np

from argus_smt.interp.formats import FLOAT_DTYPES, encode, round_to
from argus_smt.interp.lanes import Array
from argus_smt.interp.memory import HOST, Memory, Region
from argus_smt.ir.launch import Demand, Launch, PointerArg, Program, Storage
from argus_smt.ir.types import Scalar, element
from argus_smt.prove.contents import Concrete, complete
from argus_smt.prove.scene import compute, fill_value, stated_numbers
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

SHOWN = 64
"""Elements up to which an integer tensor is listed whole."""
LARGEST_VIEW = 1 << 18


class NoStage(Exception):
    """The call cannot be played; the text says why."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is random in a call: `seed` of all contents, and whether contents that are not followed are undefined."""

    seed: int
    blind: bool


class Stage:
    """The memory of one call, brought from launch to launch. Raises NoStage where contents cannot be had."""

    def __init__(self, program: Program, launches: tuple[Launch, ...], model: Model, choice: Choice) -> None:
        self.program, self.model, self.choice = program, model, choice
        self.rng = Random(choice.seed)
        self.inputs: list[tuple[str, int, int]] = []
        """Contents of integer tensors as (tensor, element, value), for small ones."""
        self.soft = False
        """Whether there are contents that are not followed."""
        self._state: dict[int, int] = {}
        self._partial = {d.tensor for d in program.defined}
        self._named = {s.name: s for launch in reversed(launches) for s in reversed(launch.storages) if s.contents == "input"}
        sizes = {s.ident: s for launch in launches for s in launch.storages}
        tables = [s.name for s in sizes.values() if s.members is not None]
        if tables:
            raise NoStage(f"`{tables[0]}` is a table of addresses")
        regions = [Region(s.ident, s.name, element(s.dtype).name, model.value(s.nbytes)) for s in sizes.values()]
        self.memory = Memory(regions)

    def prepare(self, launch: Launch) -> None:
        """What the host does before a launch."""
        later = []
        for s in sorted(launch.storages, key=lambda s: s.name in self._partial):  # what is defined may depend on others
            known = self._state.get(s.ident)
            if known == s.rewritten:
                continue
            if s.contents == "kernel":
                raise NoStage(f"`{s.name}` is written by a launch that is not played")
            self._state[s.ident] = s.rewritten
            if s.facts is not None and s.facts.exact and not s.dtype.startswith("u"):
                later.append(s)
            elif known is not None and s.contents.startswith(("computed part", "computed in part")):
                raise NoStage(f"the host writes a part of `{s.name}` between launches")
            else:
                self._fill(s)
        for s in sorted(later, key=lambda s: s.ident):  # what one is made of is older
            if not compute(self.memory, s, self.model):
                raise NoStage(f"`{s.name}` is too large to be computed")

    def _fill(self, s: Storage) -> None:
        fill = fill_value(s)
        if s.contents == "uninit":
            self.memory.mark_uninitialised(s.ident)
        elif fill is not None:
            self.memory.mark_uninitialised(s.ident)
            self.memory.set_default(s.ident, fill)
            self._write(s, self._places(s.ident), np.full(self._count(s), fill))
        elif s.contents == "input":
            self._input(s)
        else:
            self.soft = True
            count = self._count(s)
            self._write(s, self._places(s.ident), self._any(s, count), undefined=self.choice.blind)

    def _count(self, s: Storage) -> int:
        return self.memory.region(s.ident).nbytes // element(s.dtype).nbytes

    def _places(self, ident: int) -> Array:
        region = self.memory.region(ident)
        item = element(region.dtype).nbytes
        return np.arange(region.nbytes // item, dtype=np.int64)

    def _input(self, s: Storage) -> None:
        """Contents that the signature allows, defined where it says so."""
        stated = stated_numbers(s, self.model)
        if stated is None:
            places, values = self._places(s.ident), self._any(s, self._count(s))
        elif stated.ordered:
            places, values = self._whole(s, stated)
        else:
            places = self._places(s.ident)
            values = np.array([self._within(stated) for _ in range(places.size)], np.int64)
        keep = self._defined(s)
        if keep is not None:
            self.memory.mark_uninitialised(s.ident)
            chosen = np.isin(places, keep)
            places, values = places[chosen], values[chosen]
        self._write(s, places, values)
        if element(s.dtype).is_int and places.size <= SHOWN:
            self.inputs += [(s.name, int(p), int(v)) for p, v in zip(places, values, strict=True)]

    def _whole(self, s: Storage, stated: Concrete) -> tuple[Array, Array]:
        """Places in the storage, and contents that satisfy all that is stated of them together."""
        shape = tuple(self.model.value(n) for n in s.shape)
        whole = complete(shape, stated, {}, self.rng)
        if whole is None:
            raise NoStage(f"no contents of `{s.name}` were found that respect what is stated of it")
        return element_places(s, self.model).reshape(-1), whole.reshape(-1).astype(np.int64)

    def _within(self, stated: Concrete) -> int:
        if stated.values:
            return self.rng.choice(stated.values)
        low, high = max(stated.low, -4), min(stated.high, 9)
        low, high = (stated.low, min(stated.high, stated.low + 16)) if low > stated.high else (low, high)
        low, high = (max(stated.low, stated.high - 16), stated.high) if high < stated.low else (low, high)
        if stated.high - stated.low <= 1 << 12:
            low, high = stated.low, stated.high
        if low > high:
            raise NoStage("the stated range of an index tensor is empty")
        return self.rng.randint(low, high)

    def _any(self, s: Storage, count: int) -> Array:
        """Random numbers of the tensor's type, small integers."""
        scalar = element(s.dtype)
        random = np.random.default_rng(self.rng.randrange(1 << 30))
        if scalar.is_int:
            return np.asarray(random.integers(0, 2 if scalar.bits == 1 else 10, count))
        return np.asarray(random.uniform(-2, 2, count))

    def _write(self, s: Storage, places: Array, values: Array, undefined: bool = False) -> None:
        scalar = element(s.dtype)
        raw = _raw(values, scalar)
        at = places[:, None] * scalar.nbytes + np.arange(scalar.nbytes)
        self.memory.put(s.ident, at, raw, np.full(at.shape, -HOST if undefined else HOST, np.int32))

    def _defined(self, s: Storage) -> Array | None:
        """Elements of an input that its signature calls defined, by their place; None if it says nothing."""
        clauses = [d for d in self.program.defined if d.tensor == s.name]
        if not clauses:
            return None
        shape = tuple(self.model.value(n) for n in s.shape)
        places = element_places(s, self.model)
        keep = [
            int(places[at])
            for at in np.ndindex(shape)
            if all(self._holds(d.condition, dict(zip(d.index, at, strict=True))) for d in clauses)
        ]
        return np.array(keep, np.int64)

    def _holds(self, condition: Term, index: Mapping[str, int]) -> bool:
        """A condition over indices, sizes, and elements of index tensors, which are named as the tensors are."""

        def lookup(node: Term, args: tuple[int, ...]) -> int:
            if node.op in ("var", "bvar"):
                return index[node.data] if node.data in index else self.model.value(node)
            return self._element(node.data, args)

        return bool(T.evaluate(condition, lookup))

    def _element(self, name: str, at: tuple[int, ...]) -> int:
        """An element of an integer input; 0 outside of it, which a choice then leaves out."""
        s = self._named.get(name)
        if s is None or len(at) != len(s.shape):
            raise NoStage(f"what is defined depends on `{name}`")
        if not all(0 <= i < self.model.value(n) for i, n in zip(at, s.shape, strict=True)):
            return 0
        place = sum(i * self.model.value(k) for i, k in zip(at, s.strides, strict=True))
        scalar = element(s.dtype)
        value = int(self.memory.read_elements(s.ident, scalar.name, place * scalar.nbytes, 1)[0])
        return value % (1 << scalar.bits) if s.dtype.startswith("u") else value

    def unwritten(self, demand: Demand) -> Array:
        """Indices, one a row, of the elements of a view that nobody has written yet."""
        view = demand.view
        if view is None:
            return np.zeros((0, 0), np.int64)
        places = element_places(view, self.model)
        if places.size > LARGEST_VIEW:
            raise NoStage("a tensor that is looked at is too large")
        at = places[..., None] * element(view.dtype).nbytes + self.model.value(view.offset)
        at = at + np.arange(element(view.dtype).nbytes)
        _, code = self.memory.take(demand.storage, at)
        return np.argwhere(self.memory.uninitialised(demand.storage, code).any(axis=-1))


def element_places(s: Storage | PointerArg, model: Model) -> Array:
    """The place of every element of a tensor, in elements from where it starts; of the tensor's shape."""
    shape, strides = (tuple(model.value(n) for n in part) for part in (s.shape, s.strides))
    places = np.zeros(shape, np.int64)
    for d, (n, stride) in enumerate(zip(shape, strides, strict=True)):
        places += (np.arange(n) * stride).reshape([-1 if k == d else 1 for k in range(len(shape))])
    return places


def _raw(values: Array, scalar: Scalar) -> Array:
    """Bytes of numbers in the type of a tensor, one row a number."""
    if scalar.is_int:
        return encode(values.astype(np.int64), scalar)
    with np.errstate(all="ignore"):
        return encode(round_to(np.asarray(values, np.float64), scalar).astype(FLOAT_DTYPES[scalar.name]), scalar)
