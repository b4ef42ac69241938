"""What the analysis says of integers and pointers is what they are in a run, wherever nothing has wrapped."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.pointers import PointerValue
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.elementwise_rules import INT_PREDICATES
from argus_smt.ir.launch import PointerArg, ScalarArg, Storage
from argus_smt.ir.types import Scalar
from argus_smt.ir.walk import walk
from argus_smt.smt import term as T
from argus_smt.smt.solver import Solver
from tests.unit.absint.follow import analysis, follow
from tests.unit.absint.kernels import ARITHMETIC, COMBINED, DATA, kernel

GRID = (2, 1, 1)
A, B, C, N = (T.var(name) for name in "abcn")
DOMAIN = (T.ge(N, 0), T.le(N, 6), T.ge(B, 1), T.le(B, 1 << 20))


def storage(ident: int, name: str, dtype: str) -> Storage:
    return Storage(ident, name, dtype, T.const(DATA * Scalar(dtype).nbytes), (T.const(DATA),), (T.ONE,))


def compared(seed: int) -> Counter[str]:
    """One kernel, analysed once and run on a few inputs."""
    made = kernel(seed)
    assert check(made) == ()
    dtypes = ("i32", "i64", "i32")
    storages = [storage(i, name, dtype) for i, (name, dtype) in enumerate(zip("xyw", dtypes, strict=True))]
    pointers = [PointerArg(s.ident, s.dtype, T.ZERO, s.shape, s.strides) for s in storages]
    scalars = [ScalarArg("i64" if t is C else "i32", t) for t in (A, B, C, N)]
    ask = {} if seed % 3 else {"ask": Solver(rlimit=50_000).implies}
    found = analysis(made, [*pointers, *scalars], storages, DOMAIN, GRID, **ask)
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(3):
        values = {"a": rng.choice((0, -1, 5, 127, -(2**31), rng.randint(-300, 300))), "b": rng.choice((1, 2, 3, 100, 1 << 20)),
                  "c": rng.choice((0, -7, 9, 2**40, 2**63 - 1)), "n": rng.randint(0, 6)}  # fmt: skip
        memory = Memory([Region(s.ident, s.name, s.dtype, DATA * Scalar(s.dtype).nbytes) for s in storages])
        contents = {}
        for s in storages:
            data = np.array([rng.choice((0, 1, 3, -2, 200, rng.randint(-(2**31), 2**31 - 1))) for _ in range(DATA)], np.int64)
            size = Scalar(s.dtype).nbytes
            memory.write_elements(s.ident, 0, data.astype(f"int{8 * size}"))
            if s.name != "w":
                contents[f"m{s.ident}:{s.dtype}"] = (data, size)
        args = [*(PointerValue(s.ident, 0, 0, DATA * Scalar(s.dtype).nbytes) for s in storages), *values.values()]
        seen += follow(found, args, values, memory, contents, GRID)
    return seen


@pytest.mark.parametrize("start", range(0, 200, 25))
def test_values_of_a_run_are_those_of_their_terms(start: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(start, start + 25):
        seen += compared(seed)
    assert seen["followed"] > 2 * seen["not followed"], seen
    assert seen["wrapped"] > 0


def test_kernels_hold_what_the_analysis_knows_of_integers() -> None:
    ops = [op for seed in range(200) for op in walk(kernel(seed).body)]
    assert {op.fn for op in ops if isinstance(op, O.Binary)} == set(ARITHMETIC)
    assert {op.pred for op in ops if isinstance(op, O.Cmp)} == INT_PREDICATES
    assert {op.kind for op in ops if isinstance(op, O.Cast)} == {"sext", "zext", "trunc", "ptr_to_int", "int_to_ptr"}
    assert {op.combine.ops[-1].fn for op in ops if isinstance(op, O.Reduce) and len(op.operands) == 1} == set(COMBINED)
    wanted = {
        O.Scan,
        O.Map,
        O.Histogram,
        O.Cat,
        O.For,
        O.While,
        O.If,
        O.Load,
        O.Store,
        O.AddPtr,
        O.Select,
        O.Trans,
        O.Reshape,
        O.Join,
        O.Split,
        O.Gather,
        O.Reduce,
    }
    assert wanted <= {type(op) for op in ops}
