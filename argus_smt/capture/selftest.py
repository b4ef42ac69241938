"""Asks torch a few questions whose answers are known to be open, and sees that each reaches the oracle.

The hooks that the oracle uses are private to torch: one that moved must stop Argus, not make it answer without asking.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from argus_smt.capture.arguments import arguments
from argus_smt.capture.call import parse_signature
from argus_smt.capture.domain import build_domain
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.hosts import symbolic
from argus_smt.capture.ledger import Ledger
from argus_smt.capture.world import Registry, World
from argus_smt.smt.ask import Session

_SIGNATURE = "probe(x: f32[M, N] {a, b}, y: f32[M])"


def self_test() -> None:
    """Raise CaptureError if this torch does not ask as expected."""
    signature = parse_signature(_SIGNATURE)
    registry = Registry(Session(), build_domain(signature))
    for name, probe in _PROBES.items():
        world = World(registry, (), __file__)
        try:
            with symbolic(world), world.fake, Ledger(world):
                values = arguments(world, signature)
                before = world.oracle.asked
                probe(**values)
        except Exception as error:
            raise _unfit(f"{name} fails: {error}") from error
        if world.oracle.asked == before:
            raise _unfit(f"{name} is answered without a question")


def _unfit(what: str) -> CaptureError:
    return CaptureError(f"torch {torch.__version__} does not work with this version of Argus: {what}", code="AR101")


def _branch(x: Any, y: Any) -> None:
    if x.shape[0] > 7:
        y.shape[0]


def _data(x: Any, y: Any) -> None:
    if y.to(torch.int32).max().item() > 3:
        x.shape[0]


_PROBES: dict[str, Callable[..., Any]] = {
    "a branch": _branch,
    "contiguous() on unknown strides": lambda x, y: x.contiguous(),
    "torch._check": lambda x, y: torch._check(x.shape[0] == x.shape[1]),  # type: ignore[no-untyped-call]
    "item()": _data,
    "a division": lambda x, y: x.shape[0] // (x.shape[1] - 1),
}
