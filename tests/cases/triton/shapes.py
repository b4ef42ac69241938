"""Small calls of the example launchers: sizes on both sides of every block edge, in several memory layouts."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tests.oracle.jobs import Argument, TensorArg

if TYPE_CHECKING:
    import torch

Call = tuple[Argument, ...]
Pair = tuple[str, "torch.Tensor", "torch.Tensor"]
"""A name, what an example computed, and what it should have."""

LAUNCHERS = {
    "vector_add.py": "add", "softmax.py": "softmax", "matmul.py": "matmul", "layer_norm.py": "layer_norm",
    "rms_norm.py": "rms_norm", "embedding.py": "embedding", "attention.py": "attention",
}  # fmt: skip
"""The launcher of each file under `examples/triton`."""

HUGE = 1 << 30
"""A stride whose double does not fit in 32 bits; its storage is never touched but in a few places."""


def tensor(dtype: str, *shape: int) -> TensorArg:
    """A contiguous tensor."""
    return TensorArg(dtype, shape, seed=prod(shape))


def rows(dtype: str, height: int, width: int, stride: int) -> TensorArg:
    """A matrix with adjacent elements in rows that are `stride` elements apart."""
    return TensorArg(dtype, (height, width), (stride, 1), seed=stride)


def columns(dtype: str, height: int, width: int) -> TensorArg:
    """The transpose of a contiguous matrix."""
    return TensorArg(dtype, (height, width), (1, height), seed=width)


def heads_inside(dtype: str, batch: int, heads: int, seq: int, dim: int) -> TensorArg:
    """A [batch, heads, seq, dim] view of contiguous [batch, seq, heads, dim] memory."""
    return TensorArg(dtype, (batch, heads, seq, dim), (seq * heads * dim, dim, heads * dim, 1), seed=seq)


def far_batches(dtype: str, batch: int, heads: int, seq: int, dim: int) -> TensorArg:
    """A [batch, heads, seq, dim] tensor whose batches are far apart."""
    return TensorArg(dtype, (batch, heads, seq, dim), (HUGE, seq * dim, dim, 1))


def vector_add() -> list[Call]:
    return [(tensor("f32", n), tensor("f32", n)) for n in (1, 2, 1023, 1024, 1025, 2049)]


def softmax() -> list[Call]:
    sizes = ((1, 1), (1, 3), (2, 3), (3, 4), (5, 7))
    return [(rows("f32", m, n, stride),) for m, n in sizes for stride in (n, n + 2, 0)]


def matmul() -> list[Call]:
    calls: list[Call] = []
    for m, n, k in ((1, 1, 1), (2, 3, 5), (65, 1, 33), (1, 66, 32), (64, 64, 64), (130, 70, 40), (577, 1, 1)):
        calls.append((tensor("f16", m, k), tensor("f16", k, n)))
        calls.append((columns("f16", m, k), columns("f16", k, n)))
        calls.append((rows("f16", m, k, k + 3), rows("f16", k, n, n + 5)))
    return calls


def layer_norm() -> list[Call]:
    sizes = ((1, 1), (2, 3), (4, 2), (3, 257), (2, 256), (2, 520))
    return [
        (rows("f32", m, n, stride), tensor("f32", n), tensor("f32", n))
        for m, n in sizes
        for stride in (n, n + 2, 0)
    ]


def rms_norm() -> list[Call]:
    return [(tensor("f16", *s), tensor("f16", s[-1])) for s in ((1, 1, 1), (1, 3, 5), (2, 3, 4), (3, 3, 7), (2, 2, 9))]


def embedding() -> list[Call]:
    calls: list[Call] = []
    for t, v, d in ((1, 1, 1), (3, 2, 5), (17, 3, 65), (16, 4, 64), (33, 1, 2)):
        for stride in (d, d + 3):
            calls.append((TensorArg("i64", (t,), values=(v - 1,) * t), rows("f32", v, d, stride)))
            calls.append((TensorArg("i64", (t,), high=v - 1, seed=t), rows("f32", v, d, stride)))
    return calls


def attention() -> list[Call]:
    calls: list[Call] = []
    for b, hq, hkv, s in ((1, 1, 1, 1), (1, 2, 1, 5), (2, 4, 2, 33), (1, 3, 3, 65), (2, 2, 1, 64)):
        for make in (lambda *shape: tensor("f16", *shape), lambda *shape: heads_inside("f16", *shape)):
            calls.append((make(b, hq, s, 64), make(b, hkv, s, 64), make(b, hkv, s, 64)))
        calls.append((tensor("f16", b, hq, s, 64), tensor("f16", b, hkv, s, 64), heads_inside("f16", b, hkv, s, 64)))
    return calls


SMALL: dict[str, list[Call]] = {
    "vector_add.py": vector_add(), "softmax.py": softmax(), "matmul.py": matmul(), "layer_norm.py": layer_norm(),
    "rms_norm.py": rms_norm(), "embedding.py": embedding(), "attention.py": attention(),
}  # fmt: skip
"""Calls that every right version of a file survives."""

FAR: dict[str, list[Call]] = {
    "embedding.py": [(TensorArg("i64", (1,), values=(2,)), rows("f32", 3, 2, HUGE))],
    "attention.py": [tuple(far_batches("f16", 3, 1, 1, 64) for _ in range(3))],
}
"""Calls with few programs and offsets past 32 bits."""
