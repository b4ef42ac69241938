"""The command line as a function: exit codes, one clear line for wrong input, nothing but findings on stdout."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from argus_smt.cli import main
from argus_smt.prove import session as sessions
from argus_smt.prove.capturing import InputError, Job
from argus_smt.prove.processes import command
from argus_smt.prove.report import Outcome
from argus_smt.prove.session import Progress, SessionOptions
from tests.unit.prove_session.fakes import ENTRY

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run() -> Run:
    def call(*argv: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        code = main(list(argv), out, err)
        return code, out.getvalue(), err.getvalue()

    return call


@pytest.fixture
def prove(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`prove FILE` with a fake capture process and a fake prover; `--call` says what they do."""
    file = tmp_path / "kernel.py"
    file.write_text("def launch(x): ...\n")

    def fake(jobs: list[Job], options: SessionOptions, progress: Progress) -> tuple[Outcome, tuple[InputError, ...]]:
        chosen = SessionOptions(
            options.prove,
            2,
            options.cache,
            ENTRY,
            command("tests.unit.prove_session.fakes"),
            captured=options.captured,
        )
        return sessions.run_session(jobs, chosen, progress)

    monkeypatch.setattr("argus_smt.cli.prove.run_session", fake)

    def call(what: str, *argv: str) -> tuple[int, str, str]:
        return run("prove", str(file), "--call", what, "--no-cache", *argv)

    return call


def test_exit_codes(prove: Run) -> None:
    assert prove("fine;fine too")[0] == 0
    assert prove("fine;refute")[0] == 1
    assert prove("refuse")[0] == 2
    assert prove("fine;unknown")[0] == 3
    assert prove("fine;raise")[0] == 4


def test_findings_go_to_stdout_and_breakage_to_stderr(prove: Run) -> None:
    _, out, err = prove("fine;refute")
    assert out.startswith("error[AR301]: ")
    assert "refuted" in out.splitlines()[-1]
    assert err == ""
    _, out, err = prove("refuse")
    assert out == ""
    assert err.splitlines()[0].endswith("kernel.py:3:5: error[AR105]: the launcher raises ValueError")
    assert err.splitlines()[1:] == ["  | f(x)", "  |   ^", "  = help: give other sizes"]
    _, out, err = prove("fine;raise")
    assert "fault of Argus itself: copy, case raise: KeyError" in err


def test_json(prove: Run, tmp_path: Path) -> None:
    code, out, err = prove("fine;refute", "--format", "json")
    assert (code, err) == (1, "")
    assert json.loads(out)["kernels"][0]["verdict"] == "refuted"
    target = tmp_path / "report.json"
    code, out, _ = prove("fine", "--format", "json", "-o", str(target))
    assert (code, out) == (0, "")
    assert json.loads(target.read_text())["kernels"][0]["verdict"] == "proved"


def test_nothing_left_to_check(prove: Run) -> None:
    code, out, _ = prove("fine", "--select", "AR302")
    assert code == 3
    assert "--select and --ignore leave no obligation" in out


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("K % 64 == 0", "argus: --assume 'K % 64 == 0': `K` is no name of `launch(x: f32[n])`; there are n"),
        ("f(n) == 0", "argus: --assume 'f(n) == 0': no such function in terms: f"),
        ("n + 1", "argus: --assume 'n + 1': not a condition"),
        ("n <", "argus: --assume 'n <': not an expression: 'n <'"),
    ],
)
def test_assumptions_are_checked(prove: Run, text: str, line: str) -> None:
    assert prove("fine", "--assume", text) == (2, "", line + "\n")
    assert prove("fine", "--assume", "n % 2 == 0")[0] == 0


def test_dump_ir(prove: Run, tmp_path: Path) -> None:
    assert prove("fine", "--dump-ir", str(tmp_path / "ir"))[0] == 0
    text = (tmp_path / "ir" / "kernel_launch.ir").read_text()
    assert "launch 0 copy" in text
    assert "load" in text
    assert json.loads((tmp_path / "ir" / "kernel_launch.json").read_text())["schema"]


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ([], "argus: the following arguments are required: COMMAND (see `argus --help`)"),
        (["emit", "x.py"], "argus: `argus emit` is not in this version"),
        (["prove"], "argus: the following arguments are required: PATH (see `argus prove --help`)"),
        (
            ["prove", "x.py", "--format", "sarif"],
            "argus: --format sarif is not in this version; there are text and json",
        ),
        (["prove", "x.py", "--format", "xml"], "argus: no such format: 'xml'; there are text and json"),
        (["prove", "x.py", "--cross-check", "z4"], "argus: --cross-check: no such solver: 'z4'; there is cvc5"),
        (["prove", "x.py", "--timeout", "0"], "argus: argument --timeout: not a positive number: '0'"),
        (["prove", "x.py", "-j", "two"], "argus: argument -j/--jobs: not a positive whole number: 'two'"),
        (["prove", "x.py", "--select", "E501"], "argus: argument --select: not a code: 'E501'"),
        (["prove", "x.py", "--select", "AR999"], "argus: argument --select: no such code: 'AR999'; codes run from AR101 to"),
        (["prove", "x.py", "--ignore", "AR8"], "argus: argument --ignore: no such family of codes: 'AR8'; codes run from"),
        (["prove", "x.py", "--overflow", "maybe"], "argus: argument --overflow: invalid choice: 'maybe'"),
        (["prove", "x.py", "-o", "no/such/folder/r"], "argus: the folder of no/such/folder/r does not exist"),
        (["prove", "no_such.py"], "no_such.py: error[AR101]: no such file"),
        (["explain", "AR999"], "argus: no such code: 'AR999'"),
        (["repro", "no_such.json"], "argus: cannot read no_such.json: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_line(run: Run, argv: list[str], line: str) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert err.startswith(line)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"def f(:\n", ":1:7: error[AR101]: not Python: "),
        (b"\x00\x01", ": error[AR101]: not a Python file: it holds zero bytes"),
        (b"\xff\xfe = 1\n", ": error[AR101]: not Python: "),
    ],
)
def test_files_that_are_not_python(run: Run, tmp_path: Path, data: bytes, line: str) -> None:
    file = tmp_path / "kernel.py"
    file.write_bytes(data)
    code, out, err = run("prove", str(file))
    assert (code, out) == (2, "")
    assert err.startswith(f"{file}{line}")


