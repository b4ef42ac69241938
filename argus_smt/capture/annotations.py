"""Signatures from the annotations of jaxtyping, `x: Float32[Tensor, "m n"]`, read from the text alone."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

_EXACT = {
    "Float16": "f16", "BFloat16": "bf16", "Float32": "f32", "Float64": "f64",
    "Float8e4m3fn": "f8e4m3fn", "Float8e4m3fnuz": "f8e4m3fnuz", "Float8e5m2": "f8e5m2",
    "Int8": "i8", "Int16": "i16", "Int32": "i32", "Int64": "i64",
    "UInt8": "u8", "UInt16": "u16", "UInt32": "u32", "UInt64": "u64", "Bool": "bool",
}  # fmt: skip
_CHOSEN = {
    "Float": "f32", "Inexact": "f32", "Real": "f32", "Num": "f32", "Shaped": "f32", "Int": "i64", "Integer": "i64",
    "UInt": "u8",
}  # fmt: skip
"""Annotations that allow several element types, and the one that is looked at."""
_OTHER = ("Complex", "Complex64", "Complex128", "Key", "Int2", "Int4", "UInt2", "UInt4", "Float8e3m4", "Float8e4m3b11fnuz",
          "Float8e8m0fnu", "Float4e2m1fn")  # fmt: skip
_PLAIN = ("int", "float", "bool", "str")
_NAME = re.compile(r"[A-Za-z]\w*$")


class NotUsable(Exception):
    """Annotations that make no signature; the message says which and what to write, `line` where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(frozen=True, slots=True)
class Annotated:
    """The signature that a function's annotations make, and what was chosen where they leave it open."""

    text: str
    notes: tuple[str, ...]


def is_annotated(f: ast.FunctionDef) -> bool:
    """Whether some argument has an annotation of jaxtyping."""
    return any(_array(_parsed(a.annotation)) is not None for a in _arguments(f))


def annotated_signature(f: ast.FunctionDef) -> Annotated:
    """The signature of a function of which `is_annotated` holds. Raises NotUsable."""
    notes: list[str] = []
    parts: list[str] = []
    defaults = _defaults(f)
    for a in _arguments(f):
        text = _argument(a, defaults.get(a.arg), notes)
        if text:
            parts.append(text)
    if f.args.vararg is not None or f.args.kwarg is not None:
        star = f.args.vararg or f.args.kwarg
        assert star is not None
        notes.append(f"`*{star.arg}` is left empty")
    notes.append("tensors are contiguous (annotations say nothing of strides)")
    return Annotated(f"{f.name}({', '.join(parts)})", tuple(f"signature from annotations: {n}" for n in notes))


def _arguments(f: ast.FunctionDef) -> list[ast.arg]:
    return [*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs]


def _defaults(f: ast.FunctionDef) -> dict[str, ast.expr]:
    places = [*f.args.posonlyargs, *f.args.args]
    late = zip(places[len(places) - len(f.args.defaults) :], f.args.defaults, strict=True)
    named = zip(f.args.kwonlyargs, f.args.kw_defaults, strict=True)
    return {a.arg: d for a, d in (*late, *named) if d is not None}


def _argument(a: ast.arg, default: ast.expr | None, notes: list[str]) -> str:
    """The argument in a signature; empty for one that is left to its default."""
    annotation = _parsed(a.annotation)
    array = _array(annotation)
    if array is not None:
        return f"{a.arg}: {_tensor(a, *array, notes)}"
    kind = annotation.id if isinstance(annotation, ast.Name) else ""
    if kind == "bool" or (kind == "float" and default is None) or (kind == "int" and default is None):
        return f"{a.arg}: {kind}"
    if isinstance(default, ast.Constant) and isinstance(default.value, float):
        return f"{a.arg}: float"
    if default is not None:
        notes.append(f"`{a.arg}` has its default, {ast.unparse(default)}")
        return ""
    if kind == "str":
        raise NotUsable(f"`{a.arg}: str` needs a value: state a signature with `{a.arg}: str = '…'`", a.lineno)
    if annotation is None:
        raise NotUsable(f"`{a.arg}` has no annotation: annotate it, or state a whole signature", a.lineno)
    what = ast.unparse(annotation)
    raise NotUsable(f"`{a.arg}: {what}` says no shape: annotate it with a shape, or state a whole signature", a.lineno)


def _parsed(annotation: ast.expr | None) -> ast.expr | None:
    """The annotation itself where it is written as a string."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
    return annotation


def _array(annotation: ast.expr | None) -> tuple[str, str] | None:
    """Name and shape of `Float32[Tensor, "m n"]`; None for other annotations."""
    match annotation:
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[_, ast.Constant(value=str(shape))])):
            name = head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""
            return (name, shape) if name in _EXACT or name in _CHOSEN or name in _OTHER else None
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            return _array(first)
        case _:
            return None


def _tensor(a: ast.arg, name: str, shape: str, notes: list[str]) -> str:
    if name in _OTHER:
        raise NotUsable(f"`{a.arg}: {name}[…]`: Triton has no such element type here; state a signature", a.lineno)
    if name in _CHOSEN:
        notes.append(f"`{a.arg}: {name}[…]` is taken as {_CHOSEN[name]}; other element types are not looked at")
    dims = list(_dims(a, shape))
    return f"{_EXACT.get(name) or _CHOSEN[name]}[{', '.join(dims)}]"


def _dims(a: ast.arg, shape: str) -> Iterator[str]:
    """Sizes in the order of the dimensions."""
    for i, token in enumerate(shape.split()):
        word = token.partition("=")[2] if "=" in token else token
        if token == "..." or ("*" in token[:2] and _NAME.match(token.lstrip("#?*_"))):
            raise NotUsable(
                f"`{token}` of `{a.arg}` stands for any number of dimensions; Argus needs their number: name each, "
                f"as in \"b {' '.join(t for t in shape.split() if t != token)}\", or state a signature", a.lineno,
            )  # fmt: skip
        if token.startswith(("#", "?")):
            what = "may be 1 or the full size" if token[0] == "#" else "may differ between leaves"
            raise NotUsable(f"`{token}` of `{a.arg}` {what}: name the size without the mark, or state a signature", a.lineno)
        if "{" in word:
            raise NotUsable(f"`{token}` of `{a.arg}` is filled in when the function runs: state a signature", a.lineno)
        if token.startswith("_"):
            yield f"{a.arg}_{i}"
        elif word.isdigit():
            yield word
        elif _NAME.match(word):
            yield f"{word}_" if keyword.iskeyword(word) else word
        else:
            yield _expression(a, word)


def _expression(a: ast.arg, word: str) -> str:
    """A size such as `dim+1` or `(2*dim)`."""
    try:
        tree = ast.parse(word, mode="eval").body
    except SyntaxError:
        tree = None
    allowed = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Name, ast.Load, ast.Constant)
    if tree is None or not all(isinstance(n, allowed) for n in ast.walk(tree)):
        raise NotUsable(f"`{word}` of `{a.arg}` is no size that Argus reads: state a signature", a.lineno)
    return ast.unparse(tree)
