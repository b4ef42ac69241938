"""What is raised where an operation on layouts has no result: the message says which sizes stand in the way."""

from __future__ import annotations


class LayoutError(ValueError):
    """A layout that cannot be formed, with one line that says why."""


def is_power_of_two(n: int) -> bool:
    """Whether n is 1, 2, 4, …"""
    return n > 0 and n & (n - 1) == 0


def bits_of(n: int, what: str) -> int:
    """log2 of a size; raises `LayoutError` if it is not a power of two."""
    if not is_power_of_two(n):
        raise LayoutError(f"{what} is {n}, which is not a power of two")
    return n.bit_length() - 1
