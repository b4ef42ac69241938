"""Helpers with a declared contract: functions, methods and library functions, called once or several times."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Program, ScalarArg
from argus_smt.ir.serialise import dumps_program, loads_program
from argus_smt.smt import term as T

Capture = Callable[[str, str], Program]


def test_two_calls_need_not_agree(launcher: Capture) -> None:
    body = """
def blocks(x):
    return int(x.sum()) % 8 + 1

def launch(x):
    y = torch.empty_like(x)
    a, b = blocks(x), blocks(y)
    copy[(a,)](x, y, b, BLOCK=16)
"""
    program = launcher(body, "launch(x: f32[n]) helper blocks(x) -> int in [1, 8]")
    launch = program.launches[0]
    case = next(c for c in launch.cases if all(k != "n" for k, _ in c.values))
    passed = case.args[2]
    assert isinstance(passed, ScalarArg)
    assert passed.value is not None
    assert passed.value.free
    assert launch.grid[0].free
    assert passed.value.free.isdisjoint(launch.grid[0].free)
    symbol = next(s for s in program.symbols if T.var(s.name) in passed.value.free)
    conditions = [c.term for c in program.preconditions]
    assert T.ge(T.var(symbol.name), 1) in conditions
    assert T.le(T.var(symbol.name), 8) in conditions
    assert any(n.startswith("contract of a helper: blocks(x) -> int in [1, 8] (held in ") for n in program.notes)


def test_methods_and_library_functions(launcher: Capture) -> None:
    body = """
class Plan:
    def __init__(self, x):
        self.x = x

    def build(self, extra):
        return torch.zeros_like(self.x) * self.x.tolist()[0], 3

    @staticmethod
    def size(x):
        return len(x.tolist())

def launch(x, ids):
    offsets, blocks = Plan(x).build(1)
    counts = torch.bincount(ids)
    y = torch.empty(Plan.size(x), dtype=torch.int32)
    copy[(blocks,)](offsets, y, counts.shape[0], BLOCK=16)
"""
    before = torch.bincount
    call = (
        "launch(x: i32[n], ids: i64[m] in [0, 63]) helper Plan.build(x) -> i32[n] nondecreasing in [0, m], int "
        "helper torch.bincount(ids) -> i64[E] helper Plan.size(x) -> int in [1, n] where E <= 64"
    )
    program = launcher(body, call)
    assert torch.bincount is before
    assert program.launches[0].grid[0] == T.var("Plan_build_1")
    storages = {s.name: s for s in program.launches[0].storages}
    facts = storages["Plan_build_0"].facts
    assert facts is not None
    assert facts.nondecreasing
    assert facts.upper == T.var("m")
    assert storages["y"].shape == (T.var("Plan_size_0"),)


def test_a_second_call_that_introduces_a_size_is_not_followed(launcher: Capture) -> None:
    body = """
def split(x):
    return x[x > 0]

def launch(x):
    a = split(x)
    b = split(x)
    copy[(1,)](a, b, a.shape[0], BLOCK=16)
"""
    with pytest.raises(CaptureError, match="is called twice, and its contract introduces the size `P`"):
        launcher(body, "launch(x: f32[n]) helper split(x) -> f32[P]")


def test_a_contract_for_nothing_is_refused(launcher: Capture) -> None:
    body = "def launch(x):\n    copy[(1,)](x, x, 1, BLOCK=16)\n"
    with pytest.raises(CaptureError, match="contract is for `plan`, which the file does not define"):
        launcher(body, "launch(x: f32[n]) helper plan(x) -> int")
    with pytest.raises(CaptureError, match=r"contract is for `torch\.plan`"):
        launcher(body, "launch(x: f32[n]) helper torch.plan(x) -> int")


def test_lists_of_tensors_arrive_as_lists(launcher: Capture) -> None:
    body = """
def launch(xs, sizes, /, *ys, flags):
    assert isinstance(xs, list) and isinstance(sizes, tuple) and flags == [1, [2]]
    for x, y, size in zip(xs, ys, sizes):
        copy[(triton.cdiv(size, 16),)](x, y, size, BLOCK=16)
"""
    call = (
        "launch(xs: list[2] of f32[n], sizes: tuple(int in [1, n], int in [1, n]), ys: list[2] of f32[n], flags: list = [1, [2]])"
    )
    program = launcher(body, call)
    names = [[s.name for s in launch.storages] for launch in program.launches]
    assert len(program.launches) == 2
    assert names[0] == ["xs_0", "xs_1", "ys_0", "ys_1"]
    assert [launch.grid[0] for launch in program.launches] == [T.div(T.var(f"sizes_{i}") + 15, T.const(16)) for i in (0, 1)]


def test_defined_clauses_are_kept_and_listed(launcher: Capture) -> None:
    body = "def launch(cache, used):\n    copy[(1,)](cache, cache, 1, BLOCK=16)\n"
    program = launcher(body, "launch(cache: f32[P, T], used: i32[P] in [0, T]) defined cache[p, t] if t < used[p]")
    [clause] = program.defined
    assert (clause.tensor, clause.index) == ("cache", ("p", "t"))
    assert clause.condition == T.lt(T.var("t"), T.app("used", T.var("p")))
    assert "initialised elements: cache[p, t] if t < used[p]" in program.notes
    assert loads_program(dumps_program(program)).defined == program.defined


BREAKS = """
class Plan:
    def offsets(self, lens):
        return torch.cumsum(lens, 0){0}, len(lens)

def launch(lens):
    offsets, groups = Plan().offsets(lens)
    if offsets.device.type != "cuda":
        return
    copy[(groups,)](offsets, torch.empty_like(offsets), groups, BLOCK=16)
"""
LENS = "launch(lens: i64[G] in [0, 9]) helper Plan.offsets(lens) -> i64[G] nondecreasing in [0, G * {0}], int"


def test_contracts_are_tried_on_small_inputs(launcher: Capture) -> None:
    program = launcher(BREAKS.replace("{0}", ""), LENS.replace("{0}", "9"))
    assert any("(held in 8 calls on small random inputs)" in note for note in program.notes)


@pytest.mark.parametrize(
    ("change", "factor", "message"),
    [
        ("", "2", r"`Plan\.offsets` breaks its contract: result 1 is a tensor that holds \d+, which is more than"),
        (".flip(0)", "9", "a tensor that decreases along its last dimension"),
        (".to(torch.int32)", "9", "a tensor of int32, not of i64"),
        ("[1:]", "9", "a tensor whose size 0 is"),
        (".float()", "9", "a tensor of float32, not of i64"),
        ("[None]", "9", "a tensor of 2 dimensions, not of 1"),
    ],
)
def test_a_broken_contract_is_refused(launcher: Capture, change: str, factor: str, message: str) -> None:
    with pytest.raises(CaptureError, match=message) as caught:
        launcher(BREAKS.replace("{0}", change), LENS.replace("{0}", factor))
    assert caught.value.span.line > 10
    assert "seen with G = " in caught.value.help


def test_what_a_kernel_would_have_written_is_no_evidence(launcher: Capture) -> None:
    body = """
def count(y):
    return int(y[0])

def launch(x):
    y = torch.full_like(x, 99)
    copy[(1,)](x, y, 1, BLOCK=16)
    copy[(count(y),)](x, y, 1, BLOCK=16)
"""
    program = launcher(body, "launch(x: i32[n] in [1, 8]) helper count(y) -> int in [1, 8]")
    assert any("not tested: the launcher did not call it before its first launch" in note for note in program.notes)
