"""What lanes may hold: an exact number, or signs of floats and intervals of integers, and what arithmetic makes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from argus_smt.absint import signs as S
from argus_smt.absint.state import width_range
from argus_smt.interp import single
from argus_smt.ir.types import Ptr, Scalar

Number = single.Number
Span = tuple[int, int]
LARGE = 1e4
"""A fill value at least this large stands for infinity, as an assumption that is listed."""


@dataclass(frozen=True, slots=True)
class Content:
    """`signs` for floats, `span` for integers; `number` where it is one and the same. `tag` names an unchanged element.

    `given`: it is made of numbers of the user, or of the kernel's own, and of no padding.
    """

    signs: int = S.ANY
    span: Span | None = None
    number: Number | None = None
    tag: str = ""
    given: bool = True


def anything(elem: Scalar | Ptr) -> Content:
    """Any number of a type, not finite ones included."""
    if isinstance(elem, Scalar) and elem.is_int:
        return integers(*width_range(elem))
    return Content()


def real(elem: Scalar | Ptr) -> Content:
    """Any finite number of a type."""
    return anything(elem) if isinstance(elem, Ptr) or elem.is_int else Content(S.FINITE)


def integers(low: int, high: int) -> Content:
    """Integers of an interval."""
    signs = (S.NEG if low < 0 else 0) | (S.ZERO if low <= 0 <= high else 0) | (S.POS if high > 0 else 0)
    return Content(signs, (low, high), low if low == high else None)


def widest(x: Content) -> Content:
    """The same signs for a float; any integer of 64 bits or fewer for an integer."""
    if x.span is not None:
        return _finished(integers(-(1 << 63), (1 << 63) - 1), x)
    return Content(x.signs, None, None, "", x.given)


def constant(value: Number, elem: Scalar | Ptr) -> Content:
    """An exact number, as its type holds it."""
    if isinstance(elem, Ptr):
        return Content()
    if elem.is_int:
        low = width_range(elem)[0]
        value = int(value) & 1 if elem.bits == 1 else (int(value) - low) % (1 << elem.bits) + low
        return integers(value, value)
    exact = single.rounded(value, elem)
    return Content(S.sign_of(exact), None, exact)


def of_signs(signs: int) -> Content:
    """Floats of some signs; a single one of zero, infinity and NaN is an exact number."""
    number = {S.NINF: -math.inf, S.ZERO: 0.0, S.PINF: math.inf, S.NAN: math.nan}.get(signs)
    return Content(signs, None, number)


def join(a: Content, b: Content) -> Content:
    """Either of them."""
    if a == b:
        return a
    span = None if a.span is None or b.span is None else (min(a.span[0], b.span[0]), max(a.span[1], b.span[1]))
    same = a.number if a.number is not None and _same(a.number, b.number) else None
    return Content(a.signs | b.signs, span, same, a.tag if a.tag == b.tag else "", a.given and b.given)


def _same(a: Number, b: Number | None) -> bool:
    return b is not None and (a == b or (a != a and b != b))


def _finished(out: Content, *used: Content) -> Content:
    return replace(out, given=all(x.given for x in used))


def unary(fn: str, x: Content, elem: Scalar) -> Content:
    """`fn` is a key of UNARY."""
    tests = {"isnan": S.NAN, "isinf": S.INFINITE}
    exact = single.unary(fn, x.number, elem) if x.number is not None else None
    if fn in tests:
        top = 1 if x.signs & tests[fn] else 0
        return _finished(integers(0, top) if exact is None else integers(int(exact), int(exact)), x)
    if exact is not None:
        return _finished(constant(exact, elem), x)
    if elem.is_int:
        low, high = x.span or width_range(elem)
        if fn == "abs" and low > width_range(elem)[0]:
            return _finished(integers(0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))), x)
        return _finished(anything(elem), x)
    return _finished(of_signs(S.unary(fn, x.signs, strict=not x.given)), x)


def binary(fn: str, a: Content, b: Content, elem: Scalar) -> Content:
    """`fn` is a key of BINARY."""
    kept = _kept(fn, a, b, elem)
    if kept is not None:
        return kept
    if fn == "fdiv" and a.tag and a.tag == b.tag and not a.signs & ~(S.NEG | S.POS):
        return _finished(constant(1.0, elem), a, b)
    if a.number is not None and b.number is not None:
        exact = single.binary(fn, a.number, b.number, elem)
        return _finished(anything(elem) if exact is None else constant(exact, elem), a, b)
    if elem.is_int:
        return _finished(_span(fn, a, b, elem), a, b)
    return _finished(of_signs(S.binary(fn, a.signs, b.signs, strict=not b.given)), a, b)


def _kept(fn: str, a: Content, b: Content, elem: Scalar) -> Content | None:
    """The operand that the other one leaves as it is; only elements that have a name are looked at."""
    if not (a.tag or b.tag):
        return None
    if a.tag and _leaves(fn, a, b, elem):
        return a
    if b.tag and fn not in ("sub", "fsub", "fdiv", "sdiv", "udiv", "shl", "lshr", "ashr") and _leaves(fn, b, a, elem):
        return b
    return None


def _leaves(fn: str, x: Content, by: Content, elem: Scalar) -> bool:
    """Whether `fn(x, by)` is `x`, and also `fn(by, x)` where the function is symmetric."""
    n = by.number
    match fn:
        case "add" | "sub" | "or" | "xor" | "shl" | "lshr" | "ashr" | "fadd" | "fsub" if n == 0:
            return True
        case "mul" | "fmul" | "fdiv" | "sdiv" | "udiv" if n == 1:
            return True
        case "and" if n == (1 if elem.bits == 1 else -1):
            return True
        case "smax":
            return _ordered(by.span, x.span)
        case "smin":
            return _ordered(x.span, by.span)
        case "umax":
            return n == 0 or (_natural(x) and _natural(by) and _ordered(by.span, x.span))
        case "umin":
            return n == (1 if elem.bits == 1 else -1) or (_natural(x) and _natural(by) and _ordered(x.span, by.span))
        case "fmax" | "fmaximum" if not x.signs & S.NAN:
            return by.signs == S.NINF or S.below(by.signs, x.signs) is True or (n == 0 and not x.signs & (S.NINF | S.NEG))
        case "fmin" | "fminimum" if not x.signs & S.NAN:
            return by.signs == S.PINF or S.below(x.signs, by.signs) is True or (n == 0 and not x.signs & (S.POS | S.PINF))
    return False


def _natural(x: Content) -> bool:
    return x.span is not None and x.span[0] >= 0


def _ordered(a: Span | None, b: Span | None) -> bool:
    """Whether no integer of `a` is above one of `b`."""
    return a is not None and b is not None and a[1] <= b[0]


def _span(fn: str, a: Content, b: Content, elem: Scalar) -> Content:
    (al, ah), (bl, bh) = a.span or width_range(elem), b.span or width_range(elem)
    match fn:
        case "add":
            ends = [al + bl, ah + bh]
        case "sub":
            ends = [al - bh, ah - bl]
        case "mul":
            ends = [x * y for x in (al, ah) for y in (bl, bh)]
        case "smax":
            ends = [max(al, bl), max(ah, bh)]
        case "smin":
            ends = [min(al, bl), min(ah, bh)]
        case "and" if al >= 0 or bl >= 0:
            ends = [0, min(h for low, h in ((al, ah), (bl, bh)) if low >= 0)]
        case "or" | "xor" if al >= 0 and bl >= 0:
            ends = [0, (1 << max(ah.bit_length(), bh.bit_length())) - 1]
        case _:
            return anything(elem)
    low, high = width_range(elem)
    return integers(min(ends), max(ends)) if low <= min(ends) and max(ends) <= high else anything(elem)


def compare(pred: str, a: Content, b: Content, elem: Scalar) -> Content:
    """A boolean: 0, 1 or either."""
    truth: bool | None = None
    if a.number is not None and b.number is not None:
        truth = single.compare(pred, a.number, b.number, elem)
    elif elem.is_int:
        truth = _int_truth(pred, a.span, b.span)
    elif len(pred) == 3 and not (a.signs | b.signs) & S.NAN:
        truth = _order(pred[1:], S.below(a.signs, b.signs), S.below(b.signs, a.signs))
    return _finished(integers(0, 1) if truth is None else integers(int(truth), int(truth)), a, b)


def _int_truth(pred: str, a: Span | None, b: Span | None) -> bool | None:
    if a is None or b is None or (pred.startswith("u") and (a[0] < 0 or b[0] < 0)):
        return None
    less = True if a[1] < b[0] else False if a[0] >= b[1] else None
    more = True if b[1] < a[0] else False if b[0] >= a[1] else None
    return _order(pred if pred in ("eq", "ne") else pred[1:], less, more)


def _order(relation: str, less: bool | None, more: bool | None) -> bool | None:
    """A relation from whether the one is less, and whether it is more."""
    apart = True if less or more else False if less is False and more is False else None
    match relation:
        case "lt":
            return less
        case "gt":
            return more
        case "le":
            return None if more is None else not more
        case "ge":
            return None if less is None else not less
        case "ne":
            return apart
        case "eq":
            return None if apart is None else not apart
    return None


def select(cond: Content, a: Content, b: Content) -> Content:
    """`a` where the condition, else `b`."""
    if cond.number is not None:
        return a if cond.number else b
    return join(a, b)


def cast(kind: str, x: Content, source: Scalar | Ptr, target: Scalar | Ptr) -> Content:
    """`kind` is a key of CASTS."""
    if kind == "same":
        return x
    if isinstance(source, Ptr) or isinstance(target, Ptr):
        return _finished(anything(target), x)
    if x.number is not None:
        exact = single.cast(kind, x.number, source, target)
        return _finished(anything(target) if exact is None else constant(exact, target), x)
    match kind:
        case "fpext" | "fptrunc" | "fptrunc_rz":
            return _finished(of_signs(x.signs | (S.ZERO if kind != "fpext" and x.signs & (S.NEG | S.POS) else 0)), x)
        case "sitofp":
            return _finished(of_signs(x.signs), x)
        case "uitofp":
            return _finished(of_signs(S.ZERO | S.POS), x)
        case "sext" | "zext" if x.span is not None and (kind == "zext" or source.bits > 1):
            if kind == "sext" or x.span[0] >= 0:
                return _finished(integers(*x.span), x)
    return _finished(anything(target), x)
