"""Random small Triton kernels with launcher and signature, as source text, about half of them with a fault."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.properties.drafting import (
    BLOCKS,
    Draft,
    Index,
    Tensor,
    bounded,
    flat_indices,
    grid_index,
    padded_index,
    tiled_indices,
)
from tests.properties.transforms import both, transformed


@dataclass(frozen=True, slots=True)
class Generated:
    """A kernel file. `faults` names what was put in on purpose; whether it shows, only execution can tell.

    `tensors` and `ints` are the launcher's arguments in order; each int is below a size and not negative. `parameters`
    are the kernel's tensors in order, `grid` and `constants` (names with values) what the launcher passes.
    """

    seed: int
    source: str
    signature: str
    dims: tuple[str, ...]
    tensors: tuple[Tensor, ...]
    ints: tuple[tuple[str, str], ...]
    faults: tuple[str, ...]
    features: frozenset[str]
    parameters: tuple[Tensor, ...]
    grid: tuple[str, ...]
    constants: tuple[tuple[str, str], ...]


def spread(code: str, place: int, tiles: int) -> str:
    """A one-dimensional tile as the row or column of a matrix, where there are two tiles."""
    return code if tiles < 2 else f"{code}[:, None]" if place == 0 else f"{code}[None, :]"


def joined(d: Draft, indices: tuple[Index, ...]) -> str:
    """Mask of an access: the masks of its indices together."""
    tiles = sum(i.tile for i in indices)
    place, parts = 0, []
    for i in indices:
        if i.mask:
            parts.append(spread(f"({i.mask})", place, tiles if i.tile else 0))
        place += i.tile
    unique = list(dict.fromkeys(parts))
    return (" | " if len(unique) > 1 and d.fault("masks joined by or") else " & ").join(unique)


def strides(d: Draft, t: Tensor) -> list[str]:
    """Strides of a tensor as the kernel names them."""
    if t.strided:
        names = [f"{t.name}_s{k}" for k in range(len(t.dims))]
        if len(names) == 2 and d.fault("strides swapped"):
            names.reverse()
        return names
    out = []
    for k in range(len(t.dims)):
        inner = t.dims[k + 1 :]
        if inner and d.fault("row length of another size"):
            inner = (d.other_dim(inner[0]), *inner[1:])
        out.append(" * ".join(f"({x})" if " " in x else x for x in inner) or "1")
    return out


def address(d: Draft, t: Tensor, indices: tuple[Index, ...]) -> str:
    """Pointer expression of an element or a tile."""
    tiles = sum(i.tile for i in indices)
    place, terms = 0, [f"{t.name}_ptr"]
    for i, stride in zip(indices, strides(d, t), strict=True):
        code = spread(i.code, place, tiles if i.tile else 0)
        terms.append(code if stride == "1" else f"{code} * {stride}")
        place += i.tile
    return " + ".join(terms)


def tensor(d: Draft, indices: tuple[Index, ...], made: bool = False) -> Tensor:
    """A tensor whose sizes are the bounds of the indices."""
    strided = not made and len(indices) > 1 and d.rng.random() < 0.5
    dtype = d.rng.choice(("f32", "f32", "f16", "i32", "i8"))
    found = Tensor(f"{'out' if made else 'x'}{len(d.tensors)}", tuple(i.bound for i in indices), dtype, strided, made)
    d.features.add("symbolic strides" if strided else "contiguous")
    d.tensors.append(found)
    return found


def load(d: Draft, indices: tuple[Index, ...]) -> str:
    """Write a load from a new tensor and give the name of what was read."""
    t = tensor(d, indices)
    mask = joined(d, indices)
    where = d.let("q", address(d, t, indices))
    fill = d.rng.choice(("", ", other=0"))
    full = indices[0].whole if len(indices) == 1 else ""
    if full and d.rng.random() < 0.7:
        d.features.add("fast path")
        name = d.fresh("v")
        d.put(f"if {full if not d.fault('fast path too wide') else full.replace(' + 1', '', 1)}:")
        d.put(f"    {name} = tl.load({where})")
        d.put("else:")
        d.put(f"    {name} = tl.load({where}, mask={mask}, other=0)" if mask else f"    {name} = tl.load({where})")
        return name
    return d.let("v", f"tl.load({where}, mask={mask}{fill})" if mask else f"tl.load({where})")


def store(d: Draft, indices: tuple[Index, ...], value: str) -> None:
    """Write a store to a new tensor."""
    t = tensor(d, indices, made=True)
    mask = joined(d, indices)
    d.put(f"tl.store({address(d, t, indices)}, {value}, mask={mask})" if mask else f"tl.store({address(d, t, indices)}, {value})")


def map_kernel(d: Draft) -> None:
    """Element-wise over one or two indices, each load with an index of its own."""
    match d.pick("one axis", "two axes", "two axes", "flat", "tiled"):
        case "one axis":
            indices: tuple[Index, ...] = (grid_index(d, d.dim()),)
            if d.rng.random() < 0.5:
                store(d, indices, " + ".join((load(d, indices), load(d, (transformed(d, indices[0]),)))))
                return
        case "flat":
            indices = flat_indices(d, d.dim(), d.dim())
            d.features.add("vector of pairs")
            value = " + ".join(load_pair(d, indices) for _ in range(d.rng.randint(1, 2)))
            store_pair(d, indices, value)
            return
        case "tiled":
            indices = tiled_indices(d, d.dim(), d.dim())
        case _:
            first = grid_index(d, d.dim())
            second = padded_index(d, d.dim()) if d.rng.random() < 0.3 else grid_index(d, d.dim())
            indices = (first, second)
    values = [load(d, tuple(transformed(d, i) for i in indices)) for _ in range(d.rng.randint(1, 2))]
    store(d, tuple(transformed(d, i) if d.rng.random() < 0.2 else i for i in indices), " + ".join(values))


def pair_parts(d: Draft, t: Tensor, indices: tuple[Index, ...]) -> tuple[str, str]:
    """Address and mask of an access whose two indices are tiles of one shape."""
    terms = [f"{i.code} * {s}" for i, s in zip(indices, strides(d, t), strict=True)]
    return " + ".join((f"{t.name}_ptr", *terms)), both(*dict.fromkeys(i.mask for i in indices))


def load_pair(d: Draft, indices: tuple[Index, ...]) -> str:
    some = tuple(transformed(d, i) if d.rng.random() < 0.4 else i for i in indices)
    some = some[::-1] if d.rng.random() < 0.3 else some
    where, mask = pair_parts(d, tensor(d, some), some)
    return d.let("v", f"tl.load({where}, mask={mask})" if mask else f"tl.load({where})")


def store_pair(d: Draft, indices: tuple[Index, ...], value: str) -> None:
    where, mask = pair_parts(d, tensor(d, indices, made=True), indices)
    d.put(f"tl.store({where}, {value}, mask={mask})" if mask else f"tl.store({where}, {value})")


def reduce_kernel(d: Draft) -> None:
    """A sum over a loop for each element of one index."""
    i = grid_index(d, d.dim())
    length = d.dim()
    acc = d.let("acc", f"tl.zeros(({next(reversed(d.constants))},), dtype=tl.float32)" if i.tile else "0.0")
    match d.pick("blocks by step", "blocks by count", "pointer advance", "element loop", "nested loops"):
        case "nested loops":
            outer, rows = d.fresh("n"), d.dim()
            d.put(f"for {outer} in range(0, {rows}{' + 1' if d.fault('loop too long') else ''}):")
            d.depth += 1
            element_loop(d, acc, length, (Index(outer, rows, tile=False), i))
            d.depth -= 1
        case "element loop":
            element_loop(d, acc, length, (i,))
        case "pointer advance":
            advancing_loop(d, acc, length, i)
        case style:
            block_loop(d, acc, length, i, style == "blocks by step")
    store(d, (i,), acc)


def summed(i: Index, value: str) -> str:
    """Sum of a loaded tile over the loop's index."""
    return f"tl.sum({value}.to(tl.float32), axis={1 if i.tile else 0})"


