"""Every layout is, element by element, the one that Triton computes: bases of random layouts, then the algebra on them."""

from __future__ import annotations

import random
from math import prod

import pytest
from triton._C.libtriton.linear_layout import LinearLayout as TritonLayout

from argus_smt.layout.distributed import THREAD, Blocked, Distributed, DotOperand, Linear, Mfma, Slice, thread_map
from argus_smt.layout.error import LayoutError
from argus_smt.layout.linear import LinearLayout, linear
from argus_smt.layout.shared import Swizzled
from tests.unit.layout.triton_layouts import offset_bases, thread_bases

Case = tuple[Distributed, list[int]]


def power(rng: random.Random, low: int, high: int) -> int:
    return 1 << rng.randint(low, high)


def grid(rng: random.Random, bits: int, rank: int) -> tuple[int, ...]:
    sizes = [1] * rank
    for _ in range(bits):
        sizes[rng.randrange(rank)] *= 2
    return tuple(sizes)


def blocked(rng: random.Random) -> Case:
    rank = rng.randint(1, 3)
    order = tuple(rng.sample(range(rank), rank))
    sizes = grid(rng, rng.randint(0, 4), rank), grid(rng, 6, rank), grid(rng, rng.randint(0, 3), rank)
    return Blocked(*sizes, order), [power(rng, 0, 7 if rank < 3 else 5) for _ in range(rank)]


def mfma(rng: random.Random) -> Case:
    bits = rng.choice([32, 32, 32, 64])
    m = 16 if bits == 64 else rng.choice([16, 32])
    rows, columns = grid(rng, rng.randint(0, 3), 2)
    return Mfma(m, rng.random() < 0.5, (rows, columns), bits), [power(rng, 0, 8), power(rng, 0, 8)]


def operand(rng: random.Random) -> Case:
    parent, shape = mfma(rng)
    assert isinstance(parent, Mfma)
    return DotOperand(rng.randint(0, 1), Mfma(parent.m, parent.transposed, parent.waves), rng.choice([4, 8])), shape


def sliced(rng: random.Random) -> Case:
    layout, shape = rng.choice([blocked, mfma, operand])(rng)
    if len(shape) == 1:
        return sliced(rng)
    axis = rng.randrange(len(shape))
    return Slice(axis, layout), shape[:axis] + shape[axis + 1 :]


def bits_in_order(rng: random.Random) -> Case:
    """Every bit of a tile, handed out at random."""
    shape = [power(rng, 2, 5), power(rng, 3, 5)]
    bits = [[1 << i, 0] for i in range(shape[0].bit_length() - 1)] + [[0, 1 << i] for i in range(shape[1].bit_length() - 1)]
    bits += [[0, 0]] * max(0, 7 - len(bits))
    rng.shuffle(bits)
    lanes, rest = bits[:6], bits[6:]
    cut = rng.randint(0, len(rest))
    registers = [b for b in rest[:cut] if any(b)]
    groups = [tuple(tuple(b) for b in group) for group in (registers, lanes, rest[cut:])]
    return Linear(groups[0], groups[1], groups[2]), shape


@pytest.mark.parametrize("kind", [blocked, mfma, operand, sliced, bits_in_order])
def test_distributed_layouts_are_tritons(kind) -> None:
    rng = random.Random(kind.__name__)
    for _ in range(120):
        layout, shape = kind(rng)
        mine = thread_map(layout, shape)
        assert {name: [list(b) for b in mine.bases(name)] for name in THREAD} == thread_bases(layout, shape), (layout, shape)


def test_swizzled_layouts_are_tritons() -> None:
    rng = random.Random(5)
    for _ in range(120):
        order = (0, 1) if rng.random() < 0.5 else (1, 0)
        layout = Swizzled(power(rng, 0, 4), power(rng, 0, 3), power(rng, 0, 4), order)
        shape = [power(rng, 4, 8), power(rng, 4, 8)]
        assert [list(b) for b in layout.offset_map(shape).bases("offset")] == offset_bases(layout, shape), (layout, shape)


def random_layout(rng: random.Random, outs: dict[str, int], names: tuple[str, ...]) -> LinearLayout:
    return linear({n: [[rng.randrange(s) for s in outs.values()] for _ in range(rng.randint(0, 4))] for n in names}, outs)


def as_triton(layout: LinearLayout) -> TritonLayout:
    bases = [(name, [list(b) for b in group]) for name, group in layout.ins]
    return TritonLayout.from_bases(bases, list(layout.out_names), [size for _, size in layout.outs], False)


def table(layout: TritonLayout | LinearLayout) -> list[tuple[str, list[list[int]]]]:
    groups = layout.ins if isinstance(layout, LinearLayout) else layout.bases
    return [(name, [list(b) for b in group]) for name, group in groups]


def test_properties_composition_and_product_are_tritons() -> None:
    rng = random.Random(6)
    for _ in range(300):
        outs = {"x": power(rng, 0, 4), "y": power(rng, 0, 3)}
        a = random_layout(rng, outs, ("r", "l"))
        assert (a.is_injective, a.is_surjective) == (as_triton(a).is_injective(), as_triton(a).is_surjective())
        b = linear({n: [[rng.randrange(8)] for _ in range(s.bit_length() - 1)] for n, s in outs.items()}, {"z": 8})
        assert table(a.compose(b)) == table(as_triton(a).compose(as_triton(b)))
        c = random_layout(rng, {"y": 4, "x": 2}, ("l", "w"))
        assert table(a * c) == table(as_triton(a) * as_triton(c))


def test_inverses_solve_their_equation_and_are_tritons_where_unique() -> None:
    rng = random.Random(7)
    unique = 0
    for _ in range(1500):
        outs = {"x": power(rng, 0, 3), "y": power(rng, 0, 3)}
        outer, inner = random_layout(rng, outs, ("r", "l")), random_layout(rng, outs, ("o",))
        try:
            answer = inner.invert_and_compose(outer)
        except LayoutError:
            assert not outer.is_surjective
            continue
        assert answer.compose(outer).ins == inner.ins
        if outer.is_injective and outer.is_surjective:
            unique += 1
            assert table(answer) == table(as_triton(inner).invert_and_compose(as_triton(outer)))
            assert table(outer.invert()) == table(as_triton(outer).invert())
    assert unique > 20


def test_rank_counts_the_image_and_free_variables_do_not_matter() -> None:
    rng = random.Random(8)
    for _ in range(100):
        a = random_layout(rng, {"x": 8, "y": 4}, ("r", "l"))
        points = [(r, lane) for r in range(a.in_size("r")) for lane in range(a.in_size("l"))]
        image = {a(r=r, l=lane) for r, lane in points}
        assert len(image) == a.image_size
        free = a.free_variable_masks()
        assert image == {a(r=r, l=lane) for r, lane in points if not r & free["r"] and not lane & free["l"]}
        assert prod(1 << bin(m).count("1") for m in free.values()) * a.image_size == len(points)
