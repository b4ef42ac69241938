"""One intercepted launch as data, before it is split into cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from argus_smt.capture.tuples import Nests
from argus_smt.ir.launch import Condition, PointerArg, Storage, Tuning
from argus_smt.smt.term import Term
from argus_smt.source import Span


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is compiled in: a constexpr, None, a string, a dtype. `key` compares it across runs."""

    value: Any = field(compare=False)
    key: str


@dataclass(frozen=True, slots=True)
class Integer:
    """A host integer or boolean. `constexpr`: compiled in; `fixed`: the Triton type the kernel's author wrote.

    `specialize` is false where the author forbade Triton to make a constant of 1.
    """

    term: Term
    constexpr: bool = False
    boolean: bool = False
    fixed: str = ""
    specialize: bool = True


@dataclass(frozen=True, slots=True)
class Pointer:
    """A tensor; `triton` is its type in Triton's signature."""

    arg: PointerArg
    triton: str


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A tensor descriptor that the host made: an array at `pointer`, sizes and strides in elements, and a compiled-in block.

    `padding` is what lanes outside of the array read: `zero` or `nan`.
    """

    pointer: Pointer
    shape: tuple[Term, ...]
    strides: tuple[Term, ...]
    block: tuple[Term, ...]
    padding: str

    def type(self, block: tuple[int, ...]) -> str:
        """Its type in Triton's signature."""
        return f"tensordesc<{self.pointer.triton.removeprefix('*')}[{', '.join(map(str, block))}]>"

    def integers(self, name: str) -> tuple[tuple[str, Integer], ...]:
        """The integers that Triton passes after the pointer, of the types that it gives them."""
        shape = ((f"{name}.shape.{d}", Integer(t, fixed="i32")) for d, t in enumerate(self.shape))
        strides = ((f"{name}.stride.{d}", Integer(t, fixed="i64")) for d, t in enumerate(self.strides))
        return (*shape, *strides)


@dataclass(frozen=True, slots=True)
class Real:
    """A float that is passed at run time; `triton` is its type, `number` its value where that is no symbol."""

    triton: str
    number: float | None = None


Argument = Constant | Integer | Pointer | Descriptor | Real


def pointer_of(a: Argument) -> Pointer | None:
    """The tensor that an argument gives the kernel access to, if any."""
    return a.pointer if isinstance(a, Descriptor) else a if isinstance(a, Pointer) else None


@dataclass(frozen=True, slots=True)
class Record:
    """A launch on one path. `fn` is the JITFunction, `arguments` one an entry of its parameters.

    Items of tuples have entries of their own, `nests` says which tuples they form.
    `content` is the key of the kernel's code and of all it depends on, as they were at the launch.
    """

    kernel: str
    fn: Any = field(compare=False)
    content: str
    kernel_span: Span
    span: Span
    grid: tuple[Term, Term, Term]
    arguments: tuple[tuple[str, Argument], ...]
    storages: tuple[Storage, ...]
    options: tuple[tuple[str, int], ...] = ()
    config: str = ""
    arg_spans: tuple[tuple[str, Span], ...] = field(default=(), compare=False)
    path: tuple[Condition, ...] = ()
    tuning: Tuning | None = None
    nests: Nests = ()
