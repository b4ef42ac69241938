"""Compiled cases: widths of integers, values of constexprs, what Triton refuses, tuned and repeated launches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argus_smt.capture.effects import written_params
from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.specialise import same_for_ones
from argus_smt.capture.ttir import import_kernel
from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.ir.launch import Program
from argus_smt.ir.ops import Kernel
from tests.unit.capture.points import applying, at, complete

LAUNCHERS = Path(__file__).parent / "launchers"
Capture = Callable[[str, str], Program]


def program_of(name: str, call: str, wide: bool = True) -> Program:
    """Capture of a file under `launchers/`."""
    return capture(Loader(str(LAUNCHERS / f"{name}.py")), call, wide=wide)


def conditions(program: Program) -> dict[str, list[str]]:
    """Label → conditions of the cases of the first launch."""
    return {c.label: [str(x.term) for x in c.condition] for c in program.launches[0].cases}


# ---------------------------------------------------------------- widths


def test_each_integer_is_wide_alone(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    copy[(1,)](x, x, x.shape[0], BLOCK=64)\n", "launch(x: f32[N])"
    )  # fmt: skip
    assert conditions(program) == {"integers are i32": ["N < 2**31"], "N is i64": ["N >= 2**31"]}
    assert [[str(v.type) for v in c.kernel.body.params][-1] for c in program.launches[0].cases] == ["i32", "i64"]
    assert all(c.source == "case" for case in program.launches[0].cases for c in case.condition)


def test_bounded_integers_have_one_case(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    copy[(1,)](x, x, x.shape[0], BLOCK=64)\n", "launch(x: f32[N]) where N <= 4096"
    )  # fmt: skip
    assert conditions(program) == {"": []}
    assert not program.not_covered


def test_constants_are_typed_by_value(launcher: Capture) -> None:
    body = "def launch(x, n):\n    copy[(1,)](x, x, n, BLOCK=64)\n"
    for value, dtype in ((1, None), (7, "i32"), (2**31 - 1, "i32"), (2**31, "i64"), (-(2**31), "i32")):
        (case,) = launcher(body, f"launch(x: f32[N], n: int = {value})").launches[0].cases
        kinds = {p: a.dtype for p, a in zip(case.kernel.params, case.args, strict=True)}
        assert kinds.get("n") == dtype
        assert ("n" in dict(case.values)) == (dtype is None)


def test_several_wide_integers_at_once_are_left_to_a_limit() -> None:
    program = program_of("strided_rows", "launch(x: f32[M, N]{s, 1})")
    labels = list(conditions(program))
    assert labels == ["integers are i32", "s is i64", "N is i64"]
    (limit,) = program.launches[0].limits
    assert limit.text == "at most one of s, N is 2**31 or more"
    assert not at(limit.term, {"M": 1, "N": 2**31, "s": 2**40})
    assert at(limit.term, {"M": 1, "N": 2**31, "s": 2})


def test_wide_integers_are_left_to_a_limit_unless_asked_for() -> None:
    program = program_of("strided_rows", "launch(x: f32[M, N]{s, 1})", wide=False)
    (bounds,) = conditions(program).values()
    assert sorted(bounds) == ["N < 2**31", "s < 2**31"]
    (limit,) = program.launches[0].limits
    assert limit.text == "s, N < 2**31"
    assert str(limit.term) in ("s < 2**31 and N < 2**31", "N < 2**31 and s < 2**31")


def test_one_is_a_case_of_its_own_only_where_the_kernel_differs() -> None:
    program = program_of("branch_on_one", "launch(x: f32[N], flag: int)")
    assert [c.label for c in program.launches[0].cases] == ["integers are i32", "flag = 1", "flag is i64"]
    one = program.launches[0].cases[1]
    assert "flag" not in one.kernel.params
    for flag in (0, 1, 2, 2**40, -(2**40)):
        assert len(applying(program, {"N": 9, "flag": flag})) == 1


def test_every_point_has_one_case_or_a_reason() -> None:
    program = program_of("strided_rows", "launch(x: f32[M, N]{s, 1})")
    wide = (1, 2, 2**31 - 1, 2**31, 2**33)
    for m in (1, 2):
        for n in wide:
            for s in (0, *wide):
                point = {"M": m, "N": n, "s": s}
                beyond = [x for x in program.launches[0].limits if not at(x.term, point)]
                assert len(applying(program, point)) + len(beyond) == 1, point


# ---------------------------------------------------------------- constexprs


def test_powers_of_two_are_split_and_the_cap_is_refused() -> None:
    program = program_of("row_block", "launch(x: f32[M, N]) where M < 1000")
    blocks = [dict(c.values)["BLOCK"] for c in program.launches[0].cases]
    assert blocks == [str(1 << k) for k in range(21)]
    (refusal,) = program.launches[0].refusals
    assert "exceeds triton maximum tensor numel" in refusal.message
    for n in (1, 2, 3, 64, 65, 1 << 20):
        point = complete(program, {"M": 3, "N": n})
        (found,) = applying(program, point)
        assert dict(found[1].values)["BLOCK"] == str(1 << (n - 1).bit_length())
    assert [str(c.term) for c in program.launches[0].cases[6].condition] == ["np2_N == 64", "N <= 64", "N >= 33"]


def test_sizes_as_constexprs_and_what_triton_refuses(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    copy[(1,)](x, x, 9, BLOCK=x.shape[1])\n", "launch(x: f32[M, D]) where D <= 4"
    )  # fmt: skip
    assert conditions(program) == {f"BLOCK = {d}": [f"D == {d}"] for d in (1, 2, 4)}
    (refusal,) = program.launches[0].refusals
    assert (refusal.label, [str(c.term) for c in refusal.condition]) == ("BLOCK = 3", ["D == 3"])
    assert "power of 2" in refusal.message


def test_unbounded_constexprs_are_tried_up_to_a_limit(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    copy[(1,)](x, x, 9, BLOCK=x.shape[1])\n", "launch(x: f32[M, D])"
    )  # fmt: skip
    assert {"BLOCK = 1", "BLOCK = 64", "BLOCK = 65536"} <= set(conditions(program))
    reasons = " ".join(r.reason for r in program.not_covered)
    assert "more than 64 values of the constexpr D" in reasons
    assert "Triton refused" in reasons
    for d in (1, 3, 64, 100, 4096, 10**9):
        point = {"M": 1, "D": d}
        refused = [r for r in program.launches[0].refusals if all(at(c.term, point) for c in r.condition)]
        left = [r for r in program.not_covered if at(r.condition, point)]
        assert len(applying(program, point)) + len(refused) + len(left) == 1, d


def test_conditions_as_constexprs() -> None:
    program = program_of("heuristic", "launch(x: f32[N]) where N < 2**20")
    assert conditions(program) == {"EVEN = False": ["N % 64 != 0"], "EVEN = True": ["N % 64 == 0"]}


def test_quotients_as_constexprs(launcher: Capture) -> None:
    program = launcher(
        "def launch(x, s):\n    copy[(1,)](x, x, 9, BLOCK=x.shape[0] // s.shape[0])\n",
        "launch(x: f32[K], s: f32[S]) where K % S == 0, pow2(K // S), K // S <= 64",
    )
    assert [dict(c.values)["BLOCK"] for c in program.launches[0].cases] == ["1", "2", "4", "8", "16", "32", "64"]
    assert not program.launches[0].refusals


# ---------------------------------------------------------------- tuned launches, programs of launches


def test_every_configuration_is_a_launch_on_the_buffers_as_they_were() -> None:
    program = program_of("tuned", "launch(x: f32[N]) where N < 1000")
    tuned = [x for x in program.launches if x.kernel == "scale"]
    assert [x.config for x in tuned] == [
        "BLOCK=32, num_warps=2, num_stages=3", "BLOCK=64, num_warps=4, num_stages=2"]  # fmt: skip
    assert [dict(x.cases[0].values)["BLOCK"] for x in tuned] == ["32", "64"]
    assert [{s.name: s.contents for s in x.storages}["y"] for x in tuned] == ["uninit", "uninit"]
    assert [str(x.grid[0]) for x in tuned] == ["(N + 31) // 32", "(N + 63) // 64"]
    assert dict(tuned[0].cases[0].options)["num_warps"] == 2
    last = program.launches[-1]
    assert {s.name: s.contents for s in last.storages} == {"x": "input", "y": "kernel"}


def test_index_tensors_that_a_kernel_only_reads_keep_their_facts() -> None:
    program = program_of("gather_twice", "launch(x: f32[V], idx: i32[N] in [0, V)) where N < 1000, V < 1000")
    assert len(program.launches) == 2
    second = {s.name: s for s in program.launches[1].storages}
    assert second["idx"].contents == "input"
    assert second["idx"].facts is not None
    assert second["y"].contents == "kernel"


def test_launches_know_where_their_arguments_are_written() -> None:
    program = program_of("row_block", "launch(x: f32[M, N]) where M < 10, N < 9")
    spans = dict(program.launches[0].arg_spans)
    text = (LAUNCHERS / "row_block.py").read_text().splitlines()
    for name, written in (("x", "x"), ("stride", "x.stride(0)"), ("BLOCK", "triton.next_power_of_2(N)")):
        s = spans[name]
        assert text[s.line - 1][s.column - 1 : s.end_column - 1] == written


# ---------------------------------------------------------------- comparing kernels


def kernels(name: str, entry: str, params: dict[str, str], one: str) -> tuple[Kernel, Kernel]:
    """The general kernel and the one for `one == 1`."""
    fn = getattr(Loader(str(LAUNCHERS / f"{name}.py")).load(), entry)
    general = import_kernel(raw_ttir(fn, params, {k: 4 for k, t in params.items() if t == "constexpr"}))
    special = {**params, one: "constexpr"}
    constants = {k: 1 if k == one else 4 for k, t in special.items() if t == "constexpr"}
    return general, import_kernel(raw_ttir(fn, special, constants))


@pytest.mark.parametrize(
    ("entry", "same"),
    [("plain", True), ("static_choice", True), ("overflowing", False), ("division", True), ("looped", True)],
)
def test_comparison_of_kernels_for_one(entry: str, same: bool) -> None:
    params = {"x": "*fp32", "n": "i32", "B": "constexpr"}
    general, special = kernels("for_one", entry, params, "n")
    assert same_for_ones(general, special, ["n"]) is same


def test_other_kernels_are_not_taken_for_equal() -> None:
    params = {"x": "*fp32", "n": "i32", "B": "constexpr"}
    plain, _ = kernels("for_one", "plain", params, "n")
    _, other = kernels("for_one", "looped", params, "n")
    assert not same_for_ones(plain, other, ["n"])
    assert not same_for_ones(plain, plain, ["n"])


def test_written_parameters() -> None:
    params = {"x": "*fp32", "i": "*i32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    fn = Loader(str(LAUNCHERS / "gather_twice.py")).load().gather
    assert written_params(import_kernel(raw_ttir(fn, params, {"BLOCK": 4}))) == {"y"}
