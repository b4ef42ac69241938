"""What a launcher does, as data that capture writes and the prover reads: symbols, storages, launches and their cases.

Integers are terms over the symbols. A name that occurs in a term is declared in `Program.symbols`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from argus_smt.ir.ops import Kernel
from argus_smt.smt import term as T
from argus_smt.smt.term import TRUE, Term
from argus_smt.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """An integer that the launch is symbolic in.

    `kind`: dim | stride | int | summary (defined by facts, e.g. a next power of two) | data (read from a tensor on
    the host) | unfollowed (such a number that not every value can be chosen for). `lower`/`upper` are inclusive; None is
    unbounded. `about` says it in words: "size 0 of `x`".
    """

    name: str
    kind: str
    lower: int | None = None
    upper: int | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A precondition with its origin: `source` is call | assert | check | default | branch | case | limit | compiler.

    One of source `opaque` (its term is true) says in `text` what the path of a launch depends on beyond its terms: some
    points of the region may not be on the path. A boolean variable stands for the condition over floats it is named after.
    """

    term: Term
    source: str
    text: str = ""
    span: Span = NOWHERE


INDEX = tuple(T.var(f"$e{d}") for d in range(8))
"""The index of an element, in the terms of `Facts.element` and `Facts.running`."""


def cell_name(storage: int, dtype: str) -> str:
    """The function that stands for the integers of type `dtype` at each byte of a storage, when a kernel starts."""
    return f"m{storage}:{dtype}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the signature states of an integer tensor's contents; terms are over the symbols, ranges inclusive."""

    lower: Term | None = None
    upper: Term | None = None
    values: tuple[int, ...] = ()
    distinct: bool = False
    distinct_except: Term | None = None
    nondecreasing: bool = False
    steps: tuple[Term, Term] | None = None
    covering: tuple[Term, Term] | None = None
    elements: tuple[tuple[tuple[Term, ...], Term], ...] = ()
    """`((index, …), value)`: single elements known to equal a term."""
    element: Term | None = None
    """Every element exactly, over `INDEX` and cells of other storages as they are when the kernel starts."""
    running: Term | None = None
    """Element i is the sum of this over the indices 0 … i (of one dimension)."""

    @property
    def exact(self) -> bool:
        """Whether the contents follow from those of other storages."""
        return self.element is not None or self.running is not None


@dataclass(frozen=True, slots=True)
class Members:
    """What a table of addresses points to: its entry number `INDEX[0]` to the start of a tensor of its own.

    Terms are over the symbols, `INDEX[0]` and cells of integer tensors as they are when the kernel starts.
    """

    dtype: str
    shape: tuple[Term, ...]
    strides: tuple[Term, ...]
    role: str = ""
    facts: Facts | None = None

    @property
    def reads(self) -> frozenset[str]:
        """Names of the functions that stand for the integer tensors which sizes and strides are read from."""
        return frozenset(a.data for t in (*self.shape, *self.strides) for a in t.apps)


def members_of(storage: int) -> int:
    """The number that stands for all tensors together that the table in a storage points to; and back."""
    return -1 - storage


@dataclass(frozen=True, slots=True)
class Storage:
    """One allocation. `nbytes` is its extent as a term; views and kernel arguments point into it.

    `contents`: input | uninit | fill <value> | computed <op> | kernel, as the host left it before the launch.
    `shape`/`strides` (elements) describe the tensor that owns it, for facts and for AR307.
    """

    ident: int
    name: str
    dtype: str
    nbytes: Term
    shape: tuple[Term, ...]
    strides: tuple[Term, ...]
    contents: str = "input"
    role: str = ""
    """`out`, `inout`, `uninit` or empty, as the signature says."""
    facts: Facts | None = None
    members: Members | None = None
    """Set for a table of addresses, one of 64 bits after the other."""
    rewritten: int = 0
    """How often the host has written into it after it was made: between two launches that show the same number, never."""


@dataclass(frozen=True, slots=True)
class PointerArg:
    """A tensor argument: a view into a storage. `offset` in bytes from its start; shape and strides in elements.

    The span of the view is what the kernel may touch: bytes offset … offset + (Σ (shape - 1)·stride + 1)·itemsize.
    """

    storage: int
    dtype: str
    offset: Term
    shape: tuple[Term, ...]
    strides: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ScalarArg:
    """An integer or boolean argument of Triton type `dtype` (i1, i32, i64, u64); floats have `value` None.

    `number` is a float that is the same in every launch; None if it is not, or for integers.
    """

    dtype: str
    value: Term | None
    number: float | None = None


