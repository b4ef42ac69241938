"""From a refuted error of a report to the text of a test that fails on it."""

from __future__ import annotations

import math
import pprint
import re
from pathlib import Path

from argus_smt.capture.call import parse_signature
from argus_smt.capture.domain import Domain, Tensor, build_domain
from argus_smt.capture.failure import SignatureError
from argus_smt.capture.signature import Argument, ScalarType, SequenceType, TableType, TensorType
from argus_smt.diag.excerpt import read_lines
from argus_smt.diag.report import CounterexampleModel, KernelReport, Obligation, Report
from argus_smt.repro.template import BODY
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

REPRODUCIBLE = ("AR301", "AR302", "AR303", "AR305", "AR306")


class ReproError(Exception):
    """A finding that no test can be written for; the message is one line."""


def refuted(report: Report) -> list[tuple[KernelReport, Obligation]]:
    """The refuted errors of a report, each defect once, in the order of the report."""
    seen: dict[tuple[str, str, str], tuple[KernelReport, Obligation]] = {}
    for kernel in report.kernels:
        for ob in kernel.obligations:
            if ob.verdict == "refuted" and ob.severity == "error" and ob.counterexample is not None:
                seen.setdefault((ob.code, ob.location.file, ob.site or str(ob.location)), (kernel, ob))
    return list(seen.values())


def file_name(kernel: KernelReport, ob: Obligation) -> str:
    """Name for the test's file."""
    stem = re.sub(r"\W+", "_", Path(kernel.launch.file).stem)
    return f"test_repro_{stem}_{ob.code.lower()}_line{ob.location.line}.py"


def repro_text(kernel: KernelReport, ob: Obligation) -> str:
    """Text of the test module. Raises ReproError if the finding cannot be run."""
    c = ob.counterexample
    if c is None or ob.code not in REPRODUCIBLE:
        raise ReproError(f"{ob.code} at line {ob.location.line} has no run that a test could repeat")
    try:
        domain = build_domain(parse_signature(kernel.launch.call))
    except SignatureError as error:
        raise ReproError(f"the signature of the report does not parse: {error.message}") from error
    if domain.signature.helpers:
        raise ReproError("a launcher with helper contracts cannot be run on made-up data")
    values = _Values(c)
    arguments = [_argument(a, domain, values, c) for a in domain.signature.arguments]
    grid = None if domain.grid is None else tuple(values.of(t) for t in domain.grid)
    return _header(kernel, ob, c) + _facts(kernel, ob, c, arguments, grid) + BODY


def _header(kernel: KernelReport, ob: Obligation, c: CounterexampleModel) -> str:
    sizes = ", ".join(f"{k} = {v}" for k, v in c.shape.items())
    huge = c.grid[0] * c.grid[1] * c.grid[2] > 4096
    only = "\nThe grid is large: only the failing program and the first one run." if huge else ""
    text = (
        f"{ob.code} {ob.name} in `{kernel.name}`: {ob.message}\n\n"
        f"Fails while the defect is there and passes once it is mended. Runs on the CPU in Triton's interpreter, on\n"
        f"tensors in guarded memory: {sizes or 'no sizes'}.\n"
        f"ARGUS_REPRO_FILE, if set, names another version of the file to run.{only}\n"
    )
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '"""\n'


def _facts(
    kernel: KernelReport, ob: Obligation, c: CounterexampleModel, arguments: list[tuple[object, ...]], grid: object
) -> str:
    lines = read_lines(ob.location.file)
    source = lines[ob.location.line - 1].strip() if 0 < ob.location.line <= len(lines) else ""
    facts = {
        "LAUNCHER": kernel.launch.launcher,
        "CODE": ob.code,
        "LINE_TEXT": source,
        "PROGRAM": tuple(c.program_id),
        "GRID": grid,
    }
    file = str(Path(kernel.launch.file).resolve())
    text = "\n# ruff: noqa: E402\nimport os\n\n"
    text += f'FILE = os.path.abspath(os.environ.get("ARGUS_REPRO_FILE", {file!r}))\n'
    text += "".join(f"{name} = {value!r}\n" for name, value in facts.items())
    listed = pprint.pformat(arguments, width=110, sort_dicts=False)
    return text + f"ARGUMENTS = {listed}  # kind, name, then: value, or dtype, shape, strides, role, fill, contents\n"


class _Values:
    """Numbers of the counterexample for the names of the signature."""

    def __init__(self, c: CounterexampleModel) -> None:
        self.numbers = {k: int(v) for k, v in c.values.items() if re.fullmatch(r"-?\d+", v)}
        self.numbers.update(c.shape)

    def of(self, term: Term) -> int:
        """Value of a term. Raises ReproError for a name without a number."""

        def value(node: Term, _: tuple[int, ...]) -> int:
            if node.data not in self.numbers:
                raise ReproError(f"the counterexample has no value for `{node.data}`")
            return self.numbers[node.data]

        return T.evaluate(term, value)


def _argument(a: Argument, domain: Domain, values: _Values, c: CounterexampleModel) -> tuple[object, ...]:
    if a.optional and not values.of(T.var(a.given)):
        return ("value", a.name, None)
    match a.type:
        case SequenceType(kind, items):
            parts = [_argument(Argument(f"{a.name}_{i}", t), domain, values, c) for i, t in enumerate(items)]
            return (kind, a.name, parts)
        case ScalarType("tuple") if isinstance(a.value, tuple):
            return ("value", a.name, tuple(_plain(v) for v in a.value))
        case TensorType():
            return _tensor(a.name, a.type, domain.tensors[a.name], values, c)
        case ScalarType("int"):
            return ("value", a.name, values.of(domain.ints[a.name]))
        case ScalarType() if a.pinned:
            value = a.value
            return ("value", a.name, values.of(value) if isinstance(value, Term) else _plain(value))
        case ScalarType("bool"):
            return ("value", a.name, bool(values.of(T.var(a.name))))
        case ScalarType("float"):
            return ("value", a.name, _float(c.values.get(a.name, "")))
        case TableType():
            raise ReproError(f"argument `{a.name}` is a table of addresses, which a test does not make")
        case _:
            raise ReproError(f"argument `{a.name}` cannot be made from the counterexample")


def _plain(value: object) -> object:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return value if math.isfinite(value) else 1.0


def _tensor(name: str, t: TensorType, made: Tensor, values: _Values, c: CounterexampleModel) -> tuple[object, ...]:
    shape = tuple(values.of(d) for d in made.dims)
    strides = tuple(values.of(s) for s in made.strides)
    contents = {e.index: e.value for e in c.inputs if e.tensor == name}
    return ("tensor", name, t.dtype, shape, strides, t.role, _fill(t, made, values), contents)


def _fill(t: TensorType, made: Tensor, values: _Values) -> int | str:
    """What elements hold that the counterexample says nothing about: an allowed value where that is easy to say."""
    facts = made.facts
    if facts is None:
        return 1
    if facts.distinct or facts.steps is not None:
        return "index"
    if facts.values:
        return facts.values[0]
    return values.of(facts.lower) if facts.lower is not None else 0
