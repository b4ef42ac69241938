"""What the host reads from tensors, the machine and the environment: free where it is free, and never unsaid."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from argus_smt.capture.call import parse_signature
from argus_smt.capture.domain import bounds, build_domain
from argus_smt.capture.sampling import sample
from argus_smt.ir.launch import Program, Symbol
from argus_smt.prove.contents import concrete, satisfies
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.show import parse_term
from tests.unit.capture.points import at

Capture = Callable[[str, str], Program]


def reading(program: Program) -> Symbol:
    """The one symbol that is not in the call, but for places."""
    (symbol,) = (s for s in program.symbols if s.name not in ("N", "v") and not s.about.startswith("place "))
    return symbol


@pytest.mark.parametrize(
    ("expr", "kind"),
    [
        ("a.max()", "data"),
        ("a[1:][0]", "data"),
        ("a.clone().to(torch.int64).min()", "data"),
        ("a.to(torch.int8).max()", "unfollowed"),  # cut off
        ("a.sum()", "unfollowed"),
        ("(a + 1).max()", "unfollowed"),
        ("torch.ones(4, dtype=torch.int32).sum()", "unfollowed"),
        ("a.view(torch.int64).max()", "unfollowed"),
        ("torch.where(a > 3)[0].numel()", "unfollowed"),
        ("a.nonzero().shape[0]", "unfollowed"),
    ],
)
def test_numbers_out_of_tensors(launcher: Capture, expr: str, kind: str) -> None:
    program = launcher(f"def launch(x, a):\n    copy[(1,)](x, x, int({expr}), BLOCK=64)\n", "launch(x: f32[N], a: i32[4])")
    assert reading(program).kind == kind


@pytest.mark.parametrize(
    ("body", "call", "kind"),
    [
        ("    m = a.max().item()\n    copy[(m,)](x, a, m, BLOCK=64)\n", "a: i32[4] in [0, 9]", "data"),  # tied to what is seen
        ("    m = a.sum().item()\n    copy[(1,)](x, a, m, BLOCK=64)\n", "a: i32[4] in [0, 9]", "unfollowed"),
        (
            "    copy[(1,)](x, a, 3, BLOCK=64)\n    copy[(1,)](x, x, a.max().item(), BLOCK=64)\n",
            "a: i32[4] in [0, 9]",
            "unfollowed",
        ),
        ("    a[0] = 3\n    copy[(1,)](x, x, a.max().item(), BLOCK=64)\n", "a: i32[4] in [0, 9]", "unfollowed"),
        ("    copy[(1,)](x, x, a.max().item(), BLOCK=64)\n", "a: i32[4] in {3, 9}", "data"),
        ("    copy[(1,)](x, x, a.max().item(), BLOCK=64)\n", "a: i32[4] in [0, 9] distinct", "unfollowed"),
        ("    copy[(1,)](x, x, a.view(2, 2).max().item(), BLOCK=64)\n", "a: i32[4] in [0, 9]", "data"),
    ],
)
def test_numbers_bound_up_with_what_else_is_seen(launcher: Capture, body: str, call: str, kind: str) -> None:
    assert reading(launcher(f"def launch(x, a):\n{body}", f"launch(x: f32[N], {call})")).kind == kind


@pytest.mark.parametrize(
    ("other", "kind"), [("a.min()", "data"), ("a.sum()", "unfollowed"), ("a.view(2, 2).min()", "unfollowed")]
)
def test_two_readings_of_one_tensor_are_bound_to_each_other(launcher: Capture, other: str, kind: str) -> None:
    body = f"def launch(x, a):\n    copy[(a.max().item(),)](x, x, {other}.item(), BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], a: i32[4] in [1, 9])")
    kinds = {s.about: s.kind for s in program.symbols if s.name != "N"}
    assert kinds.pop("the greatest element of `a`") == "data"
    assert [k for about, k in kinds.items() if not about.startswith("place ")] == [kind]


@pytest.mark.parametrize(
    ("dtype", "range_", "target", "kept"),
    [
        ("u8", "[0, 255]", "int8", False),
        ("u8", "[0, 100]", "int8", True),
        ("i8", "[5, 7]", "bool", False),
        ("i32", "[-3, 3]", "uint32", False),
        ("i64", "[0, N)", "int32", True),
        ("i64", "[0, v)", "int32", False),
        ("u8", "[0, 255]", "int64", True),
    ],
)
def test_conversions_keep_a_range_only_where_they_keep_the_values(
    launcher: Capture, dtype: str, range_: str, target: str, kept: bool
) -> None:
    body = f"def launch(x, a, v):\n    b = a.to(torch.{target})\n    copy[(1,)](b, x, 3, BLOCK=64)\n"
    call = f"launch(x: f32[N], a: {dtype}[4] in {range_}, v: int) where N < 1000, v > 0"
    (launch,) = launcher(body, call).launches
    facts = next(s.facts for s in launch.storages if s.name == "b")
    assert (facts is not None and facts.lower is not None) == kept


def test_random_numbers_are_symbols(launcher: Capture) -> None:
    body = "import random\n\n\ndef launch(x):\n    copy[(1,)](x, x, random.randint(2, 5), BLOCK=64)\n"
    s = reading(launcher(body, "launch(x: f32[N])"))
    assert (s.kind, s.lower, s.upper) == ("data", 2, 5)
    with pytest.raises(Exception, match="depends on random numbers"):
        launcher(body.replace("random.randint(2, 5)", "random.choice([2, 5])"), "launch(x: f32[N])")
    with pytest.raises(Exception, match="depends on random numbers"):
        launcher("from random import randint\n" + body.replace("random.randint", "randint"), "launch(x: f32[N])")


@pytest.mark.parametrize(
    ("expr", "note"),
    [
        ("torch.cuda.get_device_properties(0).multi_processor_count", "multi_processor_count = 304 (AMD Instinct MI300X)"),
        ("torch.cuda.get_device_capability()[0]", "device capability = (9, 4) (AMD Instinct MI300X)"),
        ("triton.runtime.driver.active.get_current_target().warp_size", "warp_size = 64 (AMD Instinct MI300X)"),
        ("len(os.environ.get('ARGUS_NOT_SET', ''))", "the environment variable ARGUS_NOT_SET, which is not set"),
        ("len(os.getenv('ARGUS_SET'))", "the environment variable ARGUS_SET = 'a'"),
        ("1 if x.requires_grad else 2", "tensor arguments require no gradient"),
        ("x.storage_offset() + 1", "tensor arguments start where their storage starts, and fill it"),
        ("x.untyped_storage().nbytes()", "tensor arguments start where their storage starts, and fill it"),
        ("1 if x.device.index == 0 else 2", "all tensors are on device 0"),
        ("'ARGUS_NOT_SET' in os.environ", "the environment variable ARGUS_NOT_SET, which is not set"),
    ],
)
def test_what_the_launcher_is_told_is_noted(launcher: Capture, monkeypatch: pytest.MonkeyPatch, expr: str, note: str) -> None:
    monkeypatch.setenv("ARGUS_SET", "a")
    program = launcher(f"import os\n\ndef launch(x):\n    copy[(1,)](x, x, {expr}, BLOCK=64)\n", "launch(x: f32[N])")
    assert f"the launcher was told: {note}" in program.notes


def test_nothing_is_noted_that_was_not_asked(launcher: Capture) -> None:
    program = launcher("def launch(x):\n    copy[(1,)](x, x, x.shape[0], BLOCK=64)\n", "launch(x: f32[N])")
    assert not program.notes


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("    global kept\n    kept = torch.empty(3)\n", "kept"),
        ("    table[3] = 4\n", "table[…]"),
        ("    launch.calls = 3\n", "launch.calls"),
        ("    cached(3)\n", "the cache of cached"),
    ],
)
def test_state_that_outlives_a_call_is_noted(launcher: Capture, body: str, what: str) -> None:
    head = "import functools\nkept = None\ntable = {}\n\n\n@functools.lru_cache\ndef cached(n):\n    return n\n\n\n"
    program = launcher(f"{head}def launch(x):\n{body}    copy[(1,)](x, x, 3, BLOCK=64)\n", "launch(x: f32[N])")
    assert program.notes == (f"the launcher is called on a freshly imported module: it leaves `{what}` changed",)


def test_equality_of_tensors_is_a_branch(launcher: Capture) -> None:
    body = "def launch(x, y):\n    copy[(1 if torch.equal(x, y) else 2,)](x, x, 3, BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], y: f32[v])")
    assert {str(x.grid[0]) for x in program.launches} == {"1", "2"}
    assert reading(program).kind == "unfollowed"
    assert all(any("N" in str(c.term) for c in x.path) for x in program.launches if str(x.grid[0]) == "1")


READ = "a: i64[B] in [2, P]"


@pytest.mark.parametrize(
    ("expr", "lower", "upper"),
    [
        ("a.max()", "2", "P"),
        ("a.min()", "2", "P"),
        ("a[0]", "2", "P"),
        ("a[-1]", "2", "P"),
        ("a.sum()", "2 * B", "B * P"),
        ("a.cumsum(0)[-1]", "min(2, 2 * B)", "max(P, B * P)"),
        ("torch.cumsum(a, 0).max()", "min(2, 2 * B)", "max(P, B * P)"),
        ("torch.cat([a, a]).amax()", "2", "P"),
    ],
)
def test_numbers_have_the_range_of_what_they_are_read_from(launcher: Capture, expr: str, lower: str, upper: str) -> None:
    body = f"def launch(x, a, P):\n    B = a.shape[0]\n    copy[(1,)](x, x, {expr}.item(), BLOCK=64)\n"
    program = launcher(body, f"launch(x: f32[N], {READ}, P: int in [3, 1000])")
    hypotheses = [*bounds(program.symbols), *(c.term for c in program.preconditions)]
    session = Session()
    for symbol in (s for s in program.symbols if s.name not in ("N", "B", "P") and not s.about.startswith("place ")):
        read = T.var(symbol.name)
        for goal in (T.le(parse_term(lower), read), T.le(read, parse_term(upper))):
            assert session.implied(hypotheses, goal) is True
        for tighter in (T.lt(parse_term(lower), read), T.lt(read, parse_term(upper))):
            assert session.implied(hypotheses, tighter) is False


def test_a_sum_in_a_narrow_type_is_cut_off(launcher: Capture) -> None:
    body = "def launch(x, a):\n    copy[(1,)](x, x, a.sum(dtype=torch.int8).item(), BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], a: i64[B] in [2, 9])")
    (symbol,) = (s for s in program.symbols if s.name not in ("N", "B"))
    assert (symbol.lower, symbol.upper) == (-128, 127)


# ---------------------------------------------------------------- against real tensors


def _value_of(about: str, sizes: dict[str, int], a: torch.Tensor) -> int:
    """What a symbol stands for where the tensor is `a`."""
    rises = a[1:] - a[:-1]
    place = int(rises.argmax()) if len(rises) else 0
    found = {
        "the greatest element of `a`": lambda: a.max(),
        "the least element of `a`": lambda: a.min(),
        "place of the greatest in `a`": lambda: a.argmax(),
        "place of the least in `a`": lambda: a.argmin(),
        "the greatest step of `a`": lambda: rises.max(),
        "the element before the greatest step of `a`": lambda: a[place],
        "place of the greatest step in `a`": lambda: place,
    }
    if about in found:
        return int(found[about]())
    index = parse_term(about.removeprefix("element ").removesuffix(" of `a`"))
    return int(a[at(index, sizes)])


STATED = ("a: i32[B + 1] in [0, 40]", "a: i32[B + 1] nondecreasing in [0, 40]", "a: i64[B + 1] in {3, 9}",
          "a: i32[B + 1] distinct in [-9, 40]", "a: i32[B + 1] nondecreasing steps in [1, 5] in [0, 40]")  # fmt: skip


@pytest.mark.parametrize("stated", [STATED[1], *(pytest.param(s, marks=pytest.mark.slow) for s in STATED if s != STATED[1])])
@pytest.mark.parametrize(
    "expr",
    [
        "a[0]", "a[-1]", "a[B]", "a[1]", "a.max()", "a.min()", "torch.amax(a)", "a.max() - a.min()", "a[B] - a[0] + a.max()",
        "(a[1:] - a[:-1]).max()", "(a[1:] - a[:-1]).max() + a[0]", "a.to(torch.int64)[B - 1]", "a[:-1][-1]", "(a * 2 + 1)[B]",
        "a[a.argmax() * 0]", "max(a[0].item(), a[-1].item())", "a.flip(0)[0] + a[0]", "a.min() + (a[1:] - a[:-1]).max()",
    ],
)  # fmt: skip
def test_readings_are_those_of_real_tensors(launcher: Capture, expr: str, stated: str) -> None:
    body = f"def launch(x, a):\n    B = a.shape[0] - 1\n    copy[(int({expr}) + 50,)](x, a, 3, BLOCK=64)\n"
    program = launcher(body, f"launch(x: f32[N], {stated})")
    domain = build_domain(parse_signature(f"launch(x: f32[N], {stated})"))
    checked = 0
    for seed in range(12):
        drawn = sample(domain, seed)
        if drawn is None or drawn[1]["B"] > 40:
            continue
        values, names = drawn
        a = values["a"]
        sizes: dict[str, int] = {k: int(v) for k, v in names.items()}
        if any(s.about.startswith("a number") for s in program.symbols):
            continue  # one that is not followed
        point = dict(sizes)
        for s in program.symbols[len(domain.symbols) :]:
            point[s.name] = _value_of(s.about, sizes, a)
            assert s.lower is None or s.lower <= point[s.name]
            assert s.upper is None or point[s.name] <= s.upper
        assert all(at(c.term, point) for c in program.preconditions)
        for launch in (x for x in program.launches if all(at(c.term, point) for c in x.path)):
            assert at(launch.grid[0], point) == int(eval(expr, {"a": a, "B": sizes["B"], "torch": torch})) + 50
            facts = next(s.facts for s in launch.storages if s.name == "a")
            assert facts is not None
            whole = concrete(facts, lambda t: at(t, point), -(1 << 63), (1 << 63) - 1)  # noqa: B023
            assert satisfies(a.numpy().astype(object), whole)
            checked += 1
    steps = "- a[:-1]" in expr and ("{" in stated or "steps" in stated)  # differences of these are not followed
    assert checked or steps or "argmax" in expr
