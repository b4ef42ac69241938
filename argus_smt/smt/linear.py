"""Linear integer arithmetic in Z3 with every monomial as one unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from argus_smt.smt import term as T
from argus_smt.smt.term import Term


class LinearSolver:
    """One question. Atoms and monomials become integer constants named by their number; booleans likewise."""

    def __init__(self, ctx: Any, rlimit: int) -> None:
        self._ctx = ctx
        self._solver = z3.Solver(ctx=ctx)
        self._solver.set("rlimit", rlimit)
        self._memo: dict[Term, Any] = {}
        self._names: dict[Term, Any] = {}

    def check(self, facts: Sequence[Term]) -> tuple[str, dict[Term, int] | None]:
        """`sat`, `unsat` or `unknown`; with `sat`, values of variables and applications."""
        self._solver.add([self._term(f) for f in facts])
        status = str(self._solver.check())
        if status != "sat":
            return status, None
        model = self._solver.model()
        values: dict[Term, int] = {}
        for t, name in self._names.items():
            if t.op in ("var", "app"):
                values[t] = model.eval(name, model_completion=True).as_long()
            elif t.op in ("bvar", "bapp"):
                values[t] = int(z3.is_true(model.eval(name, model_completion=True)))
        return status, values

    def text(self) -> str:
        """The question as SMT-LIB 2."""
        return str(self._solver.to_smt2())

    def _unknown(self, t: Term, boolean: bool = False) -> Any:
        name = self._names.get(t)
        if name is None:
            make = z3.Bool if boolean else z3.Int
            label = t.data if t.op in ("var", "bvar") else f"{t.op}!{len(self._names)}"
            name = self._names[t] = make(label, self._ctx)
        return name

    def _term(self, t: Term) -> Any:
        found = self._memo.get(t)
        if found is None:
            found = self._memo[t] = self._build(t)
        return found

    def _build(self, t: Term) -> Any:
        match t.op:
            case "const":
                return z3.IntVal(t.data, self._ctx)
            case "true" | "false":
                return z3.BoolVal(t.op == "true", self._ctx)
            case "add":
                parts = [z3.IntVal(c, self._ctx) * self._unknown(m) if c != 1 else self._unknown(m)
                         for m, c in zip(t.args, t.data[1:], strict=True)]  # fmt: skip
                return z3.Sum([*parts, z3.IntVal(t.data[0], self._ctx)])
            case "nonneg":
                return self._term(t.args[0]) >= 0
            case "zero":
                return self._term(t.args[0]) == 0
            case "not":
                return z3.Not(self._term(t.args[0]))
            case "and":
                return z3.And([self._term(a) for a in t.args])
            case "or":
                return z3.Or([self._term(a) for a in t.args])
            case "bite":
                return z3.If(*(self._term(a) for a in t.args))
            case _:
                return self._unknown(t, t.sort is T.Sort.BOOL)
