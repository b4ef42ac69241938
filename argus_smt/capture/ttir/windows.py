"""Tensor descriptors and block pointers as what they consist of, and their operations as plain loads and stores.

The arithmetic is that of Triton's own passes RewriteTensorDescriptorToPointer and RewriteTensorPointer: places and
strides in 64 bits, the address of element (i0, i1, …) of the block is base + Σ (offset_d + i_d) · stride_d, and lanes
whose place in a checked dimension is outside [0, shape_d) are not accessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Protocol

from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.placement import Place
from argus_smt.capture.ttir.site import Parts
from argus_smt.capture.ttir.syntax import Statement
from argus_smt.capture.ttir.text import integers
from argus_smt.capture.ttir.type_text import WindowType, parse_type, parse_window, result_texts, type_list
from argus_smt.ir import ops as O
from argus_smt.ir.ops import Op, Value
from argus_smt.ir.types import I1, I32, I64, Ptr, Tile, Type, elem_of, shape_of, with_shape
from argus_smt.source import Span


@dataclass(frozen=True, slots=True)
class Window:
    """A descriptor or block pointer: one value for each of `type.parts`."""

    type: WindowType
    parts: tuple[Value, ...]

    @property
    def rank(self) -> int:
        return len(self.type.block)

    @property
    def base(self) -> Value:
        return self.parts[0]

    @property
    def shape(self) -> tuple[Value, ...]:
        return self.parts[1 : 1 + self.rank]

    @property
    def strides(self) -> tuple[Value, ...]:
        return self.parts[1 + self.rank : 1 + 2 * self.rank]

    @property
    def rest(self) -> tuple[Value, ...]:
        """Whether padding is NaN, of a descriptor; the offsets, of a block pointer."""
        return self.parts[1 + 2 * self.rank :]


Bound = Value | Window
"""What an SSA name of the printed module stands for."""


def flat(bound: Bound) -> tuple[Value, ...]:
    """The values of which a bound name consists."""
    return bound.parts if isinstance(bound, Window) else (bound,)


def like(bound: Bound, values: tuple[Value, ...]) -> Bound:
    """Other values in the form of `bound`."""
    return Window(bound.type, values) if isinstance(bound, Window) else values[0]


class Host(Protocol):
    """What is needed of the importer; `nan_padding` remembers which padding flags are constants."""

    nan_padding: dict[Value, bool]

    def get(self, name: str, span: Span) -> Value: ...
    def lookup(self, name: str, span: Span) -> Bound: ...
    def bind(self, name: str, value: Bound) -> None: ...
    def fresh(self, t: Type, name: str) -> Value: ...
    def emit(self, op: Op) -> None: ...


_CACHE_WORDS = frozenset(("cacheModifier", "evictionPolicy"))


def lower(host: Host, s: Statement, parts: Parts, place: Place) -> bool | None:
    """Emit an operation on a descriptor or block pointer; None if it is none, False where its form is not understood."""
    emitter = _Emitter(host, place, s, parts)
    try:
        match s.op:
            case "tt.make_tensor_descriptor":
                return emitter.make_descriptor()
            case "tt.make_tensor_ptr":
                return emitter.make_block_pointer()
            case "ub.poison" if (window := parse_window(parts.types)) is not None:
                return emitter.poison(window)
        found = host.lookup(parts.operands[0], place.span) if parts.operands and s.op.startswith("tt.") else None
        if not isinstance(found, Window):
            return None
        return emitter.use(found)
    except (LookupError, ValueError):
        return False


@dataclass(slots=True)
class _Steps:
    """Emits operations one by one at a place."""

    host: Host
    place: Place

    def step(self, t: Type, op: type, *operands: object, name: str = "") -> Value:
        """Emit an operation with one result of type `t`, which comes first among its fields."""
        value = self.host.fresh(t, name)
        self.host.emit(op(value, *operands, span=self.place.span))
        return value

    def const(self, t: Type, value: int | float) -> Value:
        return self.step(t, O.Const, value)

    def wide(self, v: Value) -> Value:
        """An integer value in 64 bits."""
        t = with_shape(I64, shape_of(v.type))
        return v if v.type == t else self.step(t, O.Cast, "sext", v)

    def padding_flag(self, is_nan: bool) -> Value:
        flag = self.const(I1, int(is_nan))
        self.host.nan_padding[flag] = is_nan
        return flag


@dataclass(slots=True)
class _Emitter(_Steps):
    """Lowers one statement."""

    s: Statement
    parts: Parts

    def operands(self) -> list[Value]:
        """All operands after the first."""
        return [self.host.get(n, self.place.span) for n in self.parts.operands[1:]]

    def words(self) -> list[str]:
        """Keywords, without brackets and what says how to cache."""
        words = [w for w in self.parts.words.split() if w not in ("[", "]", "(", ")")]
        out = []
        while words:
            if words[0] in _CACHE_WORDS and words[1] == "=":
                words = words[3:]
            else:
                out.append(words.pop(0))
        return out

    def finish(self, bound: Bound) -> bool:
        (name,) = self.s.results
        self.host.bind(name, bound)
        return True

    # ------------------------------------------------------------ making

    def make_descriptor(self) -> bool:
        """`%base, [shape], [strides] {padding} : <f32>, <16x16xf32>`: shape i32, strides i64."""
        window = parse_window(type_list(self.parts.types)[-1], bare=True)
        base, *sizes = [self.host.get(n, self.place.span) for n in self.parts.operands]
        if window is None or len(sizes) != 2 * len(window.block) or self.words() or not set(self.parts.attrs) <= {"padding"}:
            return False
        if base.type != Ptr(window.elem):
            base = self.step(Ptr(window.elem), O.Cast, "ptr_cast", base)
        flag = self.padding_flag(_padding(self.parts) == "nan")
        return self.finish(Window(window, (base, *map(self.wide, sizes), flag)))

    def make_block_pointer(self) -> bool:
        """`%base, [shape], [strides], [offsets] {order} : <tensor<16x16xf32>>`: all i64 but the offsets, i32."""
        window = parse_window(f"!tt.ptr{self.parts.types}")
        base, *sizes = [self.host.get(n, self.place.span) for n in self.parts.operands]
        if window is None or len(sizes) != 3 * len(window.block) or self.words() or not set(self.parts.attrs) <= {"order"}:
            return False
        return self.finish(Window(window, (base, *map(self.wide, sizes))))

    def poison(self, window: WindowType) -> bool:
        return self.finish(Window(window, tuple(self.step(t, O.Undef) for t in window.parts)))

    # ------------------------------------------------------------ using

    def use(self, w: Window) -> bool:
        """An operation whose first operand is a descriptor or block pointer."""
        match self.s.op:
            case "tt.advance" if not w.type.descriptor:
                return self.advance(w)
            case "tt.load" if not w.type.descriptor:
                return self.block_load(w)
            case "tt.store" if not w.type.descriptor:
                return self.block_store(w)
            case _ if not w.type.descriptor or not set(self.parts.attrs) <= {"cachePolicy", "padding"}:
                return False
            case "tt.descriptor_load":
                return self.load(w, self.box(w, self.operands()), self.result())
            case "tt.descriptor_store":
                return self.store(w, self.box(w, self.operands()[:-1]), self.operands()[-1])
            case "tt.descriptor_gather":
                result = self.result()
                return self.load(w, self.rows(self.operands(), result.shape), result)
            case "tt.descriptor_scatter":
                rows, column, value = self.operands()
                return self.store(w, self.rows([rows, column], shape_of(value.type)), value)
            case "tt.descriptor_reduce":
                return self.reduce(w)
            case _:
                return False

    def result(self) -> Tile:
        t = parse_type(result_texts(self.parts.types)[0])
        if not isinstance(t, Tile):
            raise ValueError("a block is a tile")
        return t

    def advance(self, w: Window) -> bool:
        steps = [self.wide(v) for v in self.operands()]
        moved = [self.step(I64, O.Binary, "add", a, b) for a, b in zip(w.rest, steps, strict=True)]
        return self.finish(Window(w.type, (*w.parts[: 1 + 2 * w.rank], *moved)))

    def block_load(self, w: Window) -> bool:
        if self.operands() or self.words() or not set(self.parts.attrs) <= {"boundaryCheck", "padding", "isVolatile"}:
            return False
        places, checked = self.places(w.rest, w.type.block), integers(self.parts.attrs.get("boundaryCheck", "array<i32>"))
        mask = self.mask(w, places, w.type.block, checked)
        padding = _padding(self.parts)
        other = self.padding(w, w.type.block, padding == "nan") if mask is not None and padding else None
        volatile = self.parts.attrs.get("isVolatile") == "true"
        t = Tile(w.type.block, w.type.elem)
        pointer = self.pointer(w, places, w.type.block)
        return self.finish(self.step(t, O.Load, pointer, mask, other, volatile, name=self.place.name))

    def block_store(self, w: Window) -> bool:
        (value,) = self.operands()
        if self.words() or not set(self.parts.attrs) <= {"boundaryCheck"} or value.type != Tile(w.type.block, w.type.elem):
            return False
        places, checked = self.places(w.rest, w.type.block), integers(self.parts.attrs.get("boundaryCheck", "array<i32>"))
        mask = self.mask(w, places, w.type.block, checked)
        self.host.emit(O.Store(self.pointer(w, places, w.type.block), value, mask, span=self.place.span))
        return True

    def load(self, w: Window, places: list[Value], result: Tile) -> bool:
        """A load of the lanes at `places`; those outside of the array give the padding."""
        if self.words():
            return False
        shape = _common(places)
        mask = self.mask(w, places, shape, range(w.rank))
        other = self.padding(w, shape, self.host.nan_padding.get(w.rest[0]))
        t = Tile(shape, w.type.elem)
        name = self.place.name
        loaded = self.step(t, O.Load, self.pointer(w, places, shape), mask, other, name=name if t == result else "")
        return self.finish(loaded if t == result else self.step(result, O.Reshape, loaded, name=name))

    def store(self, w: Window, places: list[Value], value: Value) -> bool:
        """A store to the lanes at `places` inside the array."""
        if self.words():
            return False
        shape = _common(places)
        mask = self.mask(w, places, shape, range(w.rank))
        pointer = self.pointer(w, places, shape)
        self.host.emit(O.Store(pointer, self.shaped(value, w, shape), mask, span=self.place.span))
        return True

    def reduce(self, w: Window) -> bool:
        """An atomic update of each element of a block; it orders nothing else."""
        *indices, value = self.operands()
        (kind,) = self.words()
        fn = _reduction(kind, w.type)
        if not fn:
            return False
        places, shape = self.box(w, indices), w.type.block
        mask = self.mask(w, places, shape, range(w.rank))
        pointer = self.pointer(w, places, shape)
        self.step(Tile(shape, w.type.elem), O.AtomicRMW, fn, pointer, self.shaped(value, w, shape), mask, "relaxed", "gpu")
        return True

    def shaped(self, value: Value, w: Window, shape: tuple[int, ...]) -> Value:
        t = Tile(shape, w.type.elem)
        return value if value.type == t else self.step(t, O.Reshape, value)

    # ------------------------------------------------------------ addresses and masks

    def box(self, w: Window, indices: Sequence[Value]) -> list[Value]:
        """Places of a block that starts at `indices`, one expanded tile a dimension."""
        if len(indices) != w.rank:
            raise ValueError("one index a dimension")
        return self.places([self.wide(v) for v in indices], w.type.block)

    def places(self, offsets: Sequence[Value], block: tuple[int, ...]) -> list[Value]:
        return [self.expand(self.along(v, n), d, len(block)) for d, (v, n) in enumerate(zip(offsets, block, strict=True))]

    def rows(self, operands: Sequence[Value], shape: tuple[int, ...]) -> list[Value]:
        """Places of the rows that a tile of indices names, from a column on."""
        rows, column = operands
        if len(shape) != 2 or shape_of(rows.type) != shape[:1]:
            raise ValueError("a gather or scatter of whole rows")
        return [self.expand(self.wide(rows), 0, 2), self.expand(self.along(self.wide(column), shape[1]), 1, 2)]

    def along(self, start: Value, extent: int) -> Value:
        """`start, start + 1, …` in 64 bits."""
        t = Tile((extent,), I64)
        count = self.wide(self.step(Tile((extent,), I32), O.Range, 0, extent))
        return self.step(t, O.Binary, "add", self.step(t, O.Splat, start), count)

    def expand(self, line: Value, axis: int, rank: int) -> Value:
        for d in (d for d in range(rank) if d != axis):
            shape = shape_of(line.type)
            line = self.step(Tile((*shape[:d], 1, *shape[d:]), I64), O.ExpandDims, line, d)
        return line

    def spread(self, v: Value, shape: tuple[int, ...]) -> Value:
        t = with_shape(elem_of(v.type), shape)
        return v if v.type == t else self.step(t, O.Broadcast, v)

    def pointer(self, w: Window, places: Sequence[Value], shape: tuple[int, ...]) -> Value:
        t = Tile(shape, Ptr(w.type.elem))
        out = self.step(t, O.Splat, w.base)
        for place, stride in zip(places, w.strides, strict=True):
            by = self.step(place.type, O.Binary, "mul", place, self.step(place.type, O.Splat, stride))
            out = self.step(t, O.AddPtr, out, self.spread(by, shape))
        return out

    def mask(self, w: Window, places: Sequence[Value], shape: tuple[int, ...], checked: Sequence[int]) -> Value | None:
        """Which lanes are inside the array in the checked dimensions; None if there are none."""
        out: Value | None = None
        for d in checked:
            place = places[d]
            kind = with_shape(I1, shape_of(place.type))
            low = self.step(kind, O.Cmp, "sge", place, self.const(place.type, 0))
            high = self.step(kind, O.Cmp, "slt", place, self.step(place.type, O.Splat, w.shape[d]))
            inside = self.spread(self.step(kind, O.Binary, "and", low, high), shape)
            out = inside if out is None else self.step(inside.type, O.Binary, "and", out, inside)
        return out

    def padding(self, w: Window, shape: tuple[int, ...], is_nan: bool | None) -> Value:
        """What lanes outside of the array read: zero or NaN; `is_nan` None: as the descriptor's flag says."""
        t = Tile(shape, w.type.elem)
        if w.type.elem.is_int:
            return self.const(t, 0)
        if is_nan is not None:
            return self.const(t, nan if is_nan else 0.0)
        return self.step(t, O.Select, w.rest[0], self.const(t, nan), self.const(t, 0.0))


