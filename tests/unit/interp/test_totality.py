"""Every operation and every key of the IR's tables has a concrete meaning."""

from __future__ import annotations

import inspect
import typing

import pytest

from argus_smt.interp import floats, machine
from argus_smt.interp.atomics import RMW
from argus_smt.interp.casts import POINTER_CASTS, SCALAR_CASTS
from argus_smt.interp.integers import INT_BINARY, INT_PREDICATES, INT_UNARY
from argus_smt.ir.ops import BINARY, CASTS, PREDICATES, UNARY, AtomicRMW, Op


def test_tables_have_the_keys_of_the_ir() -> None:
    assert set(INT_UNARY) | floats.FLOAT_UNARY_NAMES | set(floats.FLOAT_TESTS) | {"fn"} == UNARY
    assert set(INT_BINARY) | floats.FLOAT_BINARY_NAMES == BINARY
    assert set(INT_PREDICATES) | floats.FLOAT_PREDICATES == PREDICATES
    assert set(SCALAR_CASTS) | POINTER_CASTS == CASTS
    assert not set(INT_UNARY) & floats.FLOAT_UNARY_NAMES
    assert not set(INT_BINARY) & floats.FLOAT_BINARY_NAMES


def test_atomics_have_the_names_that_the_ir_states() -> None:
    doc = inspect.getdoc(AtomicRMW)
    assert doc is not None
    assert set(doc.split("`fn`:")[1].strip(" .").split()) == RMW


@pytest.mark.parametrize("op", typing.get_args(Op), ids=lambda op: op.__name__)
def test_machine_knows_the_operation(op: type) -> None:
    source = inspect.getsource(machine.Machine._execute) + inspect.getsource(machine.Machine._value)
    assert f"{op.__name__}()" in source
