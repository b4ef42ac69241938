"""Programs that wait for each other, in either order of starting, and some that wait for ever."""

from __future__ import annotations

import pytest

from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.interp.woven import run_woven
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Block, Cmp, If, Kernel, Load, ProgramId, Store, Value, While
from argus_smt.ir.types import I1, I32, Ptr
from tests.unit.interp.build import Builder

GRID = (2, 1, 1)


def hand_over(raised_to: int) -> Kernel:
    """Program 0 writes a number and raises a flag; program 1 waits for the flag to be 1 and copies the number."""
    b = Builder()
    data, flag, out = (b.param(Ptr(I32)) for _ in range(3))
    one, zero = b.const(1), b.const(0)
    first = b.let(I1, Cmp, "eq", b.let(I32, ProgramId, 0), zero)

    def produce() -> tuple[Value, ...]:
        b.add(Store, data, b.const(42))
        b.let(I32, AtomicRMW, "xchg", flag, b.const(raised_to), None)
        return ()

    def poll() -> tuple[Value, ...]:
        return (b.let(I1, Cmp, "ne", b.let(I32, AtomicCAS, flag, one, one), one),)

    def consume() -> tuple[Value, ...]:
        b.add(While, (), (), b.inside((), poll), Block((), ()))
        b.add(Store, out, b.let(I32, Load, data, None, None))
        return ()

    b.add(If, (), first, b.inside((), produce), b.inside((), consume))
    return b.kernel()


def memory() -> tuple[Memory, list[PointerValue]]:
    made = Memory([Region(k, f"s{k}", "i32", 4) for k in range(3)])
    return made, [PointerValue(k, 0, 0, 4) for k in range(3)]


@pytest.mark.parametrize("programs", [[(0, 0, 0), (1, 0, 0)], [(1, 0, 0), (0, 0, 0)]])
def test_waiting_ends(programs: list[tuple[int, int, int]]) -> None:
    made, args = memory()
    trace, waits = run_woven(hand_over(1), args, GRID, made, programs, lambda _: None, 1000, lambda: True)
    assert trace.complete
    assert not waits
    assert not trace.events
    assert made.read_elements(2, "i32", 0, 1).tolist() == [42]


def test_one_after_the_other_does_not_end() -> None:
    made, args = memory()
    trace = run_grid(hand_over(1), args, GRID, made, programs=[(1, 0, 0), (0, 0, 0)], step_limit=1000)
    assert not trace.complete


def test_waiting_for_ever_is_seen() -> None:
    made, args = memory()
    trace, waits = run_woven(hand_over(2), args, GRID, made, [(0, 0, 0), (1, 0, 0)], lambda _: None, 10_000, lambda: True)
    assert not trace.complete
    assert [p for p, _ in waits] == [(1, 0, 0)]
    assert not trace.of("limit")


def test_no_time() -> None:
    made, args = memory()
    trace, waits = run_woven(hand_over(2), args, GRID, made, [(1, 0, 0), (0, 0, 0)], lambda _: None, 10_000, lambda: False)
    assert not trace.complete
    assert not waits


def test_faults_of_the_machine_reach_the_caller() -> None:
    made, args = memory()

    def broken(_: object) -> None:
        raise KeyError("watch")

    with pytest.raises(KeyError):
        run_woven(hand_over(1), args, GRID, made, [(0, 0, 0), (1, 0, 0)], broken, 1000, lambda: True)
