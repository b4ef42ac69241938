"""What people read: golden texts of reports made by hand."""

from __future__ import annotations

from collections.abc import Callable

from argus_smt.diag import report as R
from argus_smt.diag.excerpt import excerpt
from argus_smt.diag.report import Report
from argus_smt.diag.text import Style, groups, render
from tests.unit.diag.reports import at, bug, kernel, proof, read, report, run_of

Golden = Callable[[str, str], None]


def text(shown: Report, colour: bool = False) -> str:
    return render(shown, Style(colour=colour, read=read))


def test_proved(golden: Golden) -> None:
    proofs = [proof()] * 150 + [proof(method="algebra")] * 60 + [proof(method="solver")] * 4
    shown = report(kernel(*proofs, assumptions=("`idx` holds values in [0, n)",), config="BLOCK = 64"))
    golden("report_proved", text(shown))


def test_proved_up_to_a_limit(golden: Golden) -> None:
    limit = "row * stride < 2**31"
    wrap = bug(
        code="AR303",
        severity="warning",
        location=at(5, 11, 44),
        message="`row * stride` wraps in 32 bits",
        limit=limit,
        help="make `row` 64 bits wide: `row.to(tl.int64)`",
    )
    golden("report_limit", text(report(kernel(proof(), wrap, limit=limit, limits=(limit,)))))


def test_many_limits_and_cases_are_listed_below(golden: Golden) -> None:
    limits = tuple(f"{k} * n < 2**31" for k in (1, 3, 5))
    cases = tuple(R.CaseModel(label=f"BLOCK = {1 << k}") for k in range(12))
    given = (
        R.Precondition(expr="p == 1 or p == 2 or p == 4 or p == 8", source="default", detail="p is next_power_of_2(n)"),
        R.Precondition(expr="n <= p", source="default", detail="p is next_power_of_2(n)"),
    )
    entry = kernel(proof(), limit=" and ".join(limits), limits=limits, cases=cases, preconditions=given)
    golden("report_many", text(report(entry)))


def test_refuted_in_several_cases(golden: Golden) -> None:
    large = bug(case="n is i64", counterexample=run_of(1 << 31))
    shown = report(kernel(large, bug(), bug(case="n is i16", counterexample=run_of(5)), verdict="refuted"))
    assert len(groups(shown.kernels)) == 1
    golden("report_refuted", text(shown))


def test_unknown(golden: Golden) -> None:
    open_ = bug(
        verdict="unknown",
        location=at(6, 6, 26),
        reason="the solver ran out of time",
        reason_code="AR902",
        approximations=("contents of `idx`",),
        suggestion="n % 8 == 0",
        counterexample=None,
        help="",
    )
    hole = bug(
        code="AR106",
        verdict="unknown",
        case="",
        location=at(9),
        message="nothing is claimed where `n > 4096`",
        reason="more than 8 paths",
        reason_code="AR106",
        related=(),
        counterexample=None,
        help="",
    )
    shown = report(
        kernel(open_, hole, proof(), verdict="unknown", reason="AR902 out-of-budget, AR106 path-not-covered"),
        interrupted="interrupted: 3 of 5 cases decided",
    )
    golden("report_unknown", text(shown))


def test_colours_only_where_asked(golden: Golden) -> None:
    shown = report(kernel(bug(), verdict="refuted"))
    assert "\x1b" not in text(shown)
    golden("report_colours", text(shown, colour=True).replace("\x1b", "ESC"))


def test_left_out_codes_stand_in_the_verdict_line() -> None:
    shown = report(kernel(proof(), not_checked=("AR302: left out by --select or --ignore (1 refuted)", "termination")))
    assert "without AR302" in text(shown)


def test_a_source_that_cannot_be_read_leaves_the_place() -> None:
    shown = render(report(kernel(bug(), verdict="refuted")), Style(read=lambda _: ()))
    assert "┌─ kernels/absmax.py:7:5" in shown
    assert "program (0), element [2]" in shown


