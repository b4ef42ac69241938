"""Questions about classes that symbols answer for themselves are found, others are left alone."""

from __future__ import annotations

import pytest

from argus_smt.capture.classes import questions


@pytest.mark.parametrize(
    "line",
    [
        "return x.__class__ is int",
        "return isinstance(n, torch.SymInt)",
        "return hasattr(n, 'to_bytes')",
        "match n:\n        case int():\n            return 1",
    ],
)
def test_question_is_found(line: str) -> None:
    found = list(questions("f.py", f"import torch\ndef launch(x, n):\n    {line}\n"))
    assert found
    assert found[0][1].line >= 3


@pytest.mark.parametrize("line", ["return isinstance(n, int)", "return type(n) is int", "return hasattr(torch, 'float8_e4m3fn')"])
def test_others_are_left_alone(line: str) -> None:
    assert not list(questions("f.py", f"import torch\ndef launch(x, n):\n    {line}\n"))


def test_kernels_are_not_searched() -> None:
    text = "@triton.jit\ndef kernel(x):\n    return x.__class__\n"
    assert not list(questions("f.py", text))


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("def __repr__(self):\n        return self.__class__.__name__", False),
        ("def f(self, n):\n        return n.__class__", True),
        ("def f(self, n):\n        self = n\n        return self.__class__", True),
        ("def f(self, n):\n        import n as self\n        return self.__class__", True),
        ("def f(self, n):\n        return (lambda self: self.__class__)(n)", True),
        ("@staticmethod\n    def f(n):\n        return n.__class__", True),
    ],
)
def test_a_method_may_ask_for_the_class_of_its_own_object(method: str, found: bool) -> None:
    assert bool(list(questions("f.py", f"class C:\n    {method}\n"))) is found
