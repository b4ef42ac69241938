"""What launchers do with sizes: each idiom becomes paths that cover the preconditions, exact terms, or an honest gap."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Launch, PointerArg, Program, ScalarArg
from argus_smt.smt import term as T
from tests.unit.capture.points import allowed, applying, at, complete

Capture = Callable[[str, str], Program]
N, M = T.var("N"), T.var("M")


def sizes(launch: Launch) -> list[str]:
    """The third argument of `copy` in the first case of a launch."""
    arg = dict(zip(launch.cases[0].kernel.params, launch.cases[0].args, strict=True))["n"]
    assert isinstance(arg, ScalarArg)
    return [str(arg.value)]


def value(program: Program, point: dict[str, int], name: str = "n") -> int:
    """What the launch passes for `name` at a point that exactly one case covers."""
    full = complete(program, point)
    assert allowed(program, full)
    found = applying(program, full)
    assert len(found) == 1, point
    _, case = found[0]
    if name in dict(case.values):
        return int(dict(case.values)[name])
    arg = dict(zip(case.kernel.params, case.args, strict=True))[name]
    assert isinstance(arg, ScalarArg)
    assert arg.value is not None
    return at(arg.value, full)


EXACT = [
    ("-(-N // 16)", lambda n: -(-n // 16)),
    ("triton.cdiv(N, 16)", lambda n: -(-n // 16)),
    ("math.ceil(N / 16)", lambda n: -(-n // 16)),
    ("int(N) + sum(x.shape)", lambda n: n + n),
    ("math.prod((N, 3, N))", lambda n: 3 * n * n),
    ("N >> 2", lambda n: n >> 2),
    ("N << 3", lambda n: n << 3),
    ("N & 7", lambda n: n & 7),
    ("divmod(N, 4)[0] * 10 + divmod(N, 4)[1]", lambda n: n // 4 * 10 + n % 4),
    ("x.nbytes", lambda n: 4 * n),
    ("x.numel() * x.element_size()", lambda n: 4 * n),
    ("max(N, 16) - min(N, 7)", lambda n: max(n, 16) - min(n, 7)),
    ("sorted((N, 9, 4))[1]", lambda n: sorted((n, 9, 4))[1]),
    ("1 if N in (3, 5) else 2", lambda n: 1 if n in (3, 5) else 2),
    ("N % 48 // 16 - 2 * N", lambda n: n % 48 // 16 - 2 * n),
    ("len(x) + x.size(0) + x.stride(0)", lambda n: 2 * n + 1),
    ("triton.next_power_of_2(N)", lambda n: 1 << (n - 1).bit_length()),
    ("triton.next_power_of_2(N + 3) // 2", lambda n: (1 << (n + 2).bit_length()) // 2),
    ("1 << (N - 1).bit_length()", lambda n: 1 << (n - 1).bit_length()),
    ("2 ** math.ceil(math.log2(N)) * 3", lambda n: 3 << (n - 1).bit_length()),
    ("N if isinstance(N, int) else 0", lambda n: n),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "meaning"), EXACT, ids=[e for e, _ in EXACT])
def test_arithmetic_stays_exact(launcher: Capture, expr: str, meaning: Callable[[int], int]) -> None:
    program = launcher(
        f"import math\n\ndef launch(x):\n    N = x.shape[0]\n    copy[(N,)](x, x, {expr}, BLOCK=64)\n", "launch(x: f32[N])"
    )
    assert not [r for r in program.not_covered if "2**31" not in r.reason]
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 100, 4097):
        assert value(program, {"N": n}) == meaning(n), n


def test_branches_are_paths_with_conditions(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    N = x.shape[0]\n    b = 16\n    while b < N and b < 128:\n        b *= 2\n"
        "    copy[(1,)](x, x, N, BLOCK=b)\n",
        "launch(x: f32[N])",
    )
    assert sorted(int(dict(c.values)["BLOCK"]) for x in program.launches for c in x.cases if c.label.endswith("i32")
                  or not c.label) == [16, 32, 64, 128]  # fmt: skip
    for n in (1, 16, 17, 32, 33, 64, 65, 1000):
        assert value(program, {"N": n}, "BLOCK") == min(128, max(16, 1 << (n - 1).bit_length()))
    assert all(c.source == "branch" for x in program.launches for c in x.path)


def test_asserts_become_preconditions_and_raises_rejected_regions(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    N = x.shape[0]\n    assert N % 32 == 0, 'no'\n    if N > 4096:\n        raise ValueError('large')\n"
        "    copy[(1,)](x, x, N, BLOCK=64)\n",
        "launch(x: f32[N])",
    )
    (launch,) = program.launches
    assert [(str(c.term), c.source, c.span.line) for c in launch.path] == [
        ("N % 32 == 0", "assert", 14), ("N <= 4096", "branch", 15)]  # fmt: skip
    rejected = [(str(r.condition), r.reason, r.span.line) for r in program.not_covered if r.rejected]
    assert ("N % 32 != 0", "the launcher raises AssertionError: no", 14) in rejected
    assert any("ValueError: large" in reason and line == 16 for _, reason, line in rejected)
    assert all(r.rejected for r in program.not_covered)


def test_torch_checks_reject(launcher: Capture) -> None:
    program = launcher("def launch(x):\n    y = x.view(-1, 8)\n    copy[(1,)](x, y, y.shape[0], BLOCK=64)\n", "launch(x: f32[N])")
    assert value(program, {"N": 64}) == 8
    assert not applying(program, {"N": 63})
    assert all(at(T.or_(*(r.condition for r in program.not_covered)), {"N": n}) for n in (63, 1, 9))


def test_division_by_a_size_that_may_be_zero_is_asked(launcher: Capture) -> None:
    program = launcher(
        "def launch(x, groups):\n    copy[(1,)](x, x, x.shape[0] // groups, BLOCK=64)\n", "launch(x: f32[N], groups: int)"
    )
    assert [str(r.condition) for r in program.not_covered if r.rejected] == ["groups == 0"]
    assert value(program, {"N": 64, "groups": -3}) == 64 // -3


def test_framework_questions_are_merged(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    y = torch.empty_like(x)\n    z = x.contiguous()\n    copy[(1,)](z, y, x.shape[0], BLOCK=64)\n",
        "launch(x: f32[M, N])",
    )
    assert len(program.launches) == 1
    assert program.launches[0].path == ()


def test_unknown_strides_decide_whether_contiguous_copies(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    z = x.contiguous()\n    copy[(1,)](z, x, z.stride(0), BLOCK=64)\n", "launch(x: f32[M, N]{s, 1})"
    )
    assert value(program, {"M": 5, "N": 7, "s": 9}) == 7
    assert value(program, {"M": 5, "N": 7, "s": 7}) == 7
    launches = [found[0] for found in (applying(program, {"M": 5, "N": 7, "s": s}) for s in (9, 7)) for found in found]
    storages = [{s.name: s.contents for s in x.storages}.get("z", "same") for x in launches]
    assert storages == ["computed clone", "same"]


def test_data_on_the_host_takes_both_branches(launcher: Capture) -> None:
    program = launcher(
        "def launch(x, lens):\n    m = lens.max().item()\n    b = 128 if m > 128 else 64\n    copy[(1,)](x, x, m, BLOCK=b)\n",
        "launch(x: f32[N], lens: i32[B] in [0, N])",
    )
    assert {dict(c.values)["BLOCK"] for x in program.launches for c in x.cases} == {"64", "128"}
    assert [s.kind for s in program.symbols if s.name not in "NB"] == ["data", "data"]  # the number, and its place


def test_loop_over_a_size_gives_small_sizes_and_an_honest_rest(launcher: Capture) -> None:
    with pytest.raises(Exception, match="line 13 turns the size N into a number"):
        launcher("def launch(x):\n    for i in range(x.shape[0]):\n        copy[(1,)](x, x, i, BLOCK=64)\n", "launch(x: f32[N])")


def test_chunk_is_exact(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    a = x.chunk(2)[0]\n    copy[(1,)](a, x, a.shape[0], BLOCK=64)\n", "launch(x: f32[N]) where N >= 2"
    )
    for n in (2, 3, 4, 7, 100):
        assert value(program, {"N": n}) == -(-n // 2)


def test_except_does_not_swallow_the_end_of_a_path(launcher: Capture) -> None:
    with pytest.raises(Exception, match="into a list"):
        launcher(
            "def launch(x):\n    try:\n        b = len(x.tolist())\n    except Exception:\n        b = 3\n"
            "    copy[(1,)](x, x, b, BLOCK=64)\n",
            "launch(x: f32[N])",
        )
    with pytest.raises(Exception, match="into a list"):
        launcher(
            "def launch(x):\n    try:\n        b = len(x.tolist())\n    except BaseException:\n        b = 3\n"
            "    copy[(1,)](x, x, b, BLOCK=64)\n",
            "launch(x: f32[N])",
        )


def test_bools_are_enumerated_and_floats_compared(launcher: Capture) -> None:
    program = launcher(
        "def launch(x, flag, p):\n    b = 64 if flag else 32\n    if p > 0.5:\n        b *= 2\n"
        "    copy[(1,)](x, x, x.shape[0], BLOCK=b)\n",
        "launch(x: f32[N], flag: bool, p: float)",
    )
    assert {dict(c.values)["BLOCK"] for x in program.launches for c in x.cases} == {"32", "64", "128"}
    assert all(c.source != "opaque" for x in program.launches for c in x.path)
    assert not program.not_covered


def test_device_questions_are_answered(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    assert x.is_cuda and x.device.type == 'cuda' and torch.cuda.is_available()\n"
        "    sms = torch.cuda.get_device_properties(x.device).multi_processor_count\n"
        "    t = triton.runtime.driver.active.get_current_target()\n"
        "    y = torch.zeros(4, device='cuda').to(x.device).cuda()\n"
        "    with torch.cuda.device(x.device) as none:\n"
        "        assert none is None and torch.cuda.device(0).idx == 0 == torch._C._cuda_getCurrentRawStream(0)\n"
        "        copy[(min(sms, x.shape[0]),)](x, y, t.warp_size, BLOCK=64)\n",
        "launch(x: f32[N])",
    )
    assert {str(x.grid[0]) for x in program.launches} == {"304", "N"}
    assert value(program, {"N": 3}) == 64


def test_addresses_split_by_alignment(launcher: Capture) -> None:
    program = launcher(
        "def launch(x):\n    y = torch.empty(9)\n    z = y[1:]\n    n = 1 if z.data_ptr() % 16 == 0 else 2\n"
        "    copy[(1,)](y, z, n if x.data_ptr() % 16 == 0 else n + 4, BLOCK=64)\n",
        "launch(x: f32[N]) where N >= 2",
    )
    assert sorted(sizes(x) for x in program.launches) == [["2"], ["6"]]  # the caller's tensor may be a view
    launch = program.launches[0]
    assert str(launch.cases[0].args[1].offset) == "4"  # type: ignore[union-attr]
    assert len({a.storage for a in launch.cases[0].args[:2]}) == 1  # type: ignore[union-attr]


def test_fresh_module_for_every_path(launcher: Capture) -> None:
    program = launcher(
        "count = 0\n\n\ndef launch(x):\n    global count\n    count += 1\n    b = 32 if x.shape[0] > 9 else 64\n"
        "    copy[(1,)](x, x, count + 1, BLOCK=b)\n",
        "launch(x: f32[N])",
    )
    assert {str(sizes(x)) for x in program.launches} == {"['2']"}


def test_helper_contract(launcher: Capture) -> None:
    program = launcher(
        "def plan(t):\n    return t.tolist()[0]\n\n\ndef launch(x, t):\n    g = plan(t)\n    copy[(g,)](x, x, g, BLOCK=64)\n",
        "launch(x: f32[N], t: i32[4] in [1, 8]) helper plan(t) -> int in [1, 8]",
    )
    (launch,) = program.launches
    assert str(launch.grid[0]) == "plan_0"
    assert [str(c.term) for c in program.preconditions] == ["plan_0 > 0", "plan_0 <= 8"]


def test_kernel_without_a_launcher(tmp_path: object) -> None:
    from pathlib import Path

    from argus_smt.capture.module import Loader
    from argus_smt.capture.program import capture
    from tests.unit.capture.conftest import HEADER

    path = Path(str(tmp_path)) / "user.py"
    path.write_text(HEADER)
    call = "copy(x: f32[n], y: f32[n] out, n: int, BLOCK=128) grid (cdiv(n, BLOCK),)"
    program = capture(Loader(str(path)), call, kernel=True)
    (launch,) = program.launches
    assert str(launch.grid[0]) == "(n + 127) // 128"
    assert [(s.name, s.contents, s.role) for s in launch.storages] == [("x", "input", ""), ("y", "uninit", "out")]
    assert dict(launch.cases[0].values) == {"BLOCK": "128"}


TRITON_OP = """
@torch.library.{decorator}("argus_test_{decorator}::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    torch.library.wrap_triton(copy)[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y


def launch(x):
    return double(x)
"""


@pytest.mark.parametrize("decorator", ["triton_op", "custom_op"])
def test_launches_inside_custom_operators_are_seen(launcher: Capture, decorator: str) -> None:
    program = launcher(TRITON_OP.format(decorator=decorator), "launch(x: f32[N])")
    assert [str(x.grid[0]) for x in program.launches] == ["(N + 63) // 64"]


def test_backward_launch_sees_the_strides_of_the_gradient(launcher: Capture) -> None:
    body = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        copy[(1,)](x, x, x.shape[0], BLOCK=64)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        copy[(2,)](g, g, g.stride(0), BLOCK=64)
        return g


def launch(x):
    Double.apply(x.requires_grad_(True)).sum().backward()
"""
    program = launcher(body, "launch(x: f32[N]) where N >= 2")
    backward = [x for x in program.launches if str(x.grid[0]) == "2"]
    assert [sizes(x) for x in backward] == [["0"]]


def test_contents_of_allocations(launcher: Capture) -> None:
    body = """
def launch(x):
    n = x.shape[0]
    a = torch.empty(n)
    b = torch.zeros_like(x)
    c = torch.full((n,), 7, device=x.device)
    d = x + 1
    e = torch.empty_like(x).fill_(2)
    f = torch.empty((n, 4))
    f[:, 0].zero_()
    g = x.clone()
    h = x.view(-1)
    copy[(1,)](h, a, n, BLOCK=64)
"""
    (launch,) = launcher(body, "launch(x: f32[N]) where N < 100").launches
    assert {s.name: s.contents for s in launch.storages if s.name in "abcdefgx"} == {
        "x": "input",
        "a": "uninit",
        "b": "fill 0",
        "c": "fill 7",
        "d": "computed add",
        "e": "fill 2",
        "f": "computed part of it, fill 0",
        "g": "computed clone",
    }


def test_names_in_messages_are_the_users(launcher: Capture) -> None:
    program = launcher(
        "def launch(x, y):\n    assert x.shape == y.shape, f'{x.shape} against {y.shape}'\n    copy[(1,)](x, y, 3, BLOCK=64)\n",
        "launch(x: f32[M], y: f32[N])",
    )
    (rejected,) = program.not_covered
    assert "torch.Size([M]) against torch.Size([N])" in rejected.reason


def test_readings_of_different_tensors_keep_their_ranges_apart(launcher: Capture) -> None:
    body = """
def launch(x, a, b):
    t = a if x.shape[0] > 10 else b
    copy[(1,)](x, x, t.max().item(), BLOCK=64)
"""
    program = launcher(body, "launch(x: f32[N], a: i32[4] in [0, 5], b: i32[4] in [0, 900])")
    ranges = {s.name: (s.lower, s.upper) for s in program.symbols if s.kind == "data" and "place" not in s.about}
    assert sorted(ranges.values()) == [(0, 5), (0, 900)]
    by_path = {str(x.path[0].term): sizes(x)[0] for x in program.launches}
    assert ranges[by_path["N > 10" if "N > 10" in by_path else "N >= 11"]] == (0, 5)


@pytest.mark.parametrize("write", ["a.fill_(100)", "a[0] = 100", "copy[(1,)](x, a, 3, BLOCK=64)"])
def test_a_write_ends_what_was_known_of_all_views(launcher: Capture, write: str) -> None:
    body = f"def launch(x, a):\n    v = a[1:]\n    {write}\n    copy[(1,)](x, x, v.max().item(), BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], a: i32[4] in [0, 5])")
    (symbol,) = (s for s in program.symbols if s.kind == "unfollowed")
    assert (symbol.lower, symbol.upper) == (-(1 << 31), (1 << 31) - 1)
    assert not program.preconditions


