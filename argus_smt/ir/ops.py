"""Operations of the Tile IR: frozen data, one dataclass a kind, no behaviour.

Every value is defined once. `number` is unique in its kernel and keys side tables; facts are never put on
nodes. Element-wise operations want operands of equal shape: broadcasts are explicit, as in Triton's IR.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argus_smt.ir.types import Type
from argus_smt.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value; `name` is what the user called it, or empty."""

    number: int
    type: Type
    name: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"%{self.number}"


@dataclass(frozen=True, slots=True)
class Block:
    """A straight list of operations; `yields` leave it (loop-carried values, results of a branch or combine region)."""

    params: tuple[Value, ...]
    ops: tuple[Op, ...]
    yields: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class _Op:
    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# ---------------------------------------------------------------- values from nowhere


@dataclass(frozen=True, slots=True)
class Const(_Op):
    """A constant, or a tile filled with it. Booleans are the integers 0 and 1; floats may be inf and nan."""

    result: Value
    value: int | float


@dataclass(frozen=True, slots=True)
class Undef(_Op):
    """Poison: any value, a different one at each use."""

    result: Value


@dataclass(frozen=True, slots=True)
class Range(_Op):
    """`start, start + 1, …, end - 1` as a one-dimensional i32 tile."""

    result: Value
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ProgramId(_Op):
    """Index of this program along grid `axis`, 0 ≤ id < extent, i32."""

    result: Value
    axis: int


@dataclass(frozen=True, slots=True)
class NumPrograms(_Op):
    """Extent of the grid along `axis`, i32."""

    result: Value
    axis: int


# ---------------------------------------------------------------- element-wise


@dataclass(frozen=True, slots=True)
class Unary(_Op):
    """One-operand function; `fn` is a key of `UNARY`."""

    result: Value
    fn: str
    operand: Value


@dataclass(frozen=True, slots=True)
class Binary(_Op):
    """Two-operand function; `fn` is a key of `BINARY`. Integer results wrap at the type's width."""

    result: Value
    fn: str
    lhs: Value
    rhs: Value


@dataclass(frozen=True, slots=True)
class Fma(_Op):
    """`a * b + c` on floats."""

    result: Value
    a: Value
    b: Value
    c: Value


@dataclass(frozen=True, slots=True)
class Cmp(_Op):
    """Comparison to i1; `pred` is a key of `PREDICATES`. Pointers compare as unsigned integers."""

    result: Value
    pred: str
    lhs: Value
    rhs: Value


@dataclass(frozen=True, slots=True)
class Select(_Op):
    """`a` where `cond`, else `b`; `cond` may be a scalar over tiles."""

    result: Value
    cond: Value
    a: Value
    b: Value


@dataclass(frozen=True, slots=True)
class Cast(_Op):
    """Conversion; `kind` is a key of `CASTS`."""

    result: Value
    kind: str
    operand: Value


UNARY = frozenset((
    "neg", "abs", "not", "fneg", "fabs", "exp", "exp2", "log", "log2", "log1p", "expm1", "sin", "cos", "tan", "tanh",
    "sqrt", "rsqrt", "erf", "erfc", "log10", "cbrt", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "floor", "ceil", "trunc", "round", "roundeven", "isnan", "isinf", "clz", "ctz", "popc", "fn",
))  # fmt: skip
"""`neg abs not clz ctz popc` are integer; `fn` is an unnamed float function without effect."""

BINARY = frozenset((
    "add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "mulhi_s", "mulhi_u", "and", "or", "xor", "shl", "lshr",
    "ashr", "smin", "smax", "umin", "umax", "fadd", "fsub", "fmul", "fdiv", "frem", "fmin", "fmax", "fminimum",
    "fmaximum", "pow", "atan2",
))  # fmt: skip
"""Integer unless the name says float. `fmin`/`fmax` drop NaN, `fminimum`/`fmaximum` keep it."""

