"""Lowering of Triton's own operations: program ids, shapes, memory, dot, reductions, statements."""

from __future__ import annotations

from argus_smt.capture.ttir.site import Lowered, Lowering, Site
from argus_smt.capture.ttir.text import integers
from argus_smt.capture.ttir.type_text import parse_type
from argus_smt.ir import ops as O
from argus_smt.ir.rules import MEMORY
from argus_smt.ir.types import I1, I32, Ptr, elem_of, shape_of, with_shape
from argus_smt.ir.walk import walk

_AXES = {"x": 0, "y": 1, "z": 2}
_RMW = {
    "add": "add", "fadd": "fadd", "and": "and", "or": "or", "xor": "xor", "max": "smax", "min": "smin",
    "umax": "umax", "umin": "umin", "exch": "xchg",
}  # fmt: skip
_CACHE_WORDS = frozenset(("cacheModifier", "evictionPolicy"))
_PARTIAL = frozenset(("sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr"))
"""Functions that have no result for some operands."""
_PLAIN_MEMORY_ATTRS = frozenset(("isVolatile", "cachePolicy"))


def program_id(s: Site) -> Lowered | None:
    axis = _AXES[s.parts.words]
    kind = O.ProgramId if s.op == "tt.get_program_id" else O.NumPrograms
    return (kind(s.new(I32), axis, span=s.span),)


def make_range(s: Site) -> Lowered | None:
    (start,), (end,) = integers(s.attrs["start"]), integers(s.attrs["end"])
    return (O.Range(s.result(), start, end, span=s.span),)


def splat(s: Site) -> Lowered | None:
    (x,) = s.operands
    return (O.Splat(s.result(), x, span=s.span),)


def expand_dims(s: Site) -> Lowered | None:
    (x,), (axis,) = s.operands, integers(s.attrs["axis"])
    return (O.ExpandDims(s.result(), x, axis, span=s.span),)


def broadcast(s: Site) -> Lowered | None:
    (x,) = s.operands
    return (O.Broadcast(s.result(), x, span=s.span),)


def reshape(s: Site) -> Lowered | None:
    (x,), words = s.operands, set(s.parts.words.split())
    if not words <= {"allow_reorder", "efficient_layout"}:
        return None
    return (O.Reshape(s.result(), x, "allow_reorder" in words or "allow_reorder" in s.attrs, span=s.span),)


def trans(s: Site) -> Lowered | None:
    (x,) = s.operands
    return (O.Trans(s.result(), x, integers(s.attrs["order"]), span=s.span),)


def join(s: Site) -> Lowered | None:
    a, b = s.operands
    return (O.Join(s.result(), a, b, span=s.span),)


def split(s: Site) -> Lowered | None:
    (x,) = s.operands
    half = with_shape(x.type, shape_of(x.type)[:-1])
    return (O.Split((s.new(half), s.new(half)), x, span=s.span),)


def cat(s: Site) -> Lowered | None:
    a, b = s.operands
    return (O.Cat(s.result(), a, b, span=s.span),)


def unsplat(s: Site) -> Lowered | None:
    (x,) = s.operands
    return (O.Unsplat(s.new(elem_of(x.type)), x, span=s.span),)


def add_pointer(s: Site) -> Lowered | None:
    p, offset = s.operands
    return (O.AddPtr(s.new(p.type), p, offset, span=s.span),)


def _is_plain_access(s: Site) -> bool:
    """Whether nothing but cache policies qualifies an access to ordinary pointers."""
    words = s.parts.words.split()
    cached = len(words) % 3 == 0 and all(words[i] in _CACHE_WORDS and words[i + 1] == "=" for i in range(0, len(words), 3))
    return cached and set(s.attrs) <= _PLAIN_MEMORY_ATTRS and isinstance(elem_of(parse_type(s.types)), Ptr)


