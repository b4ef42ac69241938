"""Reports made by hand, for the tests of what speaks about them."""

from __future__ import annotations

from argus_smt.diag import report as R

FILE = "kernels/absmax.py"
SOURCE = (
    "import triton.language as tl",
    "",
    "@triton.jit",
    "def block_absmax(x_ptr, amax_ptr, n):",
    "    blk = tl.program_id(0) * 8 + tl.arange(0, 8)",
    "\tx = tl.load(x_ptr + blk)  # every lane",
    "    tl.store(amax_ptr + blk, top)",
    "",
    "def launch(x):",
    "    block_absmax[(triton.cdiv(n, 4),)](x, amax, n)",
)


def read(file: str) -> tuple[str, ...]:
    """The lines of the one file that there is."""
    return SOURCE if file == FILE else ()


def at(line: int, column: int = 0, end_column: int = 0) -> R.Location:
    return R.Location(file=FILE, line=line, column=column, end_line=line if end_column else 0, end_column=end_column)


def run_of(n: int = 1) -> R.CounterexampleModel:
    return R.CounterexampleModel(
        shape={"n": n},
        program_id=(0, 0, 0),
        grid=(1, 1, 1),
        element=(2,),
        storage="amax_ptr",
        address=8,
        extent=8,
        access_bytes=4,
        values={"n": str(n), "x_s0": "1"},
        inputs=(R.InputElement(tensor="idx", index=0, value=7),),
        replayed=True,
    )


def bug(**changes: object) -> R.Obligation:
    fields: dict[str, object] = {
        "code": "AR302",
        "name": "store-out-of-bounds",
        "severity": "error",
        "verdict": "refuted",
        "case": "n is i32",
        "method": "solver",
        "site": "7:5",
        "location": at(7, 5, 34),
        "related": (R.Related(location=at(10, 5), message="launched here"),),
        "message": "the store writes past the end of `amax_ptr`",
        "help": "mask the store, for example `mask=blk < n_amax`",
        "counterexample": run_of(),
    }
    return R.Obligation.model_validate({**fields, **changes})


def proof(code: str = "AR301", method: str = "interval", **changes: object) -> R.Obligation:
    fields = {
        "code": code,
        "name": "x",
        "severity": "error",
        "verdict": "proved",
        "method": method,
        "location": at(6),
        "message": "",
    }
    return R.Obligation.model_validate({**fields, **changes})


def kernel(*obligations: R.Obligation, verdict: str = "proved", **changes: object) -> R.KernelReport:
    fields = {
        "name": "block_absmax",
        "file": FILE,
        "line": 4,
        "launch": R.LaunchModel(
            launcher="launch",
            call="launch(x: f32[n])",
            file=FILE,
            index=0,
            count=1,
            location=at(10, 5),
            grid=("(n + 3) // 4", "1", "1"),
        ),
        "cases": (R.CaseModel(label="n is i32"), R.CaseModel(label="n is i64")),
        "verdict": verdict,
        "preconditions": (
            R.Precondition(expr="n >= 1", source="default"),
            R.Precondition(expr="n % 4 == 0", source="assert", location=at(9)),
            R.Precondition(expr="n != 3", source="compiler", detail="Triton refuses BLOCK = 3: not a power of two"),
        ),
        "not_checked": ("values: no reference function was given", "termination"),
        "obligations": obligations,
        "analysis_s": 0.5,
        "solve_s": 0.7,
    }
    return R.KernelReport.model_validate({**fields, **changes})


def report(*kernels: R.KernelReport, **changes: object) -> R.Report:
    fields = {
        "tool": R.Tool(version="0.1.0", versions={"triton": "3.9.0"}),
        "assumptions": ("termination is not proved: the verdicts are about runs that end",),
        "kernels": kernels,
    }
    return R.Report.model_validate({**fields, **changes})
