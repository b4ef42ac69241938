"""Duties made by hand, and a prover for them."""

from __future__ import annotations

from collections.abc import Sequence

from argus_smt.absint.facts import Facts, Scope, Wrap
from argus_smt.absint.values import NO_GUARDS
from argus_smt.ir.ops import Binary, Value
from argus_smt.ir.types import Scalar
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.obligations.overflow import Overflow
from argus_smt.prove.discharge import Prover
from argus_smt.prove.elements import Elements
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term
from argus_smt.source import Span


def operation(bits: int) -> Binary:
    a, b, c = (Value(n, Scalar(f"i{bits}")) for n in range(3))
    return Binary(a, "mul", b, c, span=Span("k.py", 3, 5, 3, 12))


def overflow(exact: Term, bits: int, hypotheses: Sequence[Term], shape: tuple[int, ...]) -> Overflow:
    """An operation with this exact result, used where the hypotheses hold."""
    half = 1 << (bits - 1)
    cond = T.and_(T.ge(exact, -half), T.lt(exact, half))
    scope = Scope(tuple(hypotheses), (), NO_GUARDS)
    op = operation(bits)
    duty = Obligation("AR303", "3:5:Binary", op, Reach(scope, shape, (), NO_GUARDS), cond, f"{bits}-bit result", offset=exact)
    return Overflow(Wrap(duty.site, op, exact, bits, cond, shape, NO_GUARDS, scope), duty, (duty,))


def prover(facts: Sequence[Term]) -> Prover:
    """A prover that knows facts of the symbols and program ids."""
    bounds = Bounds()
    bounds.learn(facts)
    return Prover(Facts(bounds), Solver(rlimit=300_000), Elements())
