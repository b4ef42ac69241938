"""Mutation testing of the shipped examples: every single fault of a fixed list, and what Argus says of it.

    python benchmarks/mutation.py [EXAMPLE …] [--jobs N] [--seconds S] [--keep FILE] [--write]

What is judged is kept in FILE, one JSON line a mutant, and a later run goes on from there. `--write` makes docs/mutation.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from argus_smt.capture.service import warm_up  # noqa: E402
from argus_smt.prove.cache import prover_digest  # noqa: E402
from tests.mutation.judge import Judgement, judge, judged  # noqa: E402
from tests.mutation.mutations import KINDS, Mutation, mutations  # noqa: E402

EXAMPLES = ROOT / "examples" / "triton"
PAGE = ROOT / "docs" / "mutation.md"
EXPLAINED = ROOT / "tests" / "mutation" / "survivors.json"
"""`{example: {mutant: why it is neither refuted nor the same}}`."""
Row = tuple[str, Mutation, Judgement]
INTRODUCTION = """# Mutation testing of the examples

Each shipped example, with every single fault of a fixed list planted in it (`tests/mutation/mutations.py`), one at a time, is
proved with all groups of checks. `python benchmarks/mutation.py --write` makes this page.

- **refuted**: Argus shows a counterexample.
- **open**: neither refuted nor proved; counts against the score, also where small runs leave the same in memory.
- **wrong**: proved, but a run fails. There must be none.
- **same**: proved, and small runs leave the same in memory as the example does, without a fault.
- **value only**: proved, and right in all that is checked, but it computes other numbers; that takes a reference function.
- **invalid**: it does not compile, or its launcher rejects every call."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", nargs="*", help="names of files in examples/triton; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=150.0, help="wall-clock time of one mutant")
    parser.add_argument("--keep", type=Path, default=ROOT / ".mutation.jsonl")
    parser.add_argument("--write", action="store_true", help="write docs/mutation.md")
    args = parser.parse_args(argv)
    files = [EXAMPLES / name for name in args.examples] or sorted(EXAMPLES.glob("*.py"), key=lambda p: p.stat().st_size)
    todo = [(path, m) for path in files for m in mutations(path.read_text(encoding="utf-8"))]
    done = _kept(args.keep)
    left = [(path, m) for path, m in todo if _key(path, m) not in done]
    if left:
        warm_up()
    works = [partial(judge, m.text, path) for path, m in left]
    with args.keep.open("a", encoding="utf-8") as keep:
        for count, (number, judgement) in enumerate(judged(works, args.jobs, args.seconds), 1):
            path, mutation = left[number]
            done[_key(path, mutation)] = judgement
            keep.write(json.dumps({"key": _key(path, mutation), "about": f"{path.name}:{mutation}", **asdict(judgement)}) + "\n")
            keep.flush()
            words = " ".join((judgement.verdict, *judgement.codes, judgement.runs, judgement.reason)).strip()
            print(f"{count}/{len(left)} {path.name}:{mutation.line} {mutation.kind}: {words}", file=sys.stderr, flush=True)
    rows = [(path.name, m, done[_key(path, m)]) for path, m in todo if _key(path, m) in done]
    text = page(rows, len(todo))
    if args.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)
    return 1 if any(_standing(j) == "wrong" for _, _, j in rows) else 0


def _key(path: Path, mutation: Mutation) -> str:
    """Of the mutant, the example and the prover: a judgement holds for these sources only."""
    parts = (path.name, path.read_text(encoding="utf-8"), mutation.text, prover_digest())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _kept(path: Path) -> dict[str, Judgement]:
    """What an earlier run has judged."""
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        data = json.loads(line)
        key, _ = data.pop("key"), data.pop("about")
        out[key] = Judgement(**{**data, "codes": tuple(data["codes"])})
    return out


def _standing(j: Judgement) -> str:
    """Where a mutant counts: killed | open | wrong | same | value | invalid."""
    match j.verdict, j.runs:
        case "refuted", _:
            return "killed"
        case "invalid", _:
            return "invalid"
        case "proved", "fault":
            return "wrong"
        case "proved", "same":
            return "same"
        case "proved", "differ":
            return "value"
        case _:
            return "open"


def page(rows: Iterable[Row], every: int) -> str:
    """The results as a page of the documentation; there are `every` mutants in all."""
    rows = list(rows)
    explained = json.loads(EXPLAINED.read_text(encoding="utf-8")) if EXPLAINED.is_file() else {}
    killed, opened = (sum(_standing(j) == s for _, _, j in rows) for s in ("killed", "open"))
    counted = killed + opened + sum(_standing(j) == "wrong" for _, _, j in rows)
    out = [
        *INTRODUCTION.splitlines(), "",
        f"Score: {killed} of {counted} refuted ({100 * killed / max(1, counted):.1f} %).",
        f"{len(rows)} of {every} mutants were judged.", "",
        *_table("kind", [(m.kind, j) for _, m, j in rows], KINDS),
        *_table("example", [(name, j) for name, _, j in rows], dict.fromkeys(name for name, _, _ in rows)),
        "## Refuted by", "", "| code | mutants |", "| --- | ---: |",
        *(f"| {c} | {n} |" for c, n in sorted(Counter(c for _, _, j in rows if j.verdict == "refuted" for c in j.codes).items())),
        "", "A mutant is counted under each code that the first refuted case shows.", "", "## Not refuted", "",
    ]  # fmt: skip
    for name, m, j in rows:
        if _standing(j) in ("open", "wrong"):
            why = explained.get(name, {}).get(str(m)) or j.reason or j.verdict
            out.append(
                f"- `{name}:{m.line}` {m.kind}, `{' '.join(m.was.split())}` → `{' '.join(m.now.split())}`: {j.verdict}; {why}"
            )
    return "\n".join(out) + "\n"


def _table(what: str, pairs: Sequence[tuple[str, Judgement]], order: Iterable[str]) -> list[str]:
    columns = ("killed", "open", "wrong", "same", "value", "invalid")
    out = [f"| {what} | refuted | open | wrong | same | value only | invalid |", "| --- |" + " ---: |" * len(columns)]
    for key in order:
        counts = Counter(_standing(j) for k, j in pairs if k == key)
        if counts:
            out.append(f"| {key} | " + " | ".join(str(counts[c]) for c in columns) + " |")
    return [*out, ""]


if __name__ == "__main__":
    sys.exit(main())
