"""Operations without a meaning: what their results are, and whether they may touch memory."""

from __future__ import annotations

from argus_smt.capture.ttir.site import Parts
from argus_smt.capture.ttir.syntax import Statement
from argus_smt.capture.ttir.type_text import result_texts
from argus_smt.ir.ops import Value
from argus_smt.ir.types import Ptr, elem_of

_PURE_DIALECTS = ("arith.", "math.", "ub.")
_PURE = frozenset(("tt.dot_scaled", "tt.fp_to_fp", "tt.reshape", "tt.dot", "tt.gather", "tt.clampf", "tt.map_elementwise"))


def result_types(s: Statement, parts: Parts | None) -> tuple[str, ...] | None:
    """Texts of the result types of an operation of unknown form; None where its text leaves them open."""
    if not s.results:
        return ()
    texts = result_texts(parts.types) if parts else ()
    if s.op == "tt.make_tensor_descriptor":  # the operands' types come first
        texts = tuple(f"!tt.tensordesc{t}" for t in texts[-1:])
    if s.op == "tt.make_tensor_ptr":
        texts = tuple(f"!tt.ptr{t}" for t in texts)
    if len(texts) != len(s.results):
        texts = texts[:1] * len(s.results) if len(set(texts)) == 1 else ()
    return texts or None


def has_effects(op: str, parts: Parts | None, operands: tuple[Value, ...]) -> bool:
    """Whether an operation without a meaning may touch memory: yes, unless it is known to be pure."""
    if parts is None or any(isinstance(elem_of(v.type), Ptr) for v in operands):
        return True
    if op in ("tt.extern_elementwise", "tt.elementwise_inline_asm"):
        return parts.attrs.get("pure") != "true"
    return not (op.startswith(_PURE_DIALECTS) or op in _PURE)
