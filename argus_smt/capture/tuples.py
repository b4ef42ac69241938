"""Tuples as arguments of a kernel: taken apart into items with names of their own, and put together again to compile.

Item `i` of a tuple `t` is the parameter `t.i`. Triton types each item as it would a single argument, passes the items one
after the other, and keeps tuples inside tuples and named tuples as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from triton.language.core import constexpr

Items = tuple["Nest | None", ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """The form of a tuple: for each item the form of a tuple, or None. `make` builds the tuple from a list of its items.

    `compiled`: the parameter is a constexpr, so Triton takes the tuple as one constant.
    """

    items: Items
    kind: str
    compiled: bool
    make: Callable[[list[Any]], Any] = field(compare=False)


Nests = tuple[tuple[str, Nest], ...]


def apart(name: str, value: Any, compiled: bool) -> tuple[Nest | None, list[tuple[str, Any]]]:
    """The form of an argument and its items by name; `(None, [(name, value)])` for one that is passed whole.

    A constexpr is taken apart only if some item of it is a symbol.
    """
    inner = value.value if isinstance(value, constexpr) else value
    compiled = compiled or isinstance(value, constexpr)
    if not isinstance(inner, tuple) or (compiled and not any(map(is_symbol, _leaves(inner)))):
        return None, [(name, value)]
    items: list[Nest | None] = []
    leaves: list[tuple[str, Any]] = []
    for i, item in enumerate(inner):
        nest, found = apart(f"{name}.{i}", item, compiled)
        items.append(nest)
        leaves += found
    kind = type(inner)
    named = hasattr(kind, "_fields") and kind is not tuple
    make: Callable[[list[Any]], Any] = (lambda values: kind(*values)) if named else tuple
    text = f"{kind.__module__}.{kind.__qualname__} of {getattr(kind, '_fields', ())}" if named else "tuple"
    return Nest(tuple(items), text, compiled, make), leaves


def is_symbol(value: Any) -> bool:
    """Whether a host value is one of torch's symbols."""
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def together(
    form: Iterable[tuple[str, str, Any]], nests: Nests
) -> tuple[dict[str, Any], dict[str | tuple[str | int, ...], object]]:
    """Triton's signature and constants of a form whose tuples are apart; constants in tuples are named by their path."""
    types: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name, type_, value in form:
        types[name], values[name] = type_, value
    forms = dict(nests)
    constants: dict[str | tuple[str | int, ...], object] = {}
    signature: dict[str, Any] = {}
    for name in dict.fromkeys(n.partition(".")[0] for n in (*types, *forms)):
        nest = forms.get(name)
        if nest is None:
            signature[name] = types[name]
            if types[name] == "constexpr":
                constants[name] = values[name]
        elif nest.compiled and all(types[n] == "constexpr" for n in names_of(name, nest)):
            signature[name], constants[name] = "constexpr", _built(name, nest, values)
        else:
            signature[name] = _built(name, nest, types)
            for leaf in names_of(name, nest):
                if types[leaf] == "constexpr":
                    first, *path = leaf.split(".")
                    place: tuple[str | int, ...] = (first, *map(int, path))
                    constants[place] = values[leaf]
    return signature, constants


def names_of(name: str, nest: Nest | None) -> Iterator[str]:
    """Names of the items of an argument, in the order in which they are passed."""
    if nest is None:
        yield name
        return
    for i, item in enumerate(nest.items):
        yield from names_of(f"{name}.{i}", item)


def _built(name: str, nest: Nest | None, leaves: Mapping[str, Any]) -> Any:
    if nest is None:
        return leaves[name]
    return nest.make([_built(f"{name}.{i}", item, leaves) for i, item in enumerate(nest.items)])
