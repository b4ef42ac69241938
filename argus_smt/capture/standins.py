"""Names of Python's own that stand in the user's modules while the launcher runs, so that symbols pass for numbers."""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from argus_smt.capture.caches import Distinct, holds_symbol


class _IntMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.int | torch.SymInt)

    def __subclasscheck__(cls, sub: type) -> bool:
        return sub is cls or builtins.issubclass(sub, builtins.int)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.int or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.int)

    def __repr__(cls) -> str:
        return repr(builtins.int)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymInt):
            return args[0]
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymFloat):
            return torch.sym_int(args[0])  # type: ignore[no-untyped-call]
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymBool):
            return 1 if args[0] else 0
        if len(args) == 1 and builtins.isinstance(args[0], torch.Tensor):
            return cls(args[0].item())
        return builtins.int(*args, **kwargs)


class _FloatMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.float | torch.SymFloat)

    def __subclasscheck__(cls, sub: type) -> bool:
        return sub is cls or builtins.issubclass(sub, builtins.float)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.float or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.float)

    def __repr__(cls) -> str:
        return repr(builtins.float)

    def __call__(cls, *args: Any) -> Any:
        if args and builtins.isinstance(args[0], torch.SymInt | torch.SymFloat):
            return torch.sym_float(args[0])  # type: ignore[no-untyped-call]
        return builtins.float(*args)


class _TypeMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.type)

    def __subclasscheck__(cls, sub: type) -> bool:
        return sub is cls or builtins.issubclass(sub, builtins.type)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.type or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.type)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) != 1:
            return builtins.type(*args, **kwargs)
        return _shown_type(builtins.type(args[0]))


class _SetMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.set | Distinct)

    def __subclasscheck__(cls, sub: type) -> bool:
        return sub is cls or builtins.issubclass(sub, builtins.set | Distinct)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.set or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.set)

    def __getattr__(cls, name: str) -> Any:
        return getattr(builtins.set, name)

    def __getitem__(cls, item: Any) -> Any:
        return builtins.set[item]

    def __call__(cls, *args: Any) -> Any:
        items = [list(a) if builtins.len(args) == 1 else a for a in args]
        if builtins.len(items) == 1 and any(map(holds_symbol, items[0])):
            return Distinct(items[0])
        return builtins.set(*items)


class SymbolicSet(metaclass=_SetMeta):
    """Stands for `set`: items that are symbols are compared, since they have no hash."""


class SymbolicInt(metaclass=_IntMeta):
    """Stands for `int`: keeps symbols symbolic."""


class SymbolicFloat(metaclass=_FloatMeta):
    """Stands for `float`: keeps symbols symbolic."""


class SymbolicType(metaclass=_TypeMeta):
    """Stands for `type`: the type of a symbol is that of the number it stands for."""


for _cls, _name in ((SymbolicInt, "int"), (SymbolicFloat, "float"), (SymbolicType, "type"), (SymbolicSet, "set")):
    _cls.__name__ = _cls.__qualname__ = _name
    _cls.__module__ = "builtins"


def _shown_type(t: type) -> Any:
    """Names in the user's module are the stand-ins, so these are what `is` must find."""
    if builtins.issubclass(t, FakeTensor):
        return torch.Tensor
    shown: dict[Any, Any] = {
        torch.SymInt: SymbolicInt, builtins.int: SymbolicInt, torch.SymFloat: SymbolicFloat,
        builtins.float: SymbolicFloat, torch.SymBool: builtins.bool, builtins.type: SymbolicType,
        _IntMeta: SymbolicType, _FloatMeta: SymbolicType, _TypeMeta: SymbolicType, _SetMeta: SymbolicType,
        builtins.set: SymbolicSet, Distinct: SymbolicSet,
    }  # fmt: skip
    return shown.get(t, t)


def symbolic_len(value: Any) -> Any:
    """Stands for `len`: the first size of a tensor stays symbolic."""
    return value.shape[0] if builtins.isinstance(value, torch.Tensor) and value.dim() else builtins.len(value)


def symbolic_math() -> types.ModuleType:
    """Stands for `math`."""
    out = types.ModuleType("math")
    out.__dict__.update({k: v for k, v in vars(math).items() if not k.startswith("__")})

    def either(plain: Callable[[Any], Any], sym: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: sym(x) if builtins.isinstance(x, torch.SymInt | torch.SymFloat) else plain(x)

    out.__dict__.update(
        sqrt=either(math.sqrt, torch.sym_sqrt),
        log2=either(math.log2, torch._sym_log2),  # type: ignore[attr-defined]
        ceil=either(math.ceil, lambda x: math.ceil(x)),
        floor=either(math.floor, lambda x: math.floor(x)),
        isnan=either(math.isnan, lambda x: not bool(x <= math.inf)),
        isinf=either(math.isinf, lambda x: bool(x == math.inf) or bool(x == -math.inf)),
        isfinite=either(math.isfinite, lambda x: bool(x != math.inf) and bool(x != -math.inf)),
    )
    return out


_NAMES: dict[str, Any] = {"int": SymbolicInt, "float": SymbolicFloat, "len": symbolic_len, "type": SymbolicType,
                          "set": SymbolicSet}  # fmt: skip
_STANDING = {id(v) for v in _NAMES.values()}


def stands_in(value: Any) -> bool:
    """Whether a value is one of the stand-ins for a built-in name."""
    return id(value) in _STANDING


class StandIns:
    """Puts the stand-ins into global names of modules, and takes them out again."""

    def __init__(self) -> None:
        self._math = symbolic_math()
        self._replaced: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._seen: set[int] = set()

    def install(self, names: dict[str, Any]) -> None:
        """Stand in for what `names` does not define itself. Doing it again changes nothing."""
        if id(names) in self._seen:
            return
        self._seen.add(id(names))
        added = {k: v for k, v in _NAMES.items() if k not in names}
        added |= dict.fromkeys((k for k, v in names.items() if v is math), self._math)
        self._replaced.append((names, {k: names[k] for k in added if k in names} | {k: None for k in added if k not in names}))
        names.update(added)

    def remove(self) -> None:
        """Leave all modules as they were."""
        for names, old in self._replaced:
            for k, v in old.items():
                if v is not None:
                    names[k] = v
                elif stands_in(names.get(k)):
                    del names[k]
        self._replaced.clear()
        self._seen.clear()