def _common(places: Sequence[Value]) -> tuple[int, ...]:
    """The shape that expanded tiles, one a dimension, broadcast to."""
    return tuple(shape_of(p.type)[d] for d, p in enumerate(places))


def _padding(parts: Parts) -> str:
    """`zero`, `nan` or nothing, from the attribute `padding`: 1, 2, or absent."""
    text = parts.attrs.get("padding", "")
    number = integers(text)[0] if text else 0
    return {0: "", 1: "zero", 2: "nan"}[number]


def _reduction(kind: str, t: WindowType) -> str:
    """The read-modify-write function of a descriptor's reduction, empty if there is none."""
    if kind == "add":
        return "add" if t.elem.is_int else "fadd"
    if kind in ("min", "max"):
        return f"{'u' if t.unsigned else 's'}{kind}" if t.elem.is_int else f"f{kind}"
    return kind if kind in ("and", "or", "xor") and t.elem.is_int else ""


def entry_window(host: Host, window: WindowType, params: Sequence[Value], is_nan: bool, place: Place) -> Window:
    """A descriptor that the host made: `params` are its base, then its shape (i32) and strides (i64).

    Raises Unsupported where the kernel's parameters are others.
    """
    rank = len(window.block)
    if [p.type for p in params] != [Ptr(window.elem), *(I32,) * rank, *(I64,) * rank]:
        raise Unsupported("a descriptor argument is not followed by its shape and strides", place.span)
    steps = _Steps(host, place)
    shape = [steps.wide(v) for v in params[1 : 1 + rank]]
    return Window(window, (params[0], *shape, *params[1 + rank :], steps.padding_flag(is_nan)))
