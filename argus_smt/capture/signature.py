"""What a signature says, as data: arguments with their types, preconditions, contracts of helpers, the grid of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from argus_smt.ir.types import Scalar
from argus_smt.smt.term import Term

DTYPES = {
    "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64",
    "f8e4m3fn": "f8e4m3fn", "f8e4m3fnuz": "f8e4m3fnuz", "f8e5m2": "f8e5m2",
    "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64", "bool": "i1",
}  # fmt: skip
"""Names of element types in signatures, and the memory type (`argus_smt.ir.types`) of each."""

Literal = int | float | bool | str | None | Term | tuple["Literal", ...]
"""A value that pins an argument; a term is over the symbols."""


@dataclass(frozen=True, slots=True)
class Range:
    """Values allowed: inclusive bounds, or a set of integers."""

    lower: Term | None = None
    upper: Term | None = None
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TensorType:
    """`strides` is None for contiguous; with `strided` each dimension has a stride of its own name."""

    dtype: str
    dims: tuple[Term, ...]
    strides: tuple[Term, ...] | None = None
    strided: bool = False
    range: Range | None = None
    distinct: bool = False
    distinct_except: Term | None = None
    nondecreasing: bool = False
    steps: Range | None = None
    covering: Range | None = None
    role: str = ""

    @property
    def scalar(self) -> Scalar:
        return Scalar(DTYPES[self.dtype])

    @property
    def is_int(self) -> bool:
        return self.scalar.is_int


@dataclass(frozen=True, slots=True)
class ScalarType:
    """`kind` is int | float | bool | str | list | tuple | constexpr; `text` is the range as written.

    `floats` are inclusive bounds of a float, `choices` the only values it has.
    """

    kind: str
    range: Range | None = None
    text: str = ""
    floats: tuple[float, float] | None = None
    choices: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class TableType:
    """A one-dimensional i64 tensor of `count` addresses; entry number `index` points to a tensor of type `item`.

    Dims and strides of `item` may use `index` and elements of integer tensors of the signature, which are written as
    applications `T.app(tensor, indices)`. Without `index` and `count` all entries are alike and their number is not said.
    """

    item: TensorType
    index: str = ""
    count: Term | None = None


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A Python list or tuple (`kind`) whose items have the types of `items`."""

    kind: str
    items: tuple[Type, ...]


Type = TensorType | ScalarType | TableType | SequenceType


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `pinned` means that `value` (a literal, or a term over the symbols) is passed.

    `optional`: None may be passed for it, which the symbol `given` tells.
    """

    name: str
    type: Type
    pinned: bool = False
    value: Literal = None
    position: int = 0
    optional: bool = False

    @property
    def given(self) -> str:
        """Name of the symbol that is 1 where an optional argument is not None, else 0."""
        return f"{self.name}_given"

    @property
    def leaves(self) -> tuple[Argument, ...]:
        """The argument itself, or for a list or tuple its items as arguments `name_0`, `name_1`, …"""
        if not isinstance(self.type, SequenceType):
            return (self,)
        items = (Argument(f"{self.name}_{i}", t, position=self.position) for i, t in enumerate(self.type.items))
        return tuple(leaf for item in items for leaf in item.leaves)


@dataclass(frozen=True, slots=True)
class Where:
    """One condition of a `where` clause; an element fact also names its tensor and index.

    `defines` is the name on the left of `name == term`, which `other` then stands for.
    """

    term: Term
    text: str
    position: int
    tensor: str = ""
    index: tuple[Term, ...] = ()
    defines: str = ""
    other: Term | None = None


@dataclass(frozen=True, slots=True)
class Helper:
    """Contract of a host function, or of a method as `Class.method`: what it returns for any arguments."""

    name: str
    params: tuple[str, ...]
    results: tuple[Type, ...]
    position: int = 0
    text: str = ""

    @property
    def leaves(self) -> tuple[Argument, ...]:
        """The results as arguments of their own."""
        base = self.name.replace(".", "_")
        return tuple(Argument(f"{base}_{i}", r, position=self.position) for i, r in enumerate(self.results))


@dataclass(frozen=True, slots=True)
class Defined:
    """`tensor[index]` is initialised where all `conditions` hold; the names in `index` are bound here."""

    tensor: str
    index: tuple[str, ...]
    conditions: tuple[Term, ...]
    position: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """A parsed signature; `grid` is None for a launcher."""

    name: str
    arguments: tuple[Argument, ...]
    grid: tuple[Term, ...] | None = None
    where: tuple[Where, ...] = ()
    helpers: tuple[Helper, ...] = ()
    defined: tuple[Defined, ...] = ()
    text: str = ""

    @property
    def leaves(self) -> tuple[Argument, ...]:
        """All arguments, those inside of lists and tuples by names of their own."""
        return tuple(leaf for a in self.arguments for leaf in a.leaves)

    @property
    def names_of_arguments(self) -> tuple[str, ...]:
        """Names of the sizes, strides and integers that arguments bring, those of helpers' results left out."""
        out: dict[str, None] = {}
        for a in self.leaves:
            t = a.type.item if isinstance(a.type, TableType) else a.type
            if isinstance(t, TensorType):
                out |= {str(v.data): None for d in (*t.dims, *(t.strides or ())) for v in d.free}
                out |= {f"{a.name}_s{i}": None for i in range(len(t.dims)) if t.strided}
            else:
                out[a.name] = None
        return tuple(out)

    def argument(self, name: str) -> Argument | None:
        """The argument called `name`, if there is one."""
        return next((a for a in self.arguments if a.name == name), None)
