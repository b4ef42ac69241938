"""Facts about matrix instructions that kernels lean on, each decided by F2 algebra on the lane maps and not believed.

K-slot: a slot of k is an (instruction, group of lanes, element); a product is right exactly if A and B have the same k in
every slot and the slots have every k of the tile once. The order of k in the slots is free.
Chained dot: the transposed result of a product lies as operand A of the next one, under a permutation of its k.
Row reduction: after the elements of a lane are combined, a row is left in the lanes that differ in a few bits.
"""

from __future__ import annotations

from argus_smt.encodings.tables.mfma import LANES, Mfma
from argus_smt.layout import f2
from argus_smt.layout.linear import LinearLayout, linear


def operand_map(instruction: Mfma) -> LinearLayout:
    """(element, lane) → (index, k), where the index is the row of A or the column of B."""
    bases = {
        "element": [instruction.operand(0, 1 << i) for i in range(instruction.k_held.bit_length() - 1)],
        "lane": [instruction.operand(1 << i, 0) for i in range(LANES.bit_length() - 1)],
    }
    return linear(bases, {"index": instruction.m, "k": instruction.k})


def result_map(instruction: Mfma, *, transposed: bool = False) -> LinearLayout:
    """(element, lane) → (row, column) of the result."""
    held = instruction.results_held.bit_length() - 1
    bases = {
        "element": [instruction.result(0, 1 << i, transposed=transposed) for i in range(held)],
        "lane": [instruction.result(1 << i, 0, transposed=transposed) for i in range(LANES.bit_length() - 1)],
    }
    return linear(bases, {"row": instruction.m, "column": instruction.m})


def k_slots_are_right(a: LinearLayout, b: LinearLayout) -> bool:
    """The K-slot lemma: maps from the same slots to `k` of the tile agree, and have each k of the tile exactly once."""
    return a == b and a.out_names == ("k",) and a.is_injective and a.is_surjective


def chained_k(first: Mfma, second: Mfma, *, transposed: bool) -> LinearLayout | None:
    """Which column of the first result stands in each k slot of the second product, if lanes keep their data as operand A.

    Registers are fed in order, `second.k_held` for an instruction, over as few tiles of result side by side as fill one. The
    other operand of the second product must have its k in the order of this map; the identity is the plain order. None
    if some lane holds another row than the instruction takes from it, so that data must move between lanes.
    """
    if first.m != second.m:
        return None
    tiles = max(1, second.k_held // first.results_held)
    calls = max(1, first.results_held // second.k_held)
    result, operand = result_map(first, transposed=transposed), operand_map(second)
    columns = {"row": 1, "column": tiles}
    held = result * linear({"element": [[0, 1 << i] for i in range(tiles.bit_length() - 1)]}, columns)
    slots = operand * linear({"element": [[0, 1 << i] for i in range(calls.bit_length() - 1)]}, {"index": 1, "k": calls})
    rows = held.sublayout(("element", "lane"), ("row",)).columns
    if rows != slots.sublayout(("element", "lane"), ("index",)).columns or held.out_size("column") != slots.out_size("k"):
        return None
    taken = held.sublayout(("element", "lane"), ("column",))
    wanted = slots.sublayout(("element", "lane"), ("k",))
    order = f2.solve(wanted.columns, [1 << i for i in range(slots.out_size("k").bit_length() - 1)])
    if order is None:
        return None
    chain = linear({"k": [[f2.product(taken.columns, source)] for source in order]}, {"column": held.out_size("column")})
    same = all(f2.product(chain.columns, k) == c for k, c in zip(wanted.columns, taken.columns, strict=True))
    return chain if same and chain.is_injective else None


def reduction_steps(instruction: Mfma, *, transposed: bool) -> tuple[int, ...] | None:
    """Xor distances between lanes over which a row is reduced, once each lane has combined its elements.

    None if elements of one lane belong to different rows: then a lane has nothing to combine first.
    """
    rows = result_map(instruction, transposed=transposed).sublayout(("element", "lane"), ("row",))
    if any(row for (row,) in rows.bases("element")):
        return None
    return f2.kernel([row for (row,) in rows.bases("lane")])