def element_loop(d: Draft, acc: str, length: str, outer: tuple[Index, ...]) -> None:
    k = d.fresh("k")
    d.put(f"for {k} in range({length}{' + 1' if d.fault('loop too long') else ''}):")
    d.depth += 1
    conditional = d.rng.random() < 0.3
    inner = Index(k, length, tile=False)
    if conditional:
        d.features.add("condition in loop")
        d.put(f"if {d.rng.choice((f'{k} < 3', f'{k} % 2 == 0', f'{length} > 2'))}:")
        d.depth += 1
    else:
        inner = transformed(d, inner)
    value = load(d, (*outer, inner))
    d.put(f"{acc} += {value}.to(tl.float32)")
    d.depth -= 1 + conditional


def block_loop(d: Draft, acc: str, length: str, i: Index, by_step: bool) -> None:
    block = d.constant("B", str(d.rng.choice(BLOCKS)))
    t = d.fresh("k")
    local = f"tl.arange(0, {block})"
    count = f"tl.cdiv({length}, {block})" + (" + 1" if d.rng.random() < 0.2 else "")
    d.put(f"for {t} in range(0, {length}, {block}):" if by_step else f"for {t} in range(0, {count}):")
    d.depth += 1
    k = d.let("k", f"{t} + {local}" if by_step else f"{t} * {block} + {local}")
    value = load(d, (i, transformed(d, Index(k, length, bounded(d, k, length, local), local=local))))
    d.put(f"{acc} += {summed(i, value)}")
    d.depth -= 1


