"""Models: values of variables and of unknown functions at the points where they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from argus_smt.smt import term as T
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Model:
    """`variables` by name; `functions` by (name, arguments). Booleans are 0 and 1. What is missing is 0."""

    variables: Mapping[str, int]
    functions: Mapping[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def value(self, t: Term) -> int:
        """Value of a term. Raises ZeroDivisionError where it divides by zero."""
        return T.evaluate(t, self._lookup)

    def _lookup(self, node: Term, args: tuple[int, ...]) -> int:
        if node.op in ("var", "bvar"):
            return self.variables.get(node.data, 0)
        return self.functions.get((node.data, args), 0)

    def satisfies(self, conditions: Iterable[Term]) -> bool:
        """Whether all conditions hold; a condition that divides by zero does not."""
        memo: dict[Term, int] = {}
        try:
            return all(T.evaluate(c, self._lookup, memo) for c in conditions)
        except ZeroDivisionError:
            return False


def from_atoms(values: Mapping[Term, int]) -> Model | None:
    """The model that gives variables and applications these values; None if two applications at one point differ."""
    variables = {t.data: v for t, v in values.items() if t.op in ("var", "bvar")}
    functions: dict[tuple[str, tuple[int, ...]], int] = {}
    for t in sorted((t for t in values if t.op in ("app", "bapp")), key=lambda t: t.ident):
        try:
            point = tuple(Model(variables, functions).value(a) for a in t.args)
        except ZeroDivisionError:
            return None
        if functions.setdefault((t.data, point), values[t]) != values[t]:
            return None
    return Model(variables, functions)
