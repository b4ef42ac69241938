"""Functions of the devices' libraries (`__ocml_…` and `__nv_…`), which Triton calls by symbol."""

from __future__ import annotations

from argus_smt.capture.ttir.site import Lowered, Site
from argus_smt.ir import ops as O
from argus_smt.ir.types import I1, I32, Scalar, elem_of, shape_of, with_shape

_FLOATS = tuple(Scalar(name) for name in ("f16", "bf16", "f32", "f64"))
_UNARY = frozenset(
    ("exp", "exp2", "log", "log2", "log1p", "expm1", "sin", "cos", "tan", "tanh", "sqrt", "rsqrt", "erf", "floor",
     "ceil", "trunc", "round", "fabs", "erfc", "log10", "cbrt", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh",
     "atanh")
)  # fmt: skip
_BINARY = {"pow": "pow", "atan2": "atan2", "fmod": "frem", "fmin": "fmin", "fmax": "fmax"}
_INT_UNARY = {"clz": "clz", "popc": "popc", "abs": "abs"}
_INT_BINARY = {"mulhi": "mulhi_s", "umulhi": "mulhi_u", "min": "smin", "max": "smax", "umin": "umin", "umax": "umax"}
_TESTS = ("isnan", "isinf")


def library_call(s: Site) -> Lowered | None:
    """A function that is known by name, or any other pure float function of one argument."""
    if s.attrs.get("pure") != "true" or not s.operands:
        return None
    x, *rest = s.operands
    r = s.result()
    name = _name(s.attrs.get("symbol", "").strip('"'))
    if any(v.type != x.type for v in rest):
        return None
    is_float = elem_of(x.type) in _FLOATS
    match rest:
        case [] if is_float and name in _TESTS and r.type == with_shape(I32, shape_of(x.type)):
            holds = s.step(with_shape(I1, shape_of(x.type)))
            return (O.Unary(holds, name, x, span=s.span), O.Cast(r, "zext", holds, span=s.span))
        case _ if r.type != x.type:
            return None
        case [] if is_float:
            return (O.Unary(r, _known(name), x, span=s.span),)
        case [] if name in _INT_UNARY and elem_of(x.type) == I32:
            return (O.Unary(r, _INT_UNARY[name], x, span=s.span),)
        case [y] if is_float and name in _BINARY:
            return (O.Binary(r, _BINARY[name], x, y, span=s.span),)
        case [y] if name in _INT_BINARY and elem_of(x.type) == I32:
            return (O.Binary(r, _INT_BINARY[name], x, y, span=s.span),)
        case [y, z] if is_float and name == "fma":
            return (O.Fma(r, x, y, z, span=s.span),)
        case _:
            return None


def _name(symbol: str) -> str:
    """A function's name without the library and the type of its argument: `__ocml_pow_f32` and `__nv_powf` are `pow`."""
    if symbol.startswith("__nv_"):
        plain = symbol.removeprefix("__nv_")
        short = plain.removesuffix("f")
        return short if short in _UNARY or short in _BINARY or short in _TESTS or short == "fma" else plain
    return symbol.removeprefix("__ocml_").removesuffix("_f32").removesuffix("_f64")


def _known(name: str) -> str:
    """A unary float function; what rounds halves to even goes by several names."""
    return "roundeven" if name in ("rint", "nearbyint", "rintf", "nearbyintf") else name if name in _UNARY else "fn"
