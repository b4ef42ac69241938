"""Between the kinds of layouts: shape:stride and Swizzle<b,m,s> to F2-linear, and back where the map is of that kind."""

from __future__ import annotations

from dataclasses import dataclass

from argus_smt.layout.algebra import coalesce
from argus_smt.layout.error import LayoutError, bits_of
from argus_smt.layout.linear import LinearLayout, linear
from argus_smt.layout.shape_stride import Layout, flat


@dataclass(frozen=True, slots=True)
class Swizzle:
    """Swizzle<b,m,s>: b bits from bit m + s on are xored onto the b bits from bit m on. Its own inverse if s ≥ b."""

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if self.bits < 0 or self.base < 0 or abs(self.shift) < self.bits:
            raise LayoutError(f"Swizzle<{self.bits},{self.base},{self.shift}>: the bits must not overlap, |shift| ≥ bits ≥ 0")

    def __call__(self, offset: int) -> int:
        """The swizzled offset."""
        source, target = self.base + max(self.shift, 0), self.base + max(-self.shift, 0)
        return offset ^ (offset >> source & (1 << self.bits) - 1) << target


def linear_of(layout: Layout, swizzle: Swizzle | None = None) -> LinearLayout:
    """`index` → `offset`, where the sizes are powers of two and sums of digits never carry, so that they are xors.

    Raises `LayoutError` if two digits meet in a bit of the value, or a size or stride is no power of two.
    """
    bases: list[int] = []
    for size, stride in coalesce(layout).modes:
        count = bits_of(size, f"a size of {layout}")
        if stride and count:
            bits_of(stride, f"a stride of {layout}")
        bases += [stride << i for i in range(count)]
    used = [basis for basis in bases if basis]
    if len(set(used)) != len(used):
        raise LayoutError(f"digits of {layout} carry into each other, so that it is not linear over F2")
    out = [swizzle(basis) if swizzle else basis for basis in bases]
    top = max([*out, *used], default=0)
    return linear({"index": [[basis] for basis in out]}, {"offset": 1 << top.bit_length()})


def shape_stride_of(layout: LinearLayout) -> Layout:
    """The shape:stride layout of a map with one input and one output; raises `LayoutError` if bits are mixed, as by a swizzle."""
    if len(layout.ins) != 1 or len(layout.outs) != 1:
        raise LayoutError("only a map from one dimension to one other has a shape:stride form")
    bases = [basis for (basis,) in layout.ins[0][1]]
    used = [basis for basis in bases if basis]
    if any(basis & basis - 1 for basis in used) or len(set(used)) != len(used):
        raise LayoutError("some bit of the output comes from several bits of the input, so that no shape:stride layout is equal")
    return coalesce(flat([(2, basis) for basis in bases]))
