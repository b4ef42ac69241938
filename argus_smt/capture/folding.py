"""Where arithmetic that Triton's front end does in Python, on constexprs, is what the same operations do at run time.

Python's integers are unbounded, its `//` and `%` round down, and `and` and `or` give back one of their operands;
run-time operations round towards zero and give one bit. Numbers that do not fit are limits of their own. The rest
agrees where operands of divisions are not negative and where one bit is only asked whether it is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from argus_smt.ir import ops as O
from argus_smt.ir import walk as W
from argus_smt.ir.ops import Kernel, Op, Value
from argus_smt.ir.types import elem_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

_KEEPS = (O.Splat, O.Broadcast, O.ExpandDims, O.Reshape, O.Trans, O.Unsplat)
_ARITHMETIC: dict[str, Callable[[Term, Term], Term]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "sdiv": T.div, "srem": T.mod, "smin": T.minimum, "smax": T.maximum,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Term, Term], Term]] = {
    "eq": T.eq, "ne": T.ne, "slt": T.lt, "sle": T.le, "sgt": T.gt, "sge": T.ge,
}  # fmt: skip
_BITS: dict[str, Callable[[Term, Term], Term]] = {
    "and": T.and_, "or": T.or_, "xor": lambda a, b: T.not_(T.iff(a, b)),
}  # fmt: skip


def folds_alike(kernel: Kernel, values: Mapping[str, Term], implied: Callable[[Term], bool]) -> bool:
    """Whether `kernel`, which takes `values` at run time, does with them what Python does with them as constexprs.

    `implied` decides conditions over the terms of `values`. False where it is not seen to.
    """
    params = zip(kernel.params, kernel.body.params, strict=True)
    folding = _Folding({v: values[name] for name, v in params if name in values}, implied)
    return folding.block(kernel.body.ops)


class _Folding:
    """What may be a constexpr in the form with constants: its value as a term, None where no term says it."""

    def __init__(self, named: dict[Value, Term], implied: Callable[[Term], bool]) -> None:
        self.known: dict[Value, Term | None] = dict(named)
        self.named: set[Value] = set(named)
        self.implied = implied

    def block(self, ops: Iterable[Op]) -> bool:
        return all(self.op(op) for op in ops)

    def op(self, op: Op) -> bool:
        """Enter what an operation gives; False where it may differ from Python's."""
        operands = tuple(W.operands(op))
        if isinstance(op, O.If):
            return self._if(op)
        if not self._bits_asked(op, operands):
            return False
        if isinstance(op, O.Const):
            self.known[op.result] = _constant(op)
        elif operands and all(v in self.known for v in operands) and isinstance(op, _KEEPS + _FOLDED):
            self.known[op.result] = self._value(op)
            if self.named.intersection(operands):
                self.named.add(op.result)
                if not self._alike(op):
                    return False
        return all(self.block(b.ops) for b in W.blocks(op))

    def _if(self, op: O.If) -> bool:
        if not (self.block(op.then.ops) and self.block(op.orelse.ops)):
            return False
        cond = self.known.get(op.cond)
        chosen = op.cond in self.named
        for r, a, b in zip(op.results, op.then.yields, op.orelse.yields, strict=True):
            if self.named.intersection((a, b)) and not chosen and _is_bit(r):
                return False
            if chosen and (a in self.known or b in self.known):
                self.known[r] = _choice(cond, self.known.get(a), self.known.get(b))
                self.named.add(r)
        return True

    def _value(self, op: Op) -> Term | None:
        match op:
            case O.Splat() | O.Broadcast() | O.ExpandDims() | O.Reshape() | O.Trans() | O.Unsplat():
                return self.known[op.operand]
            case O.Cast(kind="sext" | "same", operand=x):
                return self.known[x]
            case O.Select(cond=c, a=a, b=b):
                return _choice(self.known[c], self.known[a], self.known[b])
            case O.Binary(fn=fn, lhs=x, rhs=y):
                functions, sort = (_BITS, Sort.BOOL) if _is_bit(x) else (_ARITHMETIC, Sort.INT)
                return _apply(functions.get(fn), self.known[x], self.known[y], sort)
            case O.Cmp(pred=pred, lhs=x, rhs=y):
                return _apply(_COMPARE.get(pred), self.known[x], self.known[y])
        return None

    def _alike(self, op: Op) -> bool:
        """Whether an operation on constexprs alone gives what Python gives."""
        match op:
            case O.Binary(fn="sdiv" | "srem", lhs=lhs, rhs=rhs):
                a, b = self.known[lhs], self.known[rhs]
                return a is not None and b is not None and all(self.implied(T.ge(x, 0)) for x in (a, b))
            case O.Binary(fn="udiv" | "urem"):
                return False
        return True

    def _bits_asked(self, op: Op, operands: Iterable[Value]) -> bool:
        """Whether single bits made of constexprs are used as conditions alone: Python may have another number for them."""
        bits = [v for v in operands if v in self.named and _is_bit(v)]
        match op:
            case O.Select(cond=c, a=a, b=b):
                return not any(v in bits for v in (a, b)) or c in self.known
            case O.Binary(fn="and" | "or" | "xor", lhs=a, rhs=b):
                return not bits or (a in self.known and b in self.known)
            case O.Load(mask=m) | O.Store(mask=m) | O.AtomicRMW(mask=m):
                return all(v is m for v in bits)
            case O.Assume() | O.Assert():
                return True
        return not bits or isinstance(op, _KEEPS)


_FOLDED = (O.Binary, O.Cmp, O.Select, O.Cast, O.Unary)


def _is_bit(v: Value) -> bool:
    return str(elem_of(v.type)) == "i1"


def _constant(op: O.Const) -> Term | None:
    if not isinstance(op.value, int):
        return None
    return T.boolean(bool(op.value)) if _is_bit(op.result) else T.const(op.value)


def _apply(function: Callable[[Term, Term], Term] | None, a: Term | None, b: Term | None, sort: Sort = Sort.INT) -> Term | None:
    if function is None or a is None or b is None or a.sort is not sort or b.sort is not sort:
        return None
    return function(a, b)


def _choice(cond: Term | None, a: Term | None, b: Term | None) -> Term | None:
    if cond is None or a is None or b is None or cond.sort is not Sort.BOOL or Sort.BOOL in (a.sort, b.sort):
        return None
    return T.ite(cond, a, b)