def test_the_name_math_in_a_kernel_is_no_state_of_the_launcher(launcher: Capture) -> None:
    body = """
import math

@triton.jit
def powers(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.math.exp2(tl.load(x + i, mask=i < n)), mask=i < n)

def launch(x):
    n = x.numel()
    powers[(math.ceil(n / 64),)](x, n, BLOCK=64)
"""
    program = launcher(body, "launch(x: f32[n] inout)")
    assert program.launches[0].cases
    assert not program.not_covered


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("def launch(x, a):\n    copy[(max(a.tolist()),)](x, x, 3, BLOCK=64)\n", "move what is computed from it into a function"),
        (
            "def plan(a, b):\n    return max(a.tolist())\n\n\ndef launch(x, a):\n    copy[(plan(a, x),)](x, x, 3, BLOCK=64)\n",
            "state what the function around it returns, as in `helper plan(a, b) -> int in [1, 64]`",
        ),
    ],
)
def test_a_list_of_a_symbolic_number_of_elements_asks_for_a_contract(launcher: Capture, body: str, reason: str) -> None:
    with pytest.raises(CaptureError) as error:
        launcher(body, "launch(x: f32[N], a: i32[B] in [1, 9])")
    assert reason in str(error.value)


def test_lists_of_few_elements_are_symbols(launcher: Capture) -> None:
    body = "def launch(x, a):\n    for row in a.tolist():\n        for n in row:\n            copy[(n,)](x, x, 3, BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], a: i32[1, 3] in [1, 9])")
    assert len(program.launches) == 3
    body = "def launch(x, a):\n    copy[tuple(a.tolist())](x, x, 3, BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[N], a: i32[2] in [1, 9])")
    assert [str(t) for t in program.launches[0].grid] == ["a_at_0", "a_at_1", "1"]


