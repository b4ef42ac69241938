"""Loads the user's file as a fresh module, as often as needed, and turns its failures into one clear line."""

from __future__ import annotations

import contextlib
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

from argus_smt.capture import absent, jaxtyping_standin
from argus_smt.capture.absent import AbsentUse
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.packages import enter_packages, package_of, packages_on_demand
from argus_smt.capture.statements import run_statements, statements
from argus_smt.source import Span

MODULE_NAME = "argus_user_module"
_INSTALL = "install the package beside Argus, or leave the statement out"


def read_source(path: str) -> tuple[str, types.CodeType]:
    """Text and code of a Python file. Raises CaptureError for what is no Python file."""
    p = Path(path)
    if p.is_dir():
        raise CaptureError(f"{path} is a directory, not a Python file", code="AR101")
    if not p.exists():
        raise CaptureError(f"no such file: {path}", code="AR101")
    if p.suffix not in (".py", ".pyw", ""):
        raise CaptureError(f"{path} is not a Python file", code="AR101")
    try:
        text = p.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CaptureError(f"{path} is not a Python file: it is not text in UTF-8", code="AR101") from None
    except OSError as error:
        raise CaptureError(f"cannot read {path}: {error.strerror}", code="AR101") from None
    try:
        return text, compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        span = Span(path, error.lineno or 1, error.offset or 0)
        line = (error.text or "").rstrip("\n")
        mark = " " * max(0, (error.offset or 1) - 1) + "^" if line else ""
        raise CaptureError(f"syntax error: {error.msg}", span, excerpt=f"{line}\n{mark}".strip("\n"), code="AR101") from None
    except ValueError as error:
        raise CaptureError(f"{path} is not a Python file: {error}", code="AR101") from None


class Loader:
    """Makes fresh modules of one file; modules that it imports from its own folder are made afresh too."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.text, self.code = read_source(path)
        self.body = statements(self.text, path, self.code.co_flags)
        root, self.packages = package_of(Path(path))
        self.folder = str(root / self.packages[0] if self.packages else root)
        self._roots = [str(root)] if self.packages else [self.folder]
        self._before = frozenset(sys.modules)

    @contextlib.contextmanager
    def importable(self) -> Iterator[None]:
        """The file's folder is first on the import path (of a package: the folder above it), and absent packages stand in."""
        sys.path[:0] = self._roots
        try:
            with jaxtyping_standin.available(), absent.standing_in(), packages_on_demand():
                yield
        finally:
            for folder in self._roots:
                with contextlib.suppress(ValueError):
                    sys.path.remove(folder)

    def load(self) -> types.ModuleType:
        """A fresh module. Raises CaptureError with the user's own message where its import fails."""
        self._forget()
        module = types.ModuleType(MODULE_NAME)
        module.__file__ = self.path
        sys.modules[MODULE_NAME] = module
        if self.packages:
            module.__package__ = enter_packages(Path(self._roots[0]), self.packages)
            sys.modules[f"{module.__package__}.{Path(self.path).stem}"] = module
        absent.fresh()
        try:
            for line in run_statements(self.body, module.__dict__):
                absent.note(f"line {line} is not run when the file is imported: it needs a device")
        except AbsentUse as use:
            raise CaptureError(f"importing the file needs {use.what}", self._place(use), _INSTALL, code="AR101") from None
        except Exception as error:  # noqa: BLE001 - it is the user's code
            why = f"importing the file fails: {describe(error)}"
            raise CaptureError(why, failing_span(error, self.path), _import_help(error), code="AR101") from None
        except SystemExit as error:
            why = f"importing the file ends the program: SystemExit({error.code!r})"
            help_ = 'put what runs as a script under `if __name__ == "__main__":`'
            raise CaptureError(why, Span(self.path, 1), help_, code="AR101") from None
        return module

    def _place(self, use: AbsentUse) -> Span:
        return use.span if use.span.line else Span(self.path, 1)

    def own(self) -> list[types.ModuleType]:
        """The module and those of its folder that it has imported."""
        return [sys.modules[MODULE_NAME], *(sys.modules[name] for name in self._imported())]

    def _forget(self) -> None:
        for name in self._imported():
            del sys.modules[name]

    def _imported(self) -> list[str]:
        out = []
        for name in [n for n in sys.modules if n not in self._before]:
            file = _place_of(sys.modules[name])
            if file and str(Path(file).resolve()).startswith(self.folder + "/") and "site-packages" not in file:
                out.append(name)
        return [n for n in out if n != MODULE_NAME]


def _place_of(module: types.ModuleType) -> str:
    """The file of a module, or the folder of a package without an `__init__`; empty where there is neither."""
    file = getattr(module, "__file__", None)
    if file:
        return str(file)
    with contextlib.suppress(KeyError):  # a package above it is gone
        return next(iter(getattr(module, "__path__", ())), "")
    return ""


def _import_help(error: Exception) -> str:
    """What to do about a file that does not import."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        return f"install `{top}` beside Argus, or put its folder on PYTHONPATH; only its names are needed, and no device"
    if isinstance(error, ImportError):
        return "relative imports need a package: its folders hold an `__init__.py` each"
    return "the file must import on a machine without a device: put what needs one into functions"


def describe(error: BaseException) -> str:
    """`TypeError: message` on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def failing_span(error: BaseException, path: str) -> Span:
    """The innermost place of `path` that the error came through."""
    if isinstance(error, SyntaxError) and error.filename:
        return Span(error.filename, error.lineno or 1, error.offset or 0)
    places = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    if not places:
        return Span(path, 1)
    return Span(path, places[-1].lineno or 1, (getattr(places[-1], "colno", None) or 0) + 1)
