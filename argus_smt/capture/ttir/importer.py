"""TTIR text → Tile IR kernel: calls inlined, control flow structured, every operation kept or made opaque."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from argus_smt.capture.ttir import arithmetic, device_library, loops, opaque, scaled, tile_ops, windows
from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.placement import Place, Placement
from argus_smt.capture.ttir.site import Lowering, Parts, Site, take_apart
from argus_smt.capture.ttir.source_map import SourceMap
from argus_smt.capture.ttir.structure import Structurer
from argus_smt.capture.ttir.syntax import BasicBlock, Function, Module, Parameter, Statement, parse_module, statements_of
from argus_smt.capture.ttir.text import integers, unquote
from argus_smt.capture.ttir.type_text import UnknownType, expanded, parse_type, parse_window, type_or_handle
from argus_smt.capture.ttir.windows import Bound, Window, flat
from argus_smt.ir.ops import Block, Hint, Kernel, Op, Opaque, Value
from argus_smt.ir.types import Type
from argus_smt.ir.walk import results as results_of
from argus_smt.source import Span

LOWERINGS: dict[str, Lowering] = {
    **arithmetic.LOWERINGS, **tile_ops.LOWERINGS, "tt.extern_elementwise": device_library.library_call,
    "tt.dot_scaled": scaled.dot_scaled,
}  # fmt: skip
"""Operations with a meaning, apart from control flow, descriptors and block pointers."""
_CALLEE = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([\w$.-]+))')
_TERMINATORS = frozenset(
    (
        "tt.return",
        "cf.br",
        "cf.cond_br",
        "scf.yield",
        "scf.condition",
        "tt.reduce.return",
        "tt.scan.return",
        "tt.map_elementwise.return",
    )
)


def import_kernel(
    text: str, *, name: str | None = None, sources: SourceMap | None = None, nan_padded: frozenset[int] = frozenset()
) -> Kernel:
    """The kernel of a printed TTIR module.

    `name` is the kernel's name, its function's by default; it picks the function if there is one of that name, else
    the public one is taken. `sources` supplies the user's files, read from disk by default. Parameters keep the
    user's names; the parts of a tuple `t` are `t.0`, `t.1.0`, …; a descriptor `d` becomes the pointer `d` and the
    integers `d.shape.0`, …, `d.stride.0`, …; `nan_padded`: those descriptors, counted from 0, whose padding is NaN.
    Raises Unsupported with the place where the module has another form.
    """
    module = parse_module(text)
    f = _entry(module, name)
    placement = Placement(module, sources or SourceMap())
    importer = _Importer(module, placement)
    names = _param_names(placement, f)
    params = tuple(importer.fresh(expanded(p.type)[0], n) for p, n in zip(f.params, names, strict=True))
    try:
        prologue = importer.nested(lambda: importer.arguments(f, params, nan_padded))
        ops, _ = importer.function(f, prologue.yields, None)
        ops = (*prologue.ops, *ops)
        importer.account(f)
    except RecursionError:
        raise Unsupported(f"`{f.name}` is nested too deeply", placement.head(f)) from None
    return Kernel(name or f.name, Block(params, ops), names, placement.head(f))


def _entry(module: Module, name: str | None) -> Function:
    if name is not None and name in module.functions:
        return module.functions[name]
    public = [f for f in module.functions.values() if f.public]
    if len(public) != 1:
        raise Unsupported(f"the module has {len(public)} public functions")
    return public[0]


def _param_names(placement: Placement, f: Function) -> tuple[str, ...]:
    """The user's names; the parts of a tuple argument, which Triton 3.6 names alike, are numbered in order."""
    names = [placement.name(p.loc) or p.name.removeprefix("%") for p in f.params]
    for i, p in enumerate(f.params):
        window = parse_window(p.type)
        if window is not None:
            of_array = window.names(names[i])[: 1 + 2 * len(window.block)]
            names[i : i + len(of_array)] = of_array
    return tuple(f"{n}.{names[:i].count(n)}" if names.count(n) > 1 else n for i, n in enumerate(names))


