"""Lowering of `arith` and `math` operations, and of Triton's element-wise ones."""

from __future__ import annotations

from argus_smt.capture.ttir.constants import parse_literal
from argus_smt.capture.ttir.site import Lowered, Lowering, Site
from argus_smt.capture.ttir.type_text import parse_type
from argus_smt.ir import ops as O
from argus_smt.ir.types import I1, Ptr, Scalar, Type, elem_of, shape_of, with_shape

BINARY = {
    "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.divsi": "sdiv", "arith.divui": "udiv",
    "arith.remsi": "srem", "arith.remui": "urem", "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor",
    "arith.shli": "shl", "arith.shrui": "lshr", "arith.shrsi": "ashr", "arith.minsi": "smin", "arith.maxsi": "smax",
    "arith.minui": "umin", "arith.maxui": "umax", "arith.addf": "fadd", "arith.subf": "fsub", "arith.mulf": "fmul",
    "arith.divf": "fdiv", "arith.remf": "frem", "arith.minnumf": "fmin", "arith.maxnumf": "fmax",
    "arith.minimumf": "fminimum", "arith.maximumf": "fmaximum", "math.powf": "pow", "math.atan2": "atan2",
    "tt.mulhiui": "mulhi_u", "tt.precise_divf": "fdiv", "tt.approx_divf": "fdiv",
}  # fmt: skip

UNARY = {
    "arith.negf": "fneg", "math.absi": "abs", "math.absf": "fabs", "math.exp": "exp", "math.exp2": "exp2",
    "math.log": "log", "math.log2": "log2", "math.log1p": "log1p", "math.expm1": "expm1", "math.sin": "sin",
    "math.cos": "cos", "math.tan": "tan", "math.tanh": "tanh", "math.sqrt": "sqrt", "math.rsqrt": "rsqrt",
    "math.erf": "erf", "math.floor": "floor", "math.ceil": "ceil", "math.trunc": "trunc", "math.round": "round",
    "math.ctlz": "clz", "math.cttz": "ctz", "math.ctpop": "popc", "math.isnan": "isnan", "math.isinf": "isinf",
    "tt.precise_sqrt": "sqrt", "math.roundeven": "roundeven", "math.log10": "log10", "math.cbrt": "cbrt", "math.sinh": "sinh",
    "math.cosh": "cosh", "math.asin": "asin", "math.acos": "acos", "math.atan": "atan", "math.asinh": "asinh",
    "math.acosh": "acosh", "math.atanh": "atanh", "math.erfc": "erfc",
}  # fmt: skip

CASTS = {
    "arith.extsi": "sext", "arith.extui": "zext", "arith.trunci": "trunc", "arith.sitofp": "sitofp",
    "arith.uitofp": "uitofp", "arith.fptosi": "fptosi", "arith.fptoui": "fptoui", "arith.extf": "fpext",
    "arith.truncf": "fptrunc",
}  # fmt: skip

