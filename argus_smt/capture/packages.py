"""The packages that a file lies in, so that its relative imports work without running all that their `__init__` imports."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterator, Sequence
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


@contextlib.contextmanager
def packages_on_demand() -> Iterator[None]:
    """While this holds, packages inside those that were entered are entered too, where Python would run their `__init__`."""
    finder = _Within()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Within(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds packages inside a `_Package`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a package that waits; None for all else."""
        outer, _, inner = fullname.rpartition(".")
        package = sys.modules.get(outer)
        if not isinstance(package, _Package):
            return None
        folder = Path(package.__path__[0]) / inner
        if not (folder / "__init__.py").is_file():
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=str(folder / "__init__.py"), is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The package, of which nothing has run."""
        return _Package(spec.name, Path((spec.submodule_search_locations or [""])[0]))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing runs yet."""


class _Package(types.ModuleType):
    """A package whose `__init__` runs when a name is asked for that it may define."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        self.__file__ = str(folder / "__init__.py")
        self.__path__ = [str(folder)]
        self.__package__ = name
        self.__spec__ = importlib.machinery.ModuleSpec(name, None, origin=self.__file__, is_package=True)
        self.__spec__.submodule_search_locations = self.__path__
        self.__dict__["_ran"] = False

    def __setattr__(self, name: str, value: Any) -> None:
        """An import leaves a module here; where the `__init__` binds the name itself, that goes before.

        So it does after it has run, where it takes the name from the module that only now is done: a circular import.
        """
        if isinstance(value, types.ModuleType):
            file = Path(self.__file__ or "")
            if name in _bound(file) and (not self._ran or (name in self.__dict__ and self._takes_from_own(name))):
                return
        super().__setattr__(name, value)

    def _takes_from_own(self, name: str) -> bool:
        """Whether the `__init__` has a name from the module of that name in the package, and from nowhere else."""
        source = _single_source(Path(self.__file__ or ""), name)
        return source is not None and importlib.util.resolve_name(source[0], self.__name__) == f"{self.__name__}.{name}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            return _literal(Path(self.__file__ or ""), name)
        folder = Path(self.__path__[0])
        own = (folder / f"{name}.py").is_file() or (folder / name).is_dir()
        if self._ran or (own and name not in _bound(Path(self.__file__ or ""))):
            if own:
                return importlib.import_module(f"{self.__name__}.{name}")
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        source = _single_source(Path(self.__file__ or ""), name)
        if source is not None:
            module, original = source
            value = getattr(importlib.import_module(module, self.__name__), original)
            self.__dict__[name] = value
            return value
        self.__dict__["_ran"] = True
        text = Path(self.__file__ or "").read_text(encoding="utf-8-sig")
        exec(compile(text, self.__file__ or "", "exec", dont_inherit=True), self.__dict__)
        return getattr(self, name)


def unrun(path: Path) -> Iterator[str]:
    """Packages around a file whose `__init__` holds more than a docstring and has not run, its names not being asked for."""
    outermost = package_of(path)[1][:1]
    for name, module in sorted(sys.modules.items()):
        if (name.partition(".")[0],) == outermost and isinstance(module, _Package) and not module._ran:
            text = Path(module.__file__ or "").read_text(encoding="utf-8-sig")
            if any(not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in ast.parse(text).body):
                yield name


def _literal(file: Path, name: str) -> Any:
    """What a file plainly assigns to a name, once and nothing else, such as its `__version__`.

    Raises AttributeError if it does not.
    """
    tree = ast.parse(file.read_text(encoding="utf-8-sig"))
    once = sum(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(tree)) == 1
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant(value=value)) if target == name and once:
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


def _single_source(file: Path, name: str) -> tuple[str, str] | None:
    """The module and its name where one plain `from module import name` of a file is all that can bind a name there."""
    tree = ast.parse(file.read_text(encoding="utf-8-sig"))
    plain = {id(node) for node in tree.body}
    found: list[tuple[str, str] | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names, module=module, level=level):
                for a in names:
                    if a.name == "*":
                        return None
                    if (a.asname or a.name) == name:
                        found.append(("." * level + (module or ""), a.name) if id(node) in plain and module else None)
            case ast.Import(names=names) if any((a.asname or a.name.partition(".")[0]) == name for a in names):
                found.append(None)
            case ast.FunctionDef(name=bound) | ast.ClassDef(name=bound) if bound == name:
                found.append(None)
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) | ast.ExceptHandler(name=bound) if bound == name:
                found.append(None)
            case ast.Call(func=ast.Name(id="globals" | "vars" | "exec" | "setattr")):
                return None
    return found[0] if len(found) == 1 else None
