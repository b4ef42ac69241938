"""Captured arguments, shapes, strides and grids against the hand-made descriptions that lie beside the cases."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.ir.launch import Arg, PointerArg, Program
from argus_smt.ir.serialise import dumps_program, loads_program
from tests.unit.capture.points import allowed, applying, at, complete

CASES = Path(__file__).parents[4] / "shared" / "cases"
FILES = [
    (sidecar, variant)
    for path in sorted(CASES.glob("*.json"))
    for sidecar in [json.loads(path.read_text())]
    for variant in sidecar["files"]
]


def _cdiv(a: int, b: int) -> int:
    return -(-a // b)


def _np2(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _points(program: Program, sidecar: dict[str, Any], count: int) -> list[dict[str, int]]:
    """Random sizes that meet the preconditions."""
    rng = random.Random(sidecar["id"])
    names = [s.name for s in program.symbols if s.kind != "summary"]
    out: list[dict[str, int]] = []
    for _ in range(20000):
        top = rng.choice((4, 8, 40, 700))
        sizes = {n: rng.randint(1, top) for n in names}
        if sidecar["id"] == "c27":
            sizes["K"] = sizes["S"] * rng.choice((16, 32, 64))
        if "E" in sidecar["shapes"]["friendly"]:
            sizes["n_experts"] = sizes["EL"] + rng.randint(0, 3)
        point = complete(program, sizes)
        if allowed(program, point):
            out.append(point)
        if len(out) == count:
            break
    return out


def _names(sidecar: dict[str, Any], variant: str, point: dict[str, int]) -> dict[str, Any]:
    """The sidecar's names at a point of the call's symbols."""
    names: dict[str, Any] = {"cdiv": _cdiv, "next_power_of_2": _np2, "min": min, **point}
    names |= {a["name"]: a["value"] for a in sidecar["kernels"][0]["args"] if isinstance(a.get("value"), int)}
    if sidecar["id"] == "c03":
        names["half"] = point["D"] // 2
    if sidecar["id"] == "c27":
        names["G"] = point["K"] // point["S"]
    names["variant"] = (sidecar.get("variant_bindings") or {}).get("bug" if variant == "bug" else "ok", {})
    return names


def _expected(text: Any, key: str, names: dict[str, Any]) -> Any:
    if text == "see variants":
        text = names["variant"][key]
    return text if not isinstance(text, str) else eval(text, {}, names)


@pytest.mark.parametrize(("sidecar", "variant"), FILES, ids=[f"{s['id']}-{v}" for s, v in FILES])
def test_captured_launch_agrees_with_sidecar(sidecar: dict[str, Any], variant: str) -> None:
    program = capture(Loader(str(CASES / sidecar["files"][variant])), sidecar["call"])
    assert loads_program(dumps_program(program)) == program
    points = _points(program, sidecar, 25)
    assert len(points) >= 5
    for point in points:
        found = applying(program, point)
        assert len(found) == 1, point
        launch, case = found[0]
        names = _names(sidecar, variant, point)
        description = sidecar["kernels"][0]
        assert launch.kernel == description["name"]
        grid = description["grid"]
        if grid == ["see variants"]:
            grid = names["variant"]["grid"]
        entries = [_expected(g, f"grid{i}", names) for i, g in enumerate(grid)]
        assert [at(g, point) for g in launch.grid] == entries + [1] * (3 - len(entries))
        args = dict(zip(case.kernel.params, case.args, strict=True))
        for a in description["args"]:
            _compare(a, args.get(a["name"]), dict(case.values), names, point)


def _compare(a: dict[str, Any], arg: Arg | None, constants: dict[str, str], names: dict[str, Any], point: Any) -> None:
    if a["role"] == "pointer":
        assert isinstance(arg, PointerArg)
        assert at(arg.offset, point) == 0
        for got, key in ((arg.shape, "shape"), (arg.strides, "strides")):
            wanted = [_expected(e, "", names) for e in a[key]]
            assert [at(t, point) for t in got] == wanted, (a["name"], key)
    elif arg is None:
        value = _expected(a["value"], a["name"], names)
        assert constants[a["name"]] == str(value), a["name"]
    elif not isinstance(arg, PointerArg) and arg.value is not None:
        assert at(arg.value, point) == _expected(a["value"], a["name"], names), a["name"]


def test_bug_and_fix_of_uninitialised_accumulator_differ_in_contents() -> None:
    sidecars = [s for s, v in FILES if s["id"] == "c12" and v == "bug"]
    for sidecar in sidecars:
        contents = []
        for variant in ("bug", "ok"):
            program = capture(Loader(str(CASES / sidecar["files"][variant])), sidecar["call"])
            contents.append([s.contents for s in program.launches[0].storages if s.name == "y"])
        assert contents == [["uninit"], ["fill 0"]]


def test_symbols_are_declared() -> None:
    for sidecar, variant in FILES[:6]:
        program = capture(Loader(str(CASES / sidecar["files"][variant])), sidecar["call"])
        declared = {s.name for s in program.symbols}
        terms = [c.term for launch in program.launches for case in launch.cases for c in case.condition]
        terms += [g for launch in program.launches for g in launch.grid]
        assert {v.data for t in terms for v in t.free if v.op == "var"} <= declared