PREDICATES = frozenset((
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "oeq", "one", "olt", "ole", "ogt", "oge",
    "ueq", "une", "fult", "fule", "fugt", "fuge", "ord", "uno", "false", "true",
))  # fmt: skip
"""Integer: eq ne s* u*. Float: ordered `o*` and `ord`, unordered `ueq une fult fule fugt fuge uno`, `false`, `true`."""

CASTS = frozenset((
    "sext", "zext", "trunc", "sitofp", "uitofp", "fptosi", "fptoui", "fpext", "fptrunc", "fptrunc_rz", "bitcast",
    "ptr_to_int", "int_to_ptr", "ptr_cast", "same",
))  # fmt: skip
"""`fptrunc` rounds to nearest, `fptrunc_rz` towards zero; `ptr_cast` changes the pointee type only; `same` is the identity."""

# ---------------------------------------------------------------- shape


@dataclass(frozen=True, slots=True)
class Splat(_Op):
    """A scalar to every element of a tile."""

    result: Value
    operand: Value


@dataclass(frozen=True, slots=True)
class ExpandDims(_Op):
    """A new dimension of extent 1 at `axis`."""

    result: Value
    operand: Value
    axis: int


@dataclass(frozen=True, slots=True)
class Broadcast(_Op):
    """Dimensions of extent 1 repeated up to the result's shape; same rank."""

    result: Value
    operand: Value


@dataclass(frozen=True, slots=True)
class Reshape(_Op):
    """Row-major reshape. With `reorder` the elements may come in any order."""

    result: Value
    operand: Value
    reorder: bool = False


@dataclass(frozen=True, slots=True)
class Trans(_Op):
    """Permuted dimensions: result dimension i is operand dimension `order[i]`."""

    result: Value
    operand: Value
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Join(_Op):
    """Two tiles side by side in a new last dimension of extent 2."""

    result: Value
    lhs: Value
    rhs: Value


@dataclass(frozen=True, slots=True)
class Split(_Op):
    """Inverse of `Join`: the two halves of a last dimension of extent 2."""

    results: tuple[Value, Value]
    operand: Value


@dataclass(frozen=True, slots=True)
class Cat(_Op):
    """Concatenation of one-dimensional tiles; Triton may reorder the elements."""

    result: Value
    lhs: Value
    rhs: Value


@dataclass(frozen=True, slots=True)
class Unsplat(_Op):
    """The only element of a one-element tile."""

    result: Value
    operand: Value


# ---------------------------------------------------------------- memory


@dataclass(frozen=True, slots=True)
class AddPtr(_Op):
    """Pointer advanced by `offset` elements of its pointee, in 64 bits (a narrower offset is sign-extended)."""

    result: Value
    ptr: Value
    offset: Value


@dataclass(frozen=True, slots=True)
class Load(_Op):
    """Read where `mask` (everywhere if None); masked lanes give `other`, or an undefined value if None.

    An atomic one has an ordering `sem` (relaxed or acquire) and a `scope`; they are empty for a plain one.
    """

    result: Value
    ptr: Value
    mask: Value | None = None
    other: Value | None = None
    volatile: bool = False
    sem: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Store(_Op):
    """Write `value` where `mask`. An atomic one has an ordering `sem` (relaxed or release) and a `scope`."""

    ptr: Value
    value: Value
    mask: Value | None = None
    sem: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class AtomicRMW(_Op):
    """Atomic read-modify-write; gives the old value. `fn`: add fadd and or xor smax smin umax umin fmax fmin xchg."""

    result: Value
    fn: str
    ptr: Value
    value: Value
    mask: Value | None
    sem: str = "acq_rel"
    scope: str = "gpu"


@dataclass(frozen=True, slots=True)
class AtomicCAS(_Op):
    """Atomic compare and swap; gives the old value."""

    result: Value
    ptr: Value
    compare: Value
    value: Value
    sem: str = "acq_rel"
    scope: str = "gpu"


@dataclass(frozen=True, slots=True)
class Barrier(_Op):
    """All threads of the program wait for each other."""


# ---------------------------------------------------------------- tile-wide


