"""Configurations that only differ in what the front end never asks for are proved once; others are not taken together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]
TEXT = """
from triton.language.extra import cuda

@triton.autotune(configs=[triton.Config({{"B": b}}, num_warps=w, num_stages=s) for b in (32, 64) for w in (2, 4) for s in (1, 2)],
                 key=["n"])
@triton.jit
def twice(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    {more}
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

def launch(x):
    y = torch.empty_like(x)
    twice[lambda meta: (triton.cdiv(x.numel(), meta["{by}"]),)](x, y, x.numel())
"""


@pytest.mark.parametrize(
    ("more", "launches", "each"),
    [("", 2, 3), ("i += 0 * cuda.num_warps()", 4, 1), ("if B > 32:\n        i += cuda.num_warps() - cuda.num_warps()", 3, None)],
)
def test_launches_are_taken_together_where_no_option_matters(
    more: str, launches: int, each: int | None, launcher: Capture
) -> None:
    program = launcher(TEXT.format(more=more, by="B"), "launch(x: f32[N])")
    assert len(program.launches) == launches
    ends = {launch.config.partition(" (and ")[2] for launch in program.launches}
    if each is not None:
        assert ends == {f"{each} that differ in options of the compiler alone)"}
    assert all(launch.cases for launch in program.launches)


def test_a_grid_that_depends_on_an_option_keeps_them_apart(launcher: Capture) -> None:
    text = TEXT.format(more="", by="B").replace("B: tl.constexpr):", "B: tl.constexpr, num_warps: tl.constexpr):")
    assert len(launcher(text, "launch(x: f32[N])").launches) == 4


def test_a_later_launch_is_no_alternative_of_one_that_had_its_configuration(launcher: Capture) -> None:
    """The second call is left with a configuration that stood aside in the first; it sees what the first call wrote."""
    prune = "prune_configs_by={{'early_config_prune': lambda configs, named, **rest: configs[SKIPPED.pop():]}}, key="
    text = TEXT.replace("key=", prune).replace("(32, 64)", "(32,)").replace("for s in (1, 2)", "for s in (1,)")
    text = "SKIPPED = [1, 0]\n" + text.format(more="", by="B").replace("    twice[", "    for _ in range(2):\n        twice[")
    first, second = launcher(text, "launch(x: f32[N])").launches
    assert "and 1 that differ" in first.config
    assert "and" not in second.config
    assert [s.contents for s in first.storages] != [s.contents for s in second.storages]
