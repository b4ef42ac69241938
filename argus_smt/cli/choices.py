"""The options of one job: those of the command line, then those of `argus.toml`, then the defaults."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from argus_smt.cli.config import Chosen, Config, Entry, config_for, read_config
from argus_smt.prove.capturing import SIGNATURE_LIMIT_S, InputError, Job
from argus_smt.prove.finding import DEFAULT_CHECKS, ProveOptions

if TYPE_CHECKING:
    from argus_smt.cli.sources import Source

DEFAULTS = Chosen((), "warn", (), (), 60.0, SIGNATURE_LIMIT_S)


def config_of(args: argparse.Namespace, file: str) -> Config:
    """The `argus.toml` of a file, or the one that the command line names; `--config none` is none. Raises InputError."""
    wanted = getattr(args, "config", None)
    if wanted is None:
        return config_for(file)
    if wanted == "none":
        return Config()
    if not os.path.isfile(wanted):
        raise InputError("no such file", wanted, code="AR101")
    return read_config(wanted)


def command_line(args: argparse.Namespace) -> Chosen:
    """What the command line says; options that were not given are None."""

    def given(name: str) -> tuple[str, ...] | None:
        return tuple(getattr(args, name, None) or ()) or None

    return Chosen(
        given("assume"), getattr(args, "overflow", None), given("select"), given("ignore"),
        getattr(args, "timeout", None), getattr(args, "capture_timeout", None),
    )  # fmt: skip


def job_of(
    args: argparse.Namespace, source: Source, entry: Entry | None = None, *,
    call: str = "", kernel: str = "", place: str = "", but: tuple[str, ...] = (),
) -> Job:  # fmt: skip
    """The job of one signature, or of those that the file itself states."""
    mine = command_line(args)
    name = (call or kernel).partition("(")[0].strip()
    tables = source.config.tables(source.file)
    own = [e.chosen for e in ([entry] if entry else [e for t in tables for e in t.entries if e.name == name])]
    wide = [t.chosen for t in reversed(tables)] + [source.config.chosen]
    chosen = mine
    for level in (*own, *wide, DEFAULTS):
        chosen = chosen.over(level)
    # what is assumed of every launcher of a file holds for those that have all of its names
    strict = next((c.assume for c in (mine, *own) if c.assume is not None), None)
    loose = () if strict is not None else chosen.assume or ()
    prove = ProveOptions(
        checks=getattr(args, "checks", None) or DEFAULT_CHECKS,
        overflow=chosen.overflow or "warn", assume=strict or (), timeout_s=chosen.timeout or 60.0,
        select=chosen.select or (), ignore=chosen.ignore or (),
        cross_check=getattr(args, "cross_check", None) or "",
        dump_smt=os.path.abspath(args.dump_smt) if getattr(args, "dump_smt", None) else "",
    )  # fmt: skip
    limit_s = chosen.capture_timeout or SIGNATURE_LIMIT_S
    return Job(source.file, call, kernel, prove.overflow == "error", limit_s, but, place, prove, tuple(loose))
