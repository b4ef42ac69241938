"""Types of Tile IR values: scalars, pointers and tiles of static shape."""

from __future__ import annotations

from dataclasses import dataclass

INT_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOAT_BITS = {
    "f8e4m3fn": 8, "f8e4m3fnuz": 8, "f8e5m2": 8, "f8e5m2fnuz": 8, "f8e4m3b15": 8,
    "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scalar:
    """A signless integer (`i1` … `i64`; operations know the sign) or a float; `name` is a key of the tables above."""

    name: str

    @property
    def is_int(self) -> bool:
        return self.name in INT_BITS

    @property
    def bits(self) -> int:
        return INT_BITS.get(self.name) or FLOAT_BITS[self.name]

    @property
    def nbytes(self) -> int:
        """Bytes that one element takes in memory (a boolean takes one)."""
        return max(1, self.bits // 8)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Ptr:
    """Address of one element; values of this type are (storage, byte offset) pairs."""

    elem: Scalar | Ptr

    @property
    def is_int(self) -> bool:
        return False

    @property
    def nbytes(self) -> int:
        return 8

    def __str__(self) -> str:
        return f"ptr<{self.elem}>"


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of static shape; each extent is a positive integer."""

    shape: tuple[int, ...]
    elem: Scalar | Ptr

    def __str__(self) -> str:
        return f"tile<{'x'.join(map(str, self.shape))}x{self.elem}>"


Type = Scalar | Ptr | Tile

I1, I32, I64 = Scalar("i1"), Scalar("i32"), Scalar("i64")


def elem_of(t: Type) -> Scalar | Ptr:
    """Element type of a tile, or the type itself."""
    return t.elem if isinstance(t, Tile) else t


def shape_of(t: Type) -> tuple[int, ...]:
    """Shape of a tile; () for scalars and pointers."""
    return t.shape if isinstance(t, Tile) else ()


def with_shape(t: Type, shape: tuple[int, ...]) -> Type:
    """The element type of `t` at another shape."""
    return Tile(shape, elem_of(t)) if shape else elem_of(t)


def element(dtype: str) -> Scalar:
    """Element type in memory of a host dtype: unsigned integers are signless, `bool` is `i1`."""
    name = "i1" if dtype == "bool" else f"i{dtype[1:]}" if dtype.startswith("u") else dtype
    return Scalar(name)
