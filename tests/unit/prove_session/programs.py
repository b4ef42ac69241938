"""Small programs made by hand, and results for them."""

from __future__ import annotations

from argus_smt.ir.launch import Case, Condition, Launch, NotCovered, PointerArg, Program, Refusal, Storage, Symbol
from argus_smt.ir.ops import Block, Kernel, Load, Value
from argus_smt.ir.types import Ptr, Scalar
from argus_smt.prove.finding import CaseResult, Counterexample, Finding, Severity, Verdict
from argus_smt.smt import term as T
from argus_smt.source import Span

FILE = "kernel.py"
N = T.var("n")
_POINTER = Value(0, Ptr(Scalar("f32")), "x")
_LOADED = Value(1, Scalar("f32"))
KERNEL = Kernel("copy", Block((_POINTER,), (Load(_LOADED, _POINTER, span=Span(FILE, 6, 9, 6, 20)),)), ("x",), Span(FILE, 4))


def case(label: str) -> Case:
    """A case of the kernel; what a fake prover does with it is in its label."""
    return Case(label, (), (("BLOCK", "64"),), KERNEL, (PointerArg(0, "f32", T.ZERO, (N,), (T.ONE,)),))


def launch(*labels: str, **changes: object) -> Launch:
    fields: dict[str, object] = {
        "kernel": "copy",
        "kernel_span": Span(FILE, 4),
        "span": Span(FILE, 10, 5),
        "path": (),
        "grid": (T.div(N + 63, T.const(64)), T.ONE, T.ONE),
        "storages": (Storage(0, "x", "f32", N * 4, (N,), (T.ONE,)),),
        "cases": tuple(case(label) for label in labels),
    }
    return Launch(**{**fields, **changes})


def program(*launches: Launch, **changes: object) -> Program:
    fields: dict[str, object] = {
        "file": FILE,
        "launcher": "launch",
        "call": "launch(x: f32[n])",
        "symbols": (Symbol("n", "dim", 1, (1 << 63) - 1, "size 0 of `x`"),),
        "preconditions": (Condition(T.eq(T.mod(N, T.const(4)), 0), "call", "n % 4 == 0"),),
        "launches": launches,
        "versions": (("triton", "3.9.0"),),
        "seconds": (("imports", 1.0),),
    }
    return Program(**{**fields, **changes})


def finding(code: str = "AR301", verdict: Verdict = Verdict.PROVED, **changes: object) -> Finding:
    fields: dict[str, object] = {
        "severity": Severity.ERROR,
        "span": Span(FILE, 6, 9, 6, 20),
        "message": "the load stays in `x`",
        "method": "interval",
        "site": "6:9",
    }
    return Finding(code, verdict, **{**fields, **changes})


def refuted(**changes: object) -> Finding:
    run = Counterexample({"n": 1}, (0, 0, 0), (1, 1, 1), (1,), (), "x", 4, 4, 4, replayed=True)
    return finding("AR301", Verdict.REFUTED, counterexample=run, **changes)


def result(*findings: Finding, case: int = 0, launch: int = 0, **changes: object) -> CaseResult:
    return CaseResult(launch, case, **{"label": "", "findings": findings, **changes})


NOT_COVERED = NotCovered(T.gt(N, 4096), "more than 8 paths", Span(FILE, 9, 3))
REJECTED = NotCovered(T.eq(N, 12), "ValueError: twelve", Span(FILE, 9, 3), rejected=True)
REFUSED = Refusal("BLOCK = 3", (Condition(T.eq(N, 8), "case"),), "arange's range must be a power of 2")
