"""Captured launchers against the same launchers run on real tensors: launch by launch, argument by argument.

Compared are the kernel, the grid, of tensors the storage, its size and fill, offset, sizes, strides and type, and all
numbers and constants. Strides of a dimension of extent 1 mean nothing, and torch's fake tensors choose them otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from argus_smt.capture.call import parse_signature
from argus_smt.capture.deadline import Deadline
from argus_smt.capture.domain import build_domain
from argus_smt.capture.explore import Exploration, explore
from argus_smt.capture.module import Loader
from argus_smt.capture.record import Argument, Constant, Integer, Pointer, Record
from argus_smt.capture.run import launcher_body, run_once
from argus_smt.capture.sampling import sample
from argus_smt.capture.service import warm_up
from argus_smt.capture.world import HOST_DTYPES, Registry
from argus_smt.ir.types import element
from argus_smt.smt.ask import Session
from argus_smt.smt.show import parse_term
from tests.properties.eager import Ran, Seen, View, run_eagerly
from tests.properties.launchers import generate
from tests.unit.capture.points import at

Point = Mapping[str, int]
PATHS = 24
_STRIDE = re.compile(r"^s(\d)$|^strides\.(\d)\.(\d)$")


def explored(path: Path, call: str) -> tuple[Exploration, Registry]:
    """The paths of a launcher, as far as `PATHS` of them."""
    signature = parse_signature(call)
    registry = Registry(Session(), build_domain(signature))
    loader, body = Loader(str(path)), launcher_body(signature)
    return explore(lambda script: run_once(loader, registry, script, body), registry, Deadline(30), PATHS), registry


def point_of(registry: Registry, names: Mapping[str, int]) -> Point:
    """Values of all symbols where the names of the call have these."""
    out = {s.name: int(names[s.name]) for s in registry.domain.symbols}
    for s in registry.symbols.values():
        if s.kind == "stride":
            facts = [c.term for c in registry.facts[s.name]]
            out[s.name] = next((v for v in range(1, 4096) if all(at(f, {**out, s.name: v}) for f in facts)), 1)
            continue
        n = at(parse_term(s.about.removeprefix("next_power_of_2(").removesuffix(")")), out)
        out[s.name] = 1 << (n - 1).bit_length()
    return out


def compare(found: Exploration, registry: Registry, point: Point, ran: Ran) -> bool:
    """Whether a path claims something at a point; raises AssertionError where it is not what happened."""
    taken = [o for o in found.outcomes if at(o.condition, point)]
    if not taken or taken[0].kind in ("unknown", "pin") or not all(at(t, point) for t in registry.assumed):
        assert taken or not found.covered
        return False
    (outcome,) = taken
    assert (ran.error is not None) == (outcome.kind == "rejects" or bool(outcome.reason)), (outcome, ran.error)
    if outcome.kind == "rejects":
        assert not ran.launches
        return True
    assert [r.kernel for r in outcome.records] == [s.kernel for s in ran.launches]
    storages: dict[int, int] = {}
    for record, seen in zip(outcome.records, ran.launches, strict=True):
        assert tuple(at(t, point) for t in record.grid) == seen.grid
        arguments = dict(record.arguments)
        for name, real in seen.arguments.items():
            compare_argument(record, named(arguments, name), real, point, _meaningless(name, seen))
            if isinstance(real, View):
                mine = arguments[name]
                assert isinstance(mine, Pointer)
                assert storages.setdefault(mine.arg.storage, real.address) == real.address, name
    assert len(set(storages.values())) == len(storages)
    return True


def named(arguments: Mapping[str, Argument], name: str) -> Argument:
    """The argument of that name, or the item of a tuple that is one constant."""
    whole = arguments.get(name.partition(".")[0])
    if name in arguments or not isinstance(whole, Constant):
        return arguments[name]
    item = whole.value[int(name.partition(".")[2])]
    return Constant(item, repr(item))


def compare_argument(record: Record, mine: Argument, real: Any, point: Point, meaningless: bool) -> None:
    """One argument of a launch."""
    match mine:
        case Pointer():
            compare_view(record, mine, real, point)
        case Integer(term=term, boolean=boolean):
            assert type(real) is (bool if boolean else int)
            assert meaningless or at(term, point) == int(real), (term, real)
        case Constant(value=value):
            assert value == real
            assert type(value) is type(real)
        case _:
            raise AssertionError(mine)


def _meaningless(name: str, seen: Seen) -> bool:
    """Whether a number is the stride of a dimension of extent 1, or of a tensor without elements."""
    found = _STRIDE.match(name)
    if found is None:
        return False
    shape = seen.arguments["p" if found[1] is not None else f"ps.{found[2]}"].shape
    d = int(found[1] if found[1] is not None else found[3])
    return d < len(shape) and (shape[d] == 1 or 0 in shape)


def compare_view(record: Record, mine: Pointer, real: View, point: Point) -> None:
    """A tensor argument and its storage."""
    arg = mine.arg
    storage = next(s for s in record.storages if s.ident == arg.storage)
    shape = tuple(at(t, point) for t in arg.shape)
    assert shape == real.shape
    if 0 not in shape:
        assert at(arg.offset, point) == real.offset
        strides = tuple(at(t, point) for t in arg.strides)
        used = [d for d, n in enumerate(shape) if n > 1]
        assert [strides[d] for d in used] == [real.strides[d] for d in used]
    assert element(HOST_DTYPES[real.dtype]).name == arg.dtype
    assert at(storage.nbytes, point) == real.nbytes, storage
    if storage.contents.startswith("fill "):
        assert bool((real.numbers == float(storage.contents[5:])).all())


def run(seed: int, folder: Path, points: int) -> Counter[str]:
    """Capture a launcher and compare it at several sizes; how often it claimed something, and how often not."""
    made = generate(seed)
    path = folder / f"launcher_{seed}.py"
    path.write_text(made.source)
    found, registry = explored(path, made.call)
    count: Counter[str] = Counter()
    for i in range(points):
        drawn = sample(registry.domain, 1000 * seed + i)
        if drawn is None:
            continue
        values, names = drawn
        ran = run_eagerly(path, "launch", values)
        try:
            count["compared" if compare(found, registry, point_of(registry, names), ran) else "not claimed"] += 1
        except AssertionError as error:
            source = made.source.rpartition("\n\n\n")[2]
            raise AssertionError(f"seed {seed} at {dict(names)}: {error}\n{made.call}\n{source}") from error
    return count


def check(seeds: range, folder: Path, points: int) -> None:
    warm_up()
    total: Counter[str] = Counter()
    for seed in seeds:
        total += run(seed, folder, points)
    assert total["compared"] >= 0.7 * total.total(), total


def test_launchers_agree_with_real_calls(tmp_path: Path) -> None:
    check(range(7, 12), tmp_path, 10)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1500, 50))
def test_many_launchers_agree_with_real_calls(tmp_path: Path, start: int) -> None:
    check(range(start, start + 50), tmp_path, 24)
