"""Bitwise operations on integers: those that are arithmetic in disguise exactly, of others the range."""

from __future__ import annotations

from argus_smt.absint.state import State
from argus_smt.absint.values import AbsValue, Guards, IntV
from argus_smt.ir.ops import Binary
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Term


def bits(state: State, op: Binary, x: Term, y: Term, guards: Guards) -> AbsValue:
    """`and`, `or` or `xor` of two integers in two's complement."""
    exact = _constant(op.fn, x, y) or _same(op.fn, x, y) or _masked(op.fn, x, y) or _disjoint(state, op.fn, x, y)
    if exact is not None:
        return IntV(state.simp(exact), guards)
    reason = f"bitwise `{op.fn}` of two symbolic values"
    out = state.unknown(op.result.type, state.site(op), reason, _range(state, op.fn, x, y))
    assert isinstance(out, IntV)
    return IntV(out.term, guards)


def _constant(fn: str, x: Term, y: Term) -> Term | None:
    if x.op != "const" or y.op != "const":
        return None
    table = {"and": x.value & y.value, "or": x.value | y.value, "xor": x.value ^ y.value}
    return T.const(table[fn])


def _same(fn: str, x: Term, y: Term) -> Term | None:
    """Of a number with itself."""
    if x is not y:
        return None
    return T.ZERO if fn == "xor" else x


def _masked(fn: str, x: Term, y: Term) -> Term | None:
    """With a constant: a run of ones picks digits of the other number, which are a quotient's remainder."""
    for mask, other in ((x, y), (y, x)):
        if mask.op != "const":
            continue
        m = mask.value
        match fn:
            case "or" | "xor" if m == 0:
                return other
            case "xor" if m == -1:
                return -other - 1
            case "or" if m == -1:
                return mask
            case "and" if m == -1:
                return other
            case "and" if m == 0:
                return T.ZERO
            case "and":
                low = m & -m  # the lowest one
                if m < 0 and -m == low:  # all digits from there on
                    return other - T.mod(other, T.const(low))
                if m > 0 and (m // low) & (m // low + 1) == 0:
                    return T.mod(T.div(other, T.const(low)), T.const(m // low + 1)) * low
    return None


def _disjoint(state: State, fn: str, x: Term, y: Term) -> Term | None:
    """A multiple of a power of two and a number below that power share no digit: `or` and `xor` add, `and` gives 0."""
    for small, other in ((x, y), (y, x)):
        low, high = state.bounds.of(small)
        if low is not None and low >= 0 and high is not None:
            power = 1 << high.bit_length()
            if state.simp(T.mod(other, T.const(power))) is T.ZERO:
                return T.ZERO if fn == "and" else small + other
    return None


def _range(state: State, fn: str, x: Term, y: Term) -> Interval:
    """What is known where no operand is negative; `and` with one that is not keeps below it in any case."""
    (xlo, xhi), (ylo, yhi) = state.bounds.of(x), state.bounds.of(y)
    natural = [high for low, high in ((xlo, xhi), (ylo, yhi)) if low is not None and low >= 0]
    tops = [high for high in natural if high is not None]
    if fn == "and" and natural:
        return (0, min(tops) if tops else None)
    if len(natural) == 2 and len(tops) == 2:
        return (0, (1 << max(tops).bit_length()) - 1)
    return (0, None) if len(natural) == 2 else ALL
