"""The packages that a file lies in, so that its relative imports work without running all that their `__init__` imports."""

from __future__ import annotations

import ast
import importlib
import sys
import types
from pathlib import Path
from typing import Any


def package_of(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder above the outermost package of a file, and the names of the packages down to it.

    A plain file has none.
    """
    folder = path.resolve().parent
    names: list[str] = []
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    if names and not isinstance(sys.modules.get(names[0], _Package("", folder)), _Package):
        return path.resolve().parent, ()  # it has the name of a module that Argus itself has loaded
    return folder, tuple(names)


def enter_packages(root: Path, names: tuple[str, ...]) -> str:
    """Make the packages importable; gives the name of the innermost. Names of an `__init__` are read when first asked for."""
    full = ""
    folder = root
    known = sys.modules.get(names[0])
    if isinstance(known, _Package) and known.__path__ != [str(root / names[0])]:
        for name in [n for n in sys.modules if n.partition(".")[0] == names[0]]:
            del sys.modules[name]
    for name in names:
        folder = folder / name
        full = f"{full}.{name}".lstrip(".")
        if full not in sys.modules:
            sys.modules[full] = _Package(full, folder)
            outer, _, inner = full.rpartition(".")
            if outer:
                vars(sys.modules[outer])[inner] = sys.modules[full]
    return full


class _Package(types.ModuleType):
    """A package whose `__init__` runs when a name is asked for that it may define."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        self.__file__ = str(folder / "__init__.py")
        self.__path__ = [str(folder)]
        self.__package__ = name
        self.__dict__["_ran"] = False

    def __setattr__(self, name: str, value: Any) -> None:
        """An import leaves a module here; where the `__init__` binds the name itself, that goes before."""
        if not (isinstance(value, types.ModuleType) and not self._ran and name in _bound(Path(self.__file__ or ""))):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return _literal(Path(self.__file__ or ""), name)
        folder = Path(self.__path__[0])
        own = (folder / f"{name}.py").is_file() or (folder / name).is_dir()
        if self._ran or (own and name not in _bound(Path(self.__file__ or ""))):
            if own:
                return importlib.import_module(f"{self.__name__}.{name}")
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__dict__["_ran"] = True
        text = Path(self.__file__ or "").read_text(encoding="utf-8-sig")
        exec(compile(text, self.__file__ or "", "exec", dont_inherit=True), self.__dict__)
        return getattr(self, name)


def _literal(file: Path, name: str) -> Any:
    """What a file plainly assigns to a name, such as its `__version__`. Raises AttributeError if it does not."""
    for node in ast.parse(file.read_text(encoding="utf-8-sig")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant(value=value)) if target == name:
                return value
    raise AttributeError(name)


def _bound(file: Path) -> set[str]:
    """Names that a file may bind at its top level; all of them if it imports with `*`."""
    out: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8-sig"))):
        match node:
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                out |= {a.asname or a.name.partition(".")[0] for a in names}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name):
                out.add(name)
    return out
