"""Triton's front end as a function: a `@triton.jit` kernel with a signature → text of its raw TTIR, on a CPU."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from argus_smt.capture.ttir.errors import CompileRefused
from argus_smt.capture.ttir.refusal import refusal

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # Triton warns where it is left open

_PROMISES = ("multiple_of", "max_contiguous", "max_constancy")
_backends: dict[str, tuple[Any, Any]] = {}


def raw_ttir(
    fn: Any,
    signature: Mapping[str, Any],
    constexprs: Mapping[str | tuple[str | int, ...], object],
    *,
    options: Mapping[str, object] | None = None,
    asked: dict[str, Any] | None = None,
) -> str:
    """Text of the module that Triton's front end makes of `fn`, before any pass, for the target gfx942.

    `signature` maps each parameter to its type (`*fp32`, `i32`, `constexpr`, or a tuple of such for a tuple argument).
    `constexprs` maps a parameter to its value, which may be a function or a nested tuple; inside a tuple argument
    the key is a path such as `("args", 1)`. `options` are launch options (num_warps, …); what the front end asks of
    the compiler's options is added to `asked`, also where it refuses: nothing else of them has any part in the result.
    Raises CompileRefused with Triton's reason in one line.
    """
    from triton._C.libtriton import ir
    from triton.compiler import ASTSource

    while not hasattr(fn, "parse") and hasattr(fn, "fn"):  # autotuner and heuristics wrap the kernel
        fn = fn.fn
    target, backend, opts = _setting(options or {})
    opts = opts if asked is None else _Watched(opts, asked)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    try:
        source = ASTSource(fn=fn, signature=_complete(fn, signature), constexprs=_paths(fn, constexprs), attrs={})
        with _promises_kept(), _quiet():
            codegen = backend.get_codegen_implementation(opts)
            module = source.make_ir(target, opts, codegen, backend.get_module_map(), context)
            return str(module.str())
    except Exception as e:
        raise refusal(e) from e


def answers(options: Mapping[str, object], names: Iterable[str]) -> dict[str, Any]:
    """What the front end is told for launch options where it asks for some options of the compiler."""
    opts = _setting(options)[2]
    return {name: getattr(opts, name, None) for name in names}


class _Watched:
    """Options of the compiler that note what of them is read."""

    def __init__(self, options: Any, asked: dict[str, Any]) -> None:
        self.__dict__.update(_options=options, _asked=asked)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._options, name, None)
        self._asked[name] = value
        return getattr(self._options, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"the option {name} is fixed")


def _setting(options: Mapping[str, object]) -> tuple[Any, Any, Any]:
    """Target, backend and parsed options; backends are kept."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    target = GPUTarget("hip", "gfx942", 64)
    key = repr(sorted(options.items()))
    if key not in _backends:
        backend = make_backend(target)
        _backends[key] = (backend, backend.parse_options({**options, "debug": True, "sanitize_overflow": False}))
    return (target, *_backends[key])


def _complete(fn: Any, signature: Mapping[str, Any]) -> dict[str, Any]:
    """The signature in the kernel's order. Raises CompileRefused where names differ."""
    missing = [n for n in fn.arg_names if n not in signature]
    unknown = [n for n in signature if n not in fn.arg_names]
    for names, what in ((missing, "has no type for"), (unknown, "names no parameter")):
        if names:
            raise CompileRefused(f"signature of `{fn.__name__}` {what} `{names[0]}`")
    return {n: signature[n] for n in fn.arg_names}


def _paths(fn: Any, constexprs: Mapping[str | tuple[str | int, ...], object]) -> dict[tuple[int, ...], object]:
    """Constants by position."""
    out: dict[tuple[int, ...], object] = {}
    for key, value in constexprs.items():
        name, rest = (key, ()) if isinstance(key, str) else (str(key[0]), key[1:])
        if name not in fn.arg_names:
            raise CompileRefused(f"`{fn.__name__}` has no parameter `{name}`")
        path = (fn.arg_names.index(name), *map(int, rest))
        out[path] = value
    return out


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Triton's prints and deprecation warnings from the user's terminal."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _promises_kept() -> Iterator[None]:
    """Let `tl.multiple_of` and its like on an argument show up in the IR.

    Triton drops the attribute there, for want of an operation to carry it; an identity bitcast carries it instead.
    """
    from triton._C.libtriton import ir
    from triton.language import semantic

    owner = semantic.TritonSemantic
    originals = {name: getattr(owner, name) for name in _PROMISES}

    def keeping(name: str) -> Any:
        def method(self: Any, x: Any, values: Any) -> Any:
            if isinstance(getattr(x, "handle", None), ir.block_argument):
                x = self.tensor(self.builder.create_bitcast(x.handle, x.type.to_ir(self.builder)), x.type)
            return originals[name](self, x, values)

        return method

    for name in _PROMISES:
        setattr(owner, name, keeping(name))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(owner, name, original)