def test_a_folder_without_launchers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    code, _, err = run("prove", str(tmp_path))
    assert code == 2
    assert err == f"{tmp_path}: error[AR102]: no file in this folder has a kernel with a launcher\n"


def test_a_folder_gives_its_annotated_files(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, text in {
        "plain.py": "launch = 1  # argus\n",
        "sub/one.py": 'import argus_smt as argus\n@argus.launch("x: f32[n]")\ndef f(x): ...\n',
    }.items():
        (tmp_path / name).write_text(text)
    seen: list[Job] = []

    def fake(jobs: list[Job], *_: object) -> tuple[Outcome, tuple[InputError, ...]]:
        seen.extend(jobs)
        return Outcome(()), ()

    monkeypatch.setattr("argus_smt.cli.prove.run_session", fake)
    assert run("prove", str(tmp_path))[0] == 3
    assert [job.file for job in seen] == [str(tmp_path / "sub/one.py")]


def test_a_call_goes_to_the_file_that_defines_it(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(f"def {name}(x): ...\n")
    seen: list[Job] = []

    def fake(jobs: list[Job], *_: object) -> tuple[Outcome, tuple[InputError, ...]]:
        seen.extend(jobs)
        return Outcome(()), ()

    monkeypatch.setattr("argus_smt.cli.prove.run_session", fake)
    a, b = str(tmp_path / "a.py"), str(tmp_path / "b.py")
    run("prove", a, b, "--call", "b(x: f32[n])", "--kernel", "a(x: f32[n]) grid (n,)", "--call", "c(x: f32[n])")
    wanted = [(b, "b(x: f32[n])", ""), (a, "c(x: f32[n])", ""), (a, "", "a(x: f32[n]) grid (n,)")]
    assert [(job.file, job.call, job.kernel) for job in seen] == wanted
    run("prove", str(tmp_path), "--call", "b(x: f32[n])")
    assert [(job.file, job.call, job.kernel) for job in seen[3:]] == wanted[:1]


def test_explain(run: Run) -> None:
    code, out, _ = run("explain", "ar302")
    assert code == 0
    assert out.startswith("# AR302 store-out-of-bounds")
    assert run("explain", "store-out-of-bounds")[1] == out
    _, out, _ = run("explain", "AR201")
    assert "AR201 tag-mismatch: the data that meets" in out
    assert "is not checked by this version" in out


def test_a_fault_is_one_line_and_code_4(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(code: str) -> None:
        raise RuntimeError("bad\nluck")

    monkeypatch.setattr("argus_smt.cli.explain.page", broken)
    code, out, err = run("explain", "AR301")
    assert (code, out) == (4, "")
    assert err.startswith("argus: fault of Argus itself: RuntimeError: bad luck at cli/explain.py:")
    assert err.count("\n") == 1


def test_help_names_the_exit_codes_and_is_light(run: Run) -> None:
    code, out, _ = run("prove", "--help")
    assert code == 0
    for line in ("0  everything is proved", "1  an error is refuted", "2  bad usage or input", "3  nothing refuted"):
        assert line in out
    loaded = "import sys; from argus_smt.cli import main; main(['--help']); sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert {"torch", "triton", "z3", "pydantic", "rich", "lark"} & set(done.stderr.split()) == set()


def test_a_closed_pipe_is_no_traceback() -> None:
    start = f"exec {sys.executable} -m argus_smt --help"
    done = subprocess.run(["bash", "-c", f"({start}) | true"], capture_output=True, text=True, check=False)
    assert done.stderr == ""


INTERRUPTED = """
import sys
import argus_smt.cli.prove as command
from argus_smt.cli import main
from argus_smt.prove.processes import command as python
from argus_smt.prove.session import SessionOptions, run_session

def session(jobs, options, progress):
    sys.stdout.write("started\\n")
    sys.stdout.flush()
    fake = python("tests.unit.prove_session.fakes")
    return run_session(jobs, SessionOptions(options.prove, 1, None, capture=fake), progress)

command.run_session = session
sys.exit(main(sys.argv[1:]))
"""


def test_interrupt_while_the_user_code_loads(tmp_path: Path, root: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text("def f(x): ...\n")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, "prove", str(file), "--call", "hang"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (
        3,
        "interrupted while files were loaded and launchers run: nothing is decided\n",
        "",
    )
