"""Linear integer arithmetic in Z3 with every monomial as one unknown.

The question goes to Z3 as SMT-LIB 2 text: building it through the Python objects takes many times longer than solving it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_ANSWERS: dict[str, tuple[str, dict[str, int]]] = {}
"""Decided questions of this process by their text, which names unknowns in the order in which they occur: cases of one
kernel put many questions that only differ in the names of their unknowns."""
MAX_ANSWERS = 20_000


class LinearSolver:
    """One question. Atoms and monomials become integer constants `x0`, `x1`, …; boolean ones `b0`, `b1`, …"""

    def __init__(self, ctx: Any, rlimit: int) -> None:
        self._solver = z3.Solver(ctx=ctx)
        self._solver.set("rlimit", rlimit)
        self._memo: dict[Term, str] = {}
        self._names: dict[Term, str] = {}
        self.text = ""

    def check(self, facts: Sequence[Term]) -> tuple[str, dict[Term, int] | None]:
        """`sat`, `unsat` or `unknown`; with `sat`, values of variables and applications."""
        asserts = [f"(assert {self._term(f)})" for f in facts]
        declared = [f"(declare-const {n} {'Bool' if n[0] == 'b' else 'Int'})" for n in self._names.values()]
        self.text = "\n".join([*declared, *asserts])
        known = _ANSWERS.get(self.text)
        if known is None:
            self._solver.from_string(self.text)
            status = str(self._solver.check())
            known = status, self._model() if status == "sat" else {}
            if status != "unknown" and len(_ANSWERS) < MAX_ANSWERS:
                _ANSWERS[self.text] = known
        status, found = known
        if status != "sat":
            return status, None
        return status, {t: found.get(n, 0) for t, n in self._names.items() if t.op in ("var", "app", "bvar", "bapp")}

    def _model(self) -> dict[str, int]:
        """Values of the unknowns by name, booleans as 0 and 1."""
        model = self._solver.model()
        values = {d.name(): model[d] for d in model.decls()}
        return {name: v.as_long() if z3.is_int_value(v) else int(z3.is_true(v)) for name, v in values.items()}

    def _unknown(self, t: Term) -> str:
        name = self._names.get(t)
        if name is None:
            kind = "b" if t.sort is T.Sort.BOOL else "x"
            name = self._names[t] = f"{kind}{len(self._names)}"
        return name

    def _term(self, t: Term) -> str:
        found = self._memo.get(t)
        if found is None:
            found = self._memo[t] = self._build(t)
        return found

    def _build(self, t: Term) -> str:
        match t.op:
            case "const":
                return _number(t.data)
            case "true" | "false":
                return t.op
            case "add":
                return self._sum(t)
            case "nonneg":
                return f"(>= {self._term(t.args[0])} 0)"
            case "zero":
                return f"(= {self._term(t.args[0])} 0)"
            case "not" | "and" | "or":
                return f"({t.op} {' '.join(self._term(a) for a in t.args)})"
            case "bite":
                return f"(ite {' '.join(self._term(a) for a in t.args)})"
            case _:
                return self._unknown(t)

    def _sum(self, t: Term) -> str:
        parts = [_number(t.data[0])] if t.data[0] else []
        for mono, coef in zip(t.args, t.data[1:], strict=True):
            name = self._unknown(mono)
            parts.append(name if coef == 1 else f"(* {_number(coef)} {name})")
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def _number(n: int) -> str:
    return str(n) if n >= 0 else f"(- {-n})"