def load(s: Site) -> Lowered | None:
    if not _is_plain_access(s):
        return None
    p, *rest = s.operands
    mask, other = (*rest, None, None)[:2]
    elem = elem_of(p.type)
    if not isinstance(elem, Ptr) or len(rest) > 2:
        return None
    volatile = s.attrs.get("isVolatile") == "true"
    return (O.Load(s.new(with_shape(elem.elem, shape_of(p.type))), p, mask, other, volatile, span=s.span),)


def store(s: Site) -> Lowered | None:
    if not _is_plain_access(s):
        return None
    p, value, *rest = s.operands
    return None if len(rest) > 1 else (O.Store(p, value, rest[0] if rest else None, span=s.span),)


def atomic_rmw(s: Site) -> Lowered | None:
    fn, sem, scope, *marks = s.parts.words.split()
    p, value, *rest = s.operands
    if marks or len(rest) > 1:
        return None
    mask = rest[0] if rest else None
    return (O.AtomicRMW(s.result(), _RMW[fn], p, value, mask, sem, scope, span=s.span),)


def atomic_cas(s: Site) -> Lowered | None:
    sem, scope = s.parts.words.split()
    p, compare, value = s.operands
    return (O.AtomicCAS(s.result(), p, compare, value, sem, scope, span=s.span),)


def atomic_load(s: Site) -> Lowered | None:
    """`acquire, gpu, %p, %mask : (…) -> …`: lanes that the mask leaves out are undefined."""
    sem, scope = s.parts.words.split()
    p, mask = s.operands
    return (O.Load(s.result(), p, mask, None, False, sem, scope, span=s.span),)


def atomic_store(s: Site) -> Lowered | None:
    sem, scope = s.parts.words.split()
    p, value, mask = s.operands
    return (O.Store(p, value, mask, sem, scope, span=s.span),)


def atomic_poll(s: Site) -> Lowered | None:
    """Waits until memory holds the expected value; with a time-out (a third operand) it may give up, and says so.

    Without one it is a loop that loads, and true.
    """
    sem, scope = s.parts.words.split()
    p, expected, *timeout = s.operands
    elem = elem_of(p.type)
    if not isinstance(elem, Ptr) or shape_of(p.type):
        return None
    seen, differs = s.step(elem.elem), s.step(I1)
    test = (
        O.Load(seen, p, None, None, True, sem, scope, span=s.span),
        O.Cmp(differs, "ne", seen, expected, span=s.span),
    )
    if elem.elem != expected.type or not elem.elem.is_int:
        return None
    if timeout:
        why = "whether memory changed in time is not known"
        return (test[0], O.Opaque((s.new(I1),), s.op, (seen, expected), why, span=s.span))
    loop = O.While((), (), O.Block((), test, (differs,)), O.Block((), ()), span=s.span)
    return (loop, O.Const(s.new(I1), 1, span=s.span))


def barrier(s: Site) -> Lowered | None:
    """A barrier over all memory; one that orders only a part of it is not this."""
    return (O.Barrier(span=s.span),) if s.parts.words in ("", "all") and not s.attrs else None


def dot(s: Site) -> Lowered | None:
    a, b, c = s.operands
    words = s.parts.words.split()
    if words and (len(words) != 3 or words[0] != "inputPrecision"):
        return None
    return (O.Dot(s.new(c.type), a, b, c, span=s.span),)


def reduce(s: Site) -> Lowered | None:
    (axis,), (combine,) = integers(s.attrs["axis"]), s.regions
    return (O.Reduce(s.results(), s.operands, axis, combine, span=s.span),) if s.parts.words == "( )" else None


def scan(s: Site) -> Lowered | None:
    (axis,), (combine,) = integers(s.attrs["axis"]), s.regions
    reverse = {"true": True, "false": False}[s.attrs["reverse"]]
    results = s.results()
    return (O.Scan(results, s.operands, axis, reverse, combine, span=s.span),) if s.parts.words == "( )" else None


def histogram(s: Site) -> Lowered | None:
    x, *mask = s.operands
    return (O.Histogram(s.result(), x, mask[0] if mask else None, span=s.span),) if len(mask) <= 1 else None


