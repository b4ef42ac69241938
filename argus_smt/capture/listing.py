"""What a file offers, read from its text alone: kernels, launchers, and a line to paste for a file without a signature."""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass

from argus_smt.capture.failure import CaptureError
from argus_smt.capture.methods import methods_of
from argus_smt.capture.pointers import passed_to_pointers, pointer_params
from argus_smt.source import Span

_POINTERS = ("_ptr", "ptr", "_p")


@dataclass(frozen=True, slots=True)
class Listing:
    """Functions of a file by role; launchers are those whose body launches `kernel[grid](…)`.

    `methods` may be named in a signature too, but are never looked at unasked.
    """

    file: str
    kernels: tuple[ast.FunctionDef, ...]
    launchers: tuple[ast.FunctionDef, ...]
    functions: tuple[ast.FunctionDef, ...]
    methods: tuple[ast.FunctionDef, ...] = ()

    @property
    def callable(self) -> tuple[ast.FunctionDef, ...]:
        """All that a signature may name."""
        return (*self.functions, *self.methods)


def list_file(path: str, text: str) -> Listing:
    """The listing of a Python file that parses."""
    tree = ast.parse(text)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    kernels = [f for f in functions if any(_is_jit(d) for d in f.decorator_list)]
    names = {k.name for k in kernels}
    launched = {f.name for f in functions if _mentions_launch(f, names)}
    launchers = [f for f in functions if f not in kernels and f.name in launched]
    entries = [k for k in kernels if k.name not in _called_by_kernels(kernels)]
    return Listing(path, tuple(entries), tuple(launchers), tuple(functions), methods_of(tree))


def _is_jit(d: ast.expr) -> bool:
    d = d.func if isinstance(d, ast.Call) else d
    return (isinstance(d, ast.Attribute) and d.attr == "jit") or (isinstance(d, ast.Name) and d.id in ("jit", "gluon_jit"))


def _mentions_launch(f: ast.FunctionDef, kernels: set[str]) -> bool:
    """Whether the body has `name[…](…)`; the name may be a kernel of another module too."""
    for n in ast.walk(f):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript):
            base = n.func.value
            name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
            if name in kernels or not kernels:
                return True
    return False


def _called_by_kernels(kernels: list[ast.FunctionDef]) -> set[str]:
    return {
        n.func.id
        for k in kernels
        for n in ast.walk(k)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id != k.name
    }


def require_kernels(listing: Listing) -> None:
    """Raise CaptureError for a file without kernels."""
    if not listing.kernels and not listing.launchers:
        raise CaptureError("no @triton.jit kernel found", Span(listing.file, 1), code="AR102")


def chosen_launchers(listing: Listing, name: str | None) -> tuple[ast.FunctionDef, ...]:
    """The launchers of a file, or the one function called `name`. Raises CaptureError if there is none."""
    if name:
        require_function(listing, name, False)
        return tuple(f for f in listing.functions if f.name == name)
    require_kernels(listing)
    if not listing.launchers:
        kernels = ", ".join(f"`{k.name}` (line {k.lineno})" for k in listing.kernels)
        help_ = f'kernels found: {kernels}; state one with its grid: --kernel "{propose_kernel(listing.kernels[0])}"'
        raise CaptureError("no launcher in the file", Span(listing.file, listing.kernels[0].lineno), help_, code="AR103")
    return listing.launchers


def require_function(listing: Listing, name: str, kernel: bool) -> None:
    """Raise CaptureError unless the file has the function that a signature names."""
    wanted = listing.kernels if kernel else tuple(f for f in listing.callable if f not in listing.kernels)
    known = [f.name for f in wanted]
    if name in known:
        return
    what = "kernel" if kernel else "launcher"
    near = difflib.get_close_matches(name, known, 1)
    others = ", ".join(f"`{k}`" for k in ([f.name for f in listing.launchers] if not kernel else known))
    hint = f"did you mean `{near[0]}`?" if near else f"the file has {others}" if others else ""
    raise CaptureError(f"no {what} `{name}` in the file", Span(listing.file, 1), hint)


def require_arguments(listing: Listing, name: str, given: list[str]) -> None:
    """Raise CaptureError where a signature leaves out or adds arguments."""
    f = next(f for f in listing.callable if f.name == name)
    a = f.args
    positional = [p.arg for p in (*a.posonlyargs, *a.args)]
    needed = positional[: len(positional) - len(a.defaults)]
    needed += [p.arg for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is None]
    allowed = {*positional, *(p.arg for p in a.kwonlyargs), *((a.vararg.arg,) if a.vararg is not None else ())}
    span = Span(listing.file, f.lineno, f.col_offset + 1)
    missing = [n for n in needed if n not in given]
    if missing:
        raise CaptureError(f"the signature leaves out {_names(missing)} of `{name}`", span)
    extra = [n for n in given if n not in allowed]
    if extra and a.kwarg is None:
        near = difflib.get_close_matches(extra[0], allowed - set(given), 1)
        raise CaptureError(f"`{name}` has no argument {_names(extra)}", span, f"did you mean `{near[0]}`?" if near else "")


