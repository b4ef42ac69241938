"""Torch's symbolic expressions as terms, with Python's floor semantics, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from torch.utils._sympy.functions import FloorDiv, Max, Min, PythonMod

from argus_smt.capture.floats import HIGHEST, LOWEST, order
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_RELATIONS = {"==": T.eq, "!=": T.ne, "<": T.lt, "<=": T.le, ">": T.gt, ">=": T.ge}
EXACT_FLOAT = 1 << 52
"""Below this size a quotient of integers computed in floats rounds to the right integer."""


class Untranslatable(Exception):
    """The expression has a part that terms cannot say."""


class Translator:
    """Sympy to terms. `names` gives the term of each symbol; `known` answers whether a condition certainly holds.

    `opaque` makes a boolean of a text, for conditions that terms cannot say; `assume` notes a condition that the
    translation relies on; `power_above` gives the symbol of the next power of two; `floats` the order symbols of float
    arguments, and `note` hears how a condition over them is written, and its negation.
    """

    def __init__(
        self,
        names: Mapping[sympy.Symbol, Term],
        known: Callable[[Term], bool],
        opaque: Callable[[str], Term],
        assume: Callable[[Term, str], None],
        power_above: Callable[[Term], Term],
        floats: Mapping[sympy.Symbol, Term],
        note: Callable[[Term, str, str], None],
    ) -> None:
        self.names, self.known, self.opaque, self.assume = names, known, opaque, assume
        self.power_above, self.floats, self.note = power_above, floats, note

    # ------------------------------------------------------------ conditions

    def condition(self, e: Any) -> Term:
        """The term of a boolean expression; parts over floats or unknown functions become opaque booleans."""
        match type(e).__name__:
            case "BooleanTrue":
                return T.TRUE
            case "BooleanFalse":
                return T.FALSE
            case "And":
                return T.and_(*map(self.condition, e.args))
            case "Or":
                return T.or_(*map(self.condition, e.args))
            case "Not":
                return T.not_(self.condition(e.args[0]))
        if isinstance(e, sympy.core.relational.Relational):
            return self._relation(e)
        return self.opaque(self.text(e))

    def _relation(self, e: Any) -> Term:
        try:
            a, b = (self.integer(x) for x in e.args)
        except Untranslatable:
            return self._sign_of_logarithm(e) or self._float_relation(e) or self._opaque_relation(e)
        return _RELATIONS[e.rel_op](a, b)

    def _float_relation(self, e: Any) -> Term | None:
        """A comparison of float arguments with each other or with numbers."""
        sides = [self._float(x) for x in e.args]
        if sides[0] is None or sides[1] is None:
            return None
        out = _RELATIONS[e.rel_op](sides[0], sides[1])
        self.note(out, self.text(e), self.text(e.negated))
        return out

    def _float(self, e: Any) -> Term | None:
        if isinstance(e, sympy.Symbol):
            return self.floats.get(e)
        if e in (sympy.oo, -sympy.oo):
            return T.const(HIGHEST if e > 0 else LOWEST)
        if isinstance(e, sympy.Float | sympy.Integer) and sympy.Rational(float(e)) == sympy.Rational(e):
            return T.const(order(float(e)))
        return None

    def _sign_of_logarithm(self, e: Any) -> Term | None:
        """A logarithm of a positive integer is not negative."""
        if e.args[1] != 0 or e.rel_op not in ("<", ">="):
            return None
        above = _log2_argument(e.args[0])
        if above is None or not self.known(T.ge(self.integer(above), 1)):
            return None
        return T.boolean(e.rel_op == ">=")

    def _opaque_relation(self, e: Any) -> Term:
        if e.rel_op in ("!=", ">=", ">"):  # a condition and its negation share their name
            return T.not_(self._opaque_relation(e.negated))
        return self.opaque(self.text(e))

    def text(self, e: Any) -> str:
        """`e` in the user's names."""
        names = {s: str(t) for s, t in self.names.items()} | {s: t.data.split()[-1] for s, t in self.floats.items()}
        return str(e.xreplace({s: sympy.Symbol(name) for s, name in names.items()}))

    # ------------------------------------------------------------ integers

    def integer(self, e: Any) -> Term:
        """The term of an integer expression. Raises Untranslatable."""
        if isinstance(e, int | sympy.Integer):
            return T.const(int(e))
        if isinstance(e, sympy.Symbol):
            if e not in self.names:
                raise Untranslatable(str(e))
            return self.names[e]
        match type(e).__name__:
            case "Add":
                return T.add(*map(self.integer, e.args))
            case "Mul":
                return self._product(e.args)
            case "Pow" | "PowByNatural":
                return self._power(*e.args)
            case "FloorDiv" | "CleanDiv":
                return T.div(*map(self.integer, e.args))
            case "CeilDiv":
                a, b = map(self.integer, e.args)
                return T.div(a + b - 1, b)
            case "Mod" | "PythonMod":
                return T.mod(*map(self.integer, e.args))
            case "ModularIndexing":
                a, d, m = map(self.integer, e.args)
                return T.mod(T.div(a, d), m)
            case "Max" | "Min" as fn:
                return self._extreme(fn, list(map(self.integer, e.args)))
            case "Where" | "Piecewise":
                return self._choice(e)
            case "LShift" | "RShift" | "BitwiseFn_bitwise_and" as fn:
                return self._shift(fn, *e.args)
            case "FloorToInt" | "CeilToInt" | "TruncToInt" as fn:
                return self._rounded(fn, e.args[0])
            case "Identity":
                return self.integer(e.args[0])
            case _:
                raise Untranslatable(self.text(e))

    def _product(self, args: tuple[Any, ...]) -> Term:
        out = T.ONE
        for a in args:
            out = out * self.integer(a)
        return out

    def _power(self, base: Any, exponent: Any) -> Term:
        above = _log2_argument(exponent) if base in (2, sympy.Integer(2)) else None
        if above is not None:
            n = self.integer(above)
            if self.known(T.ge(n, 1)):
                return self.power_above(n)
        if not isinstance(exponent, int | sympy.Integer) or not 0 <= int(exponent) <= 64:
            raise Untranslatable(self.text(base**exponent))
        return self._product((base,) * int(exponent))

    def _extreme(self, fn: str, args: list[Term]) -> Term:
        """Torch writes contiguous strides as `Max(1, N)`; what is known of N takes that away again."""
        out = args[0]
        for a in args[1:]:
            if self.known(T.le(out, a)):
                out = a if fn == "Max" else out
            elif self.known(T.le(a, out)):
                out = out if fn == "Max" else a
            else:
                out = T.maximum(out, a) if fn == "Max" else T.minimum(out, a)
        return out

    def _choice(self, e: Any) -> Term:
        if type(e).__name__ == "Where":
            c, a, b = e.args
            return T.ite(self.condition(c), self.integer(a), self.integer(b))
        *pieces, (last, always) = e.args
        if always not in (True, sympy.true):
            raise Untranslatable(self.text(e))
        out = self.integer(last)
        for value, c in reversed(pieces):
            out = T.ite(self.condition(c), self.integer(value), out)
        return out

    def _shift(self, fn: str, a: Any, b: Any) -> Term:
        """`1 << n.bit_length()` is a power of two; other shifts are by constants."""
        if fn == "LShift" and _log2_argument(b) is not None:
            return self.integer(a) * self._power(sympy.Integer(2), b)
        return self._bits(fn, self.integer(a), self.integer(b))

    def _bits(self, fn: str, a: Term, b: Term) -> Term:
        if b.op != "const" and fn == "BitwiseFn_bitwise_and":
            a, b = b, a
        if b.op != "const" or b.data < 0:
            raise Untranslatable(f"{fn}({a}, {b})")
        if fn == "BitwiseFn_bitwise_and":
            if b.data & (b.data + 1):
                raise Untranslatable(f"{a} & {b}")
            return T.mod(a, b + 1)
        power = T.const(1 << b.data)
        return a * power if fn == "LShift" else T.div(a, power)

    def _rounded(self, fn: str, e: Any) -> Term:
        """`math.ceil(n / k)` and the like, k >= 1: exact below `EXACT_FLOAT`.

        Between a quotient and the next integer lies at least 1 / k, which is more than half a unit in the last place.
        """
        if type(e).__name__ == "ToFloat":
            return self.integer(e.args[0])
        if type(e).__name__ not in ("IntTrueDiv", "FloatTrueDiv"):
            raise Untranslatable(self.text(e))
        a, b = (self.integer(_unfloat(x)) for x in e.args)
        if not self.known(T.ge(b, 1)):
            raise Untranslatable(self.text(e))
        exact = T.and_(T.lt(a, EXACT_FLOAT), T.gt(a, -EXACT_FLOAT), T.lt(b, EXACT_FLOAT))
        self.assume(exact, "host arithmetic in floats is exact")
        if fn == "CeilToInt":
            return T.div(a + b - 1, b)
        if fn == "TruncToInt" and not self.known(T.ge(a, 0)):
            return T.tdiv(a, b)
        return T.div(a, b)


