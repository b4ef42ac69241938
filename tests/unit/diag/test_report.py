"""The JSON report: it round-trips, its schema is published, its exit code follows the verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from argus_smt.diag.report import json_schema, read_report, schema_text
from tests.unit.diag.reports import bug, kernel, proof, report


def test_the_published_schema_is_current(root: Path) -> None:
    published = (root / "docs/report.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), "run: python -m argus_smt.diag.report > docs/report.schema.json"


def test_a_report_fits_the_schema_and_reads_back() -> None:
    shown = report(kernel(bug(), proof(), verdict="refuted"), interrupted="interrupted: 1 of 2 cases decided")
    data = json.loads(shown.to_json())
    jsonschema.validate(data, json_schema())
    assert read_report(shown.to_json()) == shown
    assert data["schema_version"] == "1"
    assert data["kernels"][0]["obligations"][0]["counterexample"]["replayed"] is True


def test_other_texts_are_no_report() -> None:
    with pytest.raises(ValueError, match="validation error"):
        read_report('{"tool": 3}')


@pytest.mark.parametrize(
    ("verdicts", "changes", "code"),
    [
        (["proved", "proved"], {}, 0),
        (["proved", "refuted", "unknown"], {"faults": ("x",)}, 1),
        (["proved", "unknown"], {}, 3),
        (["proved"], {"interrupted": "interrupted"}, 3),
        (["proved"], {"faults": ("x",)}, 4),
        ([], {}, 3),
    ],
)
def test_exit_codes(verdicts: list[str], changes: dict[str, object], code: int) -> None:
    assert report(*(kernel(proof(), verdict=v) for v in verdicts), **changes).exit_code == code
