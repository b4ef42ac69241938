"""What element-wise operations and casts demand of their types."""

from __future__ import annotations

from argus_smt.ir import ops as O
from argus_smt.ir.demands import Phrases, is_float, is_int, is_ptr, key, same, same_types
from argus_smt.ir.types import I1, I64, Ptr, Scalar, Type, elem_of, shape_of, with_shape

INT_UNARY = frozenset(("neg", "abs", "not", "clz", "ctz", "popc"))
FLOAT_BINARY = frozenset(("fadd", "fsub", "fmul", "fdiv", "frem", "fmin", "fmax", "fminimum", "fmaximum", "pow", "atan2"))
EQUALITY = frozenset(("eq", "ne"))
UNSIGNED = frozenset(("ult", "ule", "ugt", "uge"))
INT_PREDICATES = EQUALITY | UNSIGNED | {"slt", "sle", "sgt", "sge"}


def elementwise(op: O.Unary | O.Binary | O.Fma | O.Cmp | O.Select) -> Phrases:
    """Operands have one type, hence one shape; integer functions take integers, float functions floats."""
    match op:
        case O.Unary(result=r, fn=fn, operand=x):
            yield from key("unary function", fn, O.UNARY)
            if not (is_int(x.type) if fn in INT_UNARY else is_float(x.type)):
                yield f"{fn} does not take {x.type}"
            predicate = fn in ("isnan", "isinf")
            yield from same("result", r.type, with_shape(I1, shape_of(x.type)) if predicate else x.type)
        case O.Binary(result=r, fn=fn, lhs=a, rhs=b):
            yield from key("binary function", fn, O.BINARY)
            if not (is_float(a.type) if fn in FLOAT_BINARY else is_int(a.type)):
                yield f"{fn} does not take {a.type}"
            yield from same("right operand", b.type, a.type)
            yield from same("result", r.type, a.type)
        case O.Fma(result=r, a=a, b=b, c=c):
            if not is_float(a.type):
                yield f"fma does not take {a.type}"
            yield from same_types("operand", (a, b, c), (a.type,) * 3)
            yield from same("result", r.type, a.type)
        case O.Cmp(result=r, pred=pred, lhs=a, rhs=b):
            yield from key("predicate", pred, O.PREDICATES)
            yield from _predicate(pred, a.type)
            yield from same("right operand", b.type, a.type)
            yield from same("result", r.type, with_shape(I1, shape_of(a.type)))
        case O.Select(result=r, cond=cond, a=a, b=b):
            if cond.type != I1:
                yield from same("condition", cond.type, with_shape(I1, shape_of(a.type)))
            yield from same("second choice", b.type, a.type)
            yield from same("result", r.type, a.type)


def _predicate(pred: str, t: Type) -> Phrases:
    """Signed predicates compare integers only; `eq ne` and the unsigned ones pointers too; the others floats."""
    if is_ptr(t):
        legal = pred in EQUALITY | UNSIGNED
    else:
        legal = is_int(t) == (pred in INT_PREDICATES)
    if not legal:
        yield f"{pred} does not compare {t}"


def cast(op: O.Cast) -> Phrases:
    yield from key("cast", op.kind, O.CASTS)
    source, target = elem_of(op.operand.type), elem_of(op.result.type)
    if shape_of(op.operand.type) != shape_of(op.result.type):
        yield f"a cast keeps the shape: {op.operand.type} to {op.result.type}"
    if op.kind in O.CASTS and not _cast_is_legal(op.kind, source, target):
        yield f"{op.kind} does not take {source} to {target}"


def _cast_is_legal(kind: str, source: Scalar | Ptr, target: Scalar | Ptr) -> bool:
    """Extensions widen and truncations narrow; between two float formats of one width both names are legal."""
    if isinstance(source, Ptr) or isinstance(target, Ptr):
        match kind:
            case "ptr_to_int":
                return isinstance(source, Ptr) and target == I64
            case "int_to_ptr":
                return source == I64 and isinstance(target, Ptr)
            case "ptr_cast":
                return isinstance(source, Ptr) and isinstance(target, Ptr)
            case _:
                return kind == "same" and source == target
    ints = (source.is_int, target.is_int)
    match kind:
        case "sext" | "zext":
            return ints == (True, True) and source.bits < target.bits
        case "trunc":
            return ints == (True, True) and source.bits > target.bits
        case "sitofp" | "uitofp":
            return ints == (True, False)
        case "fptosi" | "fptoui":
            return ints == (False, True)
        case "fpext":
            return ints == (False, False) and source.bits <= target.bits and source != target
        case "fptrunc" | "fptrunc_rz":
            return ints == (False, False) and source.bits >= target.bits and source != target
        case "bitcast":
            return source.bits == target.bits
        case _:
            return kind == "same" and source == target