def test_symbols_index_tensors(launcher: Capture) -> None:
    body = """
def launch(x, cu, b):
    first = cu[b]
    n = x.shape[0]
    y = x[n - 1, b:]
    y[b] = 1.0
    copy[(int(cu[-1]) + 1,)](y, x[b], y.shape[0], BLOCK=64)
    copy[(1,)](x[:, b], x[:, b], int(first) + 1, BLOCK=64)
"""
    program = launcher(body, "launch(x: f32[N, 2 * N], cu: i32[N] in [0, N], b: int in [0, 1]) where N >= 8")
    found = []
    for launch in program.launches:
        names = launch.cases[0].kernel.params
        offset = {n: a.offset for n, a in zip(names, launch.cases[0].args, strict=True) if isinstance(a, PointerArg)}
        found.append({n: at(t, {"N": 8, "b": 1}) for n, t in offset.items()})
    assert found[:2] == [{"x": 4 * (7 * 16 + 1), "y": 4 * 16}, {"x": 4, "y": 4}]
    outside = launcher("def launch(x, b):\n    copy[(1,)](x[b], x, 3, BLOCK=64)\n", "launch(x: f32[N, 4], b: int)")
    (rejected,) = [n for n in outside.not_covered if n.rejected]
    assert not at(rejected.condition, {"N": 4, "b": -4})
    assert at(rejected.condition, {"N": 4, "b": 4})


