"""The table of diagnostic codes: slug, one line of meaning, default severity, and whether this version checks it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

FAMILIES = {
    "1": "front end",
    "2": "tags and layouts",
    "3": "memory",
    "4": "concurrency and coverage",
    "5": "resources and speed",
    "6": "values",
    "7": "emission",
    "9": "verdict",
}
"""Hundreds digit of a code → name of its family."""


@dataclass(frozen=True, slots=True)
class Code:
    """One row: `line` is the meaning in one line, `checked` is false for codes that only later versions report."""

    code: str
    slug: str
    line: str
    severity: str = "error"
    checked: bool = True

    @property
    def family(self) -> str:
        """Name of the code's family."""
        return FAMILIES[self.code[2]]


_ROWS = (
    Code("AR101", "unreadable-file", "the file cannot be read, parsed or imported"),
    Code("AR102", "no-kernel", "the file, or the launcher's run, has no kernel to check"),
    Code("AR103", "no-signature", "nothing says which tensors the launcher takes"),
    Code("AR104", "signature-error", "the signature does not parse, or does not fit the launcher"),
    Code("AR105", "launcher-raised", "the launcher raises on every tensor that the signature allows"),
    Code("AR106", "path-not-covered", "some path of the launcher, or some size, was not followed"),
    Code("AR107", "compiler-refused", "Triton refuses to compile the kernel"),
    Code("AR201", "tag-mismatch", "the data that meets at a use site is not the data that should", checked=False),
    Code("AR202", "tag-clash", "producers that must be distinct are not", checked=False),
    Code("AR203", "empty-assertion", "a tag assertion on data that carries no tag", checked=False),
    Code("AR204", "contraction", "some index of a reduction is missed or taken twice", checked=False),
    Code("AR205", "contradicted-assume", "a trusted tag contradicts what is derived", checked=False),
    Code("AR211", "instruction-layout", "a fragment's lane map is not what the instruction needs", checked=False),
    Code("AR212", "lds-layout", "a layout is not injective", checked=False),
    Code("AR301", "load-out-of-bounds", "an unmasked lane reads a byte outside the argument's storage"),
    Code("AR302", "store-out-of-bounds", "an unmasked lane writes a byte outside the argument's storage"),
    Code("AR303", "offset-overflow", "32-bit arithmetic wraps on its way to an address, a mask or a branch", "warning"),
    Code("AR304", "uninitialised-read", "memory is read where nobody wrote"),
    Code("AR305", "bad-arithmetic", "division or remainder by zero, or a shift past the width"),
    Code("AR306", "false-assumption", "an assume, hint or device assert that some shape breaks"),
    Code("AR307", "leaves-dimension", "in storage, but outside the row or column that the index is for", "note"),
    Code("AR401", "write-write-race", "two programs write one address without an order"),
    Code("AR402", "read-write-race", "one program reads what another writes without an order"),
    Code("AR403", "duplicate-lane", "lanes of one store hit one address with different values"),
    Code("AR404", "race-in-program", "two threads touch one address with no barrier between"),
    Code("AR405", "barrier-divergence", "not every lane reaches the same barrier", checked=False),
    Code("AR406", "unsynchronised-hand-over", "a lock is released before the data that it guards"),
    Code("AR407", "tuning-hazard", "an autotuned kernel that updates in place is re-run without reset"),
    Code("AR411", "uncovered-element", "an output element is never written"),
    Code("AR412", "element-written-twice", "several programs write the same to an output element", "warning"),
    Code("AR501", "capacity", "LDS bytes, threads or registers over the target's limit", checked=False),
    Code("AR502", "grid-size", "the grid is over the target's limit", checked=False),
    Code("AR511", "bank-conflict", "accesses to LDS share a bank", "note", checked=False),
    Code("AR512", "narrow-access", "narrow or scattered accesses to memory", "note", checked=False),
    Code("AR513", "occupancy", "registers or LDS limit the waves that run at once", "note", checked=False),
    Code("AR601", "non-neutral-padding", "padding lanes change the value of a reduction"),
    Code("AR602", "wrong-value", "the kernel differs from its reference function", checked=False),
    Code("AR603", "address-as-data", "a pointer is used as a number"),
    Code("AR701", "emission-differs", "the emitted kernel is not the proved one", checked=False),
    Code("AR702", "cannot-emit", "the kernel cannot be emitted for this target", checked=False),
    Code("AR901", "unsupported", "unknown: something that Argus has no meaning for"),
    Code("AR902", "out-of-budget", "unknown: time, memory or the worker itself ran out"),
    Code("AR903", "not-reproduced", "unknown: the counterexample did not fail when it was replayed"),
    Code("AR904", "approximation", "unknown: the counterexample relies on a named approximation"),
    Code("AR905", "vacuous", "unknown: nothing was checked, or the proof holds because nothing gets there"),
    Code("AR906", "solvers-disagree", "unknown: a second solver contradicts an answer that the proof may stand on"),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
"""Code → its row, in order."""


def lookup(text: str) -> Code | None:
    """The code called `text`: `AR301`, `ar301`, `301` or its slug; None if there is none."""
    wanted = text.strip().lower()
    for row in _ROWS:
        if wanted in (row.code.lower(), row.code[2:], row.slug):
            return row
    return None


def page(code: str) -> str | None:
    """Text of the manual page of `code`; None if it has none."""
    path = resources.files("argus_smt").joinpath("pages").joinpath(f"{code}.md")
    return path.read_text(encoding="utf-8") if path.is_file() else None
