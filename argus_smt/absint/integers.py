"""Transfer functions of integer and boolean arithmetic: exact terms, and a guard where a width may be left."""

from __future__ import annotations

from argus_smt.absint import addresses, bitwise
from argus_smt.absint.facts import Arithmetic, Wrap
from argus_smt.absint.state import State, fits, guard, width_range
from argus_smt.absint.values import COORDS, AbsValue, FloatV, Guards, IntV, LostV, PtrV, choose
from argus_smt.ir.ops import Binary, Cast, Cmp, Op, Select, Unary, Value
from argus_smt.ir.types import Scalar, Tile, elem_of, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

ADDRESS = "conversion between pointers and integers"
_SIGNED = {"eq": T.eq, "ne": T.ne, "slt": T.lt, "sle": T.le, "sgt": T.gt, "sge": T.ge}
_UNSIGNED = {"ult": T.lt, "ule": T.le, "ugt": T.gt, "uge": T.ge}


def as_int(term: Term) -> Term:
    """A boolean term as 0 or 1."""
    return T.ite(term, T.ONE, T.ZERO) if term.sort is Sort.BOOL else term


def bits_of(value: Value) -> int:
    elem = elem_of(value.type)
    assert isinstance(elem, Scalar)
    return elem.bits


def is_integer(value: Value) -> bool:
    return elem_of(value.type).is_int


def wrapping(state: State, op: Op, result: Value, exact: Term, guards: Guards) -> IntV:
    """The result of an operation whose exact value is `exact`; adds a guard unless the intervals show that it fits."""
    bits = bits_of(result)
    exact = state.simp(exact)
    cond = state.simp(fits(exact, bits))
    if cond is T.TRUE:
        return IntV(exact, guards)
    site = state.site(op)
    if state.recording:
        state.facts.wraps[site] = Wrap(site, op, exact, bits, cond, shape_of(result.type), guards, state.scope())
    return IntV(exact, guards | guard(site, cond, exact))


def _unsigned(state: State, term: Term, bits: int) -> Term:
    return state.simp(T.ite(T.ge(term, 0), term, term + (1 << bits)))


def _signed(state: State, term: Term, bits: int) -> Term:
    """The signed value of an unsigned result below 2**bits."""
    return state.simp(T.ite(T.lt(term, 1 << (bits - 1)), term, term - (1 << bits)))


def unary(state: State, op: Unary) -> AbsValue:
    """Integer negation, absolute value, complement and bit counts; everything else gives a float."""
    if not is_integer(op.result):
        return FloatV()
    if op.fn in ("isnan", "isinf"):
        return state.unknown(op.result.type, state.site(op), "a test of floats")
    x = state.integer(op.operand)
    match op.fn:
        case "neg" | "abs" if x.term.sort is Sort.BOOL:  # one bit is its own negation
            return x
        case "neg":
            return wrapping(state, op, op.result, -as_int(x.term), x.guards)
        case "abs":
            return wrapping(state, op, op.result, T.maximum(x.term, -x.term), x.guards)
        case "not":
            inverted = T.not_(x.term) if x.term.sort is Sort.BOOL else -x.term - 1
            return IntV(inverted, x.guards)
        case "clz" | "ctz" | "popc":
            range_ = (0, bits_of(op.operand))
            return state.unknown(op.result.type, state.site(op), f"bit count `{op.fn}`", range_)
        case _:
            return state.unknown(op.result.type, state.site(op), f"function `{op.fn}`")


def binary(state: State, op: Binary) -> AbsValue:
    """All two-operand functions; the float ones give a float."""
    if not is_integer(op.result):
        return FloatV()
    a, b = state.integer(op.lhs), state.integer(op.rhs)
    guards = a.guards | b.guards
    if a.term.sort is Sort.BOOL and b.term.sort is Sort.BOOL:
        return _logic(state, op, a.term, b.term, guards)
    x, y, bits = as_int(a.term), as_int(b.term), bits_of(op.result)
    match op.fn:
        case "add":
            return wrapping(state, op, op.result, x + y, guards)
        case "sub":
            return wrapping(state, op, op.result, x - y, guards)
        case "mul":
            return wrapping(state, op, op.result, x * y, guards)
        case "smin" | "smax":
            return IntV(state.simp((T.minimum if op.fn == "smin" else T.maximum)(x, y)), guards)
        case "sdiv" | "srem":
            _need(state, op, T.ne(y, 0), b.guards)
            if op.fn == "srem":
                return IntV(state.simp(_simple(state, x, y, T.mod, T.trem)), guards)
            return wrapping(state, op, op.result, _simple(state, x, y, T.div, T.tdiv), guards)
        case "mulhi_s":  # of the product in twice as many bits
            return IntV(state.simp(T.div(x * y, T.const(1 << bits))), guards)
        case "udiv" | "urem" | "umin" | "umax" | "mulhi_u":
            if op.fn in ("udiv", "urem"):
                _need(state, op, T.ne(y, 0), b.guards)
            return _unsigned_binary(state, op, x, y, bits, guards)
        case "shl" | "ashr" | "lshr":
            _need(state, op, T.and_(T.ge(y, 0), T.lt(y, bits)), b.guards)
            return _shift(state, op, x, y, bits, guards)
        case "and" | "or" | "xor":
            return bitwise.bits(state, op, x, y, guards)
        case _:
            return state.unknown(op.result.type, state.site(op), f"`{op.fn}` is not modelled")


