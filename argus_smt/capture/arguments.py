"""Fake values of the arguments of a signature, and the call that hands them to a launcher."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from argus_smt.capture.signature import Argument, ScalarType, SequenceType, Signature, TableType, TensorType
from argus_smt.capture.world import World
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from argus_smt.source import NOWHERE


def arguments(world: World, signature: Signature) -> dict[str, Any]:
    """Fake values of the arguments of a signature, by name."""
    return {a.name: _value(world, a) for a in signature.arguments}


def _value(world: World, a: Argument) -> Any:
    domain = world.registry.domain
    if a.optional and not world.oracle.decide(T.eq(T.var(a.given), 1), "branch", NOWHERE):
        return None
    match a.type:
        case TensorType(dtype=dtype):
            return world.tensor(domain.tensors[a.name], dtype)
        case SequenceType(kind, items):
            values = [_value(world, Argument(f"{a.name}_{i}", t)) for i, t in enumerate(items)]
            return tuple(values) if kind == "tuple" else values
        case TableType():
            return world.tensor(domain.tables[a.name].tensor, "i64")
        case ScalarType("int") if not a.pinned or a.name in domain.ints:
            return world.integer(domain.ints[a.name])
        case ScalarType("bool") if not a.pinned:
            return world.oracle.decide(T.eq(T.var(a.name), 1), "branch", NOWHERE)
        case ScalarType("float") if not a.pinned:
            return world.real(a.name, a.type)
        case ScalarType(kind):
            return _pinned(world, a.value, kind == "tuple")
    raise AssertionError(a.type)


def _pinned(world: World, value: Any, as_tuple: bool) -> Any:
    if isinstance(value, tuple):
        items = [_pinned(world, v, False) for v in value]
        return tuple(items) if as_tuple else items
    return world.integer(value) if isinstance(value, Term) else value


def call_with(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call `function` with arguments by name; those that Python takes by place only, and `*args`, go there."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function(**values)
    rest = dict(values)
    by_place: list[Any] = []
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL and p.name in rest), "")
    for p in parameters:
        early = p.kind is p.POSITIONAL_ONLY or (star and p.kind is p.POSITIONAL_OR_KEYWORD)
        if early and p.name in rest:
            by_place.append(rest.pop(p.name))
        elif early and p.default is not p.empty and (star or any(q.name in rest for q in parameters if q.kind is p.kind)):
            by_place.append(p.default)
    if star:
        by_place += rest.pop(star)
    return function(*by_place, **rest)
