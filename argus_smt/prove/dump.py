"""Captured programs written out for people: the launches, and the Tile IR of each case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from argus_smt.ir.launch import Arg, Case, Launch, PointerArg, Program
from argus_smt.ir.serialise import dumps_program
from argus_smt.ir.text import print_kernel
from argus_smt.smt.show import show


def dump_programs(programs: Sequence[Program], folder: Path) -> None:
    """Write `NAME.json` (what the prover reads) and `NAME.ir` (for people) for each program."""
    used: dict[str, int] = {}
    for program in programs:
        stem = re.sub(r"\W+", "_", f"{Path(program.file).stem}.{program.launcher}")
        used[stem] = used.get(stem, 0) + 1
        name = stem if used[stem] == 1 else f"{stem}_{used[stem]}"
        (folder / f"{name}.json").write_text(dumps_program(program), encoding="utf-8")
        (folder / f"{name}.ir").write_text(program_text(program), encoding="utf-8")


def program_text(program: Program) -> str:
    """The program with all of its cases, as text."""
    lines = [f"program {program.call}", f"  file {program.file}"]
    lines += [f"  given {show(c.term)} [{c.source}]" for c in program.preconditions]
    lines += [f"  not covered {show(h.condition)}: {h.reason}" for h in program.not_covered]
    for number, launch in enumerate(program.launches):
        lines += _launch(number, launch)
    return "\n".join(lines) + "\n\n"


def _launch(number: int, launch: Launch) -> list[str]:
    config = f" config {launch.config}" if launch.config else ""
    lines = ["", f"launch {number} {launch.kernel}{config} at {launch.span}"]
    lines += [f"  when {show(c.term)} [{c.source}]" for c in launch.path]
    lines.append(f"  grid ({', '.join(show(t) for t in launch.grid)})")
    lines += [
        f"  storage {s.ident} {s.name}: {s.dtype}[{', '.join(show(t) for t in s.shape)}], {show(s.nbytes)} bytes, {s.contents}"
        for s in launch.storages
    ]
    for refusal in launch.refusals:
        lines.append(f"  refused {refusal.label}: {refusal.message}")
    for case in launch.cases:
        lines += _case(case)
    return lines


def _case(case: Case) -> list[str]:
    lines = ["", f"  case {case.label or '(only)'}"]
    lines += [f"    when {show(c.term)} [{c.source}]" for c in case.condition]
    lines += [f"    {name} = {value}" for name, value in case.values]
    lines += [f"    {name}: {_arg(arg)}" for name, arg in zip(case.kernel.params, case.args, strict=False)]
    return lines + [f"    {line}" for line in print_kernel(case.kernel).splitlines()]


def _arg(arg: Arg) -> str:
    if isinstance(arg, PointerArg):
        shape = ", ".join(show(t) for t in arg.shape)
        strides = ", ".join(show(t) for t in arg.strides)
        return f"{arg.dtype}[{shape}] strides ({strides}) in storage {arg.storage} at byte {show(arg.offset)}"
    return f"{arg.dtype} = {'?' if arg.value is None else show(arg.value)}"
