"""Proposes a signature for a launcher, and says of each part where it comes from; nothing is proved on its word."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from argus_smt.capture.evidence import Evidence, Slot, evidence_of
from argus_smt.capture.listing import Listing, defaults_of, tensor_names
from argus_smt.capture.pointers import passed_to_pointers
from argus_smt.capture.recorded import Call, Passed
from argus_smt.capture.unify import Sizes, unify

_INDEX_NAMES = ("idx", "index", "indices", "ids", "offset", "lens", "slot", "pos", "table", "cu_")


@dataclass(frozen=True, slots=True)
class Part:
    """One argument as proposed, and the reasons, each in a few words."""

    text: str
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A signature to paste. `doubts` are what to look at before it is used."""

    launcher: str
    line: int
    text: str
    parts: tuple[Part, ...]
    doubts: tuple[str, ...]
    calls: int


def propose(f: ast.FunctionDef, listing: Listing, recorded: Sequence[tuple[int, Call]] = ()) -> Proposal:
    """The proposal for one launcher, from its text and the calls that were recorded."""
    return _Proposer(f, listing, recorded).proposal()


@dataclass(slots=True)
class _Shape:
    """A tensor argument: its rank, and its values over the calls."""

    rank: int
    seen: list[Passed | None] = field(default_factory=list)


