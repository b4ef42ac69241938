"""Checks of `examples/triton/cross_entropy.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from tests.cases.triton.mutants import Mutant
from tests.cases.triton.shapes import Call, Pair, rows
from tests.oracle.jobs import TensorArg

FILE = "cross_entropy.py"
LAUNCHER = "cross_entropy"
SIZES = ((1, 1), (3, 5), (7, 2), (4, 1023), (2, 1024), (3, 1025))


def labels(n: int, vocab: int, step: int) -> TensorArg:
    return TensorArg("i64", (n,), (step,), low=-1, high=vocab - 1, seed=n)


SMALL: list[Call] = []
for T, V in SIZES:
    SMALL.append((rows("f32", T, V, V), labels(T, V, 1), 0.1))
    SMALL.append((rows("f32", T, V, V + 3), TensorArg("i64", (T,), values=(V - 1,) * T), 0.0))
    SMALL.append((rows("f32", T, V, V), TensorArg("i64", (T,), (2,), values=(-1,) * T), 0.0))
MUTANTS = (
    Mutant(
        FILE, "ignored_label_used", "if label == IGNORED:", "if label == vocab:",
        (("AR301", "wanted = tl.load"),), "the first row's logit -1 lies before the tensor",
    ),
    Mutant(
        FILE, "gradient_mask_inclusive", "- target) / n_counted, mask=cols < vocab)",
        "- target) / n_counted, mask=cols <= vocab)",
        (("AR302", "tl.store(logits_ptr + cols, (tl.exp"),), "column `vocab` is one too many",
    ),
    Mutant(
        FILE, "label_by_row_stride", "labels_ptr + row * stride_label", "labels_ptr + row * stride_row",
        (("AR301", "label = tl.load"),), "labels are not as far apart as rows of logits",
        followed_by=(("AR301", "wanted = tl.load"),),
    ),
    Mutant(
        FILE, "first_pass_unmasked",
        "x = tl.load(logits_ptr + cols, mask=cols < vocab, other=-float(\"inf\")).to(tl.float32)\n        new_max",
        "x = tl.load(logits_ptr + cols).to(tl.float32)\n        new_max",
        (("AR301", "x = tl.load(logits_ptr + cols).to"),), "the last block is read whole",
    ),
    Mutant(
        FILE, "loss_per_column", "loss = torch.empty((rows,)", "loss = torch.empty((vocab,)",
        (("AR302", "tl.store(loss_ptr + row, 0.0)"), ("AR302", "tl.store(loss_ptr + row, loss)")),
        "the launcher allocates one loss a column",
    ),
)  # fmt: skip


def random_call(rng: random.Random) -> Call:
    n, vocab = rng.randint(1, 6), rng.choice((rng.randint(1, 40), rng.randint(900, 2500)))
    return rows("f32", n, vocab, vocab + rng.choice((0, 7))), labels(n, vocab, rng.choice((1, 2))), rng.random()


def references(example: Any) -> Iterator[Pair]:
    for n, vocab in SIZES:
        for smoothing in (0.0, 0.1):
            x, label = torch.randn(n, vocab + 3)[:, :vocab], torch.randint(0, vocab, (n,))
            label[1::2] = -1
            leaf = x.clone().requires_grad_()
            each = F.cross_entropy(leaf, label, ignore_index=-1, label_smoothing=smoothing, reduction="none")
            (gradient,) = torch.autograd.grad(each.sum() / (label != -1).sum(), leaf)
            yield f"loss {n}x{vocab} smoothing {smoothing}", example.cross_entropy(x, label, smoothing), each.detach()
            yield f"gradient {n}x{vocab} smoothing {smoothing}", x, gradient