def _names(names: list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


# ---------------------------------------------------------------- a line to paste


def no_signature(listing: Listing) -> CaptureError:
    """The error for a file without a signature: what there is, and how to go on."""
    if listing.launchers:
        names = ", ".join(f"`{f.name}` (line {f.lineno})" for f in listing.launchers)
        lines = [f'--call "{propose_call(f, listing.kernels)}"' for f in listing.launchers]
        found = f"launchers found: {names}"
    else:
        names = ", ".join(f"`{f.name}` (line {f.lineno})" for f in listing.kernels)
        lines = [f'--kernel "{propose_kernel(f)}"' for f in listing.kernels]
        found = f"kernels found: {names}"
    first = (*listing.launchers, *listing.kernels)[0]
    more = f"`argus signature {listing.file}` proposes more, from the file's own tests" if listing.launchers else ""
    help_ = "\n".join([found, "state the shapes, for example " + "  or  ".join(lines), *([more] if more else [])])
    return CaptureError("no signature: Argus does not know the shapes", Span(listing.file, first.lineno), help_, code="AR103")


def propose_call(f: ast.FunctionDef, kernels: tuple[ast.FunctionDef, ...] = ()) -> str:
    """A signature guessed from the launcher's body: `M, K = x.shape` names the dims of x."""
    dims = _shapes(f)
    args = [*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs]
    used = tensor_names(f) | passed_to_pointers(f, kernels)
    parts = []
    for a in args:
        if a.arg in dims:
            parts.append(f"{a.arg}: {_dtype(a.arg)}[{', '.join(dims[a.arg])}]")
        elif a.arg in used:
            parts.append(f"{a.arg}: {_dtype(a.arg)}[{a.arg.upper()}_0]")
        else:
            parts.append(_scalar(f, a))
    return f"{f.name}({', '.join(parts)})"


def propose_kernel(f: ast.FunctionDef) -> str:
    """A signature guessed from a kernel's parameters."""
    parts, pointers = [], pointer_params(f)
    for a in f.args.args:
        if a.annotation is not None and "constexpr" in ast.unparse(a.annotation):
            parts.append(f"{a.arg}=64")
        elif a.arg in pointers or a.arg.endswith(_POINTERS):
            parts.append(f"{a.arg}: f32[n]")
        else:
            parts.append(f"{a.arg}: int")
    return f"{f.name}({', '.join(parts)}) grid (1,)"


def _shapes(f: ast.FunctionDef) -> dict[str, list[str]]:
    """Names of dims by tensor, from assignments out of `.shape` and `.size()`."""
    out: dict[str, list[str]] = {}
    single: dict[str, dict[int, str]] = {}
    for n in ast.walk(f):
        if not isinstance(n, ast.Assign) or len(n.targets) != 1:
            continue
        for target, value in _pairs(n.targets[0], n.value):
            tensor, index = _shape_of(value)
            if tensor and index is None and isinstance(target, ast.Tuple):
                out[tensor] = [e.id if isinstance(e, ast.Name) and e.id != "_" else f"{tensor}_{i}"
                               for i, e in enumerate(target.elts)]  # fmt: skip
            elif tensor and index is not None and isinstance(target, ast.Name):
                single.setdefault(tensor, {})[index] = target.id
            elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "numel":
                if isinstance(value.func.value, ast.Name) and isinstance(target, ast.Name):
                    out.setdefault(value.func.value.id, [target.id])
    for tensor, known in single.items():
        rank = max(known) + 1 if min(known) >= 0 else max(max(known) + 1, -min(known))
        names = {i % rank: name for i, name in known.items()}
        out.setdefault(tensor, [names.get(i, f"{tensor}_{i}") for i in range(rank)])
    return out


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _shape_of(value: ast.expr) -> tuple[str, int | None]:
    """The tensor whose shape (or one size) is taken."""
    index: int | None = None
    if isinstance(value, ast.Subscript):
        try:
            index = int(ast.literal_eval(value.slice))
        except (ValueError, TypeError):
            return "", None
        value = value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
        if value.args and isinstance(value.args[0], ast.Constant) and isinstance(value.args[0].value, int):
            index = value.args[0].value
        value = value.func
    elif not (isinstance(value, ast.Attribute) and value.attr == "shape"):
        return "", None
    inner = value.value
    return (inner.id, index) if isinstance(inner, ast.Name) else ("", None)


def tensor_names(f: ast.FunctionDef) -> set[str]:
    """Arguments used as tensors: `x.device`, `torch.empty_like(x)` and the like."""
    out = set()
    for n in ast.walk(f):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
            out.add(n.value.id)
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr.endswith("_like") and n.args:
            if isinstance(n.args[0], ast.Name):
                out.add(n.args[0].id)
    return out


def _dtype(name: str) -> str:
    return "i32" if any(word in name.lower() for word in ("idx", "index", "ids", "offset", "lens", "slot")) else "f32"


def defaults_of(f: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default of each argument that has one."""
    positional = [*f.args.posonlyargs, *f.args.args]
    late = zip([p.arg for p in positional][len(positional) - len(f.args.defaults) :], f.args.defaults, strict=True)
    named = zip([p.arg for p in f.args.kwonlyargs], f.args.kw_defaults, strict=True)
    return {name: d for name, d in (*late, *named) if d is not None}


def _scalar(f: ast.FunctionDef, a: ast.arg) -> str:
    default = defaults_of(f).get(a.arg)
    if isinstance(default, ast.Constant) and isinstance(default.value, float):
        return f"{a.arg}: float"
    if isinstance(default, ast.Constant) and isinstance(default.value, bool | int | str):
        kind = type(default.value).__name__
        return f"{a.arg}: {kind} = {default.value!r}"
    return f"{a.arg}: int"
