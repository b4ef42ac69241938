"""Small random launchers: views, copies, allocations, branches, loops and several forms of grids and arguments.

A launcher is text, and so is its signature. Its kernels do next to nothing: what is compared is what they are handed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

HEAD = '''"""A generated launcher."""

import functools

import torch
import triton
import triton.language as tl

TABLE = {4: 16, 7: 2, 8: 32}


@triton.jit
def one(p, n0, n1, n2, s0, s1, s2, k, BLOCK: tl.constexpr, FLAG: tl.constexpr = False):
    if FLAG:
        tl.store(p, 0.0, mask=k > BLOCK)


@triton.jit
def two(ps, shapes, strides, k, D: tl.constexpr, PAIR: tl.constexpr):
    tl.store(ps[0], 0.0, mask=(k > D) & (shapes[0] > PAIR[0]))


@functools.lru_cache(maxsize=None)
def planned(n, m=2):
    return n * 2 + m if n > m else 1


def run(t, k, block=16, flag=False):
    n = list(t.shape) + [1] * (3 - t.dim())
    s = list(t.stride()) + [0] * (3 - t.dim())
    GRID
    one[grid](t, *n, *s, k, BLOCK=block, FLAG=flag)


'''
GRIDS = (
    "grid = (triton.cdiv(n[0], block), n[1])",
    "grid = lambda meta: (triton.cdiv(t.numel(), meta['BLOCK']),)",
    "grid = lambda meta: (n[0], triton.cdiv(n[1], meta['BLOCK']), meta['n2'])",
    "grid = (max(n[0], n[1]) + 1, 1, 2)",
)
DTYPES = ("f32", "f16", "i32")
TORCH = {"f32": "torch.float32", "f16": "torch.float16", "i32": "torch.int32"}


@dataclass(slots=True)
class Variable:
    """A tensor of the launcher: its name, rank, and element type."""

    name: str
    rank: int
    dtype: str


@dataclass(slots=True)
class Launcher:
    """A generated launcher: its source and its signature."""

    seed: int
    source: str = ""
    call: str = ""


@dataclass(slots=True)
class _Draft:
    rng: random.Random
    lines: list[str] = field(default_factory=list)
    tensors: list[Variable] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    count: int = 0
    indent: str = "    "

    def put(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def pick(self, least: int = 1) -> Variable:
        fit = [t for t in self.tensors if t.rank >= least]
        return self.rng.choice(fit or self.tensors)

    def bind(self, text: str, rank: int, dtype: str) -> Variable:
        v = Variable(self.name(), rank, dtype)
        self.put(f"{v.name} = {text}")
        self.tensors.append(v)
        return v

    def size(self) -> str:
        """An integer that is at least 1 for all sizes."""
        r, a, b = self.rng, self.rng.choice(self.sizes), self.rng.choice(self.sizes)
        t = self.pick()
        d = r.randrange(t.rank)
        return r.choice([
            a, a, f"{a} + {r.randint(1, 3)}", f"{a} * {b}", f"triton.cdiv({a}, {r.randint(2, 5)})", f"max({a}, {b})",
            f"min({a}, {b})", f"{a} // 2 + 1", f"{a} % {r.randint(2, 4)} + 1", f"{t.name}.shape[{d}] + 1",
            f"{t.name}.numel() + 1", f"{t.name}.stride({d}) + 1", f"TABLE.get({a}, 3)", f"planned({a}) + 1",
            f"planned({a}, {b}) + 1", f"len(set(({a}, {b})))", f"(5 if {a} in (4, 8) else {b})", f"triton.next_power_of_2({a})",
            f"{t.name}.storage_offset() + 1",
        ])  # fmt: skip


def _transpose(d: _Draft) -> None:
    t = d.pick(2)
    if t.rank < 2:
        return
    i, j = d.rng.sample(range(t.rank), 2)
    order = d.rng.sample(range(t.rank), t.rank)
    text = d.rng.choice([f"{t.name}.transpose({i}, {j})", f"{t.name}.permute{tuple(order)}"])
    d.bind(f"{t.name}.t()" if t.rank == 2 and d.rng.random() < 0.5 else text, t.rank, t.dtype)


def _slice(d: _Draft) -> None:
    t = d.pick()
    n, k = f"{t.name}.shape[{{}}]", d.rng.randrange(t.rank)
    part = d.rng.choice(["1:", ":-1", "::2", f": {n.format(k)} // 2 + 1", f"{n.format(k)} // 2 :", "-1:", ":2", "0:1"])
    d.bind(f"{t.name}[{', '.join([':'] * k + [part])}]", t.rank, t.dtype)


def _select(d: _Draft) -> None:
    t = d.pick(2)
    if t.rank < 2:
        return
    k = d.rng.randrange(t.rank)
    at = d.rng.choice(["0", "-1", f"{t.name}.shape[{k}] - 1", f"{t.name}.shape[{k}] // 2"])
    text = d.rng.choice([f"{t.name}[{', '.join([':'] * k + [at])}]", f"{t.name}.select({k}, {at})"])
    d.bind(text, t.rank - 1, t.dtype)


def _expand(d: _Draft) -> None:
    t = d.pick()
    if t.rank > 2:
        return
    where = d.rng.randrange(t.rank + 1)
    sizes = ["-1"] * (t.rank + 1)
    sizes[where] = d.rng.choice(["2", d.size()])
    d.bind(f"{t.name}.unsqueeze({where}).expand({', '.join(sizes)})", t.rank + 1, t.dtype)


def _reshape(d: _Draft) -> None:
    t = d.pick()
    first, last = f"{t.name}.shape[0]", f"{t.name}.shape[-1]"
    text, rank = d.rng.choice([
        (f"{t.name}.reshape(-1)", 1), (f"{t.name}.flatten()", 1), (f"{t.name}.reshape({first}, -1)", 2),
        (f"{t.name}.reshape(-1, {last})", 2), (f"{t.name}.view({first}, 1, -1)", 3), (f"{t.name}.reshape(1, -1)", 2),
        (f"{t.name}.view(-1)", 1), (f"{t.name}.reshape(-1, 1)", 2),
    ])  # fmt: skip
    d.bind(text, rank, t.dtype)


def _copy(d: _Draft) -> None:
    t = d.pick()
    dtype = d.rng.choice(DTYPES)
    text, to = d.rng.choice([
        (f"{t.name}.contiguous()", t.dtype), (f"{t.name}.clone()", t.dtype), (f"{t.name}.to({TORCH[dtype]})", dtype),
        (f"{t.name} + 1", t.dtype), (f"-{t.name}", t.dtype),
    ])  # fmt: skip
    d.bind(text, t.rank, to)


def _allocate(d: _Draft) -> None:
    t = d.pick()
    dtype = d.rng.choice(DTYPES)
    shape = [d.size() for _ in range(d.rng.randint(1, 3))]
    inside = f"({', '.join(shape)},)"
    text, rank, to = d.rng.choice([
        (f"torch.empty_like({t.name})", t.rank, t.dtype), (f"torch.zeros_like({t.name}, dtype={TORCH[dtype]})", t.rank, dtype),
        (f"torch.empty({inside}, dtype={TORCH[dtype]}, device={t.name}.device)", len(shape), dtype),
        (f"{t.name}.new_zeros({inside})", len(shape), t.dtype),
        (f"torch.full({inside}, 3, dtype={TORCH[dtype]})", len(shape), dtype),
        (f"{t.name}.new_empty({t.name}.shape)", t.rank, t.dtype),
        (f"torch.empty_strided({t.name}.shape, {t.name}.stride(), dtype={TORCH[dtype]})", t.rank, dtype),
    ])  # fmt: skip
    d.bind(text, rank, to)


def _split(d: _Draft) -> None:
    t = d.pick()
    k = d.rng.randrange(t.rank)
    other = d.name()
    v = d.name()
    text = d.rng.choice([
        f"{t.name}.narrow({k}, 0, 1), {t.name}.narrow({k}, {t.name}.shape[{k}] // 2, 1)",
        f"{t.name}.split([1, {t.name}.shape[{k}] - 1], dim={k})",
    ])  # fmt: skip
    d.put(f"{v}, {other} = {text}")
    d.tensors += [Variable(v, t.rank, t.dtype), Variable(other, t.rank, t.dtype)]


def _launch(d: _Draft) -> None:
    t, r = d.pick(), d.rng
    if r.random() < 0.65:
        block = r.choice(["16", "32", f"triton.next_power_of_2({r.choice(d.sizes)})", f"TABLE.get({r.choice(d.sizes)}, 64)",
                          f"min(8, {r.choice(d.sizes)})"])  # fmt: skip
        flag = r.choice(["", f", flag={r.choice(d.sizes)} % 4 == 0", ", flag=True", f", flag={t.name}.is_contiguous()"])
        d.put(f"run({t.name}, {d.size()}, {block}{flag})")
        return
    u = d.pick()
    pair = r.choice(["(1, 2)", f"(min({r.choice(d.sizes)}, 3), 2)"])
    grid = r.choice([f"({t.name}.shape[0],)", f"[{d.size()}, 2]", f"lambda meta: ({t.name}.numel(), meta['D'])"])
    args = f"({t.name}, {u.name}), {t.name}.shape, ({t.name}.stride(), {u.name}.stride())"
    width = r.choice(["4", f"triton.next_power_of_2({r.choice(d.sizes)})"])
    d.put(f"two[{grid}]({args}, {d.size()}, D={width}, PAIR={pair})")


def _branch(d: _Draft) -> None:
    r, t = d.rng, d.pick()
    a, b = r.choice(d.sizes), r.choice(d.sizes)
    test = r.choice([
        f"{a} > {b}", f"{a} % 2 == 0", f"{t.name}.is_contiguous()", f"{t.name}.stride(-1) == 1",
        f"{t.name}.dtype == torch.float16", f"{t.name}.shape[0] == 1", f"{a} in TABLE", f"{t.name}.numel() > 12", "flag",
    ])  # fmt: skip
    kind = r.random()
    if kind < 0.3:
        d.put(f"if {test}:")
        d.put("    return None")
    elif kind < 0.4:
        d.put(f"assert {a} + {b} > 2")
    elif kind < 0.5:
        d.put("try:")
        d.put(f"    {t.name} = {t.name}.view(-1)[None]")
        d.put("except RuntimeError:")
        d.put(f"    {t.name} = {t.name}.reshape(1, -1)")
        t.rank = 2
    else:
        for word in (f"if {test}:", "else:"):
            d.put(word)
            d.indent += "    "
            for _ in range(r.randint(1, 2)):
                _launch(d)
            d.indent = d.indent[4:]


STEPS: tuple[tuple[Callable[[_Draft], None], int], ...] = (
    (_transpose, 3), (_slice, 3), (_select, 2), (_expand, 2), (_reshape, 3), (_copy, 3), (_allocate, 3), (_split, 1),
    (_launch, 4), (_branch, 3),
)  # fmt: skip


def generate(seed: int) -> Launcher:
    """The launcher of a seed."""
    rng = random.Random(seed)
    d = _Draft(rng, sizes=["M", "N", "k"])
    args, unpacked = _inputs(d)
    d.put(unpacked)
    for _ in range(rng.randint(3, 7)):
        step = rng.choices([s for s, _ in STEPS], [w for _, w in STEPS])[0]
        step(d)
    if "xs: " in args:
        d.put("for i, item in enumerate(xs):")
        d.put("    run(item[i:], i + 1)")
    _launch(d)
    d.put("return 0")
    head = HEAD.replace("GRID", rng.choice(GRIDS))
    return Launcher(seed, f"{head}def launch({_names(args)}):\n" + "\n".join(d.lines) + "\n", f"launch({args})")


def _inputs(d: _Draft) -> tuple[str, str]:
    """Arguments as the signature writes them, and the line that unpacks the sizes."""
    r = d.rng
    layout = r.choice(["", "", " strided", "{s, 1}"])
    dtype = r.choice(DTYPES)
    args = [f"x: {dtype}[M, N]{layout}"]
    d.tensors.append(Variable("x", 2, dtype))
    if r.random() < 0.5:
        dims = r.choice(["M", "N", "M, 3, N", "N, M", "2, N"])
        dtype = r.choice(DTYPES)
        args.append(f"y: {dtype}[{dims}]")
        d.tensors.append(Variable("y", dims.count(",") + 1, dtype))
    args += ["k: int in [1, 9]", "flag: bool"]
    if r.random() < 0.3:
        args.append(f"xs: {r.choice(['list', 'tuple'])}[2] of f32[N, M]")
    return ", ".join(args), "M, N = x.shape"


def _names(args: str) -> str:
    depth, names, start = 0, [], 0
    for i, c in enumerate(args + ","):
        depth += (c in "[{(") - (c in "]})")
        if c == "," and depth == 0:
            names.append(args[start:i].split(":")[0].strip())
            start = i + 1
    return ", ".join(names)
