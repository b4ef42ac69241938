"""Tables of addresses: what the entries point to, over the cells of the integer tensors that give sizes and strides."""

from __future__ import annotations

from collections.abc import Mapping

from argus_smt.capture.domain import Table
from argus_smt.ir.launch import INDEX, Members, Storage, cell_name
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def pointees(table: Table, tensors: Mapping[str, Storage]) -> Members:
    """What a table of the signature points to; `tensors` are the storages of the signature's tensors by name.

    An element `ms[g]` of the signature becomes the cell of its storage, as the signature means the number.
    """
    index = {T.var(table.index): INDEX[0]} if table.index else {}

    def over_cells(t: Term) -> Term:
        while named := [a for a in t.apps if a.data in tensors]:
            innermost = min(named, key=lambda a: len(a.apps & frozenset(named)))
            t = T.substitute(t, {innermost: _cell(innermost, tensors)})
        return T.substitute(t, index)

    dims, strides = (tuple(map(over_cells, terms)) for terms in (table.item.dims, table.item.strides))
    return Members(table.item.dtype, dims, strides, table.item.role, table.item.facts)


def _cell(element_of: Term, tensors: Mapping[str, Storage]) -> Term:
    """The number at an index of an integer tensor: unsigned ones are read as signed."""
    s = tensors[element_of.data]
    scalar = element(s.dtype)
    place = T.add(T.ZERO, *(i * stride for i, stride in zip(element_of.args, s.strides, strict=True)))
    cell = T.app(cell_name(s.ident, scalar.name), place * scalar.nbytes)
    return T.ite(T.ge(cell, 0), cell, cell + (1 << scalar.bits)) if s.dtype.startswith("u") else cell
