"""The concurrency suite is what it says: run in Triton's interpreter, `ok` is clean and `bug` has its faults and no others."""

from __future__ import annotations

import pytest

from tests.integration.concurrency import CASES, CODES, PAIRS
from tests.oracle.race_jobs import RaceJob, RaceOutcome, run_race_jobs

HARMLESS = {"ww_same"}


def job(name: str, launcher: str) -> RaceJob:
    pair = PAIRS[name]
    args = pair.bug if launcher == "bug" else pair.ok or pair.bug
    return RaceJob(str(CASES / f"{name}.py"), launcher, args, outs(name, launcher))


def outs(name: str, launcher: str) -> tuple[int, ...]:
    """Positions of the arguments that the signature marks `out`."""
    text = (CASES / f"{name}.py").read_text()
    signature = text.split(f"\ndef {launcher}(")[0].rsplit('@argus.launch("', 1)[1].split('")')[0]
    parts = signature.split(" where ")[0].split(": ")[1:]
    return tuple(number for number, part in enumerate(parts) if "] out" in part)


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[str, str], RaceOutcome]:
    keys = [(name, launcher) for name in PAIRS for launcher in ("ok", "bug")]
    return dict(zip(keys, run_race_jobs([job(*key) for key in keys]), strict=True))


def test_every_file_is_in_the_suite() -> None:
    assert {p.stem for p in CASES.glob("*.py")} == set(PAIRS)
    assert len(PAIRS) >= 60


@pytest.mark.parametrize("name", PAIRS)
def test_ok_is_clean(name: str, outcomes: dict[tuple[str, str], RaceOutcome]) -> None:
    outcome = outcomes[name, "ok"]
    assert not outcome.error
    assert not outcome.faults
    assert outcome.accesses
    assert not outcome.kinds - HARMLESS


@pytest.mark.parametrize("name", PAIRS)
def test_bug_is_faulty(name: str, outcomes: dict[tuple[str, str], RaceOutcome]) -> None:
    outcome, pair = outcomes[name, "bug"], PAIRS[name]
    assert not outcome.error
    assert not outcome.faults
    assert outcome.kinds == set(pair.kinds)
    assert set(pair.codes) <= {code for kind in pair.kinds for code in CODES.get(kind, ())}
