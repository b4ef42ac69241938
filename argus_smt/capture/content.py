"""What a kernel is made of: a key of its code and of everything outside it that its compiled form depends on."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from triton.language.core import constexpr, dtype
from triton.runtime.jit import JITCallable

from argus_smt.capture.absent import refuse_absent
from argus_smt.capture.frames import ENGINE, kind
from argus_smt.capture.standins import stands_in

_PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, dtype)

_NOT_THE_USERS = sys.stdlib_module_names | {"torch", "triton", "sympy", "numpy", "argus_smt"}


def content_key(fn: Any) -> str:
    """A digest that is equal for two kernels (or functions) only if they compile to the same, here and now.

    It covers source, code, the values of the globals and outer variables that the code names, and the same of every
    function among them.
    """
    digest = hashlib.sha256()
    for part in _function(unwrapped(fn), set()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def value_key(value: Any) -> str:
    """A text that compares a value which is compiled into a kernel across runs."""
    return "\0".join(_compiled_in(value, set()))


def _compiled_in(value: Any, seen: set[int]) -> Iterator[str]:
    """As `_value`; objects of the user's classes with what they hold."""
    if isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for v in value:
            yield from _compiled_in(v, seen)
        return
    yield from _value(value, set())
    inner = unwrapped(value)
    if isinstance(inner, JITCallable | types.FunctionType | constexpr | types.ModuleType) or id(value) in seen:
        return
    seen.add(id(value))
    for name, part in sorted(parts(value).items()):
        yield name
        yield from _compiled_in(part, seen)


def unwrapped(fn: Any) -> Any:
    """The kernel or function under heuristics, tuners and constexpr functions."""
    while not isinstance(fn, JITCallable | types.FunctionType) and hasattr(fn, "fn"):
        fn = fn.fn
    return fn


def _function(fn: Any, seen: set[int]) -> Iterator[str]:
    plain = fn.fn if isinstance(fn, JITCallable) else fn
    if id(plain) in seen:
        return
    seen.add(id(plain))
    yield f"{plain.__module__}.{plain.__qualname__}"
    if isinstance(fn, JITCallable):
        yield str(fn.src)
        yield repr([(p.name, p.annotation, p.is_constexpr, p.do_not_specialize) for p in getattr(fn, "params", ())])
    yield from _code(plain.__code__)
    for default in (*(plain.__defaults__ or ()), *sorted((plain.__kwdefaults__ or {}).items())):
        yield from _value(default, seen)
    names = sorted(_names(plain.__code__))
    for name in names:
        if name in plain.__globals__ and not stands_in(plain.__globals__[name]):  # kernels never see stand-ins
            yield f"global {name}"
            yield from _value(plain.__globals__[name], seen, names)
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
        yield f"outer {name}"
        try:
            yield from _value(cell.cell_contents, seen, names)
        except ValueError:
            yield "empty"


def _code(code: types.CodeType) -> Iterator[str]:
    yield f"{code.co_filename}:{code.co_firstlineno}"
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _code(c)
        else:
            yield repr(c)


def _names(code: types.CodeType) -> set[str]:
    out = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            out |= _names(c)
    return out


def _value(value: Any, seen: set[int], names: list[str] | None = None) -> Iterator[str]:
    """`names` are those that the code uses: of a module of the user, only they matter."""
    refuse_absent(value)
    inner = unwrapped(value)
    if isinstance(inner, JITCallable | types.FunctionType):
        if not (isinstance(inner, types.FunctionType) and kind(inner.__code__.co_filename) == ENGINE):
            yield from _function(inner, seen)
            return
    if isinstance(value, constexpr):
        yield "constexpr"
        yield from _value(value.value, seen)
    elif isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for v in value:
            yield from _value(v, seen)
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__}"
        # Python's own, or what stands in for it while the launcher runs, are the same to a kernel; a file of the user is not.
        own = value.__name__ != "math" or str(getattr(value, "__file__", "")).endswith(".py")
        if own and kind(getattr(value, "__file__", None) or "<built in>") != ENGINE:
            for name in (n for n in names or () if n in vars(value)):
                yield name
                yield from _value(vars(value)[name], seen)
    else:
        yield f"{type(value).__module__}.{type(value).__qualname__} {getattr(value, '__qualname__', '')}"


def parts(value: Any) -> dict[str, Any]:
    """The attributes of an object of one of the user's classes, by name; none of other objects."""
    if isinstance(value, type) or type(value).__module__.partition(".")[0] in _NOT_THE_USERS:
        return {}
    slots = [s for c in type(value).__mro__ for s in _names_of(vars(c).get("__slots__", ()))]
    return {**{s: getattr(value, s) for s in slots if hasattr(value, s)}, **getattr(value, "__dict__", {})}


def _names_of(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def holds_symbol(value: Any, depth: int = 4) -> bool:
    """Whether a host value is a symbol of torch, or a container or object of the user that holds one."""
    match value:
        case torch.SymInt() | torch.SymFloat() | torch.SymBool():
            return True
        case constexpr():
            return holds_symbol(value.value, depth)
        case tuple() | list() | set() | frozenset():
            inner = list(value)
        case dict():
            inner = [*value, *value.values()]
        case _:
            inner = list(parts(value).values())
    return depth > 0 and any(holds_symbol(v, depth - 1) for v in inner)
