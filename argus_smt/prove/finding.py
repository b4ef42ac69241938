"""Verdicts on single obligations, as plain picklable data: what a prover worker hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from argus_smt.source import Span


class Verdict(str, Enum):
    """The three answers."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Severity(str, Enum):
    """How much a refuted obligation matters; only errors make exit code 1."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding: a definition, the launch, the other access."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class OtherAccess:
    """The second access of a conflict, in the same run. `does`: stores | reads | updates."""

    span: Span
    does: str
    program_id: tuple[int, int, int]
    element: tuple[int, ...] = ()
    iteration: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A concrete failing run. `values` maps names to numbers or short texts (arguments, contents of index tensors).

    `address` and `extent` are bytes from the start of the argument's view, `storage` is its name; `element` is the
    index in the tile, `iteration` the loop counters from outermost to innermost (0-based trip numbers).
    `inputs` gives contents of index tensors as (tensor, element index, value). `view` describes the view where it is not
    the whole storage. Where two accesses meet, `does` says what the first one does, and `other` is the second.
    `unwritten` is the index of an element that nobody writes, in the tensor `storage`.
    """

    shape: dict[str, int]
    program_id: tuple[int, int, int]
    grid: tuple[int, int, int]
    element: tuple[int, ...] = ()
    iteration: tuple[int, ...] = ()
    storage: str = ""
    address: int | None = None
    extent: int | None = None
    access_bytes: int = 0
    values: dict[str, str] = field(default_factory=dict)
    inputs: tuple[tuple[str, int, int], ...] = ()
    replayed: bool = False
    view: str = ""
    does: str = ""
    other: OtherAccess | None = None
    unwritten: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on one obligation in one case of one launch.

    `site` identifies the operation in the source (equal across cases). `reason_code` is AR901 to AR904 when unknown.
    `suggestion` is the weakest simple precondition found that makes the obligation hold, e.g. `K % 64 == 0`.
    `unreachable`: no lane ever gets there in this case, so it holds emptily. `limit`: for AR303, up to where it holds.
    """

    code: str
    verdict: Verdict
    severity: Severity
    span: Span
    message: str
    method: str = ""
    site: str = ""
    label: str = ""
    related: tuple[Related, ...] = ()
    help: str = ""
    reason: str = ""
    reason_code: str = ""
    approximations: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    suggestion: str = ""
    unreachable: bool = False
    limit: str = ""
    time_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CaseResult:
    """All findings of one case of one launch; `limits` are the conditions under which the proofs hold (32-bit limits)."""

    launch: int
    case: int
    label: str
    findings: tuple[Finding, ...]
    limits: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    analysis_s: float = 0.0
    solve_s: float = 0.0
    empty: bool = False
    """No launch meets the conditions of the case, so nothing is said of it."""
    internal: tuple[str, ...] = ()
    """Loud warnings about Argus itself, e.g. a counterexample that did not replay."""
    cross: tuple[int, ...] = ()
    """How many answers the second solver gives too, gives none to, and contradicts; empty if it was not asked."""


CHECKS = ("memory", "races", "order", "coverage", "init", "padding")
"""Groups of checks. memory: AR301 to AR307 but AR304, AR407; races: AR401 to AR403; order: AR404, AR406; coverage: AR411,
AR412; init: AR304; padding: AR601, AR603."""
DEFAULT_CHECKS = CHECKS
"""What the command line checks unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ProveOptions:
    """What the user chose. `timeout_s` is a wall-clock budget per case; `rlimit` the solver's deterministic one per query."""

    overflow: str = "warn"
    assume: tuple[str, ...] = ()
    timeout_s: float = 60.0
    rlimit: int = 2_000_000
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    dump_smt: str = ""
    cross_check: str = ""
    """The second solver that is asked about whatever the first one, or algebra, shows to be impossible; empty for none."""
    checks: tuple[str, ...] = ("memory",)
