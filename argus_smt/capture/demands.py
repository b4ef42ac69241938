"""What must have been written by the time that somebody looks: tensors that a launcher returns, or that the host reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from argus_smt.capture.failure import PathEnd
from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.world import HOST_DTYPES, World
from argus_smt.ir.launch import Demand, PointerArg
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.source import Span

_MAKERS = ("empty", "zeros", "ones", "full", "new_", "rand")
"""Operations whose names begin so take only the form of their operands."""
_OVERWRITES = ("copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "exponential_", "bernoulli_")
_PARTS = ("index_", "masked_", "scatter", "put_")
_LOOKS = ("equal", "is_nonzero", "allclose")
"""Operations that tell of elements though they give no tensor."""
_DEPTH = 6


def reads(func: Any, name: str) -> bool:
    """Whether an operation looks at the elements of its operands; views and allocations do not."""
    if name.startswith(_MAKERS) or not (name in _LOOKS or any("Tensor" in str(r.type) for r in func._schema.returns)):
        return False
    return not any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)


def read_and_written(func: Any, name: str) -> str:
    """What an operation does to an operand that it changes: `overwrites` it, writes `parts` of it, or `updates` what it holds."""
    if name.startswith(_PARTS):
        return "parts"
    return "overwrites" if name in _OVERWRITES or "out" in func._overloadname else "updates"


def demand(world: World, t: torch.Tensor, storage: int, after: int, what: str, part: bool, span: Span) -> Demand | None:
    """The elements of `t`; None where its sizes cannot be said, which ends no path: they matter to nobody else."""
    if t.dtype not in HOST_DTYPES:
        return None
    try:
        shape, strides = tuple(map(world.term, t.shape)), tuple(map(world.term, t.stride()))
        start = world.term(t.storage_offset())
    except (Untranslatable, PathEnd):
        return Demand(storage, after, None, what, part, span)
    elem = element(HOST_DTYPES[t.dtype])
    return Demand(storage, after, PointerArg(storage, elem.name, T.scale(start, elem.nbytes), shape, strides), what, part, span)


def tensors(value: Any, depth: int = _DEPTH) -> Iterator[torch.Tensor]:
    """The tensors in what a launcher returns: also in tuples, lists, mappings and records."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth == 0 or isinstance(value, str | bytes):
        return
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from tensors(v, depth - 1)
    elif isinstance(value, tuple | list | set):
        for v in value:
            yield from tensors(v, depth - 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for f in dataclasses.fields(value):
            yield from tensors(getattr(value, f.name, None), depth - 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type | torch.nn.Module) and not callable(value):
        yield from tensors(vars(value), depth - 1)