Arg = PointerArg | ScalarArg


def extent_bytes(shape: Sequence[Term], strides: Sequence[Term], item: int) -> Term:
    """Bytes that a view spans from its first element, for extents of at least 1; strides in elements of `item` bytes."""
    last = T.ZERO
    for n, s in zip(shape, strides, strict=True):
        last = last + (n - 1) * s
    return (last + 1) * item


@dataclass(frozen=True, slots=True)
class Case:
    """One compiled form of a launch: it stands for the launches that satisfy `condition`.

    `label` for people ("BLOCK = 64", "n is i64"); `values` the constexprs. `args` belong to `kernel.params`, one each.
    """

    label: str
    condition: tuple[Condition, ...]
    values: tuple[tuple[str, str], ...]
    kernel: Kernel
    args: tuple[Arg, ...]
    options: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A case that Triton does not compile: it becomes the precondition `not condition`, with Triton's message."""

    label: str
    condition: tuple[Condition, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Tuning:
    """Runs of an autotuned kernel before the one that counts: `configs` of them compete on the arguments themselves.

    Storages in `restored` are as before at the start of each run. `hook`: what else the user's own code restores, in words.
    """

    configs: int
    restored: tuple[int, ...] = ()
    hook: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of one kernel on one path of the launcher. `grid` has three terms.

    `arg_spans` gives, for kernel parameters, where in the launch call each argument is written.
    """

    kernel: str
    kernel_span: Span
    span: Span
    path: tuple[Condition, ...]
    grid: tuple[Term, Term, Term]
    storages: tuple[Storage, ...]
    cases: tuple[Case, ...]
    refusals: tuple[Refusal, ...] = ()
    config: str = ""
    arg_spans: tuple[tuple[str, Span], ...] = ()
    limits: tuple[Condition, ...] = ()
    """What the cases take for granted of the width of integer arguments; it belongs to the verdict's own line."""
    tuning: Tuning | None = None
    """Set where several configurations of the kernel are measured."""
    group: int = 0
    """Launches of one group are those of one path, in the order in which they happen; other groups are other paths."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Elements that must have been written once `after` launches of a group are over: somebody looks at them then.

    `view` is the tensor looked at; None if its sizes cannot be said. `what`: returned | out | read, by the host.
    `part`: the host itself wrote some of the storage. Storages that the host wrote wholly are never demanded.
    """

    storage: int
    after: int
    view: PointerArg | None
    what: str
    part: bool = False
    span: Span = field(default=NOWHERE, compare=False)
    group: int = 0


@dataclass(frozen=True, slots=True)
class NotCovered:
    """A region of the preconditions for which nothing is claimed, and why.

    `rejected` regions are those where the launcher itself raises: they leave the preconditions.
    """

    condition: Term
    reason: str
    span: Span = NOWHERE
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class Defined:
    """`tensor[index]` is initialised where `condition` holds: the signature's word, which nothing here uses yet.

    The names in `index` are bound; elements of integer tensors are applications of the tensor's name.
    """

    tensor: str
    index: tuple[str, ...]
    condition: Term
    text: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """All that a launcher does for one signature."""

    file: str
    launcher: str
    call: str
    symbols: tuple[Symbol, ...]
    preconditions: tuple[Condition, ...]
    launches: tuple[Launch, ...]
    not_covered: tuple[NotCovered, ...] = ()
    notes: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    seconds: tuple[tuple[str, float], ...] = field(default=(), compare=False)
    """Where the capture spent its time: imports, launcher, compile."""
    coverage: Term = TRUE
    """Region of the preconditions that the launches together cover, as found by the search of paths."""
    defined: tuple[Defined, ...] = ()
    """Which elements of inputs are initialised, as the signature says; others of these inputs are not."""
    explored: tuple[tuple[str, int], ...] = ()
    """Paths through the launcher that were followed, by how they end: launches, nothing, rejects, unknown, pin."""
    exhausted: bool = True
    """Whether these paths provably cover all that the preconditions allow."""
    demands: tuple[Demand, ...] = ()
    """What must be written, and when. Paths that launch nothing have none."""