class _Proposer:
    def __init__(self, f: ast.FunctionDef, listing: Listing, recorded: Sequence[tuple[int, Call]]) -> None:
        self.f, self.recorded = f, recorded
        self.calls = [call for _, call in recorded]
        self.evidence: Evidence = evidence_of(f, listing.kernels)
        self.args = [a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
        self.defaults = defaults_of(f)
        static = (tensor_names(f) | passed_to_pointers(f, listing.kernels) | self.evidence.tensors.keys()) & set(self.args)
        self.doubts: list[str] = []
        self.tensors = {a: self._shape(a) for a in self.args if self._is_tensor(a, static)}

    def proposal(self) -> Proposal:
        slots = [(a, i) for a, s in self.tensors.items() for i in range(s.rank)]
        self._settle_indices()
        columns = {s: self._column(s) for s in slots} if self.calls else {}
        sizes = unify(slots, self.evidence, columns, self.args)
        parts = [p for a in self.args for p in [self._tensor(a, sizes) if a in self.tensors else self._scalar(a, sizes)] if p]
        where = [(self._filled(text, sizes), shown) for text, shown in self.evidence.where]
        text = f"{self.f.name}({', '.join(p.text for p in parts)})"
        if where:
            text += f" where {', '.join(dict.fromkeys(t for t, _ in where))}"
        parts += [Part(f"where {t}", (shown,)) for t, shown in dict(where).items()]
        return Proposal(self.f.name, self.f.lineno, text, tuple(parts), tuple(self.doubts), len(self.calls))

    # ------------------------------------------------------------ what is a tensor, and of which rank

    def _is_tensor(self, a: str, static: set[str]) -> bool:
        kinds = {call[a].kind for call in self.calls if a in call}
        if "tensor" in kinds:
            if "none" in kinds:
                self.doubts.append(f"`{a}` is None in some calls: prove those with a second signature, with `{a}=None`")
            return True
        return a in static and not kinds

    def _shape(self, a: str) -> _Shape:
        seen = [call.get(a) for call in self.calls]
        ranks = Counter(len(p.shape) for p in seen if p is not None and p.kind == "tensor")
        if ranks:
            rank = ranks.most_common(1)[0][0]
            if len(ranks) > 1:
                others = ", ".join(str(r) for r in ranks if r != rank)
                self.doubts.append(f"`{a}` also has {others} dimensions in some calls: each number needs a signature of its own")
            return _Shape(rank, [p if p is not None and p.kind == "tensor" and len(p.shape) == rank else None for p in seen])
        rank = self.evidence.ranks.get(a, 0)
        if not rank:
            self.doubts.append(f"nothing says how many dimensions `{a}` has: one is a guess")
        return _Shape(rank or 1)

    def _settle_indices(self) -> None:
        """Count negative indices from the start."""

        def settled(slot: Slot) -> Slot:
            shape = self.tensors.get(slot[0])
            return (slot[0], slot[1] + shape.rank) if shape is not None and slot[1] < 0 else slot

        e = self.evidence
        e.names = {settled(s): v for s, v in e.names.items()}
        e.equal = [(settled(a), settled(b), shown) for a, b, shown in e.equal]

    def _column(self, slot: Slot) -> tuple[int | None, ...]:
        return tuple(None if p is None else p.shape[slot[1]] for p in self.tensors[slot[0]].seen)

    # ------------------------------------------------------------ arguments

    def _tensor(self, a: str, sizes: Sizes) -> Part:
        shape = self.tensors[a]
        seen = [p for p in shape.seen if p is not None]
        dtype, because = self._dtype(a, seen)
        slots = [(a, i) for i in range(shape.rank)]
        because += [f"size {s[1]}, `{sizes.text[s]}`: {', '.join(sizes.because[s])}" for s in slots if sizes.because[s]]
        text = f"{a}: {dtype}[{', '.join(sizes.text[s] for s in slots)}]"
        layout, why = self._layout(a, shape.rank, seen)
        range_, shown = self._range(a, dtype, seen, sizes)
        because += [r for r in (why, shown) if r]
        if a in self.evidence.written and not any(call.get(a) is None for call in self.calls):
            range_ += " out"
            because.append(f"out: {self.evidence.written[a]}")
        return Part(text + layout + range_, tuple(because))

    def _dtype(self, a: str, seen: Sequence[Passed]) -> tuple[str, list[str]]:
        found = Counter(p.dtype for p in seen)
        if found:
            dtype = found.most_common(1)[0][0]
            if len(found) > 1:
                self.doubts.append(f"`{a}` is also {', '.join(d for d in found if d != dtype)} in some calls")
            return dtype, [f"{dtype} in {found[dtype]} recorded call{'s' if found[dtype] != 1 else ''}"]
        if a in self.evidence.dtypes:
            dtype, shown = self.evidence.dtypes[a]
            return dtype, [f"{dtype}: {shown}"]
        if any(word in a.lower() for word in _INDEX_NAMES):
            return "i32", ["i32: a guess from its name"]
        return "f32", ["f32: a guess"]

    def _layout(self, a: str, rank: int, seen: Sequence[Passed]) -> tuple[str, str]:
        read = self.evidence.strides.get(a, {})
        if any(not p.contiguous for p in seen):
            return " strided", "strided: not contiguous in some recorded call"
        if self.evidence.contiguous.get(a):
            return "", f"contiguous: {self.evidence.contiguous[a]}"
        if -1 in read or (read and len({i % rank for i in read}) == rank):
            return " strided", f"strided: its strides are read ({next(iter(read.values()))})"
        rows = {i % rank for i in read}
        if rank == 2 and rows == {0}:
            return f"{{{a}_row, 1}}", f"a stride of its own for rows: only `{a}.stride(0)` is read ({next(iter(read.values()))})"
        return "", ""

    def _range(self, a: str, dtype: str, seen: Sequence[Passed], sizes: Sizes) -> tuple[str, str]:
        """What an index tensor may hold: below the smallest size of another tensor that all calls keep under."""
        if dtype[0] not in "iu":
            return "", ""
        held = [(k, p) for k, p in enumerate(self.tensors[a].seen) if p is not None and p.low is not None]
        if not held:
            self.doubts.append(f"state what `{a}` may hold, as in `{a}: {dtype}[…] in [0, V)`, if it is used as an index")
            return "", ""
        low = min(p.low or 0 for _, p in held)
        fits = []
        for b, shape in self.tensors.items():
            for i in range(shape.rank):
                tops = [(shape.seen[k], p.high or 0) for k, p in held]
                if b != a and all(q is not None and q.shape[i] > high for q, high in tops):
                    spare = sum(q.shape[i] - high for q, high in tops if q is not None)
                    fits.append((spare, sizes.text[b, i]))
        if low < 0 or not fits:
            self.doubts.append(f"`{a}` holds {low} to {max(p.high or 0 for _, p in held)} in the calls: state its range")
            return "", ""
        top = min(fits)[1]
        self.doubts.append(f"the range [0, {top}) of `{a}` is read off the recorded calls only")
        return f" in [0, {top})", f"in [0, {top}): the smallest size that all values are below in {len(held)} recorded calls"

    def _scalar(self, a: str, sizes: Sizes) -> Part | None:
        seen = [call[a] for call in self.calls if a in call]
        kinds = {p.kind for p in seen}
        default = self.defaults.get(a)
        if not seen and default is not None and not isinstance(default, ast.Constant):
            return None
        if isinstance(default, ast.Constant) and (not seen or a not in self.calls[0]):
            return self._default(a, default)
        if kinds == {"bool"}:
            return Part(f"{a}: bool", ("both values",))
        if kinds <= {"float", "int"} and "float" in kinds:
            return Part(f"{a}: float", ("a float in recorded calls",))
        if kinds == {"int"}:
            return self._integer(a, [p.value for p in seen if isinstance(p.value, int)], sizes)
        if kinds == {"str"}:
            values = list(dict.fromkeys(p.value for p in seen))
            if len(values) > 1:
                self.doubts.append(f"`{a}` is also {', '.join(map(repr, values[1:]))}: each needs a signature of its own")
            return Part(f"{a}: str = {values[0]!r}", ("its value in recorded calls",))
        if kinds == {"none"}:
            return Part(f"{a}=None", ("None in all recorded calls",))
        if kinds:
            self.doubts.append(f"`{a}` is a {next(p.value for p in seen if p.kind == 'other') if 'other' in kinds else 'mix'}: "
                               "state it by hand")  # fmt: skip
            return None if default is not None else Part(f"{a}: int", ("no type that can be proposed",))
        return Part(f"{a}: int", ("an integer, for nothing says that it is a tensor",))

    def _default(self, a: str, default: ast.Constant) -> Part | None:
        value = default.value
        if isinstance(value, bool):
            return Part(f"{a}: bool", ("both values; its default is " + repr(value),))
        if isinstance(value, float):
            return Part(f"{a}: float", ("any float; its default is " + repr(value),))
        if isinstance(value, int | str):
            return Part(f"{a}: {type(value).__name__} = {value!r}", ("its default",))
        return None

    def _integer(self, a: str, values: list[int], sizes: Sizes) -> Part:
        if len(values) == len(self.calls):
            for (b, i), text in sizes.text.items():
                column = self._column((b, i))
                if all(v == c for v, c in zip(values, column, strict=True)) and len(set(values)) > 1:
                    return Part(f"{a}: int = {text}", (f"equal to size {i} of `{b}` in {len(values)} recorded calls",))
        low = min(values)
        return Part(f"{a}: int" + (f" in [{min(low, 1)}, 2**31 - 1]" if low >= 0 else ""), ("an int in recorded calls",))

    def _filled(self, text: str, sizes: Sizes) -> str:
        for (a, i), name in sizes.text.items():
            for index in (i, i - self.tensors[a].rank):
                text = text.replace(f"{{{a}.{index}}}", name)
        return text
