"""Answers about linear questions are shared by questions that only differ in names, and belong to the right unknowns."""

from __future__ import annotations

import random

import z3

from argus_smt.smt import term as T
from argus_smt.smt.linear import LinearSolver
from argus_smt.smt.model import from_atoms
from argus_smt.smt.term import Term


def question(rng: random.Random, names: list[Term]) -> list[Term]:
    def side() -> Term:
        return T.add(*(rng.randint(-3, 3) * rng.choice(names) for _ in range(2)), T.const(rng.randint(-9, 9)))

    return [T.ge(side(), 0) if rng.random() < 0.8 else T.eq(side(), 0) for _ in range(4)]


def test_a_remembered_answer_is_a_right_one() -> None:
    statuses = set()
    for seed in range(200):
        rng = random.Random(seed)
        names = [T.var(f"{rng.choice('uvw')}{seed % 7}{i}") for i in range(3)]
        facts = question(random.Random(seed // 2), names)  # each twice, with other names
        status, values = LinearSolver(z3.Context(), 1_000_000).check(facts)
        statuses.add(status)
        direct = z3.Solver()
        for f in facts:
            inner = f.args[0] if f.args else T.ZERO
            total = z3.Sum([c * z3.Product([z3.Int(a.data) for a in m]) if m else z3.IntVal(c) for m, c in T.poly(inner).items()])
            direct.add({"nonneg": total >= 0, "zero": total == 0}.get(f.op, z3.BoolVal(f is T.TRUE)))
        assert status == str(direct.check())
        if values is not None:
            model = from_atoms(values)
            assert model is not None
            assert model.satisfies(facts)
    assert statuses == {"sat", "unsat"}