def test_an_optional_tensor_is_given_or_not(launcher: Capture) -> None:
    body = "def launch(x, b=None):\n    y = x if b is None else b\n    copy[(1,)](y, x, 3, BLOCK=32 if b is None else 64)\n"
    program = launcher(body, "launch(x: f32[N], b: f32[N] or None)")
    found = {dict(c.values)["BLOCK"]: {str(p.term) for p in launch.path} for launch in program.launches for c in launch.cases}
    assert found == {"64": {"b_given == 1"}, "32": {"b_given != 1"}}
    assert [(s.lower, s.upper) for s in program.symbols if s.name == "b_given"] == [(0, 1)]
    assert not program.not_covered
    program = launcher("def launch(x, b):\n    copy[(1,)](b, x, 3, BLOCK=64)\n", "launch(x: f32[N], b: f32[N] or None)")
    assert {("b", "x"), ("x",)} >= {tuple(sorted(s.name for s in x.storages)) for x in program.launches}


def test_unions_of_ranges(launcher: Capture) -> None:
    body = "def launch(x, t, n):\n    copy[(1,)](x, t, n, BLOCK=64 if n > 3 else 32)\n"
    program = launcher(body, "launch(x: f32[N], t: i32[N] in [0, 2) or {7}, n: int in [0, 2) or [8, 9])")
    assert [n for n in range(-3, 12) if all(at(c.term, {"N": 3, "n": n}) for c in program.preconditions)] == [0, 1, 8, 9]
    facts = next(s.facts for s in program.launches[0].storages if s.name == "t")
    assert facts is not None
    assert facts.values == (0, 1, 7)
