"""Lowering of `tt.dot_scaled`: both factors decoded and scaled in f32, then an ordinary product.

Formats are those of the OCP microscaling specification: E2M1 packed in pairs along K (the low half of a byte first), FP8
and 16-bit floats as they are; a scale covers a run of elements along K and is a power of two (E8M0, 255 is NaN) or a float.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan

from argus_smt.capture.ttir.site import Lowered, Site
from argus_smt.capture.ttir.text import split_list
from argus_smt.ir import ops as O
from argus_smt.ir.ops import Op, Value
from argus_smt.ir.types import I1, I32, Scalar, Tile, Type, elem_of, shape_of, with_shape

F32 = Scalar("f32")
_FORMATS = frozenset(("e2m1", "e4m3", "e5m2", "bf16", "fp16"))
_OPTIONS = frozenset(("fastMath",))


def dot_scaled(s: Site) -> Lowered | None:
    """`%a scale %sa, %b scale %sb, %c lhs = … rhs = … {…} : A, SA * B, SB -> C`; either scale may be missing."""
    words = [w for w in s.parts.words.split() if w != "scale"]
    if len(words) != 6 or words[:2] != ["lhs", "="] or words[3:5] != ["rhs", "="] or not {words[2], words[5]} <= _FORMATS:
        return None
    left, _, right = s.types.partition(" -> ")[0].partition(" * ")
    counts = len(split_list(left)), len(split_list(right))
    if counts[0] + counts[1] + 1 != len(s.operands) or not set(s.attrs) <= _OPTIONS:
        return None
    lhs, rhs, c = s.operands[: counts[0]], s.operands[counts[0] : -1], s.operands[-1]
    if any(len(shape_of(v.type)) != 2 for v in s.operands):
        return None
    m = _Maker(s)
    a = m.factor(lhs[0], lhs[1] if len(lhs) > 1 else None, words[2], k_axis=1)
    b = m.factor(rhs[0], rhs[1] if len(rhs) > 1 else None, words[5], k_axis=0)
    return (*m.ops, O.Dot(s.new(c.type), a, b, c, span=s.span))


@dataclass(slots=True)
class _Maker:
    """Collects the operations of one product."""

    site: Site
    ops: list[Op] = field(default_factory=list)

    def step(self, t: Type, op: type, *operands: object) -> Value:
        value = self.site.step(t)
        self.ops.append(op(value, *operands, span=self.site.span))
        return value

    def const(self, like: Value, value: int | float) -> Value:
        return self.step(like.type, O.Const, value)

    def factor(self, x: Value, scale: Value | None, format_: str, k_axis: int) -> Value:
        """A factor as f32, with K along `k_axis`, times its scales, which lie along K in rows."""
        data = self.pairs(x, k_axis) if format_ == "e2m1" else x
        wide = self.step(with_shape(F32, shape_of(data.type)), O.Cast, "fpext", data) if elem_of(data.type) != F32 else data
        if scale is None:
            return wide
        factors = self.along_k(self.scale(scale), shape_of(wide.type)[k_axis])
        if k_axis == 0:
            rows, k = shape_of(factors.type)
            factors = self.step(Tile((k, rows), F32), O.Trans, factors, (1, 0))
        return self.step(wide.type, O.Binary, "fmul", wide, factors)

    def pairs(self, x: Value, k_axis: int) -> Value:
        """Two E2M1 numbers a byte, unpacked along K."""
        if elem_of(x.type) != Scalar("i8"):
            raise ValueError("E2M1 comes in bytes")
        byte = self.step(with_shape(I32, shape_of(x.type)), O.Cast, "zext", x)
        low = self.e2m1(self.step(byte.type, O.Binary, "and", byte, self.const(byte, 15)))
        high = self.e2m1(self.step(byte.type, O.Binary, "lshr", byte, self.const(byte, 4)))
        rows, columns = shape_of(x.type)
        both = self.step(Tile((rows, columns, 2), F32), O.Join, low, high)
        if k_axis == 1:
            return self.step(Tile((rows, 2 * columns), F32), O.Reshape, both)
        turned = self.step(Tile((rows, 2, columns), F32), O.Trans, both, (0, 2, 1))
        return self.step(Tile((2 * rows, columns), F32), O.Reshape, turned)

    def e2m1(self, code: Value) -> Value:
        """Sign, two bits of exponent, one of fraction, from the last four bits; as the bits of an f32.

        With exponent e above 0: (1 + fraction / 2) · 2^(e - 1); with e = 0: fraction / 2.
        """
        t, flags, numbers = code.type, with_shape(I1, shape_of(code.type)), with_shape(F32, shape_of(code.type))
        size = self.step(t, O.Binary, "and", code, self.const(code, 7))
        shifted = self.step(t, O.Binary, "shl", size, self.const(code, 22))
        normal = self.step(t, O.Binary, "add", shifted, self.const(code, 126 << 23))
        tiny = self.step(flags, O.Cmp, "slt", size, self.const(code, 2))
        fraction = self.step(t, O.Binary, "and", code, self.const(code, 1))
        half = self.step(t, O.Binary, "mul", fraction, self.const(code, 126 << 23))
        positive = self.step(numbers, O.Cast, "bitcast", self.step(t, O.Select, tiny, half, normal))
        negative = self.step(numbers, O.Unary, "fneg", positive)
        is_negative = self.step(flags, O.Cmp, "sge", code, self.const(code, 8))
        return self.step(numbers, O.Select, is_negative, negative, positive)

    def scale(self, x: Value) -> Value:
        """Scales as f32: of E8M0 the exponent's bits; 0 means 2^-127, which is subnormal."""
        shape = shape_of(x.type)
        if elem_of(x.type) != Scalar("i8"):
            return self.step(Tile(shape, F32), O.Cast, "fpext", x)
        code = self.step(Tile(shape, I32), O.Cast, "zext", x)
        bits = self.step(code.type, O.Binary, "shl", code, self.const(code, 23))
        bits = self.step(code.type, O.Binary, "smax", bits, self.const(code, 1 << 22))
        number = self.step(Tile(shape, F32), O.Cast, "bitcast", bits)
        is_nan = self.step(Tile(shape, I1), O.Cmp, "eq", code, self.const(code, 255))
        return self.step(number.type, O.Select, is_nan, self.const(number, nan), number)

    def along_k(self, scales: Value, extent: int) -> Value:
        """Each scale repeated for its run of elements."""
        rows, groups = shape_of(scales.type)
        if extent % groups:
            raise ValueError("scales do not divide K")
        cube = self.step(Tile((rows, groups, 1), F32), O.ExpandDims, scales, 2)
        spread = self.step(Tile((rows, groups, extent // groups), F32), O.Broadcast, cube)
        return self.step(Tile((rows, extent), F32), O.Reshape, spread)