def _log2_argument(e: Any) -> Any:
    """`n` where `e` is the logarithm of n, rounded up."""
    if type(e).__name__ != "CeilToInt" or type(e.args[0]).__name__ != "OpaqueUnaryFn_log2":
        return None
    return _unfloat(e.args[0].args[0])


def _unfloat(e: Any) -> Any:
    if type(e).__name__ == "ToFloat":
        return e.args[0]
    if isinstance(e, sympy.Float) and float(e).is_integer():
        return sympy.Integer(int(e))
    return e


def to_sympy(t: Term, symbols: Mapping[str, sympy.Symbol]) -> Any:
    """The integer term `t` as torch writes it. Raises KeyError for a name without a symbol."""
    match t.op:
        case "const":
            return sympy.Integer(t.data)
        case "var":
            return symbols[t.data]
        case "add":
            parts = (c * to_sympy(a, symbols) for c, a in zip(t.data[1:], t.args, strict=True))
            return sum(parts, sympy.Integer(t.data[0]))
        case "mul":
            return sympy.Mul(*(to_sympy(a, symbols) for a in t.args))
        case "div" | "mod" | "min" | "max" as op:
            fn = {"div": FloorDiv, "mod": PythonMod, "min": Min, "max": Max}[op]
            return fn(*(to_sympy(a, symbols) for a in t.args))  # type: ignore[no-untyped-call]
        case _:
            raise KeyError(str(t))