def map_elementwise(s: Site) -> Lowered | None:
    """A function of single elements; which elements a function of several gets is the compiler's choice."""
    (body,) = s.regions
    ops = tuple(walk(body))
    if s.parts.words != "( )" or any(isinstance(op, MEMORY) for op in ops):
        return None
    if integers(s.attrs["pack"]) == (1,):
        return (O.Map(s.results(), s.operands, body, span=s.span),)
    why = "which elements a function of several gets is not fixed"
    partial = any(isinstance(op, O.Binary) and op.fn in _PARTIAL for op in ops)
    return (O.Opaque(s.results(), s.op, s.operands, why, partial, span=s.span),)


def gather(s: Site) -> Lowered | None:
    (x, index), (axis,) = s.operands, integers(s.attrs["axis"])
    return (O.Gather(s.result(), x, index, axis, span=s.span),) if s.parts.words == "[ ]" else None


def assume(s: Site) -> Lowered | None:
    (cond,) = s.operands
    return (O.Assume(cond, span=s.span),) if s.types == "i1" and not s.parts.words else None


def device_assert(s: Site) -> Lowered | None:
    cond, *rest = s.operands
    (message,) = s.parts.strings
    if len(rest) > 1 or elem_of(cond.type) != I1:
        return None
    return (O.Assert(cond, message, rest[0] if rest else None, span=s.span),)


def nothing(s: Site) -> Lowered | None:
    """An operation that neither makes values nor touches memory that a kernel can see."""
    return ()


def _bare(lower: Lowering) -> Lowering:
    """`lower` for statements without keywords and strings; others are not understood."""

    def lowering(s: Site) -> Lowered | None:
        return None if s.parts.words or s.parts.strings else lower(s)

    return lowering


LOWERINGS: dict[str, Lowering] = {
    "tt.get_program_id": program_id, "tt.get_num_programs": program_id, "tt.make_range": _bare(make_range),
    "tt.splat": _bare(splat), "tt.expand_dims": _bare(expand_dims), "tt.broadcast": _bare(broadcast),
    "tt.reshape": reshape, "tt.trans": _bare(trans), "tt.join": _bare(join), "tt.split": _bare(split),
    "tt.cat": _bare(cat), "tt.unsplat": _bare(unsplat), "tt.addptr": _bare(add_pointer), "tt.load": load,
    "tt.store": store, "tt.atomic_rmw": atomic_rmw, "tt.atomic_cas": atomic_cas, "gpu.barrier": barrier,
    "ttg.barrier": barrier, "tt.dot": dot, "tt.reduce": reduce, "tt.scan": scan, "tt.gather": gather,
    "llvm.intr.assume": assume, "tt.assert": device_assert, "tt.print": nothing,
    "tt.histogram": _bare(histogram), "tt.map_elementwise": map_elementwise, "tt.atomic_load": atomic_load,
    "tt.atomic_store": atomic_store, "tt.atomic_poll": atomic_poll,
    "tt.grid_dependency_wait": nothing, "tt.grid_dependency_launch_dependents": nothing,
}  # fmt: skip

ATTRIBUTES = {
    op: frozenset(names.split())
    for op, names in {
        "tt.make_range": "start end", "tt.expand_dims": "axis", "tt.trans": "order",
        "tt.reduce": "axis reduction_ordering",
        "tt.gather": "axis efficient_layout", "tt.reshape": "allow_reorder efficient_layout", "tt.scan": "axis reverse",
        "tt.load": "isVolatile cachePolicy", "tt.store": "cachePolicy", "tt.clampf": "propagateNan", "tt.dot_scaled": "fastMath",
        "tt.dot": "inputPrecision maxNumImpreciseAcc", "tt.print": "hex isSigned", "tt.map_elementwise": "pack",
        "tt.extern_elementwise": "libname libpath symbol pure",
    }.items()
}  # fmt: skip
"""Attributes of its own that each operation may have; those with a dialect's prefix change no meaning."""

HINTS = {"tt.divisibility": "divisibility", "tt.contiguity": "contiguity", "tt.constancy": "constancy"}
