"""Checks of `examples/triton/absmax_quantize.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, columns, rows, tensor

FILE = "absmax_quantize.py"
LAUNCHER = "absmax_quantize"
SIZES = ((1, 1), (3, 127), (8, 128), (9, 129), (2, 300))
SMALL: list[Call] = [(x,) for m, n in SIZES for x in (tensor("f16", m, n), columns("f16", m, n), rows("f16", m, n, n + 3))]
MUTANTS = (
    Mutant(
        FILE, "tail_mask_dropped", "mask = row_mask[:, None] & (cols < n_cols)[None, :]",
        "mask = row_mask[:, None] & (cols >= 0)[None, :]",
        (("AR301", "x = tl.load"), ("AR302", "tl.store(q_ptr")), "the last group of a row may be short",
    ),
    Mutant(
        FILE, "scale_uses_q_stride", "rows * stride_sm", "rows * stride_qm",
        (("AR302", "tl.store(scale_ptr"),), "a row has fewer scales than columns",
    ),
    Mutant(
        FILE, "groups_rounded_down", "scales = torch.empty((n_rows, groups)", "scales = torch.empty((n_rows, n_cols // 128)",
        (("AR302", "tl.store(scale_ptr"),), "the short group has no place for its scale",
    ),
    Mutant(
        FILE, "scale_mask_dropped", "scale, mask=row_mask)", "scale)",
        (("AR302", "tl.store(scale_ptr"),), "the last program has rows to spare",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    m, n = rng.randint(1, 20), rng.randint(1, 400)
    return (rng.choice((tensor("f16", m, n), columns("f16", m, n), rows("f16", m, n, n + rng.randint(0, 9)))),)


def references(example: Any) -> Iterator[Pair]:
    for m, n in SIZES:
        inputs = {"rows": torch.randn(m, n).half(), "columns": torch.randn(n, m).half().t(), "zero": torch.zeros(m, n).half()}
        for layout, x in inputs.items():
            q, scales = example.absmax_quantize(x)
            groups = F.pad(x.float(), (0, -n % 128)).unflatten(1, (-1, 128))
            want = groups.abs().amax(2).clamp(min=1e-10) / 127
            scaled = (groups / want[:, :, None]).flatten(1)[:, :n]
            yield f"scales {m}x{n} {layout}", scales, want
            yield f"numbers {m}x{n} {layout}", q, torch.trunc(scaled + torch.where(scaled >= 0, 0.5, -0.5))