def _simple(state: State, x: Term, y: Term, floor: object, truncated: object) -> Term:
    """Floor and truncated division agree where the dividend is not negative and the divisor positive."""
    plain = state.known(T.and_(T.gt(y, 0), T.ge(x, 0)))
    chosen = floor if plain else truncated
    assert callable(chosen)
    out = chosen(x, y)
    assert isinstance(out, Term)
    return out


def _need(state: State, op: Op, goal: Term, guards: Guards) -> None:
    """Record what an operation needs to have a result; where that is one condition for all lanes, it holds from here on.

    `guards` are those of the divisor or shift amount: a dividend that wrapped makes a wrong number of it, but a number.
    A run that breaks it has no defined behaviour after it, so what it does later is no fault of its own: the duty recorded
    here is what is refuted.
    """
    assert isinstance(op, Binary)
    goal = state.simp(goal)
    if state.recording:
        shape = shape_of(op.result.type)
        state.facts.arithmetic.append(Arithmetic(state.site(op), op, goal, shape, guards, state.scope()))
    if not goal.is_const and not any(t.free.intersection(COORDS) for t in (goal, *(g.cond for g in guards))):
        state.assume(goal, guards)


def _logic(state: State, op: Binary, a: Term, b: Term, guards: Guards) -> AbsValue:
    match op.fn:
        case "and" | "mul" | "umin" | "smax":  # as signed numbers true is -1
            return IntV(T.and_(a, b), guards)
        case "or" | "umax" | "smin":
            return IntV(T.or_(a, b), guards)
        case "xor" | "add" | "sub":
            return IntV(T.not_(T.iff(a, b)), guards)
        case _:
            return state.unknown(op.result.type, state.site(op), f"`{op.fn}` on booleans")


def _unsigned_binary(state: State, op: Binary, x: Term, y: Term, bits: int, guards: Guards) -> AbsValue:
    u, v = _unsigned(state, x, bits), _unsigned(state, y, bits)
    match op.fn:
        case "udiv" | "urem":
            out = T.div(u, v) if op.fn == "udiv" else T.mod(u, v)
        case "mulhi_u":
            out = T.div(u * v, T.const(1 << bits))
        case _:
            out = T.minimum(u, v) if op.fn == "umin" else T.maximum(u, v)
    return IntV(_signed(state, state.simp(out), bits), guards)


def _shift(state: State, op: Binary, x: Term, y: Term, bits: int, guards: Guards) -> AbsValue:
    lo, hi = state.bounds.of(y)
    if lo is None or hi is None or lo < 0 or hi >= bits or hi - lo > 8:
        return state.unknown(op.result.type, state.site(op), "shift by a symbolic amount")
    factor = T.const(1 << hi)
    for n in range(lo, hi):
        factor = T.ite(T.eq(y, n), T.const(1 << n), factor)
    if op.fn == "shl":
        return wrapping(state, op, op.result, x * factor, guards)
    base = x if op.fn == "ashr" else _unsigned(state, x, bits)
    shifted = T.div(base, factor)
    return IntV(state.simp(shifted) if op.fn == "ashr" else _signed(state, shifted, bits), guards)


def compare(state: State, op: Cmp) -> AbsValue:
    """Comparison of integers; of floats and pointers it is an unknown boolean."""
    if not is_integer(op.lhs):
        if op.pred in ("true", "false"):
            return IntV(T.boolean(op.pred == "true"))
        p, q = state.get(op.lhs), state.get(op.rhs)
        if isinstance(p, PtrV) and isinstance(q, PtrV):
            return _compare_pointers(state, op, p, q)
        kind = "floats" if isinstance(elem_of(op.lhs.type), Scalar) else "pointers"
        return state.unknown(op.result.type, state.site(op), f"a comparison of {kind}")
    a, b = state.integer(op.lhs), state.integer(op.rhs)
    guards = a.guards | b.guards
    if a.term.sort is Sort.BOOL and b.term.sort is Sort.BOOL and op.pred in ("eq", "ne"):
        same = T.iff(a.term, b.term)
        return IntV(same if op.pred == "eq" else T.not_(same), guards)
    x, y = _number(a.term, op.pred), _number(b.term, op.pred)
    if op.pred in _SIGNED:
        return IntV(state.simp(_SIGNED[op.pred](x, y)), guards)
    bits = bits_of(op.lhs)
    u, v = _unsigned(state, x, bits), _unsigned(state, y, bits)
    return IntV(state.simp(_UNSIGNED[op.pred](u, v)), guards)


