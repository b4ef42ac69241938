"""Answers capture requests: finds the signatures, checks them against the file, and captures each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from argus_smt import declare
from argus_smt.capture import hosts
from argus_smt.capture.annotations import NotUsable, annotated_signature, is_annotated
from argus_smt.capture.call import parse_signature
from argus_smt.capture.deadline import LIMIT_S
from argus_smt.capture.domain import build_domain
from argus_smt.capture.failure import CaptureError, SignatureError
from argus_smt.capture.listing import (
    Listing,
    chosen_launchers,
    list_file,
    no_signature,
    require_arguments,
    require_function,
    require_kernels,
)
from argus_smt.capture.module import MODULE_NAME, Loader
from argus_smt.capture.program import capture
from argus_smt.capture.proposal import propose
from argus_smt.capture.recorded import record, require_module
from argus_smt.capture.selftest import self_test
from argus_smt.ir.serialise import dumps_program
from argus_smt.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Stated:
    """A signature that the file states itself, where, and what it leaves open."""

    name: str
    text: str
    span: Span
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a capture goes: with cases for 64-bit arguments or not, and for how long."""

    wide: bool
    limit_s: float


def warm_up() -> None:
    """Check that torch asks its questions as expected.

    This also loads what torch loads lazily, which must happen before its device functions are patched.
    """
    self_test()


def programs_of(request: dict[str, Any]) -> tuple[list[Any], list[Exception]]:
    """Programs of a request as JSON values, and the signatures of the file itself that give none.

    Raises CaptureError and SignatureError where nothing of the file can be looked at.
    """
    loader = Loader(request["file"])
    limits = Limits(bool(request.get("wide")), float(request.get("limit_s") or LIMIT_S))
    listing = list_file(loader.path, loader.text)
    if not request.get("call"):
        require_kernels(listing)
    for kind in ("kernel", "call"):
        if request.get(kind):
            given = Stated("", request[kind], NOWHERE)
            return [_one(loader, listing, given, kind == "kernel", limits)], []
    found = stated_signatures(loader, listing, request.get("launcher"), frozenset(request.get("but") or ()))
    programs: list[Any] = []
    errors: list[Exception] = []
    for stated in found:
        try:
            programs.append(_declared(loader, listing, stated, limits))
        except CaptureError as error:  # noqa: PERF203 - one launcher does not hide the others
            errors.append(error)
    if not programs and len(errors) == 1:
        raise errors[0]
    return programs, errors


def answer(request: dict[str, Any]) -> list[Any]:
    """Programs of a request as JSON values. Raises CaptureError and SignatureError, also for one signature of several."""
    programs, errors = programs_of(request)
    if errors:
        raise errors[0]
    return programs


def proposals_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Proposals for the launchers of a file, from its text and from calls that its own tests and benchmarks make."""
    loader = Loader(request["file"])
    listing = list_file(loader.path, loader.text)
    launchers = chosen_launchers(listing, request.get("launcher"))
    require_module(loader)
    recorded = record(loader, listing, tuple(f.name for f in launchers))
    return [asdict(propose(f, listing, recorded[f.name])) for f in launchers]


def stated_signatures(loader: Loader, listing: Listing, launcher: str | None, but: frozenset[str]) -> list[Stated]:
    """Signatures of decorators, and of annotations for launchers without one. Raises CaptureError if there is none."""
    found = declared_signatures(loader)
    if launcher:
        require_function(listing, launcher, False)
    known = {s.name for s in found} | but
    reasons = []
    for f in listing.launchers:
        if f.name not in known and (not launcher or launcher == f.name) and is_annotated(f):
            try:
                made = annotated_signature(f)
            except NotUsable as error:
                reasons.append(CaptureError(error.message, Span(loader.path, error.line), code="AR104"))
                continue
            found.append(Stated(f.name, made.text, Span(loader.path, f.lineno), made.notes))
    found = [s for s in found if s.name not in but and (not launcher or s.name == launcher)]
    if not found:
        raise reasons[0] if reasons else no_signature(listing)
    return found


def _one(loader: Loader, listing: Listing, stated: Stated, kernel: bool, limits: Limits) -> Any:
    text = stated.text
    signature = parse_signature(text)
    build_domain(signature)
    if (signature.grid is not None) != kernel:
        need = "a kernel's signature ends with its grid: `… grid (cdiv(n, BLOCK),)`"
        raise SignatureError(need if kernel else "a launcher's signature has no grid; did you mean --kernel?", text, len(text))
    require_function(listing, signature.name, kernel)
    require_arguments(listing, signature.name, [a.name for a in signature.arguments])
    program = capture(loader, text, kernel, limits.wide, limits.limit_s)
    return json.loads(dumps_program(replace(program, notes=(*program.notes, *stated.notes))))


def _declared(loader: Loader, listing: Listing, stated: Stated, limits: Limits) -> Any:
    try:
        return _one(loader, listing, stated, False, limits)
    except SignatureError as error:
        raise CaptureError(error.message, stated.span, excerpt=error.excerpt, code="AR104") from None


def declared_signatures(loader: Loader) -> list[Stated]:
    """The functions that the module decorates with `@argus.launch`."""
    declare.declared.clear()
    with hosts.machine(), loader.importable():
        module = loader.load()
    out = []
    for function, text in declare.declared:
        if getattr(function, "__module__", "") != MODULE_NAME and function not in vars(module).values():
            continue
        code = getattr(function, "__code__", None)
        line = code.co_firstlineno if code is not None else 1
        out.append(Stated(getattr(function, "__name__", ""), text, Span(loader.path, line)))
    return out