_INT_PREDICATES = frozenset(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
_FLOAT_PREDICATES = {
    "oeq": "oeq", "ogt": "ogt", "oge": "oge", "olt": "olt", "ole": "ole", "one": "one", "ord": "ord",
    "ueq": "ueq", "ugt": "fugt", "uge": "fuge", "ult": "fult", "ule": "fule", "une": "une", "uno": "uno",
    "false": "false", "true": "true",
}  # fmt: skip


def _is_plain(words: str) -> bool:
    """Whether words are at most fast-math flags; `overflow<…>` would make wrapping undefined and is refused."""
    return all(w.startswith("fastmath<") for w in words.split())


def binary(s: Site) -> Lowered | None:
    a, b = s.operands
    return (O.Binary(s.new(a.type), BINARY[s.op], a, b, span=s.span),) if _is_plain(s.parts.words) else None


def unary(s: Site) -> Lowered | None:
    (x,) = s.operands
    if not _is_plain(s.parts.words):
        return None
    fn = UNARY[s.op]
    t = with_shape(I1, shape_of(x.type)) if fn in ("isnan", "isinf") else x.type
    return (O.Unary(s.new(t), fn, x, span=s.span),)


def cast(s: Site) -> Lowered | None:
    (x,) = s.operands
    if not all(w.startswith(("to_nearest", "fastmath<")) for w in s.parts.words.split()):
        return None
    return (O.Cast(s.result(), CASTS[s.op], x, span=s.span),)


def index_cast(s: Site) -> Lowered | None:
    """A conversion between integer widths under another name."""
    (x,) = s.operands
    r = s.result()
    source, target = elem_of(x.type), elem_of(r.type)
    if isinstance(source, Ptr) or isinstance(target, Ptr) or not (source.is_int and target.is_int):
        return None
    wider = "zext" if s.op == "arith.index_castui" else "sext"
    kind = "same" if source == target else wider if source.bits < target.bits else "trunc"
    return (O.Cast(r, kind, x, span=s.span),)


def bitcast(s: Site) -> Lowered | None:
    """`arith.bitcast` and `tt.bitcast`: the same bits, or a pointer to another type."""
    (x,) = s.operands
    if s.parts.words:
        return None
    r = s.result()
    source, target = elem_of(x.type), elem_of(r.type)
    if source == target:
        kind = "same"
    elif isinstance(source, Ptr) or isinstance(target, Ptr):
        kind = "ptr_cast"
        if not (isinstance(source, Ptr) and isinstance(target, Ptr)):
            return None
    else:
        kind = "bitcast"
    return (O.Cast(r, kind, x, span=s.span),)


def fp_to_fp(s: Site) -> Lowered | None:
    """Conversion between float formats; between two of one width it rounds, so it counts as a truncation.

    Rounding is to nearest unless it is said to be towards zero; other modes are not understood.
    """
    (x,) = s.operands
    if s.parts.words not in ("", "rounding = rtne", "rounding = rtz"):
        return None
    r = s.result()
    source, target = elem_of(x.type), elem_of(r.type)
    if not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return None
    narrow = "fptrunc_rz" if s.parts.words.endswith("rtz") else "fptrunc"
    kind = "same" if source == target else "fpext" if source.bits < target.bits else narrow
    return (O.Cast(r, kind, x, span=s.span),)


def pointer_cast(s: Site) -> Lowered | None:
    (x,) = s.operands
    return None if s.parts.words else (O.Cast(s.result(), s.op.removeprefix("tt."), x, span=s.span),)


def compare(s: Site) -> Lowered | None:
    a, b = s.operands
    pred, *flags = s.parts.words.split()
    if s.op == "arith.cmpi":
        if flags or pred not in _INT_PREDICATES:
            return None
        name = f"u{pred[1:]}" if isinstance(elem_of(a.type), Ptr) and pred[0] == "s" else pred
    else:
        if not _is_plain(" ".join(flags)):
            return None
        name = _FLOAT_PREDICATES[pred]
    return (O.Cmp(s.new(with_shape(I1, shape_of(a.type))), name, a, b, span=s.span),)


def select(s: Site) -> Lowered | None:
    cond, a, b = s.operands
    return None if s.parts.words else (O.Select(s.new(a.type), cond, a, b, span=s.span),)


def fma(s: Site) -> Lowered | None:
    a, b, c = s.operands
    return (O.Fma(s.new(a.type), a, b, c, span=s.span),) if _is_plain(s.parts.words) else None


def clamp(s: Site) -> Lowered | None:
    """`min(max(x, low), high)`, with or without NaN kept."""
    x, low, high = s.operands
    match s.parts.words:
        case "propagateNan = none":
            lower, upper = "fmax", "fmin"
        case "propagateNan = all":
            lower, upper = "fmaximum", "fminimum"
        case _:
            return None
    raised = s.step(x.type)
    return (
        O.Binary(raised, lower, x, low, span=s.span),
        O.Binary(s.new(x.type), upper, raised, high, span=s.span),
    )


def constant(s: Site) -> Lowered | None:
    """A scalar or a splat; booleans may come without a type."""
    if s.operands or s.parts.strings:
        return None
    text = s.parts.words
    t: Type = parse_type(s.types) if s.types else I1
    elem = elem_of(t)
    if isinstance(elem, Ptr) or text.startswith("dense") != bool(shape_of(t)):
        return None
    value = parse_literal(text, elem)
    return None if value is None else (O.Const(s.new(t), value, span=s.span),)


def poison(s: Site) -> Lowered | None:
    return (O.Undef(s.result(), span=s.span),)


LOWERINGS: dict[str, Lowering] = {
    **dict.fromkeys(BINARY, binary),
    **dict.fromkeys(UNARY, unary),
    **dict.fromkeys(CASTS, cast),
    "arith.index_cast": index_cast, "arith.index_castui": index_cast,
    "arith.bitcast": bitcast, "tt.bitcast": bitcast, "tt.fp_to_fp": fp_to_fp,
    "tt.ptr_to_int": pointer_cast, "tt.int_to_ptr": pointer_cast,
    "arith.cmpi": compare, "arith.cmpf": compare, "arith.select": select, "arith.constant": constant,
    "math.fma": fma, "tt.clampf": clamp, "ub.poison": poison,
}  # fmt: skip