def _compare_pointers(state: State, op: Cmp, p: PtrV, q: PtrV) -> AbsValue:
    """Pointers compare as unsigned addresses, which the offsets decide within one argument."""
    x, y = (state.simp(addresses.to_integer(state, v)) for v in (p, q))
    if not all(state.simp(T.and_(T.ge(t, 0), fits(t, 64))) is T.TRUE for t in (x, y)):
        return state.unknown(op.result.type, state.site(op), "a comparison of pointers")
    return IntV(state.simp({**_SIGNED, **_UNSIGNED}[op.pred](x, y)), p.guards | q.guards)


def _number(term: Term, pred: str) -> Term:
    """A boolean compared as a number: 0 or -1 signed, 0 or 1 unsigned."""
    if term.sort is Sort.BOOL and pred.startswith("s"):
        return T.ite(term, T.const(-1), T.ZERO)
    return as_int(term)


def select(state: State, op: Select) -> AbsValue:
    """Element-wise choice."""
    cond = state.integer(op.cond)
    a, b = state.get(op.a), state.get(op.b)
    if is_integer(op.result):
        a, b = state.integer(op.a), state.integer(op.b)
    return choose(state.simp(cond.term), a, b, cond.guards)


def cast(state: State, op: Cast) -> AbsValue:
    """Conversions between integers are exact; from floats they are unknown; pointers keep their targets."""
    source = state.get(op.operand)
    match op.kind:
        case "same" | "ptr_cast":
            return source
        case "bitcast" if elem_of(op.operand.type) == elem_of(op.result.type):
            return source
        case "bitcast" if isinstance(source, PtrV) and not isinstance(elem_of(op.result.type), Scalar):
            return source
        case "sext" | "zext" | "trunc":
            return _resize(state, op, state.integer(op.operand))
        case "ptr_to_int":
            if not isinstance(source, PtrV):
                return _lost(state, op, ADDRESS)
            return wrapping(state, op, op.result, addresses.to_integer(state, source), source.guards)
        case "int_to_ptr":
            return addresses.to_pointer(state, state.integer(op.operand), ADDRESS)
        case _ if is_integer(op.result):
            return state.unknown(op.result.type, state.site(op), f"conversion `{op.kind}` of a float")
        case _:
            return FloatV() if isinstance(elem_of(op.result.type), Scalar) else LostV(f"conversion `{op.kind}`")


def _lost(state: State, op: Cast, reason: str) -> AbsValue:
    if is_integer(op.result):
        return state.unknown(op.result.type, state.site(op), reason)
    return LostV(reason)


def _resize(state: State, op: Cast, x: IntV) -> AbsValue:
    before, after = bits_of(op.operand), bits_of(op.result)
    if x.term.sort is Sort.BOOL:
        one = -1 if op.kind == "sext" else 1
        return IntV(T.ite(x.term, T.const(one), T.ZERO), x.guards)
    if op.kind == "sext":
        return x
    if op.kind == "zext" and before < 32 and any(g.exact is x.term for g in x.guards):
        kept = frozenset(g for g in x.guards if g.exact is not x.term)  # whatever wraps, it is the remainder that is read
        return IntV(state.simp(T.mod(x.term, T.const(1 << before))), kept)
    if op.kind == "zext":
        return IntV(_unsigned(state, x.term, before), x.guards)
    if after == 1:
        return IntV(state.simp(T.ne(T.mod(x.term, T.const(2)), 0)), x.guards)
    return wrapping(state, op, op.result, x.term, x.guards)


def constant(kind: Scalar | object, value: int | float) -> AbsValue:
    """A constant of an element type."""
    if not isinstance(kind, Scalar) or not kind.is_int:
        return FloatV()
    if kind.name == "i1":
        return IntV(T.boolean(bool(value)))
    lo, _ = width_range(kind)
    span = 1 << kind.bits
    return IntV(T.const((int(value) - lo) % span + lo))


def tile_constant(value: Value, number: int | float) -> AbsValue:
    return constant(value.type.elem if isinstance(value.type, Tile) else value.type, number)