@dataclass(frozen=True, slots=True)
class Dot(_Op):
    """`a @ b + c`; shapes (…, M, K), (…, K, N), (…, M, N)."""

    result: Value
    a: Value
    b: Value
    c: Value


@dataclass(frozen=True, slots=True)
class Reduce(_Op):
    """Reduction over `axis`, one result an operand.

    `combine` takes the elements of all operands twice (a₀ … aₙ, b₀ … bₙ) and yields one of each.
    """

    results: tuple[Value, ...]
    operands: tuple[Value, ...]
    axis: int
    combine: Block


@dataclass(frozen=True, slots=True)
class Scan(_Op):
    """Inclusive scan along `axis`."""

    results: tuple[Value, ...]
    operands: tuple[Value, ...]
    axis: int
    reverse: bool
    combine: Block


@dataclass(frozen=True, slots=True)
class Gather(_Op):
    """`operand` picked along `axis` by an integer tile of in-tile indices."""

    result: Value
    operand: Value
    index: Value
    axis: int


@dataclass(frozen=True, slots=True)
class Histogram(_Op):
    """How often each of 0, 1, … occurs among the elements of a one-dimensional tile, where `mask`; others do not count."""

    result: Value
    operand: Value
    mask: Value | None = None


@dataclass(frozen=True, slots=True)
class Map(_Op):
    """A scalar function applied to each element of tiles of one shape; one result tile for each yield of `body`."""

    results: tuple[Value, ...]
    operands: tuple[Value, ...]
    body: Block


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assume(_Op):
    """The author promises `cond` (a scalar i1)."""

    cond: Value


@dataclass(frozen=True, slots=True)
class Assert(_Op):
    """Device assert; every element of `cond` must be true (where `mask`, if there is one)."""

    cond: Value
    message: str
    mask: Value | None = None


@dataclass(frozen=True, slots=True)
class Hint(_Op):
    """The author promises a property of an integer or pointer value, one number a dimension.

    `kind` is `divisibility`, `contiguity` or `constancy` (Triton's multiple_of, max_contiguous, max_constancy).
    """

    operand: Value
    kind: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opaque(_Op):
    """An operation without a meaning here: results are unknown, `reason` says why.

    `effects` is true where it may read or write memory that the operands point to.
    """

    results: tuple[Value, ...]
    name: str
    operands: tuple[Value, ...]
    reason: str
    effects: bool = False


# ---------------------------------------------------------------- control


@dataclass(frozen=True, slots=True)
class For(_Op):
    """Counted loop: the counter (`body.params[0]`) runs lower, lower + step, … while it is < upper (signed), step > 0.

    `body.params[1:]` are the carried values, `body.yields` their next values, `results` the last ones.
    """

    results: tuple[Value, ...]
    lower: Value
    upper: Value
    step: Value
    inits: tuple[Value, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class While(_Op):
    """`before` computes from the carried values its yields: first the i1 condition, then what is passed on.

    While the condition holds, `after` turns what is passed on into the next carried values; else it is the results.
    """

    results: tuple[Value, ...]
    inits: tuple[Value, ...]
    before: Block
    after: Block


@dataclass(frozen=True, slots=True)
class If(_Op):
    """Both branches yield one value a result."""

    results: tuple[Value, ...]
    cond: Value
    then: Block
    orelse: Block


Op = (
    Const | Undef | Range | ProgramId | NumPrograms | Unary | Binary | Fma | Cmp | Select | Cast
    | Splat | ExpandDims | Broadcast | Reshape | Trans | Join | Split | Cat | Unsplat
    | AddPtr | Load | Store | AtomicRMW | AtomicCAS | Barrier | Dot | Reduce | Scan | Gather | Histogram | Map
    | Assume | Assert | Hint | Opaque | For | While | If
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with helpers inlined and early returns structured; `body.params` are its run-time arguments in order.

    `params` names them as the user does; `span` is the `def` line.
    """

    name: str
    body: Block
    params: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)
