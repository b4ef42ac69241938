"""What Triton refuses is one line with Triton's reason at the user's line."""

from __future__ import annotations

from typing import Any

import pytest

from argus_smt.capture.ttir import CompileRefused, raw_ttir
from tests.unit.ttir import control_kernels as C


@pytest.mark.parametrize(
    ("fn", "message", "where", "offset"),
    [
        (C.bad_range, "arange's range must be a power of 2", C.bad_range, 2),
        (C.calls_bad_range, "arange's range must be a power of 2", C.bad_range, 2),
        (C.bad_library, "axis", C.bad_library, 2),
        (C.bad_name, "missing is not defined", C.bad_name, 2),
        (C.bad_assert, "n must be 16", C.bad_assert, 2),
        (C.bad_node, "unsupported AST node type: Lambda", C.bad_node, 2),
    ],
)
def test_reason_and_place(fn: Any, message: str, where: Any, offset: int) -> None:
    with pytest.raises(CompileRefused) as caught:
        raw_ttir(fn, {"p": "*fp32", "n": "constexpr"}, {"n": 12})
    assert message in caught.value.message
    assert "\n" not in str(caught.value)
    span = caught.value.span
    assert span is not None
    assert (span.file, span.line) == (C.__file__, where.starting_line_number + offset)
    assert span.column > 4


@pytest.mark.parametrize(
    ("types", "constants", "message"),
    [
        ({"p": "*fp32"}, {}, "has no type for `n`"),
        ({"p": "*fp32", "n": "i32", "m": "i32"}, {}, "names no parameter `m`"),
        ({"p": "*fp32", "n": "constexpr"}, {"m": 1}, "has no parameter `m`"),
        ({"p": "*f99", "n": "i32"}, {}, "f99"),
    ],
)
def test_signatures_that_do_not_fit(types: dict[str, str], constants: dict[Any, object], message: str) -> None:
    with pytest.raises(CompileRefused, match=message):
        raw_ttir(C.bad_name, types, constants)
