"""Host functions with a declared contract: while the launcher runs on symbols, they return what the contract says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from argus_smt.capture.domain import Tensor, bounds
from argus_smt.capture.failure import CaptureError, PathEnd
from argus_smt.capture.ledger import Ledger
from argus_smt.capture.signature import Argument, Helper, Range, ScalarType
from argus_smt.capture.world import World
from argus_smt.ir.launch import Symbol
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


@contextlib.contextmanager
def contracts(world: World, ledger: Ledger, names: dict[str, Any]) -> Iterator[None]:
    """The helpers of the signature are replaced in the module `names`, and put back on leaving."""
    stubs = [(h, Stub(world, ledger, h)) for h in world.registry.domain.signature.helpers]
    with replaced(names, {h.name: stub for h, stub in stubs}):
        yield


@contextlib.contextmanager
def replaced(names: dict[str, Any], functions: dict[str, Callable[..., Any]]) -> Iterator[None]:
    """Functions of a module and methods `Class.method` are others for a while. Raises CaptureError for names it lacks."""
    with contextlib.ExitStack() as stack:
        for path, function in functions.items():
            stack.enter_context(_one_replaced(names, path, function))
        yield


@contextlib.contextmanager
def _one_replaced(names: dict[str, Any], path: str, function: Callable[..., Any]) -> Iterator[None]:
    owner_path, _, last = path.rpartition(".")
    if not owner_path:
        if last not in names:
            raise _missing(path)
        old = names[last]
        names[last] = function
        try:
            yield
        finally:
            names[last] = old
        return
    owner = find(names, owner_path)
    if not hasattr(owner, last):
        raise _missing(path)
    own = last in vars(owner)
    kept = vars(owner).get(last)
    # called on an instance or on the class alike, the function takes whatever comes
    setattr(owner, last, function)
    try:
        yield
    finally:
        if own:
            setattr(owner, last, kept)
        else:
            delattr(owner, last)


def find(names: dict[str, Any], path: str) -> Any:
    """What `path` stands for in a module. Raises CaptureError if there is no such thing."""
    first, *rest = path.split(".")
    if first not in names:
        raise _missing(path)
    out = names[first]
    for name in rest:
        if not hasattr(out, name):
            raise _missing(path)
        out = getattr(out, name)
    return out


def _missing(path: str) -> CaptureError:
    return CaptureError(f"the contract is for `{path}`, which the file does not define or import", code="AR104")


class Stub:
    """Stands for a helper: each call gives fresh results within its contract."""

    def __init__(self, world: World, ledger: Ledger, helper: Helper) -> None:
        self.world, self.ledger, self.helper = world, ledger, helper
        self.calls = 0
        self.__name__ = helper.name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        domain = self.world.registry.domain
        out = [self._result(a, r) for a, r in zip(self.helper.leaves, domain.results[self.helper.name], strict=True)]
        self.ledger.adopt_inputs()
        return out[0] if len(out) == 1 else tuple(out)

    def _result(self, a: Argument, result: Tensor | Term) -> Any:
        if isinstance(result, Tensor):
            return self.world.tensor(result if self.calls == 1 else self._again(a.name, result))
        assert isinstance(a.type, ScalarType)
        term = result if self.calls == 1 else self._fresh(a.name, a.type)
        if a.type.kind == "bool":
            return self.world.oracle.decide(T.eq(term, 1), "branch", self.world.oracle.asker()[0])
        return self.world.integer(term)

    def _fresh(self, name: str, t: ScalarType) -> Term:
        """A number of its own: two calls need not give the same one."""
        about = f"what `{self.helper.name}` returns when it is called for the {_ordinal(self.calls)} time"
        low, high = (0, 1) if t.kind == "bool" else (None, None)
        symbol = Symbol(self.world.reading(name), "int", low, high, about)
        term = self.world.register(symbol)
        for part in (*bounds((symbol,)), *_inside(term, t.range, self.world)):
            self.world.oracle.hypotheses.append(part)
            if part not in bounds((symbol,)):
                self.world.registry.assumed.setdefault(part, f"the contract of `{self.helper.name}`")
        return term

    def _again(self, name: str, made: Tensor) -> Tensor:
        """A tensor of its own, if all of its sizes are sizes of the call and not of the first result."""
        signature = self.world.registry.domain.signature
        known = set(signature.names_of_arguments)
        own = {str(v.data) for d in (*made.dims, *made.strides) for v in d.free} - known
        if own:
            first = sorted(own)[0]
            what = f"`{self.helper.name}` is called twice, and its contract introduces the size `{first}`"
            self.world.oracle.stop(PathEnd(what, self.world.oracle.asker()[0]))
        return Tensor(f"{name}_{self.calls}", made.dtype, made.dims, made.strides, made.role, made.facts)


def _inside(t: Term, r: Range | None, world: World) -> tuple[Term, ...]:
    if r is None:
        return ()
    if r.values:
        return (T.or_(*(T.eq(t, v) for v in r.values)),)
    ends = [None if e is None else world.registry.domain.over_symbols(e) for e in (r.lower, r.upper)]
    return (*(() if ends[0] is None else (T.le(ends[0], t),)), *(() if ends[1] is None else (T.le(t, ends[1]),)))


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third"}.get(n, f"{n}th")
