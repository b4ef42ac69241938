"""Case results and options as JSON: what goes through a worker's pipe and into the cache."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from argus_smt.prove.finding import (
    CaseResult,
    Counterexample,
    Finding,
    OtherAccess,
    ProveOptions,
    Related,
    Severity,
    Verdict,
)
from argus_smt.source import Span


def dumps_result(result: CaseResult) -> str:
    """JSON text of a case result, on one line."""
    return json.dumps(asdict(result), separators=(",", ":"))


def loads_result(text: str) -> CaseResult:
    """Inverse of `dumps_result`. Raises ValueError for text that is not one."""
    try:
        return _result(json.loads(text))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a case result: {error}") from error


def dump_options(options: ProveOptions) -> dict[str, Any]:
    """The options as JSON data."""
    return asdict(options)


def load_options(data: dict[str, Any]) -> ProveOptions:
    """Inverse of `dump_options`."""
    return ProveOptions(**_tuples(data))


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}


def _result(data: dict[str, Any]) -> CaseResult:
    plain = _tuples(data)
    plain["findings"] = tuple(_finding(f) for f in data["findings"])
    return CaseResult(**plain)


def _finding(data: dict[str, Any]) -> Finding:
    plain = _tuples(data)
    plain["verdict"] = Verdict(data["verdict"])
    plain["severity"] = Severity(data["severity"])
    plain["span"] = Span(**data["span"])
    plain["related"] = tuple(Related(Span(**r["span"]), r["message"]) for r in data["related"])
    if data["counterexample"] is not None:
        plain["counterexample"] = _counterexample(data["counterexample"])
    return Finding(**plain)


def _counterexample(data: dict[str, Any]) -> Counterexample:
    plain = _tuples(data)
    if data["other"] is not None:
        other = _tuples(data["other"])
        plain["other"] = OtherAccess(**{**other, "span": Span(**other["span"])})
    plain["inputs"] = tuple((str(t), int(i), int(v)) for t, i, v in data["inputs"])
    return Counterexample(**plain)
