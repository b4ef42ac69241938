"""Faults that Argus's interpreter sees are those of the oracle that runs in Triton's: place, program, lane and byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from argus_smt.interp.events import Event
from argus_smt.ir.ops import Load
from tests.integration.interpreter_calls import case_calls, example_calls
from tests.integration.launch_values import Call, values_of
from tests.integration.own_launch import own_device
from tests.oracle.jobs import Job, run_jobs

_Seen = tuple[str, int, tuple[int, int, int], int, int | None]


def own_events(call: Call, modules: dict[str, Any]) -> list[Event]:
    with own_device() as device:
        values_of(call, modules)
    return [e for _, trace in device.launches for e in trace.events]


def kind_of(event: Event) -> str:
    """The oracle's kind: what a lane out of bounds reads is a poison number there, no good as an address."""
    if event.kind == "undef_used" and isinstance(event.source, Load):
        return "oob_read" if isinstance(event.op, Load) else "oob_write"
    return event.kind


def in_their_terms(events: Iterable[Event]) -> set[_Seen]:
    """The first lane of each access out of bounds, by place and program."""
    first: dict[tuple[str, int, tuple[int, int, int]], _Seen] = {}
    for e in events:
        kind = kind_of(e)
        if kind in ("oob_read", "oob_write"):
            assert e.hits is not None
            lane = int(np.ravel_multi_index(e.element, e.hits.shape)) if e.element else 0
            place = (kind, e.span.line, e.program)
            first.setdefault(place, (*place, lane, e.address))
    return set(first.values())


@pytest.mark.parametrize("calls", [case_calls("bug"), example_calls()[:4]], ids=["cases", "examples"])
def test_out_of_bounds_accesses(calls: list[Call]) -> None:
    outcomes = run_jobs([Job(c.file, c.launcher, c.args) for c in calls])
    modules: dict[str, Any] = {}
    for call, outcome in zip(calls, outcomes, strict=True):
        assert outcome.error == ""
        theirs = {
            ("oob_write" if e.kind == "oob_atomic" else e.kind, e.line, e.program, e.lane, e.offset)
            for e in outcome.events
            if e.kind.startswith("oob")
        }
        events = own_events(call, modules)
        dirty = any(e.kind == "undef_used" for e in events)
        ours = in_their_terms(events)
        assert ({s[:4] for s in ours}, {s[:4] for s in theirs}) == ({s[:4] for s in ours | theirs},) * 2, str(call)
        assert dirty or ours == theirs, str(call)
