"""A layout drawn as SVG: a cell an element, coloured by wave and lane, with its register; marked cells have a red edge."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from argus_smt.layout.distributed import Distributed, dimension, thread_map
from argus_smt.layout.error import LayoutError

CELL = 28
MOST_CELLS = 1 << 16


def draw(layout: Distributed, shape: Sequence[int], marked: Collection[tuple[int, int]] = ()) -> str:
    """The picture of a tile of one or two axes; of copies, the one whose spare bits are zero is shown."""
    if len(shape) not in (1, 2) or shape[0] * shape[-1] > MOST_CELLS:
        raise LayoutError(f"only tiles of one or two axes, of up to {MOST_CELLS} elements, are drawn")
    inverse = thread_map(layout, shape).pseudoinvert()
    rows, columns = (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])
    cells = []
    for row in range(rows):
        for column in range(columns):
            at = (column,) if len(shape) == 1 else (row, column)
            place = dict(zip(inverse.out_names, inverse(**{dimension(i): c for i, c in enumerate(at)}), strict=True))
            cells.append(_cell(row, column, place, (row, column) in marked))
    size = f'width="{columns * CELL}" height="{rows * CELL}"'
    style = "text{font:8px monospace;text-anchor:middle}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>\n' + "\n".join(cells) + "\n</svg>\n"


def _cell(row: int, column: int, place: dict[str, int], marked: bool) -> str:
    hue, light = place["wave"] * 137 % 360, 60 + place["lane"] % 16 * 2
    edge = 'stroke="red" stroke-width="3"' if marked else 'stroke="white"'
    x, y = column * CELL, row * CELL
    about = ", ".join(f"{name} {value}" for name, value in place.items())
    return (
        f'<g><title>[{row}, {column}]: {about}</title><rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" '
        f'fill="hsl({hue},60%,{light}%)" {edge}/><text x="{x + CELL // 2}" y="{y + 11}">L{place["lane"]}</text>'
        f'<text x="{x + CELL // 2}" y="{y + 22}">r{place["register"]}</text></g>'
    )