def advancing_loop(d: Draft, acc: str, length: str, i: Index) -> None:
    block = d.constant("B", str(d.rng.choice(BLOCKS)))
    t = d.fresh("k")
    k = Index(d.let("k", f"tl.arange(0, {block})"), length)
    x = tensor(d, (i, k))
    own = strides(d, x)
    ptrs = d.let("q", address(d, x, (i, k)))
    d.put(f"for {t} in range(0, tl.cdiv({length}, {block})):")
    d.depth += 1
    left = length if d.fault("remaining length forgotten") else f"{length} - {t} * {block}"
    mask = joined(d, (i, Index(k.code, length, bounded(d, k.code, f"({left})", ""))))
    value = d.let("v", f"tl.load({ptrs}, mask={mask}, other=0)" if mask else f"tl.load({ptrs})")
    d.put(f"{acc} += {summed(i, value)}")
    step = own[0] if d.fault("advanced by the wrong stride") else own[1]
    d.put(f"{ptrs} += {block}" if step == "1" else f"{ptrs} += {block} * {step}")
    d.depth -= 1


def condition_kernel(d: Draft) -> None:
    """A few single elements behind conditions on sizes and on the program."""
    n = d.dim()
    d.grid.append(n)
    p = d.let("p", "tl.program_id(0)")
    c = d.rng.randint(1, 4)
    total = d.let("acc", "0.0")
    x = tensor(d, (Index("0", n, tile=False),))
    d.put(f"if {n} {'>=' if d.fault('condition inclusive') else '>'} {c}:")
    d.put(f"    {total} += tl.load({x.name}_ptr + {c}).to(tl.float32)")
    d.put(f"if {p} > 0:")
    d.put(f"    {total} += tl.load({x.name}_ptr + {p} - {2 if d.fault('neighbour too far') else 1}).to(tl.float32)")
    d.put(f"    if {p} + 1 < {n}{' + 1' if d.fault('neighbour past the end') else ''}:")
    d.put(f"        {total} += tl.load({x.name}_ptr + {p} + 1).to(tl.float32)")
    store(d, (transformed(d, Index(p, n, tile=False)),), total)


SHAPES = (map_kernel, map_kernel, map_kernel, reduce_kernel, reduce_kernel, condition_kernel)
DTYPES = {"f32": "float32", "f16": "float16", "i32": "int32", "i8": "int8"}


def signature_of(d: Draft) -> str:
    """The argument list of the launcher, as the decorator takes it."""
    parts = []
    for t in d.tensors:
        if not t.made:
            text = f"{t.name}: {t.dtype}[{', '.join(t.dims)}]" + (" strided" if t.strided else "")
            parts.append(text + (f" in [{t.low}, {t.high})" if t.high else ""))
    return ", ".join(parts + [f"{name}: int in [0, {bound})" for name, bound in d.ints])


def file_of(d: Draft, signature: str) -> str:
    """Source text of kernel and launcher."""
    inputs = [t for t in d.tensors if not t.made]
    params = [f"{t.name}_ptr" for t in d.tensors] + list(d.dims) + [name for name, _ in d.ints]
    values = [t.name for t in d.tensors] + list(d.dims) + [name for name, _ in d.ints]
    for t in d.tensors:
        if t.strided:
            params += [f"{t.name}_s{k}" for k in range(len(t.dims))]
            values += [f"{t.name}.stride({k})" for k in range(len(t.dims))]
    homes = {dim: f"{t.name}.shape[{k}]" for t in reversed(inputs) for k, dim in enumerate(t.dims)}
    device = f"{inputs[0].name}.device"
    made = [
        f"    {t.name} = torch.empty(({', '.join(t.dims)},), dtype=torch.{DTYPES[t.dtype]}, device={device})"
        for t in d.tensors
        if t.made
    ]
    typed = params + [f"{name}: tl.constexpr" for name in d.constants]
    passed = values + [f"{name}={value}" for name, value in d.constants.items()]
    names = [t.name for t in inputs] + [name for name, _ in d.ints]
    return "\n".join((
        "import torch", "import triton", "import triton.language as tl", "", "import argus_smt as argus", "", "",
        "@triton.jit", f"def kernel({', '.join(typed)}):", *d.lines, "", "",
        f'@argus.launch("{signature}")', f"def launch({', '.join(names)}):",
        *(f"    {dim} = {homes[dim]}" for dim in d.dims), *made,
        f"    kernel[({', '.join(d.grid)},)]({', '.join(passed)})",
        f"    return {', '.join(t.name for t in d.tensors if t.made)}", "",
    ))  # fmt: skip


def generate(seed: int) -> Generated:
    """The kernel of a seed. Sizes that no argument of the launcher shows are avoided by drawing again."""
    rng = random.Random(seed)
    while True:
        d = Draft(rng, budget=rng.choice((0, 0, 1, 1, 2)))
        rng.choice(SHAPES)(d)
        shown = {dim for t in d.tensors if not t.made for dim in t.dims}
        if shown.issuperset(d.dims) and d.grid:
            break
    signature = signature_of(d)
    return Generated(
        seed,
        file_of(d, signature),
        signature,
        tuple(d.dims),
        tuple(t for t in d.tensors if not t.made),
        tuple(d.ints),
        tuple(d.faults),
        frozenset(d.features),
        tuple(d.tensors),
        tuple(d.grid),
        tuple(d.constants.items()),
    )
