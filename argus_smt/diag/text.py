"""The report as text for people: findings with source excerpts, one line a kernel, what the proofs stand on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from argus_smt.diag.excerpt import ReadLines, excerpt, read_lines, shown_path
from argus_smt.diag.paragraphs import WIDTH, bullets, listed
from argus_smt.diag.report import (
    CounterexampleModel,
    KernelReport,
    Location,
    Obligation,
    OtherAccessModel,
    Precondition,
    Report,
    Skipped,
)

_COLOURS = {
    "error": "1;31",
    "refuted": "1;31",
    "warning": "1;33",
    "unknown": "1;35",
    "note": "1;36",
    "proved": "1;32",
    "bold": "1",
    "frame": "34",
}

METHODS = ("interval", "algebra", "solver")
SHOWN_CASES = 6
SHOWN_TEXTS = 8
SHOWN_SKIPPED = 20


@dataclass(frozen=True, slots=True)
class Style:
    """How text is drawn: with ANSI colours or not, paths relative to `base`, sources read by `read`."""

    colour: bool = False
    base: str = ""
    read: ReadLines = read_lines
    times: bool = True

    def paint(self, kind: str, text: str) -> str:
        """`text` in the colour of `kind`."""
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self.colour else text

    def place(self, at: Location) -> str:
        """`file:line:column`."""
        path = shown_path(at.file, self.base)
        return f"{path}:{at.line}" + (f":{at.column}" if at.column else "")


@dataclass(frozen=True, slots=True)
class Group:
    """One defect: the findings of one code at one site, the one to show first."""

    shown: Obligation
    kernel: KernelReport
    others: tuple[Obligation, ...]


def render(report: Report, style: Style) -> str:
    """The whole report; ends with a newline."""
    blocks = ["\n".join(finding(group, style)) for group in groups(report.kernels)]
    blocks += ["\n".join(_kernel(kernel, style)) for kernel in report.kernels]
    blocks.append("\n".join(_tail(report, style)))
    return "\n\n".join(blocks) + "\n"


# ---------------------------------------------------------------- findings


def groups(kernels: Sequence[KernelReport]) -> list[Group]:
    """What is worth showing, each defect once: refuted errors first, then the unknown, then warnings and notes."""
    found: dict[tuple[str, ...], list[tuple[Obligation, KernelReport]]] = {}
    for kernel in kernels:
        for ob in kernel.obligations:
            if ob.verdict != "proved":
                key = (ob.code, ob.verdict, ob.severity, ob.location.file, ob.site or str(ob.location))
                found.setdefault(key, []).append((ob, kernel))
    out = []
    for entries in found.values():
        entries.sort(key=lambda e: _size(e[0]))
        (shown, kernel), rest = entries[0], entries[1:]
        out.append(Group(shown, kernel, tuple(ob for ob, _ in rest)))
    return sorted(out, key=lambda g: _rank(g.shown))


def _size(ob: Obligation) -> tuple[int, int]:
    c = ob.counterexample
    if c is None:
        return (1 << 200, 0)
    return max(c.shape.values(), default=0), sum(c.shape.values())


def _rank(ob: Obligation) -> tuple[int, str, int, int]:
    order = {"error": 0, "unknown": 1, "warning": 2, "note": 3}
    kind = ob.severity if ob.verdict == "refuted" else "unknown"
    return order[kind], ob.location.file, ob.location.line, ob.location.column


def finding(group: Group, style: Style) -> list[str]:
    """Lines of one finding."""
    ob = group.shown
    kind = ob.severity if ob.verdict == "refuted" else "unknown"
    lines = [style.paint(kind, f"{kind}[{ob.code}]") + style.paint("bold", f": {ob.message}")]
    label = _lane(ob.counterexample) if ob.counterexample and ob.verdict == "refuted" else ""
    width = len(str(ob.location.line))
    lines += _source(ob.location, label, style, kind, width)
    lines += [f"{' ' * width} = {note}" for note in _notes(group, style)]
    return lines


def _source(at: Location, label: str, style: Style, kind: str, width: int) -> list[str]:
    if not at.file:
        return []
    frame: Callable[[str], str] = lambda text: style.paint("frame", text)  # noqa: E731
    lines = [f"{' ' * width} {frame('┌─')} {style.place(at)}"]
    source = style.read(at.file)
    if 1 <= at.line <= len(source):
        text = source[at.line - 1]
        number, code, carets = excerpt(text, at.line, at.column, at.end_line, at.end_column, label)
        lines.append(f"{frame(number + ' │')} {code}")
        lines.append(f"{' ' * width} {frame('│')} {style.paint(kind, carets)}")
    elif label:
        lines.append(f"{' ' * width} {frame('│')} {label}")
    return lines


def _lane(c: CounterexampleModel) -> str:
    if c.unwritten is not None:
        return f"not for element {list(c.unwritten)} of `{c.storage}`"
    return _who(c, c.grid, c.thread)


def _who(at: CounterexampleModel | OtherAccessModel, grid: tuple[int, int, int], thread: int | None = None) -> str:
    """Program, thread, element and iteration of an access."""
    parts = [f"program {_tuple(_trim(at.program_id, grid))}"]
    if thread is not None:
        parts.append(f"thread {thread}")
    if at.element:
        parts.append(f"element {list(at.element)}")
    if at.iteration:
        parts.append(f"iteration {', '.join(map(str, at.iteration))}")
    return ", ".join(parts)


def _trim(ids: tuple[int, int, int], grid: tuple[int, int, int]) -> tuple[int, ...]:
    """`ids` without the dimensions at the end in which the grid has one program."""
    return ids if grid[2] > 1 else ids[:2] if grid[1] > 1 else ids[:1]


def _tuple(values: Iterable[int]) -> str:
    return "(" + ", ".join(map(str, values)) + ")"


def _notes(group: Group, style: Style) -> list[str]:
    ob = group.shown
    notes: list[str] = []
    if ob.verdict == "unknown":
        notes.append(f"unknown because {ob.reason or 'no reason was given'}" + _code_of(ob))
        if ob.approximations:
            notes.append("relies on: " + ", ".join(ob.approximations))
    elif ob.counterexample is not None:
        notes += _run(ob.counterexample)
    if ob.case:
        notes.append(f"case {ob.case}" if ob.verdict == "refuted" else f"in case {ob.case}")
    if ob.limit:
        notes.append(f"holds while `{ob.limit}`")
    notes += [f"{r.message} ({_near(r.location, ob.location, style)})" for r in ob.related]
    if ob.suggestion:
        notes.append(f"help: holds if `{ob.suggestion}`")
    if ob.help:
        notes.append(f"help: {ob.help}")
    if group.others:
        notes.append(_also(ob, group.others))
    return notes


def _also(ob: Obligation, others: Sequence[Obligation]) -> str:
    """The other findings of the same defect: their cases, or how many there are."""
    count = len(others)
    labels = [*dict.fromkeys(o.case for o in others if o.case and o.case != ob.case)]
    if not labels:
        return f"and {count} more of this kind at this place"
    names = "; ".join(labels[:4]) + ("; …" if len(labels) > 4 else "")
    return f"also in {count} other case{'s' if count > 1 else ''}: {names}"


def _near(at: Location, primary: Location, style: Style) -> str:
    """A place that belongs to another: only its line where the file is the same."""
    return f"line {at.line}" if at.file == primary.file else style.place(at)


def _code_of(ob: Obligation) -> str:
    return f" [{ob.reason_code}]" if ob.reason_code and ob.reason_code != ob.code else ""


def _run(c: CounterexampleModel) -> list[str]:
    """The failing run in words: sizes, contents, bytes."""
    sizes = " ".join(f"{name}={value}" for name, value in c.shape.items())
    grid = f"grid {_tuple(_trim(c.grid, c.grid))}"
    notes = [f"{sizes}, {grid}" if sizes else grid]
    if c.address is not None and c.storage:
        last = c.address + max(1, c.access_bytes) - 1
        span = f"byte {c.address}" if last == c.address else f"bytes {c.address}..{last}"
        extent = "" if c.extent is None else f", which has {c.extent} byte{'s' if c.extent != 1 else ''}"
        notes.append(f"{c.does or 'touches'} {span} of {c.view or f'`{c.storage}`'}{'' if c.other else extent}")
    if c.other is not None:
        too = " too" if c.other.does == c.does else ""
        notes.append(f"and {_who(c.other, c.grid)} {c.other.does} there{too} (line {c.other.location.line})")
    if c.inputs:
        shown = ", ".join(f"{e.tensor}[{e.index}] = {e.value}" for e in c.inputs[:8])
        notes.append(f"where {shown}{', …' if len(c.inputs) > 8 else ''}")
    extra = {k: v for k, v in c.values.items() if c.shape.get(k) is None}
    if extra:
        notes.append("with " + ", ".join(f"{k} = {v}" for k, v in list(extra.items())[:12]))
    return notes


# ---------------------------------------------------------------- kernels


def _kernel(kernel: KernelReport, style: Style) -> list[str]:
    at = style.place(Location(file=kernel.file, line=kernel.line))
    launched = f"launch {kernel.launch.launcher}:{kernel.launch.location.line}"
    if kernel.config:
        launched += f", config {kernel.config}"
    parts = [style.paint(kernel.verdict, f"{kernel.verdict:<7}"), f" {at} {kernel.name}  ({launched})"]
    parts.append(f"  {_counts(kernel.obligations)}")
    if style.times:
        parts.append(f"  {kernel.analysis_s + kernel.solve_s:.2f} s")
    head = "".join(parts)
    limit = f"  while `{kernel.limit}`" if kernel.verdict == "proved" and kernel.limit else ""
    short = len(head) + len(limit) <= WIDTH
    if limit and short:
        parts.append(limit)
    if kernel.reason:
        parts.append(f"  because {kernel.reason}")
    left = [entry.partition(":")[0] for entry in kernel.not_checked if "left out by --select" in entry]
    if left:
        parts.append(f"  without {', '.join(left)}")
    limits = [f"`{text}`" for text in kernel.limits or (kernel.limit,)]
    below = listed("while", limits) if limit and not short else []
    return ["".join(parts), *below, *_crossed(kernel), *_stands_on(kernel)]


def _crossed(kernel: KernelReport) -> list[str]:
    """What the second solver says, if one was asked."""
    crossed = kernel.cross_check
    if crossed is None:
        return []
    total = crossed.agreed + crossed.unanswered + crossed.contradicted
    text = f"  {crossed.solver} gives {crossed.agreed} of {total} answers too"
    text += f", none to {crossed.unanswered}" if crossed.unanswered else ""
    return [text + (f", and contradicts {crossed.contradicted}" if crossed.contradicted else "")]


def _counts(obligations: Sequence[Obligation]) -> str:
    total = len(obligations)
    text = f"{total} obligation{'s' if total != 1 else ''}"
    methods = Counter(ob.method or "other" for ob in obligations if ob.verdict == "proved")
    parts = [f"{methods.pop(name)} {name}" for name in METHODS if name in methods]
    parts += [f"{n} {name}" for name, n in sorted(methods.items())]
    kinds = Counter(_kind(ob) for ob in obligations if ob.verdict != "proved")
    parts += [f"{kinds[kind]} {kind}" for kind in ("refuted", "unknown", "warning", "note") if kinds[kind]]
    return f"{text}: {', '.join(parts)}" if parts else text


def _kind(ob: Obligation) -> str:
    """What an obligation that is not proved counts as."""
    if ob.verdict == "unknown":
        return "unknown"
    return "refuted" if ob.severity == "error" else ob.severity


def _stands_on(kernel: KernelReport) -> list[str]:
    lines: list[str] = []
    named = {p.detail for p in kernel.preconditions if len(p.expr) > len(p.detail)}
    by_source: dict[str, dict[str, None]] = {}
    for p in kernel.preconditions:
        if p.source == "limit" and kernel.verdict == "proved":
            continue  # stands in the verdict's own line
        where = f" at line {p.location.line}" if p.location else ""
        by_source.setdefault(p.source + where, {})[_precondition(p, named)] = None
    for source, texts in by_source.items():
        lines += listed("given", _few([*texts]), tail=f"[{source}]")
    labels = [c.label for c in kernel.cases]
    if len(labels) > SHOWN_CASES:
        lines += listed(f"{len(labels)} cases:", [*labels[: SHOWN_CASES - 1], "…", labels[-1]], separator="; ")
    elif len(labels) > 1:
        lines += listed("cases:", labels, separator="; ")
    for text in kernel.assumptions:
        lines += listed("assuming", text.split(" "), separator=" ")
    return lines


def _few(texts: list[str]) -> list[str]:
    """The texts; of very many the first, and how many more the JSON report lists."""
    more = len(texts) - SHOWN_TEXTS
    return texts if more <= 1 else [*texts[:SHOWN_TEXTS], f"and {more} more"]


def _precondition(p: Precondition, named: set[str]) -> str:
    """A precondition in a few words: what a long expression is called stands for it and for its siblings."""
    if p.source in ("compiler", "launcher") and p.detail:
        return f"{p.expr} ({p.detail})"
    return p.detail if p.detail and p.detail in named else p.expr


def _tail(report: Report, style: Style) -> list[str]:
    lines = _paths(report)
    lines += bullets("assumes", report.assumptions)
    shared = [set(k.not_checked) for k in report.kernels]
    common = [e for e in (report.kernels[0].not_checked if report.kernels else ()) if all(e in s for s in shared)]
    rest = [e for k in report.kernels for e in k.not_checked if e not in common]
    lines += bullets("not checked", dict.fromkeys([*rest, *common]))
    lines += _skipped(report.skipped, style)
    lines += [""] if lines else []
    if report.interrupted:
        lines.append(report.interrupted)
    lines.append(_totals(report, style))
    return lines


ENDS = {"launches": "launching", "nothing": "without a launch", "rejects": "raising"}


def _paths(report: Report) -> list[str]:
    """How launchers of several paths were followed."""
    lines = []
    for x in report.launchers:
        total = sum(x.paths.values())
        if total <= 1 and x.covered:
            continue
        ends = [f"{x.paths[k]} {word}" for k, word in ENDS.items() if x.paths.get(k)]
        other = sum(n for k, n in x.paths.items() if k not in ENDS)
        ends += [f"{other} not followed to the end"] if other else []
        rest = "every call is covered" if x.covered else "not every call is covered"
        lines.append(f"paths through `{x.launcher}`: {total} ({', '.join(ends)}), {rest}")
    return list(dict.fromkeys(lines))


def _skipped(skipped: Sequence[Skipped], style: Style) -> list[str]:
    """Launchers without a signature: how many, which, and what to do about it."""
    if not skipped:
        return []
    shown = skipped[:SHOWN_SKIPPED]
    lines = [f"{style.place(Location(file=s.file, line=s.line))} `{s.launcher}`" for s in shown]
    lines = [line + ("" if s.reason == "no signature" else f": {s.reason}") for line, s in zip(lines, shown, strict=True)]
    more = len(skipped) - len(shown)
    lines += [f"and {more} more"] if more else []
    count = f"{len(skipped)} launcher{'s' if len(skipped) != 1 else ''}"
    listing = bullets(f"skipped, for nothing says what they take: {count}", lines)
    return [*listing, *listed("= help:", skipped[0].help.split(" "), separator=" ")]


def _totals(report: Report, style: Style) -> str:
    verdicts = Counter(k.verdict for k in report.kernels)
    parts = [style.paint(v, f"{verdicts[v]} {v}") for v in ("proved", "refuted", "unknown") if verdicts[v]]
    n = len(report.kernels)
    text = f"{n} launch{'es' if n != 1 else ''}: {', '.join(parts)}"
    used = report.resources
    text += f"; {len(report.skipped)} skipped" if report.skipped else ""
    if not style.times:
        return text
    text += f"; {used.wall_s:.1f} s"
    if used.capture_s:
        text += " (" + ", ".join(f"{name} {s:.1f} s" for name, s in used.capture_s.items()) + ")"
    if used.cached_cases:
        text += f", {used.cached_cases} case{'s' if used.cached_cases != 1 else ''} from the cache"
    return text
