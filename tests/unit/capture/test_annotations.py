"""Signatures from jaxtyping's annotations, and what is said of annotations that make none."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from argus_smt.capture.annotations import NotUsable, annotated_signature, is_annotated
from argus_smt.capture.call import parse_signature
from argus_smt.capture.domain import build_domain
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.service import answer
from argus_smt.ir.serialise import loads_program
from tests.unit.capture.conftest import HEADER


def function(arguments: str) -> ast.FunctionDef:
    node = ast.parse(f"def f({arguments}): ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize(
    ("arguments", "signature"),
    [
        ('x: Float32[Tensor, "m n"], y: BFloat16[torch.Tensor, "n 4"]', "f(x: f32[m, n], y: bf16[n, 4])"),
        ('x: jaxtyping.Int8[Tensor, ""], i: jt.Int64[Tensor, "b"]', "f(x: i8[], i: i64[b])"),
        ('x: Float16[Tensor, "_ n+1 _skip 2*n"]', "f(x: f16[x_0, n + 1, x_2, 2 * n])"),
        ('x: Float16[Tensor, "rows=3 (n-1)//2"]', "f(x: f16[3, (n - 1) // 2])"),
        (
            "x: 'UInt8[Tensor, \"n\"]', n: int, eps: float = 1e-5, flag: bool = True",
            "f(x: u8[n], n: int, eps: float, flag: bool)",
        ),
        ('x: Bool[Tensor, "n"], /, *, mode: str = "a", BLOCK: int = 64, out=None', "f(x: bool[n])"),
        ('x: Annotated[Float64[Tensor, "lambda n"], 3]', "f(x: f64[lambda_, n])"),
    ],
)
def test_annotations_make_signatures(arguments: str, signature: str) -> None:
    f = function(arguments)
    assert is_annotated(f)
    made = annotated_signature(f)
    assert made.text == signature
    build_domain(parse_signature(made.text))


def test_what_is_left_open_is_told() -> None:
    made = annotated_signature(function('x: Float[Tensor, "n"], i: Int[Tensor, "n"], B: int = 64, *rest'))
    assert made.text == "f(x: f32[n], i: i64[n])"
    assert [n.removeprefix("signature from annotations: ") for n in made.notes] == [
        "`x: Float[…]` is taken as f32; other element types are not looked at",
        "`i: Int[…]` is taken as i64; other element types are not looked at",
        "`B` has its default, 64",
        "`*rest` is left empty",
        "tensors are contiguous (annotations say nothing of strides)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('x: Float32[Tensor, "*batch n"]', '`*batch` of `x` stands for any number of dimensions; .* name each, as in "b n"'),
        ('x: Float32[Tensor, "... n"]', "`...` of `x` stands for any number of dimensions"),
        ('x: Float32[Tensor, "#n"]', "`#n` of `x` may be 1 or the full size: name the size without the mark"),
        ('x: Float32[Tensor, "?n"]', "may differ between leaves"),
        ('x: Float32[Tensor, "{k}"]', "is filled in when the function runs"),
        ('x: Float32[Tensor, "f(n)"]', r"`f\(n\)` of `x` is no size that Argus reads"),
        ('x: Complex64[Tensor, "n"]', "no such element type"),
        ('x: Float32[Tensor, "n"], y: Tensor', "`y: Tensor` says no shape: annotate it with a shape"),
        ('x: Float32[Tensor, "n"], y', "`y` has no annotation"),
        ('x: Float32[Tensor, "n"], mode: str', "`mode: str` needs a value"),
    ],
)
def test_annotations_that_make_none(arguments: str, message: str) -> None:
    with pytest.raises(NotUsable, match=message):
        annotated_signature(function(arguments))


def test_plain_functions_are_not_annotated() -> None:
    assert not is_annotated(function("x: int, y: list[str], z: Callable[[int], str] = f"))


FILE = (
    "from jaxtyping import Float32, Float, Int32, jaxtyped\nfrom torch import Tensor\n"
    + HEADER
    + """
@jaxtyped(typechecker=None)
def launch(x: Float32[Tensor, "n"], k: Int32[Tensor, "n+1"]):
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.shape[0], 16),)](x, y, k.shape[0] - 1, BLOCK=16)

def other(x: Float[Tensor, "*batch"]):
    copy[(1,)](x, x, 1, BLOCK=16)
"""
)


def test_a_file_with_annotations_needs_neither_a_call_nor_jaxtyping(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    path.write_text(FILE)
    (program,) = (loads_program(json.dumps(p)) for p in answer({"file": str(path)}))
    assert program.call == "launch(x: f32[n], k: i32[n + 1])"
    assert any("annotations say nothing of strides" in note for note in program.notes)
    with pytest.raises(CaptureError, match="any number of dimensions") as caught:
        answer({"file": str(path), "launcher": "other"})
    assert caught.value.span.line == FILE.splitlines().index('def other(x: Float[Tensor, "*batch"]):') + 1
    (given,) = answer({"file": str(path), "call": "launch(x: f32[8], k: i32[9])"})
    assert given["program"]["call"] == "launch(x: f32[8], k: i32[9])"
