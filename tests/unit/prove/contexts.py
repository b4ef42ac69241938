"""The context of a small hand-made kernel: a tile of a vector read at `pid * BLOCK + i`, with or without a mask."""

from __future__ import annotations

from argus_smt.absint.engine import analyze
from argus_smt.ir.launch import Case, Condition, Launch, PointerArg, Program, ScalarArg, Storage, Symbol
from argus_smt.ir.ops import AddPtr, Binary, Cmp, Const, Kernel, Load, ProgramId, Range, Splat
from argus_smt.ir.types import I1, I32, Ptr, Scalar, Tile
from argus_smt.obligations import access
from argus_smt.obligations.obligation import Obligation
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import Prover
from argus_smt.prove.domain import domain
from argus_smt.prove.elements import Elements
from argus_smt.smt import term as T
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term
from argus_smt.source import Span
from tests.unit.interp.build import Builder

N, M = T.var("n"), T.var("m")
F32 = Scalar("f32")
BLOCK = 16


def reader(masked: bool, file: str = "k.py", line: int = 0) -> Kernel:
    """`x[pid * 16 + i]`, read where `pid * 16 + i < m` if masked; with a line, all operations stand there."""
    b = Builder()
    x, m = b.param(Ptr(F32), "x"), b.param(I32, "m")
    row = b.let(I32, Binary, "mul", b.let(I32, ProgramId, 0), b.let(I32, Const, BLOCK))
    tile = Tile((BLOCK,), I32)
    at = b.let(tile, Binary, "add", b.let(tile, Splat, row), b.let(tile, Range, 0, BLOCK))
    mask = b.let(Tile((BLOCK,), I1), Cmp, "slt", at, b.let(tile, Splat, m)) if masked else None
    pointers = b.let(Tile((BLOCK,), Ptr(F32)), Splat, x)
    moved = b.let(pointers.type, AddPtr, pointers, at)
    result = b.new(Tile((BLOCK,), F32))
    b.ops.append(Load(result, moved, mask, span=Span(file, line or b.line + 1, 9)))
    return b.kernel()


def program(kernel: Kernel, *facts: Term, file: str = "k.py") -> Program:
    """A launch of the reader on `x: f32[n]` with `m`, over `cdiv(n, 16)` programs."""
    storage = Storage(0, "x", "f32", 4 * N, (N,), (T.ONE,))
    args = (PointerArg(0, "f32", T.ZERO, (N,), (T.ONE,)), ScalarArg("i32", M))
    case = Case("", (), (("BLOCK", str(BLOCK)),), kernel, args)
    grid = (T.div(N + BLOCK - 1, T.const(BLOCK)), T.ONE, T.ONE)
    spans = (("x", Span(file, 12, 20)), ("m", Span(file, 12, 23)))
    launch = Launch("k", Span(file, 2), Span(file, 12, 5), (), grid, (storage,), (case,), arg_spans=spans)
    symbols = tuple(Symbol(v.data, "dim", 1, (1 << 31) - 1) for v in (N, M))
    return Program(file, "launch", "", symbols, tuple(Condition(f, "call") for f in facts), (launch,))


def context(made: Program) -> tuple[Context, Obligation]:
    """The context of the only case, and the duty of its only access."""
    dom = domain(made, made.launches[0], made.launches[0].cases[0], ())
    solver = Solver(rlimit=300_000)
    facts = analyze(dom.launch, dom.case, dom.bounds, dom.facts, solver.implies)
    (duty,) = access.of(facts, dom.launch, dom.case)
    return Context(made, dom, facts, Prover(facts, solver, Elements(), dom.display)), duty
