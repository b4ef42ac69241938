"""F2-linear layouts: every bit of register, lane, wave and program contributes a fixed vector, and contributions are xored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from argus_smt.layout import f2
from argus_smt.layout.error import LayoutError, bits_of

Basis = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LinearLayout:
    """A map from named input coordinates to named output coordinates; every size is a power of two."""

    ins: tuple[tuple[str, tuple[Basis, ...]], ...]
    """Input dimension → for each of its bits, lowest first, the output coordinates that it contributes."""
    outs: tuple[tuple[str, int], ...]
    """Output dimension → its size."""

    def __post_init__(self) -> None:
        for name, size in self.outs:
            bits_of(size, f"size of {name}")
        for name, bases in self.ins:
            for basis in bases:
                if len(basis) != len(self.outs):
                    raise LayoutError(f"a basis of {name} has {len(basis)} coordinates, the layout {len(self.outs)}")
                for value, (out, size) in zip(basis, self.outs, strict=True):
                    if not 0 <= value < size:
                        raise LayoutError(f"a basis of {name} has {value} in {out}, whose size is {size}")

    @property
    def in_names(self) -> tuple[str, ...]:
        """Names of the input dimensions."""
        return tuple(name for name, _ in self.ins)

    @property
    def out_names(self) -> tuple[str, ...]:
        """Names of the output dimensions."""
        return tuple(name for name, _ in self.outs)

    def bases(self, name: str) -> tuple[Basis, ...]:
        """The bases of an input dimension, none if it is not there."""
        return dict(self.ins).get(name, ())

    def in_size(self, name: str) -> int:
        """Size of an input dimension; 1 if it is not there."""
        return 1 << len(self.bases(name))

    def out_size(self, name: str) -> int:
        """Size of an output dimension; 1 if it is not there."""
        return dict(self.outs).get(name, 1)

    @property
    def columns(self) -> tuple[int, ...]:
        """The matrix: one column for each input bit; the first output dimension has the lowest bits."""
        return tuple(self.packed(basis) for _, bases in self.ins for basis in bases)

    def packed(self, coordinates: Sequence[int]) -> int:
        """Output coordinates as one vector."""
        vector, shift = 0, 0
        for value, (_, size) in zip(coordinates, self.outs, strict=True):
            vector |= value << shift
            shift += size.bit_length() - 1
        return vector

    def unpacked(self, vector: int) -> Basis:
        """The output coordinates of a vector."""
        found = []
        for _, size in self.outs:
            found.append(vector & size - 1)
            vector >>= size.bit_length() - 1
        return tuple(found)

    def __call__(self, **coordinates: int) -> Basis:
        """Output coordinates of one input; coordinates that are left out are 0."""
        strange = coordinates.keys() - set(self.in_names)
        if strange:
            raise LayoutError(f"the layout has no dimension {min(strange)}; it has {', '.join(self.in_names)}")
        result = [0] * len(self.outs)
        for name, bases in self.ins:
            value = coordinates.get(name, 0)
            if not 0 <= value < 1 << len(bases):
                raise LayoutError(f"{name} is {value}, but its size is {1 << len(bases)}")
            for i, basis in enumerate(bases):
                if value >> i & 1:
                    result = [a ^ b for a, b in zip(result, basis, strict=True)]
        return tuple(result)

    @property
    def rank(self) -> int:
        """Dimension of the image."""
        return f2.rank(self.columns)

    @property
    def image_size(self) -> int:
        """How many different outputs there are."""
        return 1 << self.rank

    @property
    def is_injective(self) -> bool:
        """Whether no two inputs have one output."""
        return self.rank == len(self.columns)

    @property
    def is_surjective(self) -> bool:
        """Whether every output has an input."""
        return self.image_size == prod(size for _, size in self.outs)

    def free_variable_masks(self) -> dict[str, int]:
        """Input dimension → its bits that add nothing to what the bits before them reach."""
        mask, found = f2.dependent(self.columns), {}
        for name, bases in self.ins:
            found[name] = mask & (1 << len(bases)) - 1
            mask >>= len(bases)
        return found

    def sublayout(self, ins: Iterable[str], outs: Iterable[str]) -> LinearLayout:
        """Only the named dimensions, in the order of this layout."""
        chosen, kept = set(ins), set(outs)
        places = [i for i, (name, _) in enumerate(self.outs) if name in kept]
        return LinearLayout(
            tuple((name, tuple(tuple(b[i] for i in places) for b in bases)) for name, bases in self.ins if name in chosen),
            tuple(self.outs[i] for i in places),
        )

    def reordered(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """The same map with its dimensions in another order."""
        if sorted(ins) != sorted(self.in_names) or sorted(outs) != sorted(self.out_names):
            raise LayoutError(f"{', '.join([*ins, *outs])} are not the dimensions of the layout")
        places = [self.out_names.index(name) for name in outs]
        return LinearLayout(
            tuple((name, tuple(tuple(b[i] for i in places) for b in self.bases(name))) for name in ins),
            tuple(self.outs[i] for i in places),
        )

    def __mul__(self, outer: LinearLayout) -> LinearLayout:
        """The direct sum: the other layout's bits follow this one's, in each dimension that both have."""
        outs = dict(self.outs)
        for name, size in outer.outs:
            outs[name] = outs.get(name, 1) * size
        scale = [self.out_size(name) for name in outs]

        def own(basis: Basis, names: tuple[str, ...], factors: list[int]) -> Basis:
            values = dict(zip(names, basis, strict=True))
            return tuple(values.get(name, 0) * factor for name, factor in zip(outs, factors, strict=True))

        ins: dict[str, tuple[Basis, ...]] = {
            name: tuple(own(b, self.out_names, [1] * len(scale)) for b in bases) for name, bases in self.ins
        }
        for name, bases in outer.ins:
            ins[name] = ins.get(name, ()) + tuple(own(b, outer.out_names, scale) for b in bases)
        return LinearLayout(tuple(ins.items()), tuple(outs.items()))

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """`outer` after this layout: its inputs are this layout's outputs, of the same names and no larger."""
        if sorted(self.out_names) != sorted(outer.in_names):
            raise LayoutError(f"outputs {', '.join(self.out_names)} are not the inputs {', '.join(outer.in_names)}")
        return LinearLayout(
            tuple((n, tuple(outer(**dict(zip(self.out_names, b, strict=True))) for b in bases)) for n, bases in self.ins),
            outer.outs,
        )

    def invert(self) -> LinearLayout:
        """The inverse of a bijection."""
        if not (self.is_injective and self.is_surjective):
            raise LayoutError(f"the layout is no bijection: rank {self.rank}, {len(self.columns)} input bits")
        return self.pseudoinvert()

    def pseudoinvert(self) -> LinearLayout:
        """A right inverse of a surjective layout: one input for each output, free variables zero."""
        identity = identity_of(self.outs)
        return identity.invert_and_compose(self)

    def invert_and_compose(self, outer: LinearLayout) -> LinearLayout:
        """The layout c with `outer(c(x)) == self(x)`: where outer holds what this layout has; free variables zero."""
        if sorted(self.out_names) != sorted(outer.out_names):
            raise LayoutError(f"outputs {', '.join(self.out_names)} and {', '.join(outer.out_names)} differ")
        if any(self.out_size(name) > size for name, size in outer.outs):
            raise LayoutError("the outer layout has smaller outputs than the inner one")
        mine = self.reordered(self.in_names, outer.out_names)
        wanted = [outer.packed(basis) for _, bases in mine.ins for basis in bases]
        found = f2.solve(outer.columns, wanted)
        if found is None:
            raise LayoutError("the outer layout does not reach every output of the inner one")
        target = tuple((name, 1 << len(bases)) for name, bases in outer.ins)
        packer, answers = LinearLayout((), target), iter(found)
        return LinearLayout(
            tuple((name, tuple(packer.unpacked(next(answers)) for _ in bases)) for name, bases in mine.ins), target
        )


def linear(ins: Mapping[str, Sequence[Sequence[int]]], outs: Mapping[str, int]) -> LinearLayout:
    """A layout from its bases: `linear({"lane": [[1, 0], [0, 1]]}, {"row": 2, "col": 2})`."""
    return LinearLayout(tuple((n, tuple(tuple(b) for b in bases)) for n, bases in ins.items()), tuple(outs.items()))


def identity(size: int, source: str, target: str) -> LinearLayout:
    """Coordinate i of `source` is coordinate i of `target`."""
    bits = bits_of(size, f"size of {source}")
    return LinearLayout(((source, tuple((1 << i,) for i in range(bits))),), ((target, size),))


def zeros(size: int, source: str, target: str) -> LinearLayout:
    """Every coordinate of `source` is at 0: copies of the same data."""
    bits = bits_of(size, f"size of {source}")
    return LinearLayout(((source, ((0,),) * bits),), ((target, 1),))


def identity_of(dimensions: Iterable[tuple[str, int]]) -> LinearLayout:
    """Each dimension is its own, under its own name."""
    result = LinearLayout((), ())
    for name, size in dimensions:
        result *= identity(size, name, name)
    return result
