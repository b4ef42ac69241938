"""Answers capture requests: finds the signature, checks it against the file, and captures."""

from __future__ import annotations

import json
from typing import Any

from argus_smt import declare
from argus_smt.capture import hosts
from argus_smt.capture.call import parse_signature
from argus_smt.capture.deadline import LIMIT_S
from argus_smt.capture.domain import build_domain
from argus_smt.capture.failure import CaptureError, SignatureError
from argus_smt.capture.listing import Listing, list_file, no_signature, require_arguments, require_function, require_kernels
from argus_smt.capture.module import MODULE_NAME, Loader
from argus_smt.capture.program import capture
from argus_smt.capture.selftest import self_test
from argus_smt.ir.serialise import dumps_program
from argus_smt.source import Span


def warm_up() -> None:
    """Check that torch asks its questions as expected.

    This also loads what torch loads lazily, which must happen before its device functions are patched.
    """
    self_test()


def answer(request: dict[str, Any]) -> list[Any]:
    """Programs of a request, as JSON values. Raises CaptureError and SignatureError."""
    loader = Loader(request["file"])
    how = (bool(request.get("wide")), float(request.get("limit_s") or LIMIT_S))
    listing = list_file(loader.path, loader.text)
    require_kernels(listing)
    if request.get("kernel"):
        return [_one(loader, listing, request["kernel"], True, *how)]
    if request.get("call"):
        return [_one(loader, listing, request["call"], False, *how)]
    found = declared_signatures(loader)
    wanted = request.get("launcher")
    if wanted:
        require_function(listing, wanted, False)
        found = [(name, text, span) for name, text, span in found if name == wanted]
    if not found:
        raise no_signature(listing)
    return [_declared(loader, listing, text, span, *how) for _, text, span in found]


def _one(loader: Loader, listing: Listing, text: str, kernel: bool, wide: bool, limit_s: float) -> Any:
    signature = parse_signature(text)
    build_domain(signature)
    if (signature.grid is not None) != kernel:
        need = "a kernel's signature ends with its grid: `… grid (cdiv(n, BLOCK),)`"
        raise SignatureError(need if kernel else "a launcher's signature has no grid; did you mean --kernel?", text, len(text))
    require_function(listing, signature.name, kernel)
    require_arguments(listing, signature.name, [a.name for a in signature.arguments])
    return json.loads(dumps_program(capture(loader, text, kernel, wide, limit_s)))


def _declared(loader: Loader, listing: Listing, text: str, span: Span, wide: bool, limit_s: float) -> Any:
    try:
        return _one(loader, listing, text, False, wide, limit_s)
    except SignatureError as error:
        raise CaptureError(error.message, span, excerpt=error.excerpt, code="AR104") from None


def declared_signatures(loader: Loader) -> list[tuple[str, str, Span]]:
    """Name, signature and place of the functions that the module decorates with `@argus.launch`."""
    declare.declared.clear()
    with hosts.machine(), loader.importable():
        module = loader.load()
    out = []
    for function, text in declare.declared:
        if getattr(function, "__module__", "") != MODULE_NAME and function not in vars(module).values():
            continue
        code = getattr(function, "__code__", None)
        line = code.co_firstlineno if code is not None else 1
        out.append((getattr(function, "__name__", ""), text, Span(loader.path, line)))
    return out
