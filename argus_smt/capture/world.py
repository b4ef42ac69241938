"""The symbolic world of one run: torch symbols for the names of the call, fake arguments, summaries of host functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._sympy.functions import CeilToInt, OpaqueUnaryFn_log2, ToFloat
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from argus_smt.capture.domain import INT64, Domain, Tensor
from argus_smt.capture.expressions import power_of_two
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.floats import Floats
from argus_smt.capture.oracle import Env, Oracle
from argus_smt.capture.signature import ScalarType
from argus_smt.capture.sympy_terms import Translator, Untranslatable, to_sympy
from argus_smt.ir.launch import Condition, Symbol
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term
from argus_smt.source import Span

TORCH_DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "f8e4m3fn": torch.float8_e4m3fn, "f8e4m3fnuz": torch.float8_e4m3fnuz, "f8e5m2": torch.float8_e5m2,
    "f8e5m2fnuz": torch.float8_e5m2fnuz,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "i1": torch.bool,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "bool": torch.bool,
}  # fmt: skip
HOST_DTYPES = {v: "i1" if k == "bool" else k for k, v in TORCH_DTYPES.items()}
"""Name of a torch dtype, signedness kept; `argus_smt.ir.types.element` gives the memory type."""


@dataclass(slots=True)
class Registry:
    """What the runs of one exploration share, so that equal things have equal names on all paths."""

    session: Session
    domain: Domain
    symbols: dict[str, Symbol] = field(default_factory=dict)
    facts: dict[str, tuple[Condition, ...]] = field(default_factory=dict)
    """Of each summary symbol."""
    powers: dict[Term, Term] = field(default_factory=dict)
    """The argument of each `next_power_of_2` → its symbol."""
    floats: Floats = field(default_factory=Floats)
    opaque: dict[str, Term] = field(default_factory=dict)
    assumed: dict[Term, str] = field(default_factory=dict)
    readings: dict[tuple[str, int, str, str], str] = field(default_factory=dict)
    """Names of what the host reads from tensors and the machine."""
    unfollowed: set[str] = field(default_factory=set)
    """Readings whose value some path cannot choose freely."""
    told: dict[str, None] = field(default_factory=dict)
    """What the launcher was told of the machine and the environment."""

    def tell(self, text: str) -> None:
        """Note an answer that paths may depend on."""
        self.told.setdefault(f"the launcher was told: {text}")

    def name(self, wish: str) -> str:
        """A name that is not taken; starts with `wish`."""
        taken = {s.name for s in self.domain.symbols} | self.symbols.keys()
        wish = "".join(c if c.isalnum() or c == "_" else "_" for c in wish)
        tail = 1
        out = wish
        while out in taken:
            tail, out = tail + 1, f"{wish}_{tail + 1}"
        return out

    def power_above(self, n: Term) -> Term:
        """The symbol that stands for `next_power_of_2(n)` where n ≥ 1."""
        if n not in self.powers:
            name = self.name(f"np2_{n}" if n.op == "var" else f"np2_{len(self.powers)}")
            p = T.var(name)
            text = f"{name} = next_power_of_2({n})"
            parts = (T.le(n, p), T.or_(T.lt(p, n * 2), T.eq(p, 1)), power_of_two(p))
            self.symbols[name] = Symbol(name, "summary", 1, 1 << 40, f"next_power_of_2({n})")
            self.facts[name] = tuple(Condition(part, "default", text) for part in parts)
            self.powers[n] = p
        return self.powers[n]

    def boolean(self, text: str) -> Term:
        """The boolean that stands for a condition that terms cannot say."""
        if text not in self.opaque:
            self.opaque[text] = T.bvar(text)
        return self.opaque[text]


class World:
    """Symbols of one run. `term` reads any host integer; `integer` makes the host integer of a term."""

    def __init__(self, registry: Registry, script: tuple[bool, ...], file: str) -> None:
        self.registry = registry
        self.env = Env()
        self.fake = FakeTensorMode(shape_env=self.env, allow_non_fake_inputs=True)
        self.fake.cache_enabled = False  # its keys ask about strides that no operation asks about
        self.names: dict[sympy.Symbol, Term] = {}
        self.sympy: dict[str, sympy.Symbol] = {}
        self.storages: dict[int, tuple[Tensor, torch.Tensor]] = {}
        self.addresses: dict[int, Any] = {}
        self.data_count = 0
        self.adopted: list[str] = []
        """Names of the symbols that torch made for what depends on data."""
        domain = registry.domain
        self.oracle = Oracle(registry.session, domain.hypotheses, script, file)
        self.oracle.hypotheses += registry.floats.facts
        self.floats: dict[sympy.Symbol, Term] = {}
        self.translator = Translator(
            _Names(self), self.oracle.known, registry.boolean, self.assume, self.power_above, self.floats,
            self._compare_floats,
        )  # fmt: skip
        self.env.attach(self.oracle, self.translator)
        for s in domain.symbols:
            self.declare(s)

    def declare(self, symbol: Symbol) -> Any:
        """Torch's symbol for a declared name."""
        v = self.env.create_unbacked_symint()
        expr = v.node.expr
        low, high = symbol.lower, symbol.upper
        self.env.var_to_range[expr] = ValueRanges(
            -int_oo if low is None or low <= INT64[0] else low, int_oo if high is None or high >= INT64[1] else high
        )
        self.names[expr] = T.var(symbol.name)
        self.sympy[symbol.name] = expr
        return v

    def data(self, wish: str, lower: int | None = None, upper: int | None = None, about: str = "", kind: str = "data") -> Any:
        """A fresh integer that the host reads from a tensor or the machine."""
        return self.integer(self.register(Symbol(self._data_name(wish), kind, lower, upper, about)))

    def register(self, symbol: Symbol) -> Term:
        """Declare a symbol that is not in the call."""
        self.registry.symbols.setdefault(symbol.name, symbol)
        if symbol.name not in self.sympy:
            self.declare(symbol)
        return T.var(symbol.name)

    def _data_name(self, wish: str, range_: object = None) -> str:
        """A name for a reading; equal on two paths only where it is the same one in order, place and stated range."""
        self.data_count += 1
        key = (wish, self.data_count, str(self.oracle.asker()[0]), str(range_))
        names = self.registry.readings
        if key not in names:
            names[key] = self.registry.name(f"{wish}_{len(names) + 1}")
        return names[key]

    def reading(self, wish: str) -> str:
        """The name of a number that the host gets here; the same on every path that is alike so far."""
        return self._data_name(wish)

    def adopt(self, expr: sympy.Symbol, range_: tuple[Term, Term] | None = None, about: str = "") -> Term:
        """A symbol that torch made, for a size or number that depends on data; `range_` is what is stated of it."""
        name = self._data_name("data", range_)
        about = about or f"a size at line {self.oracle.asker()[0].line} that depends on data"
        self.registry.symbols.setdefault(name, Symbol(name, "unfollowed", None, None, about))
        self.adopted.append(name)
        self.names[expr] = T.var(name)
        self.sympy[name] = expr
        return T.var(name)

    def user_name(self, torch_name: str) -> str:
        """The user's name for one of torch's."""
        return next((str(t) for s, t in self.names.items() if s.name == torch_name), torch_name)

    def real(self, name: str, type_: ScalarType) -> Any:
        """The symbol of a float argument."""
        facts = len(self.registry.floats.facts)
        x = self.registry.floats.argument(name, type_)
        self.oracle.hypotheses += self.registry.floats.facts[facts:]
        v = self.env.create_unbacked_symfloat()
        self.floats[v.node.expr] = x
        return v

    def _compare_floats(self, condition: Term, text: str, negated: str) -> None:
        self.registry.told.setdefault("float arguments are numbers, not NaN")
        self.registry.floats.note(condition, text, negated)

    def assume(self, term: Term, text: str) -> None:
        """Take a condition for granted; it is listed with its reason."""
        self.registry.assumed.setdefault(term, text)
        self.oracle.hypotheses.append(term)

    # ------------------------------------------------------------ values

    def integer(self, t: Term) -> Any:
        """A Python int for a constant term, else a SymInt."""
        if t.op == "const":
            return t.value
        return self.env.create_symintnode(to_sympy(t, self.sympy), hint=None)

    def term(self, v: Any) -> Term:
        """The term of an int, bool or SymInt. Raises Untranslatable."""
        if isinstance(v, int):
            return T.const(int(v))
        return self.translator.integer(self.env.replace(v.node.expr))

    def condition(self, v: Any) -> Term:
        """The term of a bool or SymBool."""
        return T.boolean(v) if isinstance(v, bool) else self.translator.condition(v.node.expr)

    def terms(self, values: Any, what: str, span: Span) -> tuple[Term, ...]:
        """Terms of sizes, strides and the like; ends the path where one cannot be said."""
        try:
            return tuple(self.term(v) for v in values)
        except Untranslatable as error:
            self.oracle.stop(PathEnd(f"{what} holds `{error}`, which has no exact form here", span))
            raise

    def tensor(self, t: Tensor, dtype: str = "") -> torch.Tensor:
        """The fake tensor of a declared one; its storage is remembered under its name."""
        out = torch.empty_strided(
            tuple(map(self.integer, t.dims)), tuple(map(self.integer, t.strides)),
            dtype=TORCH_DTYPES[dtype or t.dtype], device="cpu",
        )  # fmt: skip
        self.storages[storage_key(out)] = (t, out)
        return out

    # ------------------------------------------------------------ summaries

    def next_power_of_2(self, n: Any) -> Any:
        """Triton's function on a host integer: 0 for n ≤ 0 as Triton computes it, else a symbol with its defining facts."""
        if isinstance(n, int):
            return 1 << (n - 1).bit_length() if n > 0 else 0
        span, _ = self.oracle.asker()
        term = self.terms((n,), "the argument of next_power_of_2", span)[0]
        if term.op == "const":
            return self.next_power_of_2(term.value)
        if self.oracle.decide(T.le(term, 0), "branch", span, False):
            return 0
        return self.integer(self.power_above(term))

    def power_above(self, n: Term) -> Term:
        """The symbol for `next_power_of_2(n)` where n ≥ 1, with its facts on this path."""
        p = self.registry.power_above(n)
        facts = self.registry.facts[p.data]
        if facts[0].term not in self.oracle.hypotheses:
            self.oracle.hypotheses.extend(f.term for f in facts)
            self.register(self.registry.symbols[p.data])
        return p

    def bit_length(self, n: Any) -> Any:
        """`n.bit_length()` for n ≥ 0, in a form that `1 << …` and `2 ** …` are recognised over."""
        span, _ = self.oracle.asker()
        term = self.terms((n,), "the argument of bit_length", span)[0]
        if not self.oracle.decide(T.ge(term, 0), "branch", span):
            self.oracle.stop(PathEnd("bit_length of a negative size", span))
        expr = CeilToInt(OpaqueUnaryFn_log2(ToFloat(to_sympy(term + 1, self.sympy))))
        return self.env.create_symintnode(expr, hint=None)


class _Names(dict[sympy.Symbol, Term]):
    """Terms of symbols; one that torch made by itself is adopted when first met."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world

    def __contains__(self, key: object) -> bool:
        return isinstance(key, sympy.Symbol) and key.is_integer is True  # symbols of floats are no integers

    def __getitem__(self, key: sympy.Symbol) -> Term:
        return self.world.names.get(key) or self.world.adopt(key)

    def items(self) -> Any:
        return self.world.names.items()


def storage_key(t: torch.Tensor) -> int:
    """Identity of the allocation behind a tensor, while that lives."""
    return int(t.untyped_storage()._cdata)
