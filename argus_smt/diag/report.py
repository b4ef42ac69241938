"""The report as data: the models behind `--format json` and its published JSON Schema."""

from __future__ import annotations

import json
import sys
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1"

Verdict = Literal["proved", "refuted", "unknown"]
Severity = Literal["error", "warning", "note"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Location(_Model):
    """A place in a source file; lines and columns count from 1, `end_column` is exclusive, 0 is not known."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Related(_Model):
    """Another place that belongs to a finding: the root cause, the launch, a definition, the other access."""

    location: Location
    message: str


class InputElement(_Model):
    """One element of an index tensor that the failing run needs."""

    tensor: str
    index: int
    value: int


class OtherAccessModel(_Model):
    """The second access of a conflict, in the same run. `does`: stores | reads | updates."""

    location: Location
    does: str
    program_id: tuple[int, int, int]
    element: tuple[int, ...] = ()
    iteration: tuple[int, ...] = ()


class CounterexampleModel(_Model):
    """A concrete failing run. Addresses and extents are bytes from the start of the argument's view.

    `view` describes that view where it is not the whole of `storage`. Where two accesses meet, `does` says what the one at the
    counterexample's own program and element does, and `other` is the second. `unwritten`: the index of an element of `storage`
    that nobody writes.
    """

    shape: dict[str, int]
    program_id: tuple[int, int, int]
    grid: tuple[int, int, int]
    thread: int | None = None
    element: tuple[int, ...] = ()
    iteration: tuple[int, ...] = ()
    storage: str = ""
    view: str = ""
    address: int | None = None
    extent: int | None = None
    access_bytes: int = 0
    values: dict[str, str] = Field(default_factory=dict)
    inputs: tuple[InputElement, ...] = ()
    tags: dict[str, str] = Field(default_factory=dict)
    replayed: bool = False
    does: str = ""
    other: OtherAccessModel | None = None
    unwritten: tuple[int, ...] | None = None


class Obligation(_Model):
    """The verdict on one obligation in one case."""

    code: str
    name: str
    severity: Severity
    verdict: Verdict
    case: str = ""
    method: str = ""
    site: str = ""
    location: Location
    related: tuple[Related, ...] = ()
    message: str
    help: str = ""
    suggestion: str = ""
    limit: str = ""
    unreachable: bool = False
    reason: str = ""
    reason_code: str = ""
    approximations: tuple[str, ...] = ()
    counterexample: CounterexampleModel | None = None
    time_s: float = 0.0


class Precondition(_Model):
    """Something that the proof takes for granted, and where it comes from."""

    expr: str
    source: str
    detail: str = ""
    location: Location | None = None


class CaseModel(_Model):
    """One compiled form of a launch and the condition that selects it."""

    label: str
    condition: tuple[str, ...] = ()
    values: dict[str, str] = Field(default_factory=dict)
    decided: bool = True


class LaunchModel(_Model):
    """Which launch of which launcher; `index` counts from 0 over the launches of all followed paths."""

    launcher: str
    call: str
    file: str
    index: int
    count: int
    location: Location
    path: tuple[str, ...] = ()
    grid: tuple[str, str, str]


class CrossCheck(_Model):
    """What a second solver says of the answers that the proofs stand on: how many it gives too, and how many it gives none to.

    An answer that it contradicts makes the proofs of that case unknown.
    """

    solver: str
    agreed: int
    unanswered: int
    contradicted: int = 0


class KernelReport(_Model):
    """The verdict on one launch of a kernel under one tuning configuration.

    The proofs hold while all of `limits` hold; `limit` is their conjunction.
    """

    name: str
    file: str
    line: int
    launch: LaunchModel
    config: str = ""
    cases: tuple[CaseModel, ...]
    verdict: Verdict
    reason: str = ""
    limit: str = ""
    limits: tuple[str, ...] = ()
    preconditions: tuple[Precondition, ...]
    assumptions: tuple[str, ...] = ()
    not_checked: tuple[str, ...]
    obligations: tuple[Obligation, ...]
    cross_check: CrossCheck | None = None
    analysis_s: float = 0.0
    solve_s: float = 0.0


class LauncherModel(_Model):
    """How one launcher was followed under one signature.

    `paths` counts the paths by how they end: `launches`, `nothing` (it returns without a launch), `rejects` (it raises),
    `unknown`, `pin` (it wants the value of a size). `covered`: they provably take in every call that the signature allows.
    `capture_s`: seconds for running the launcher and compiling what it launches, without the imports of torch and Triton.
    """

    launcher: str
    call: str
    file: str
    paths: dict[str, int]
    covered: bool
    capture_s: float = 0.0


class Skipped(_Model):
    """A launcher that was not looked at because nothing says what it takes; `help` says how to go on."""

    file: str
    line: int
    launcher: str
    reason: str
    help: str = ""


class Tool(_Model):
    """What produced the report."""

    name: str = "argus"
    version: str
    versions: dict[str, str] = Field(default_factory=dict)


class Resources(_Model):
    """Time and memory that the run took."""

    wall_s: float = 0.0
    capture_s: dict[str, float] = Field(default_factory=dict)
    workers: int = 0
    peak_worker_mb: float = 0.0
    cached_cases: int = 0


class Report(_Model):
    """Everything that a run of `argus prove` has to say.

    `warnings` are about Argus itself (a counterexample that did not replay), `faults` are failures of it.
    """

    schema_version: str = SCHEMA_VERSION
    tool: Tool
    assumptions: tuple[str, ...]
    kernels: tuple[KernelReport, ...]
    launchers: tuple[LauncherModel, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    interrupted: str = ""
    resources: Resources = Resources()

    @property
    def exit_code(self) -> int:
        """1 an error is refuted, 4 Argus itself failed, 3 something is unknown, 0 everything is proved."""
        verdicts = {k.verdict for k in self.kernels}
        if "refuted" in verdicts:
            return 1
        if self.faults:
            return 4
        return 0 if verdicts == {"proved"} and not self.interrupted else 3

    def to_json(self) -> str:
        """The JSON text of the report."""
        return self.model_dump_json(indent=1) + "\n"


def read_report(text: str) -> Report:
    """Report of a JSON text. Raises ValueError (pydantic's, one line an entry) if the text is not one."""
    return Report.model_validate_json(text)


def json_schema() -> dict[str, Any]:
    """JSON Schema of the report."""
    return Report.model_json_schema(mode="serialization")


def schema_text() -> str:
    """The text that `docs/report.schema.json` must hold."""
    return json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