@dataclass(slots=True)
class _Frame:
    """One inlined function: its values by SSA name, and the user's place that stands for library code."""

    function: Function
    call: Place | None
    values: dict[str, Bound] = field(default_factory=dict)
    places: dict[Statement, Place] = field(default_factory=dict)


class _Importer:
    def __init__(self, module: Module, placement: Placement) -> None:
        self.module = module
        self.placement = placement
        self.count = 0
        self.ops: list[Op] = []
        self.frames: list[_Frame] = []
        self.seen: set[Statement] = set()
        self.known_places: dict[BasicBlock, dict[Statement, Place]] = {}
        self.nan_padding: dict[Value, bool] = {}
        self.unread: set[Statement] = set()

    # ------------------------------------------------------------ what the parts share

    def fresh(self, t: Type, name: str) -> Value:
        """A new value."""
        self.count += 1
        return Value(self.count - 1, t, name)

    def fresh_all(self, text: str, name: str) -> tuple[Value, ...]:
        """New values for one of the type that `text` spells."""
        window = parse_window(text)
        if window is None:
            return (self.fresh(type_or_handle(text), name),)
        return tuple(self.fresh(t, n) for t, n in zip(window.parts, window.names(name), strict=True))

    def lookup(self, name: str, span: Span) -> Bound:
        """What an SSA name of the current function stands for. Raises Unsupported."""
        found = self.frames[-1].values.get(name)
        if found is None:
            raise Unsupported(f"`{name}` comes from an operation without a meaning here", span)
        return found

    def get(self, name: str, span: Span) -> Value:
        """The one value behind an SSA name of the current function. Raises Unsupported."""
        found = self.lookup(name, span)
        if isinstance(found, Window):
            raise Unsupported("a descriptor or block pointer is used as a plain value", span)
        return found

    def get_all(self, name: str, span: Span) -> tuple[Value, ...]:
        """The values behind an SSA name of the current function. Raises Unsupported."""
        return flat(self.lookup(name, span))

    def bind(self, name: str, value: Bound) -> None:
        """Let an SSA name of the current function mean `value`."""
        self.frames[-1].values[name] = value

    def bind_all(self, typed: Iterable[tuple[str, str]], values: Sequence[Value]) -> None:
        """Let SSA names, each with the text of its type, mean `values` in order."""
        at = 0
        for name, text in typed:
            window = parse_window(text)
            count = len(window.parts) if window else 1
            part = tuple(values[at : at + count])
            self.bind(name, Window(window, part) if window else part[0])
            at += count

    def bind_params(self, params: Sequence[Parameter], values: Sequence[Value]) -> None:
        """Let the parameters of a block or function mean `values`."""
        self.bind_all(((p.name, p.type) for p in params), values)

    def emit(self, op: Op) -> None:
        """Append an operation to the block that is being built."""
        self.ops.append(op)

    def nested(self, build: Callable[[], tuple[Value, ...]]) -> Block:
        """The block, without parameters, of what `build` emits; it yields what `build` returns."""
        outer, self.ops = self.ops, []
        try:
            yields = build()
            return Block((), tuple(self.ops), yields)
        finally:
            self.ops = outer

    def span_of(self, s: Statement) -> Span:
        """The user's place of a statement of the current function."""
        return self._place(s).span

    def param_types(self, block: BasicBlock) -> tuple[Type, ...]:
        """Types of the values for a block's parameters."""
        return tuple(t for p in block.params for t in expanded(p.type))

    def param_names(self, block: BasicBlock) -> tuple[str, ...]:
        """What the user calls the values for a block's parameters."""
        windows_ = [(parse_window(p.type), self.user_name(p.name)) for p in block.params]
        return tuple(n for w, name in windows_ for n in (w.names(name) if w else (name,)))

    def user_name(self, ssa: str) -> str:
        """What the user called the value behind a printed name, or the empty string."""
        f = self.frames[-1].function
        return "" if self.placement.in_library(f) else self.placement.user_name(f, ssa)

    def note(self, s: Statement) -> None:
        """Count a statement as dealt with."""
        self.seen.add(s)

    def _place(self, s: Statement) -> Place:
        frame = self.frames[-1]
        place = frame.places.get(s) or Place()
        if (place.in_library or not place.span.line) and frame.call is not None:
            return Place(frame.call.span, True, "")
        return place

    # ------------------------------------------------------------ functions and blocks

    def function(self, f: Function, args: tuple[Value, ...], call: Place | None) -> tuple[tuple[Op, ...], tuple[Value, ...]]:
        """Operations and returned values of `f` applied to `args`. Raises Unsupported on recursion."""
        if any(frame.function is f for frame in self.frames):
            raise Unsupported(f"`{f.name}` calls itself", call.span if call else self.placement.head(f))
        frame = _Frame(f, call)
        self.frames.append(frame)
        self.bind_params(f.params, args)
        returned: list[tuple[Value, ...]] = []

        def build() -> tuple[Value, ...]:
            for block in f.blocks:
                self._locate(block)
            returned.append(Structurer(self, f, tuple(x for t in f.results for x in expanded(t))).run())
            return ()

        body = self.nested(build)
        self.frames.pop()
        return body.ops, returned[0]

    def arguments(self, f: Function, params: tuple[Value, ...], nan_padded: frozenset[int]) -> tuple[Value, ...]:
        """Emit what the kernel's descriptors are made of; the values that the entry function is applied to."""
        place = Place(self.placement.head(f))
        out: list[Value] = []
        count = 0
        for i, p in enumerate(f.params):
            window = parse_window(p.type)
            if window is None:
                out.append(params[i])
                continue
            array = params[i : i + 1 + 2 * len(window.block)]
            out += windows.entry_window(self, window, array, count in nan_padded, place).parts
            count += 1
        return tuple(out)

    def body(self, block: BasicBlock) -> None:
        """Import the statements of a block up to its terminator, which is left to the caller."""
        self._locate(block)
        for s in block.statements:
            self.note(s)
            if s.op not in _TERMINATORS:
                self.statement(s)

    def _locate(self, block: BasicBlock) -> None:
        if block not in self.known_places:
            self.known_places[block] = self.placement.places(self.frames[-1].function, block)
        self.frames[-1].places.update(self.known_places[block])

    def statement(self, s: Statement) -> None:
        """Import one statement: call, loop, branch, or an operation with a lowering; anything else is opaque."""
        match s.op:
            case "tt.call":
                self._call(s)
            case "scf.for" | "scf.while" | "scf.if":
                if not loops.structured(self, s, self._place(s)):
                    self._opaque(s, take_apart(s.text))
            case _:
                self._plain(s)

    def _call(self, s: Statement) -> None:
        symbol = _CALLEE.match(s.text)
        parts = take_apart(s.text[symbol.end() :]) if symbol else None
        place = self._place(s)
        if symbol is None or parts is None:
            raise Unsupported(f"call is not understood: {s.text[:80]}", place.span)
        name = unquote(symbol.group(1)) if symbol.group(1) is not None else symbol.group(2)
        callee = self.module.functions.get(name)
        if callee is None:
            raise Unsupported(f"call of `{name}`, which the module does not define", place.span)
        args = tuple(v for n in parts.operands for v in self.get_all(n, place.span))
        ops, returned = self.function(callee, args, place)
        self.ops.extend(ops)
        self.bind_all(zip(s.results, callee.results, strict=True), returned)
        for ssa in s.results:
            value = self.lookup(ssa, place.span)
            if place.name and isinstance(value, Value) and not value.name and value not in args:
                object.__setattr__(value, "name", place.name)  # named by the assignment, after it was made

    # ------------------------------------------------------------ operations

    def _plain(self, s: Statement) -> None:
        place = self._place(s)
        parts = take_apart(s.text) if s.op else None
        windowed = windows.lower(self, s, parts, place) if parts is not None else None
        if windowed is not None:
            if not windowed:
                self._opaque(s, parts)
            return
        lowering = LOWERINGS.get(s.op)
        if lowering is None or parts is None or not self._lower(s, parts, place, lowering):
            self._opaque(s, parts)
        if parts is not None and s.results and s.op != "ub.poison":  # where a loop's counter was while Triton made the body
            self.hints(parts.attrs, self.get(s.results[0], place.span), place.span)

    def _lower(self, s: Statement, parts: Parts, place: Place, lowering: Lowering) -> bool:
        """Emit the statement's operations; False where its form is not understood."""
        attrs = {k: v for k, v in parts.attrs.items() if k not in tile_ops.HINTS}
        plain = Parts(parts.operands, parts.words, parts.strings, attrs, parts.types)
        operands = tuple(self.get(n, place.span) for n in parts.operands)
        inherent = {k for k in attrs if "." not in k}
        if not inherent <= tile_ops.ATTRIBUTES.get(s.op, frozenset()):
            return False
        try:
            regions = tuple(self._combine(r) for r in s.regions)
            ops = lowering(Site(s.op, plain, operands, place, self.fresh, regions))
        except (UnknownType, LookupError, ValueError):
            return False
        if ops is None:
            return False
        made = results_of(ops[-1]) if ops else ()
        if len(made) != len(s.results):
            return False
        self.ops.extend(ops)
        for ssa, value in zip(s.results, made, strict=True):
            self.bind(ssa, value)
        return True

    def _combine(self, region: tuple[BasicBlock, ...]) -> Block:
        """The region of a reduction or scan as a block."""
        (block,) = region
        params = tuple(self.fresh(parse_type(p.type), "") for p in block.params)
        return self.region(block, params)

    def region(self, block: BasicBlock, params: tuple[Value, ...]) -> Block:
        """A block of structured control flow; it yields its terminator's operands."""
        for p, v in zip(block.params, params, strict=False):
            self.bind(p.name, v)

        def build() -> tuple[Value, ...]:
            self.body(block)
            last = block.statements[-1] if block.statements else None
            if last is None or last.op not in _TERMINATORS:
                return ()
            parts = take_apart(last.text)
            if parts is None:
                raise Unsupported(f"`{last.op}` is not understood", self.span_of(last))
            return tuple(v for n in parts.operands for v in self.get_all(n, self.span_of(last)))

        built = self.nested(build)
        return Block(params, built.ops, built.yields)

    def hints(self, attrs: dict[str, str], value: Value, span: Span) -> None:
        """Emit a `Hint` for each promise among an operation's attributes."""
        for key, kind in tile_ops.HINTS.items():
            if key in attrs:
                self.emit(Hint(value, kind, integers(attrs[key]), span=span))

    def _opaque(self, s: Statement, parts: Parts | None) -> None:
        span = self._place(s).span
        inner = tuple(x for r in s.regions for x in statements_of(r))
        self.seen.update(inner)
        self.unread.update(inner)
        names = parts.operands if parts else ()
        operands = tuple(v for n in names if n in self.frames[-1].values for v in self.get_all(n, span))
        texts = opaque.result_types(s, parts)
        if texts is None:
            raise Unsupported(f"Argus has no meaning for `{s.op or s.text[:60]}`", span)
        results = tuple(v for t in texts for v in self.fresh_all(t, ""))
        self.bind_all(zip(s.results, texts, strict=True), results)
        name = s.op or s.text.partition(" ")[0] or "an unreadable line"
        effects = bool(inner) or opaque.has_effects(s.op, parts, operands)
        self.emit(Opaque(results, name, operands, f"Argus has no meaning for `{name}`", effects, span=span))

    def account(self, entry: Function) -> None:
        """Check that each statement of a live block was imported; raises Unsupported on one that was not."""
        live: list[BasicBlock] = []
        todo, done = [entry], {entry}
        while todo:
            f = todo.pop()
            blocks = {b.label: b for b in f.blocks}
            live += (blocks[label] for label in Structurer(self, f, ()).reach[f.blocks[0].label])
            for s in statements_of(f.blocks):
                if s.op == "tt.call" and s in self.seen - self.unread and (m := _CALLEE.match(s.text)):
                    callee = self.module.functions[unquote(m.group(1)) if m.group(1) is not None else m.group(2)]
                    if callee not in done:
                        done.add(callee)
                        todo.append(callee)
        for s in statements_of(tuple(live)):
            if s not in self.seen:
                raise Unsupported(f"internal: line {s.line} of the module (`{s.op}`) was left out")
