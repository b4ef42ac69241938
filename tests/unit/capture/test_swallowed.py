"""Launchers that real sizes take down one path and symbols would take down another: never a path that is not real."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]

LOOSE = """
@triton.jit
def loose(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


"""
NUMBERED = """
import functools


@functools.singledispatch
def numbered(n):
    return True


@numbered.register
def _(n: int):
    return False


"""


def launched(program: Program) -> list[str]:
    """Kernels by path of the launcher."""
    return sorted(x.kernel for x in program.launches)


@pytest.mark.parametrize(
    "body",
    [
        "    try:\n        ok = n not in {16, 32}\n    except TypeError:\n        ok = True\n",
        "    try:\n        ok = {16: False}[n]\n    except Exception:\n        ok = True\n",
        "    try:\n        ok = {16: False}.get(n, True)\n    except:\n        ok = True\n",
        "    ok = {'16': False}.get(str(n), True)\n",
        "    name = f'{n}'\n    ok = name != '16'\n",
        "    ok = '16' not in '%s' % n\n",
        "    try:\n        ok = n.to_bytes(8, 'little')[0] != 16\n    except AttributeError:\n        ok = True\n",
        "    ok = n.__class__ is not int\n",
        "    ok = x.__class__ is not torch.Tensor\n",
        "    ok = isinstance(n, torch.SymInt)\n",
        "    from torch._subclasses.fake_tensor import FakeTensor\n    ok = isinstance(x, FakeTensor)\n",
        "    ok = numbered(n)\n",
        "    from fractions import Fraction\n    ok = Fraction(n, 3).denominator == 3 or n < 99\n",
        "    try:\n        ok = {16: False}[n]\n    except (KeyError, TypeError):\n        raise ValueError('size')\n",
        "    try:\n        ok = n.to_bytes(8, 'little')[0] != 16\n    except AttributeError:\n        raise ValueError('size')\n",
        "    try:\n        ok = bytes((n,)) is None or memoryview(x)\n    except Exception:\n        ok = True\n",
    ],
)
def test_a_failure_that_only_symbols_have_ends_the_path(launcher: Capture, body: str) -> None:
    head = f"{LOOSE}{NUMBERED}def launch(x):\n    n = x.shape[0]\n"
    text = f"{head}{body}    (copy if ok else loose)[(1,)](x, x, n, BLOCK=64)\n"
    try:
        program = launcher(text, "launch(x: f32[N])")
    except Exception:  # noqa: BLE001 - no path at all is fine too
        return
    assert any(not r.rejected for r in program.not_covered)


@pytest.mark.parametrize(
    "body",
    [
        "    try:\n        x = x.view(-1, 3)\n    except RuntimeError:\n        pass\n",
        "    try:\n        a, b = x.shape\n    except ValueError:\n        pass\n",
        "    try:\n        {'a': 1}['b']\n    except KeyError:\n        pass\n",
        "    try:\n        import not_there\n    except ImportError:\n        pass\n",
        "    try:\n        if n > 7:\n            raise TypeError('large')\n    except TypeError:\n        pass\n",
        "    try:\n        x.no_such_thing\n    except AttributeError:\n        pass\n",
        "    print(f'{n} elements', n)\n",
        "    import logging\n    logging.getLogger('argus-test').warning('%s of %d', x.shape, 3)\n",
        "    assert n < 1 << 40, f'{n} is too large'\n",
    ],
)
def test_failures_and_messages_of_real_arguments_are_followed(launcher: Capture, body: str) -> None:
    program = launcher(
        f"def launch(x):\n    n = x.shape[0]\n{body}    copy[(1,)](x, x, n, BLOCK=64)\n", "launch(x: f32[N]) where N < 1000000"
    )
    assert not program.not_covered
    assert launched(program)


@pytest.mark.parametrize(
    "test",
    [
        "type(n) is int", "type(n) == int", "type(x) is torch.Tensor", "type(n) in (int, float)",
        "isinstance(n, (int, float))", "isinstance(n, numbers.Integral)", "issubclass(type(n), int)", "type(3) is int",
        "type(n).__name__ == 'int'", "type(type(n)) is type", "hasattr(n, 'to_bytes')", "n.real == n and n.imag == 0",
        "type(0.5) is float", "type(x.shape) is torch.Size", "{int: True}.get(type(n), False)",
    ],
)  # fmt: skip
def test_symbols_have_the_types_of_what_they_stand_for(launcher: Capture, test: str) -> None:
    head = f"import numbers\n{LOOSE}def launch(x):\n    n = x.shape[0]\n"
    text = f"{head}    (loose if {test} else copy)[(1,)](x, x, n, BLOCK=64)\n"
    assert launched(launcher(text, "launch(x: f32[N])")) == ["loose"]


def test_modules_of_the_user_see_numbers_too(launcher: Capture, tmp_path: object) -> None:
    from pathlib import Path

    (Path(str(tmp_path)) / "own_rules.py").write_text("def number(n):\n    return isinstance(n, int) and type(n) is int\n")
    text = (
        f"{LOOSE}def launch(x):\n    import own_rules\n    n = x.shape[0]\n"
        "    (loose if own_rules.number(n) else copy)[(1,)](x, x, n, BLOCK=64)\n"
    )
    assert launched(launcher(text, "launch(x: f32[N])")) == ["loose"]


def test_launches_before_a_raise_count(launcher: Capture) -> None:
    body = "def launch(x):\n    n = x.shape[0]\n    copy[(n,)](x, x, n, BLOCK=64)\n"
    body += "    if n % 64:\n        raise ValueError('odd')\n"
    program = launcher(body, "launch(x: f32[N])")
    assert not program.not_covered
    assert [x.path for x in program.launches] == [()]


FACTORY = """
def make(masked):
    MASKED = tl.constexpr(masked)

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        if MASKED:
            tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
        else:
            tl.store(y + i, tl.load(x + i))

    return kernel


def launch(x, d):
    kernel = make(True) if d == 1 else make(False)
    kernel[(1,)](x, x, x.shape[0], BLOCK=64)
"""
REDEFINED = """
first = copy


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


def launch(x, d):
    (first if d == 1 else copy)[(1,)](x, x, x.shape[0], BLOCK=64)
"""
SHIFTED = """
SHIFT = tl.constexpr(0)


@triton.jit
def shifted(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i + SHIFT, tl.load(x + i, mask=i < n), mask=i < n)


def launch(x, d):
    global SHIFT
    if d == 1:
        SHIFT = tl.constexpr(1)
    shifted[(1,)](x, x, x.shape[0], BLOCK=64)
"""
CALLEE = """
@triton.jit
def same(i):
    return i


@triton.jit
def twice(i):
    return i * 2


@triton.jit
def mapped(x, y, n, F: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + F(i), mask=i < n), mask=i < n)


def launch(x, d):
    mapped[(1,)](x, x, x.shape[0], F=same if d == 1 else twice, BLOCK=64)
"""


@pytest.mark.parametrize("body", [FACTORY, REDEFINED, SHIFTED, CALLEE], ids=["factory", "redefined", "shifted", "callee"])
def test_kernels_of_one_name_and_two_meanings_stay_apart(launcher: Capture, body: str) -> None:
    program = launcher(body, "launch(x: f32[N], d: int in [1, 2])")
    assert len(program.launches) == 2
    a, b = (x.cases[0].kernel for x in program.launches)
    assert str(a.body) != str(b.body)


def test_a_kernel_that_changes_after_its_launch_is_not_read(launcher: Capture) -> None:
    body = SHIFTED + "    SHIFT = tl.constexpr(5)\n"
    program = launcher(body, "launch(x: f32[N], d: int in [1, 2])")
    assert not [c for x in program.launches for c in x.cases]
    assert all("changes what the kernel depends on" in r.reason for r in program.not_covered)