def test_carets() -> None:
    assert excerpt("    x = f(a)  # note", 3)[2] == "    ^^^^^^^^"
    assert excerpt("    x = f(a)", 3, 9, 3, 13)[2] == "        ^^^^"
    assert excerpt("    x = f(a)", 3, 9)[2] == "        ^"
    assert excerpt("    x = f(a,", 3, 9, 5, 2)[2] == "        ^^^^"
    assert excerpt("\tx = f(a)", 3, 6, 3, 10)[1:] == ("    x = f(a)", "        ^^^^")
    assert excerpt('    x = "a  # b"', 3)[2] == "    ^^^^^^^^^^^^"
    assert excerpt("", 3)[2] == "^"


def test_paths_and_skipped_launchers_are_told() -> None:
    paths = R.LauncherModel(launcher="f", call="f()", file="k.py", paths={"launches": 2, "rejects": 1, "pin": 1}, covered=False)
    plain = R.LauncherModel(launcher="g", call="g()", file="k.py", paths={"launches": 1}, covered=True)
    left = tuple(
        R.Skipped(file="k.py", line=n, launcher=f"h{n}", reason="no signature" if n > 1 else "`*b` is no size", help="write one")
        for n in range(1, 24)
    )
    shown = report(kernel(proof())).model_copy(update={"launchers": (paths, plain), "skipped": left})
    lines = text(shown).splitlines()
    assert "paths through `f`: 4 (2 launching, 1 raising, 1 not followed to the end), not every call is covered" in lines
    assert not any("`g`" in line for line in lines)
    start = lines.index("skipped, for nothing says what they take: 23 launchers")
    assert lines[start + 1 : start + 3] == ["  - k.py:1 `h1`: `*b` is no size", "  - k.py:2 `h2`"]
    assert lines[start + 21 : start + 23] == ["  - and 3 more", "  = help: write one"]
    assert lines[-1].startswith("1 launch: 1 proved; 23 skipped")


def test_long_lists_are_wrapped() -> None:
    limits = tuple(f"some_name_{k} * another_name_{k} < 2**31" for k in range(8))
    shown = text(report(kernel(proof(), limit=" and ".join(limits), limits=limits, assumptions=("a very long sentence " * 12,))))
    assert max(map(len, shown.splitlines())) <= 120
    assert all(f"`{limit}`" in shown for limit in limits)


def test_bytes_of_a_view_are_told_from_those_of_the_tensor() -> None:
    view = "the view of `x` from byte 8 on that the kernel is given"
    seen = run_of().model_copy(update={"storage": "x", "view": view})
    shown = text(report(kernel(bug(counterexample=seen), verdict="refuted")))
    assert f"touches bytes 8..11 of {view}, which has 8 bytes" in shown


def test_both_sides_of_a_meeting_are_shown() -> None:
    other = R.OtherAccessModel(location=at(9, 5), does="stores", program_id=(1, 0, 0), element=(0,), iteration=(2,))
    seen = run_of().model_copy(update={"grid": (2, 1, 1), "does": "stores", "other": other})
    shown = text(report(kernel(bug(counterexample=seen), verdict="refuted")))
    assert "= stores bytes 8..11 of `amax_ptr`\n" in shown
    assert "= and program (1), element [0], iteration 2 stores there too (line 9)" in shown
    reads = seen.model_copy(update={"other": other.model_copy(update={"does": "reads", "iteration": ()})})
    shown = text(report(kernel(bug(counterexample=reads), verdict="refuted")))
    assert "= and program (1), element [0] reads there (line 9)" in shown


def test_an_element_that_nobody_writes_is_named() -> None:
    seen = run_of().model_copy(update={"element": (), "address": None, "unwritten": (4, 0)})
    shown = text(report(kernel(bug(counterexample=seen), verdict="refuted")))
    assert "not for element [4, 0] of `amax_ptr`" in shown
    assert "program (0)" not in shown
