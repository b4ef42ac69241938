"""Bitwise operations on integers: those that are arithmetic in disguise exactly, of others the range."""

from __future__ import annotations

from argus_smt.absint.state import State
from argus_smt.absint.values import AbsValue, Guards, IntV
from argus_smt.ir.ops import Binary
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Term

MAX_RUNS = 4
"""Runs of ones in a constant up to which its digits are picked one by one."""


def bits(state: State, op: Binary, x: Term, y: Term, guards: Guards) -> AbsValue:
    """`and`, `or` or `xor` of two integers in two's complement."""
    exact = (
        _constant(op.fn, x, y) or _same(op.fn, x, y) or _masked(op.fn, x, y)
        or _disjoint(state, op.fn, x, y) or _chosen(state, op.fn, x, y)
    )  # fmt: skip
    if exact is not None:
        return IntV(state.simp(exact), guards)
    reason = f"bitwise `{op.fn}` of two symbolic values"
    above, interval = _below_a_power(state, op.fn, x, y) or (T.ZERO, _range(state, op.fn, x, y))
    out = state.unknown(op.result.type, state.site(op), reason, interval)
    assert isinstance(out, IntV)
    return IntV(state.simp(above + out.term), guards)


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
    """With a constant: its runs of ones pick digits of the other number, which are remainders of quotients.

    `x | m` is `x + m - (x & m)` and `x ^ m` is `x + m - 2 * (x & m)`.
    """
    for mask, other in ((x, y), (y, x)):
        if mask.op == "const":
            both = _picked(other, mask.value)
            if both is not None:
                return both if fn == "and" else other + mask - both * (1 if fn == "or" else 2)
    return None


def _picked(other: Term, mask: int) -> Term | None:
    """`other & mask`; None for a mask of many runs."""
    if mask < 0:
        rest = _picked(other, ~mask)
        return None if rest is None else other - rest
    out = T.ZERO
    for _ in range(MAX_RUNS):
        if mask == 0:
            return out
        low = mask & -mask  # the lowest one
        ones = mask // low
        run = (ones ^ (ones + 1)) >> 1  # the run that begins there
        out = out + T.mod(T.div(other, T.const(low)), T.const(run + 1)) * low
        mask -= run * low
    return out if mask == 0 else None


def _chosen(state: State, fn: str, x: Term, y: Term) -> Term | None:
    """With a number that is all ones or 0, as signs are, or 1 or 0, as conditions are."""
    for few, other in ((x, y), (y, x)):
        low, high = state.bounds.of(few)
        if low is None or high is None or low < -1 or high > 1 or high - low > 1:
            continue
        both = T.ite(T.eq(few, 0), T.ZERO, other if low == -1 else T.mod(other, T.const(2)))
        return both if fn == "and" else other + few - both * (1 if fn == "or" else 2)
    return None


def _below_a_power(state: State, fn: str, x: Term, y: Term) -> tuple[Term, Interval] | None:
    """`or` and `xor` with a number below 2**k change the lowest k digits only: what is above them, and their range."""
    if fn == "and":
        return None
    found = []
    for small, other in ((x, y), (y, x)):
        low, high = state.bounds.of(small)
        if low is not None and low >= 0 and high is not None:
            found.append((high.bit_length(), other.ident, other))
    if not found:
        return None
    digits, _, other = min(found)
    return other - T.mod(other, T.const(1 << digits)), (0, (1 << digits) - 1)


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
