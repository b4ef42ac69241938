"""Sizes as keys: a size is looked up in a table or set of numbers by asking for each number whether it is the size.

Then the hash of the symbol is that of the number, or one that no number of the container has. Tables that hold symbols
themselves would miss numbers that are looked up later, so nothing is stored under a symbol: only caches of functions
(`caches.py`) and sets that the launcher makes by `set(…)` do that, since they compare.
"""

from __future__ import annotations

import ast
import types
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

import torch

from argus_smt.capture.failure import PathEnd
from argus_smt.capture.frames import USER, kind
from argus_smt.capture.oracle import frame_span
from argus_smt.capture.texts import expressions_at
from argus_smt.capture.world import World
from argus_smt.smt import term as T

MOST = 32
"""So many numbers are asked about at one place."""
_CONTAINERS = (dict, set, frozenset, OrderedDict, types.MappingProxyType, tuple, list)


class _Unsafe(Exception):
    """An expression that cannot be looked at without running code of the user's again."""


def hash_of(world: World, symbol: Any, frame: FrameType) -> int:
    """The hash of a symbol that `frame` uses as a key. Ends the path where its container is not a known table."""
    span = frame_span(frame)
    if isinstance(symbol, torch.SymBool):
        return hash(bool(symbol))
    if kind(frame.f_code.co_filename) != USER or not isinstance(symbol, torch.SymInt):
        raise _stop(world, frame)
    term = world.terms((symbol,), "a key", span)[0]
    if term.op == "const":
        return hash(term.value)
    try:
        numbers = sorted({n for key in _keys(frame) for n in _numbers(key)})
    except _Unsafe:
        raise _stop(world, frame) from None
    possible = [n for n in numbers if not world.oracle.known(T.ne(term, n))]
    if len(possible) > MOST:
        raise _stop(world, frame)
    for n in possible:
        if world.oracle.decide(T.eq(term, n), "branch", span):
            return hash(n)
    world.oracle.missed.append(symbol)
    return hash(("a size", str(term)))


def misses(error: BaseException, missed: Sequence[Any]) -> bool:
    """Whether an exception says that a table lacks a key which none of its keys equals."""
    keys = error.args[:1] if isinstance(error, KeyError) else ()
    return any(key is m or (isinstance(key, tuple) and any(part is m for part in key)) for key in keys for m in missed)


def _stop(world: World, frame: FrameType) -> BaseException:
    span = frame_span(frame)
    try:
        world.oracle.stop(PathEnd(f"line {span.line} uses a size as a key of a dictionary, set or cache", span))
    except PathEnd as end:
        return end
    raise AssertionError


def _keys(frame: FrameType) -> list[Any]:
    """Keys of the container in which the frame looks something up. Raises _Unsafe."""
    for node in expressions_at(frame_span(frame)):
        match node:
            case ast.Subscript(value=container, ctx=ast.Load()):
                return _held(container, frame)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[container]):
                return _held(container, frame)
            case ast.Call(func=ast.Attribute(value=container, attr="get" | "__contains__" | "__getitem__")):
                return _held(container, frame)
    raise _Unsafe


def _held(node: ast.expr, frame: FrameType) -> list[Any]:
    match node:
        case ast.Dict(keys=keys):
            if any(k is None for k in keys):
                raise _Unsafe
            return [_value(k, frame) for k in keys if k is not None]
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [_value(p, frame) for p in parts]
    found = _value(node, frame)
    if type(found) not in _CONTAINERS:
        raise _Unsafe
    return list(found)


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What a name, an attribute of a module, class or plain object, or a constant stands for."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            for names in (frame.f_locals, frame.f_globals):
                if name in names:
                    return names[name]
        case ast.Attribute(value=inner, attr=name):
            owner = _value(inner, frame)
            for holder in (owner, *(type(owner).__mro__ if not isinstance(owner, type) else owner.__mro__)):
                if name in getattr(holder, "__dict__", {}):
                    found = vars(holder)[name]
                    if hasattr(type(found), "__get__"):
                        raise _Unsafe
                    return found
        case ast.Tuple(elts=parts):
            return tuple(_value(p, frame) for p in parts)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    raise _Unsafe


def _numbers(key: Any) -> Iterator[int]:
    """Integers that a key is, or consists of. Raises _Unsafe for keys that may equal a number in some other way."""
    match key:
        case int():
            yield int(key)
        case float():
            if key.is_integer():
                yield int(key)
        case tuple():
            for part in key:
                yield from _numbers(part)
        case None | str() | bytes() | type() | torch.dtype() | torch.device() | types.FunctionType():
            return
        case _:
            raise _Unsafe
