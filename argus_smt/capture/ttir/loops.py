"""Import of `scf.for`, `scf.while` and `scf.if`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.placement import Place
from argus_smt.capture.ttir.syntax import BasicBlock, Parameter, Statement
from argus_smt.capture.ttir.text import cut_dictionaries, dictionary, integers, split_list
from argus_smt.capture.ttir.tile_ops import HINTS
from argus_smt.capture.ttir.type_text import type_list
from argus_smt.capture.ttir.windows import Bound, Window, flat, like
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
    def lookup(self, name: str, span: Span) -> Bound: ...
    def bind(self, name: str, value: Bound) -> None: ...
    def bind_all(self, typed: Iterable[tuple[str, str]], values: Sequence[Value]) -> None: ...
    def bind_params(self, params: Sequence[Parameter], values: Sequence[Value]) -> None: ...
    def fresh(self, t: Type, name: str) -> Value: ...
    def fresh_all(self, text: str, name: str) -> tuple[Value, ...]: ...
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


def _carried(host: Host, pairs: tuple[tuple[str, str], ...], place: Place) -> tuple[tuple[Value, ...], tuple[Bound, ...]]:
    """Initial values of what a loop carries, and the parameters for them, bound to their names."""
    inits: list[Value] = []
    params: list[Bound] = []
    for inner, outer in pairs:
        first = host.lookup(outer, place.span)
        name = host.user_name(inner)
        names = first.type.names(name) if isinstance(first, Window) else (name,)
        inits += flat(first)
        params.append(like(first, tuple(host.fresh(v.type, n) for v, n in zip(flat(first), names, strict=True))))
        host.bind(inner, params[-1])
    return tuple(inits), tuple(params)


def _results(host: Host, s: Statement, models: tuple[Bound, ...]) -> tuple[Value, ...]:
    """New values for a loop's results, of the types and names of `models`, bound to their names."""
    made = [like(m, tuple(host.fresh(v.type, v.name) for v in flat(m))) for m in models]
    for ssa, bound in zip(s.results, made, strict=True):
        host.bind(ssa, bound)
    return _flat(made)


def _flat(bound: Iterable[Bound]) -> tuple[Value, ...]:
    return tuple(v for b in bound for v in flat(b))


def _for(host: Host, s: Statement, text: str, attrs: dict[str, str], place: Place) -> bool:
    head = _FOR.match(text)
    if head is None or len(s.regions) != 1 or len(s.regions[0]) != 1:
        return False
    lower, upper, step = (host.get(head[k], place.span) for k in ("lower", "upper", "step"))
    iv = host.fresh(lower.type, host.user_name(head["iv"]))
    counter, prologue = iv, []  # type: Value, list[Op]
    if head["unsigned"]:
        lower, upper, step = (_zero_extended(host, v, place) for v in (lower, upper, step))
        counter = host.fresh(I64, "")
        prologue.append(Cast(iv, "trunc", counter, span=place.span))
    inits, carried = _carried(host, _pairs(head["carried"]), place)
    host.bind(head["iv"], iv)
    prologue += _hints(attrs, (iv, *carried), place)
    body = host.region(s.regions[0][0], ())
    body = Block((counter, *_flat(carried)), (*prologue, *body.ops), body.yields)
    results = _results(host, s, carried)
    host.emit(For(results, lower, upper, step, inits, body, span=place.span))
    return True


def _zero_extended(host: Host, v: Value, place: Place) -> Value:
    """A bound of an unsigned loop in 64 bits, where signed comparison is exact."""
    if v.type == I64:
        raise Unsupported("loop over unsigned 64-bit numbers", place.span)
    wide = host.fresh(I64, "")
    host.emit(Cast(wide, "zext", v, span=place.span))
    return wide


def _hints(attrs: dict[str, str], params: tuple[Bound, ...], place: Place) -> list[Op]:
    """Promises on a loop's block arguments, which Triton keeps on the loop as `tt.divisibility_arg1`."""
    out: list[Op] = []
    for key, value in attrs.items():
        m = _HINT_ON_ARGUMENT.match(key)
        param = params[int(m.group(2))] if m and m.group(1) in HINTS else None
        if m and isinstance(param, Value):
            out.append(Hint(param, HINTS[m.group(1)], integers(value), span=place.span))
    return out


def _while(host: Host, s: Statement, text: str, place: Place) -> bool:
    head = _WHILE.match(text)
    if head is None or [len(r) for r in s.regions] != [1, 1]:
        return False
    before, after = s.regions[0][0], s.regions[1][0]
    inits, params = _carried(host, _pairs(head["carried"]), place)
    first = Block(_flat(params), *_body(host, before))
    passed = [host.fresh_all(p.type, host.user_name(p.name)) for p in after.params]
    host.bind_params(after.params, tuple(v for vs in passed for v in vs))
    models = tuple(host.lookup(p.name, place.span) for p in after.params)
    second = Block(_flat(models), *_body(host, after))
    results = _results(host, s, models)
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
    texts = type_list(head["types"] or "")
    name = place.name if len(texts) == 1 else ""
    results = tuple(v for t in texts for v in host.fresh_all(t, name))
    results = tuple(v if v.name else host.fresh(v.type, y.name) for v, y in zip(results, then.yields, strict=bool(results)))
    host.bind_all(zip(s.results, texts, strict=True), results)
    host.emit(If(results, cond, then, orelse, span=place.span))
    return True
