"""Stand-ins for packages that are not installed, and for tensors on a device that the file makes while it is imported.

They may be imported, named and handed on. Nothing of them may decide anything: a use whose outcome would matter leaves the
run, and is noted so that no `except` of the user hides it.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from argus_smt.capture.frames import ENGINE, LIBRARY, kind, of_user, opname
from argus_smt.capture.oracle import frame_span
from argus_smt.capture.texts import guarded_import, harmless
from argus_smt.source import NOWHERE, Span

_SPEAKING = frozenset(("debug", "info", "warning", "warning_once", "info_once", "error", "exception", "log", "critical"))
_READS = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM", "IMPORT_NAME")
_BUILDS = ("BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "STORE_SUBSCR", "MAP_ADD", "SET_ADD")
_INERT = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "matmul")
_DECIDING = ("bool", "iter", "next", "len", "int", "float", "index", "ne", "lt", "le", "gt", "ge", "contains", "enter", "exit",
             "await", "instancecheck", "subclasscheck", "delitem", "setitem")  # fmt: skip


class AbsentUse(BaseException):
    """What the user's code needs is not there. Not an Exception: `except Exception` must not swallow it."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(what)
        self.what, self.span = what, span

    @property
    def reason(self) -> str:
        """In words."""
        return f"line {self.span.line} needs {self.what}" if self.span.line else f"the launcher needs {self.what}"


class State:
    """`launching`: whether the launcher runs, so that calls count; `used`: what was needed first; `told`: what stands in."""

    launching = False
    used: AbsentUse | None = None
    told: dict[str, None] = {}  # noqa: RUF012 - one state a process, as for modules


def fresh() -> None:
    """Forget what was needed before."""
    State.used, State.launching = None, False
    State.told.clear()


def note(text: str) -> None:
    """Tell of something that stands in or is left out."""
    State.told.setdefault(text)


@contextlib.contextmanager
def launching() -> Iterator[None]:
    """While this holds, calling what is absent leaves the run."""
    State.launching = True
    try:
        yield
    finally:
        State.launching = False


def needed(what: str) -> AbsentUse:
    """The exception for a use, noted."""
    user = of_user(sys._getframe(2))
    use = AbsentUse(what, frame_span(user) if user is not None else NOWHERE)
    State.used = State.used or use
    return use


class Absent:
    """Something of which only the origin is known: `_path` is its name, `_what` says it in words; `_device` if it is data."""

    def __init__(self, path: str, what: str, device: bool = False) -> None:
        self.__dict__.update(_path=path, _what=what, _device=device)

    def _inner(self, path: str) -> Absent:
        return Absent(path, self._what, self._device)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) not in (ENGINE, LIBRARY) and opname(frame) not in _READS:
            raise needed(self._what)  # `hasattr(…)` and `getattr(…)` with a default decide
        inner = self._inner(f"{self._path}.{name}")
        self.__dict__[name] = inner
        return inner

    def __setattr__(self, name: str, value: Any) -> None:
        if State.launching:
            raise needed(self._what)
        self.__dict__[name] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if State.launching and not self._speaks((*args, *kwargs.values())):
            raise needed(self._what)
        return self._inner(f"{self._path}(…)")

    def _speaks(self, args: Sequence[Any]) -> bool:
        """Whether a call can only tell people something."""
        return self._path.rpartition(".")[2] in _SPEAKING and all(isinstance(a, str | int | float | bool) for a in args)

    def __getitem__(self, item: Any) -> Any:
        return self._inner(f"{self._path}[…]")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        what = self._what

        def refuse(cls: type, *args: Any, **kwargs: Any) -> Any:
            raise needed(what)

        return (_Base(self._path.rpartition(".")[2], (), {"__new__": refuse, "_what": what}),)

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if sys._getframe(1).f_code.co_filename == typing.__file__:
            return False  # annotations only
        raise needed(self._what)

    def __hash__(self) -> int:
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) not in (ENGINE, LIBRARY) and opname(frame) not in _BUILDS:
            raise needed(self._what)
        return id(self)

    def __repr__(self) -> str:
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) not in (ENGINE, LIBRARY) and not harmless(frame):
            raise needed(self._what)
        return f"<{self._path}>"

    __str__ = __repr__


class _Base(type):
    """The class of an absent base class: what it would hand down is unknown."""

    def __getattr__(cls, name: str) -> Any:
        if (name.startswith("__") and name.endswith("__")) or kind(sys._getframe(1).f_code.co_filename) in (ENGINE, LIBRARY):
            raise AttributeError(name)
        raise needed(cls.__dict__.get("_what", "a base class that is not installed"))


def _inert(self: Absent, other: Any) -> Any:
    if State.launching:
        raise needed(self._what)
    return self._inner(f"({self._path} …)")


def _decides(self: Absent, *args: Any) -> Any:
    raise needed(self._what)


for _name in _INERT:
    setattr(Absent, f"__{_name}__", _inert)
    setattr(Absent, f"__r{_name}__", _inert)
for _name in _DECIDING:
    setattr(Absent, f"__{_name}__", _decides)


class _AbsentModule(types.ModuleType):
    """A module of a package that is not installed."""

    def __getattr__(self, name: str) -> Any:
        what = f"`{self.__name__}`, which is not installed here"
        if name == "__all__":
            raise needed(f"all names of {what}")  # `from … import *`
        if name.startswith("__"):
            raise AttributeError(name)
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) not in (ENGINE, LIBRARY) and opname(frame) not in _READS:
            raise needed(what)
        if opname(frame) == "IMPORT_FROM" and _has_way_out(frame, self.__name__):
            raise AttributeError(name)
        inner = Absent(f"{self.__name__}.{name}", f"`{self.__name__}.{name}`, whose package is not installed here")
        self.__dict__[name] = inner
        return inner


def refuse_absent(value: Any) -> None:
    """Raise AbsentUse for what is absent."""
    if isinstance(value, Absent):
        raise needed(value._what)
    if isinstance(value, _AbsentModule):
        raise needed(f"`{value.__name__}`, which is not installed here")


def _has_way_out(frame: types.FrameType, name: str) -> bool:
    """Whether an import stands where its failure is handled, which is then noted: it has to fail, as it does here."""
    if not guarded_import(frame_span(frame)):
        return False
    note(f"the package `{name.partition('.')[0]}` is not installed, for which the file has a way of its own")
    return True


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nothing else finds, for import statements of the user that do not say what to do without it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """A stand-in's spec, or None where the import has to fail."""
        within = isinstance(sys.modules.get(fullname.rpartition(".")[0]), _AbsentModule)
        if "." in fullname and not within:
            return None  # a part of a package that exists
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        if frame is None or kind(frame.f_code.co_filename) in (ENGINE, LIBRARY) or opname(frame) != "IMPORT_NAME":
            return self._spec(fullname) if within else None
        if _has_way_out(frame, fullname):
            return None
        return self._spec(fullname)

    def _spec(self, fullname: str) -> importlib.machinery.ModuleSpec:
        note(f"the package `{fullname.partition('.')[0]}` is not installed: nothing is claimed where it is used")
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The stand-in."""
        return _AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """While this holds, imports of packages that are not installed give stand-ins."""
    finder = Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n, m in sys.modules.items() if isinstance(m, _AbsentModule)]:
            del sys.modules[name]
