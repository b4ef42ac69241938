"""`argus.toml`: what it gives to each file and launcher, what the command line overrides, and its faults with their lines."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from argus_smt.capture.call import parse_signature
from argus_smt.cli import main
from argus_smt.cli.config import config_for, read_config
from argus_smt.prove.capturing import InputError, Job
from argus_smt.prove.report import Outcome
from tests.unit.capture.conftest import HEADER

LAUNCHER = "def {0}(x, n=1):\n    copy[(1,)](x, x, n, BLOCK=16)\n"
TOML = """
timeout = 30
assume = ["n % 2 == 0"]

[[file]]
path = "ops/*.py"
overflow = "error"

[file.launchers]
add = ["x: f32[n]", "x: f16[n] where n >= 4"]
scale = { signatures = "x: f32[m, n]", assume = ["m % 8 == 0"], timeout = 5, select = ["AR3"] }

[[file]]
path = ["ops/special.py", "other/**/*.py"]
ignore = ["ar303", "AR307"]

[file.launchers]
add = "add(x: i32[7])"

[file.kernels]
copy = "x: f32[n], y: f32[n], n: int, BLOCK=64 grid (cdiv(n, BLOCK),)"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with files and an argus.toml."""
    for name, functions in {
        "ops/plain.py": ("add", "scale", "bare"),
        "ops/special.py": ("add",),
        "other/deep/down/more.py": ("scale",),
        "outside.py": ("add",),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER + "\n\n".join(LAUNCHER.format(f) for f in functions))
    (tmp_path / "argus.toml").write_text(TOML)
    read_config.cache_clear()
    return tmp_path


def jobs(monkeypatch: pytest.MonkeyPatch, *argv: str) -> tuple[list[Job], str, str]:
    """Jobs of a command line, and what it prints."""
    seen: list[Job] = []

    def fake(given: list[Job], *_: object) -> tuple[Outcome, tuple[InputError, ...]]:
        seen.extend(given)
        return Outcome(()), ()

    monkeypatch.setattr("argus_smt.cli.prove.run_session", fake)
    out, err = io.StringIO(), io.StringIO()
    main(["prove", *argv], out, err)
    return seen, out.getvalue(), err.getvalue()


def test_signatures_and_options_of_a_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _, err = jobs(monkeypatch, str(project / "ops" / "plain.py"))
    assert err == ""
    assert [j.call for j in found] == ["add(x: f32[n])", "add(x: f16[n]) where n >= 4", "scale(x: f32[m, n])"]
    assert [j.place for j in found] == [f"{project}/argus.toml:{line}" for line in (10, 10, 11)]
    add, _, scale = found
    assert add.prove is not None
    assert scale.prove is not None
    assert (add.prove.timeout_s, add.prove.overflow, add.wide, add.prove.assume, add.assume) == (
        30.0, "error", True, (), ("n % 2 == 0",),
    )  # fmt: skip
    assert (scale.prove.timeout_s, scale.prove.assume, scale.assume, scale.prove.select) == (5.0, ("m % 8 == 0",), (), ("AR3",))


def test_later_tables_replace_earlier_ones(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _, _ = jobs(monkeypatch, str(project / "ops" / "special.py"))
    assert [(j.call, j.kernel) for j in found] == [
        ("add(x: i32[7])", ""),
        ("", "copy(x: f32[n], y: f32[n], n: int, BLOCK=64) grid (cdiv(n, BLOCK),)"),
    ]
    assert found[0].prove is not None
    assert (found[0].prove.overflow, found[0].prove.ignore) == ("error", ("AR303", "AR307"))


def test_the_command_line_outranks_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(project / "ops" / "plain.py")
    flags = ("--overflow", "off", "--timeout", "9", "--assume", "n > 8", "--select", "AR301", "--capture-timeout", "7")
    found, _, _ = jobs(monkeypatch, file, *flags)
    for job in found:
        assert job.prove is not None
        assert (job.prove.overflow, job.prove.timeout_s, job.prove.assume, job.assume, job.prove.select, job.limit_s) == (
            "off", 9.0, ("n > 8",), (), ("AR301",), 7.0,
        )  # fmt: skip
    found, _, _ = jobs(monkeypatch, file, "--call", "scale(x: f32[a, b])")
    assert [j.call for j in found] == ["scale(x: f32[a, b])"]
    assert found[0].prove is not None
    assert found[0].prove.timeout_s == 5.0


def test_a_folder_tells_what_it_skips(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _, err = jobs(monkeypatch, str(project))
    assert sorted({Path(j.file).name for j in found}) == ["more.py", "plain.py", "special.py"]
    assert err == ""
    _, out, _ = jobs(monkeypatch, str(project), "--format", "json")
    assert '"launcher": "bare"' in out
    _, _, err = jobs(monkeypatch, str(project), "--require-signatures")
    errors = [line for line in err.splitlines() if "error" in line]
    assert [line.rpartition("error[AR103]: ")[2] for line in errors] == [
        "`bare`: no signature", "`scale`: no signature", "`add`: no signature",
    ]  # fmt: skip
    assert f"`argus signature {project}/ops/plain.py --launcher bare` proposes one" in err


def test_another_file_or_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(project / "ops" / "plain.py")
    found, _, err = jobs(monkeypatch, file, "--config", "none")
    assert found == []
    assert "error[AR103]: no signature" in err
    (project / "mine.toml").write_text('[[file]]\npath = "ops/plain.py"\n[file.launchers]\nbare = "x: f32[n]"\n')
    found, _, _ = jobs(monkeypatch, file, "--config", str(project / "mine.toml"))
    assert [j.call for j in found] == ["bare(x: f32[n])"]
    _, _, err = jobs(monkeypatch, file, "--config", str(project / "no.toml"))
    assert err.endswith("no.toml: error[AR101]: no such file\n")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("timeout = \n", 1, "not TOML: Invalid value"),
        ("\ntimeout = -1\n", 2, "`timeout` is a positive number of seconds, not -1"),
        ("overflow = 'maybe'\n", 1, "`overflow` is one of error, warn, off, not 'maybe'"),
        ("select = ['AR3', 'AR999']\n", 1, "`select`: no such code: 'AR999'"),
        ("\n\nselct = ['AR3']\n", 3, "no such key: `selct`"),
        ("[[file]]\noverflow = 'off'\n", 1, "a `[[file]]` needs its `path`"),
        ("[[file]]\npath = 'no/such.py'\n", 2, "`no/such.py` matches no file under"),
        ("[[file]]\npath = 'a.py'\n\n[file.launchers]\nf = 3\n", 5, "`f` is a text or a list of texts"),
        ("[[file]]\npath = 'a.py'\nlaunchers = 'f'\n", 3, "`launchers` is a table"),
        ("[file]\npath = 'a.py'\n", 1, "`file` is a list of tables: write `[[file]]`"),
        ("[[file]]\npath = 'a.py'\n[[file]]\npath = 'a.py'\n[file.launchers.f]\nsigs = 'x'\n", 6, "no such key: `sigs`"),
    ],
)
def test_faults_have_their_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    (tmp_path / "a.py").write_text("")
    (tmp_path / "argus.toml").write_text(text)
    read_config.cache_clear()
    with pytest.raises(InputError) as caught:
        config_for(str(tmp_path / "a.py"))
    assert caught.value.message.startswith(message)
    assert caught.value.place.split(":")[:2] == [str(tmp_path / "argus.toml"), str(line)]


def test_a_wrong_signature_is_shown_where_it_is_written(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "user.py").write_text(HEADER + LAUNCHER.format("f"))
    (tmp_path / "argus.toml").write_text('[[file]]\npath = "user.py"\n[file.launchers]\nf = "x: f99[n]"\n')
    read_config.cache_clear()
    out, err = io.StringIO(), io.StringIO()
    assert main(["prove", str(tmp_path / "user.py")], out, err) == 2
    assert err.getvalue().splitlines()[0].startswith(f"{tmp_path}/argus.toml:4: error[AR104]: unknown dtype `f99`")
    (tmp_path / "argus.toml").write_text('[[file]]\npath = "user.py"\n[file.launchers]\ng = "x: f32[n]"\n')
    read_config.cache_clear()
    err = io.StringIO()
    assert main(["prove", str(tmp_path / "user.py")], out, err) == 2
    assert err.getvalue().splitlines()[0] == f"{tmp_path}/argus.toml:4: error[AR104]: {tmp_path}/user.py has no launcher `g`"


def test_the_documented_file_reads(tmp_path: Path, root: Path) -> None:
    text = (root / "docs" / "signatures.md").read_text().partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.py").write_text("")
    (tmp_path / "argus.toml").write_text(text)
    read_config.cache_clear()
    config = config_for(str(tmp_path / "kernels" / "a.py"))
    (table,) = config.tables(str(tmp_path / "kernels" / "a.py"))
    assert [(e.name, e.kernel, len(e.signatures)) for e in table.entries] == [
        ("matmul", False, 1), ("softmax", False, 2), ("scale", False, 1), ("add_kernel", True, 1),
    ]  # fmt: skip
    for e in table.entries:
        for signature in e.signatures:
            parse_signature(signature)
