"""Import of `scf.for`, `scf.while` and `scf.if`."""

from __future__ import annotations

import re
from typing import Protocol

from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.placement import Place
from argus_smt.capture.ttir.syntax import BasicBlock, Statement
from argus_smt.capture.ttir.text import cut_dictionaries, dictionary, integers, split_list
from argus_smt.capture.ttir.tile_ops import HINTS
from argus_smt.capture.ttir.type_text import type_list, type_or_handle
from argus_smt.ir.ops import Block, Cast, For, Hint, If, Op, Value, While
from argus_smt.ir.types import I64, Type
from argus_smt.source import Span

_FOR = re.compile(
    r"(?P<unsigned>unsigned )?(?P<iv>%\S+) = (?P<lower>%\S+) to (?P<upper>%\S+) step (?P<step>%[^\s(]+)"
    r"(?: iter_args\((?P<carried>.*?)\) -> (?P<types>.*?))?\s*(?: : (?P<kind>\S+))?$"
)
_WHILE = re.compile(r"(?:\((?P<carried>%.*?)\) )?: \((?P<inputs>.*)\) -> (?P<outputs>.+?)$")
_IF = re.compile(r"(?P<cond>%\S+)(?: -> (?P<types>.*))?$")
_HINT_ON_ARGUMENT = re.compile(r"(tt\.\w+)_arg(\d+)$")


class Host(Protocol):
    """What is needed of the importer."""

    def get(self, name: str, span: Span) -> Value: ...
    def bind(self, name: str, value: Value) -> None: ...
    def fresh(self, t: Type, name: str) -> Value: ...
    def emit(self, op: Op) -> None: ...
    def region(self, block: BasicBlock, params: tuple[Value, ...]) -> Block: ...
    def user_name(self, ssa: str) -> str: ...


def structured(host: Host, s: Statement, place: Place) -> bool:
    """Emit the loop or branch; False where its header is not understood. Raises Unsupported."""
    text, entries = cut_dictionaries(s.text)
    match s.op:
        case "scf.for":
            return _for(host, s, text.strip(), dictionary(entries), place)
        case "scf.while":
            return _while(host, s, text.strip(), place)
        case _:
            return _if(host, s, text.strip(), place)


def _pairs(text: str | None) -> tuple[tuple[str, str], ...]:
    """`%a = %x, %b = %y` as pairs of names."""
    out = []
    for item in split_list(text or ""):
        inner, _, outer = item.partition(" = ")
        out.append((inner, outer))
    return tuple(out)


def _carried(host: Host, pairs: tuple[tuple[str, str], ...], place: Place) -> tuple[Value, ...]:
    """Parameters for loop-carried values, bound to their names."""
    out = []
    for inner, outer in pairs:
        v = host.fresh(host.get(outer, place.span).type, host.user_name(inner))
        host.bind(inner, v)
        out.append(v)
    return tuple(out)


def _results(host: Host, s: Statement, types: tuple[Type, ...], names: tuple[str, ...]) -> tuple[Value, ...]:
    results = tuple(host.fresh(t, n) for t, n in zip(types, names, strict=True))
    for ssa, v in zip(s.results, results, strict=True):
        host.bind(ssa, v)
    return results


def _for(host: Host, s: Statement, text: str, attrs: dict[str, str], place: Place) -> bool:
    head = _FOR.match(text)
    if head is None or len(s.regions) != 1 or len(s.regions[0]) != 1:
        return False
    lower, upper, step = (host.get(head[k], place.span) for k in ("lower", "upper", "step"))
    pairs = _pairs(head["carried"])
    inits = tuple(host.get(outer, place.span) for _, outer in pairs)
    iv = host.fresh(lower.type, host.user_name(head["iv"]))
    counter, prologue = iv, []  # type: Value, list[Op]
    if head["unsigned"]:
        lower, upper, step = (_zero_extended(host, v, place) for v in (lower, upper, step))
        counter = host.fresh(I64, "")
        prologue.append(Cast(iv, "trunc", counter, span=place.span))
    host.bind(head["iv"], iv)
    carried = _carried(host, pairs, place)
    prologue += _hints(attrs, (iv, *carried), place)
    body = host.region(s.regions[0][0], ())
    body = Block((counter, *carried), (*prologue, *body.ops), body.yields)
    results = _results(host, s, tuple(v.type for v in inits), tuple(v.name for v in carried))
    host.emit(For(results, lower, upper, step, inits, body, span=place.span))
    return True


def _zero_extended(host: Host, v: Value, place: Place) -> Value:
    """A bound of an unsigned loop in 64 bits, where signed comparison is exact."""
    if v.type == I64:
        raise Unsupported("loop over unsigned 64-bit numbers", place.span)
    wide = host.fresh(I64, "")
    host.emit(Cast(wide, "zext", v, span=place.span))
    return wide


def _hints(attrs: dict[str, str], params: tuple[Value, ...], place: Place) -> list[Op]:
    """Promises on a loop's block arguments, which Triton keeps on the loop as `tt.divisibility_arg1`."""
    out: list[Op] = []
    for key, value in attrs.items():
        m = _HINT_ON_ARGUMENT.match(key)
        if m and m.group(1) in HINTS:
            out.append(Hint(params[int(m.group(2))], HINTS[m.group(1)], integers(value), span=place.span))
    return out


def _while(host: Host, s: Statement, text: str, place: Place) -> bool:
    head = _WHILE.match(text)
    if head is None or [len(r) for r in s.regions] != [1, 1]:
        return False
    before, after = s.regions[0][0], s.regions[1][0]
    pairs = _pairs(head["carried"])
    inits = tuple(host.get(outer, place.span) for _, outer in pairs)
    params = _carried(host, pairs, place)
    first = Block(params, *_body(host, before))
    passed = tuple(host.fresh(type_or_handle(p.type), host.user_name(p.name)) for p in after.params)
    for p, v in zip(after.params, passed, strict=True):
        host.bind(p.name, v)
    second = Block(passed, *_body(host, after))
    results = _results(host, s, tuple(v.type for v in passed), tuple(v.name for v in passed))
    host.emit(While(results, inits, first, second, span=place.span))
    return True


def _body(host: Host, block: BasicBlock) -> tuple[tuple[Op, ...], tuple[Value, ...]]:
    built = host.region(block, ())
    return built.ops, built.yields


def _if(host: Host, s: Statement, text: str, place: Place) -> bool:
    head = _IF.match(text)
    if head is None or any(len(r) != 1 for r in s.regions) or len(s.regions) not in (1, 2):
        return False
    cond = host.get(head["cond"], place.span)
    then = host.region(s.regions[0][0], ())
    orelse = host.region(s.regions[1][0], ()) if len(s.regions) == 2 else Block((), ())
    types = tuple(type_or_handle(t) for t in type_list(head["types"] or ""))
    name = place.name if len(types) == 1 else ""
    results = _results(host, s, types, tuple(name or v.name for v in then.yields) if types else ())
    host.emit(If(results, cond, then, orelse, span=place.span))
    return True
