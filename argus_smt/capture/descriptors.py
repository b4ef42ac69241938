"""Tensor descriptors that the host makes: what Triton asks of them when they are made, and how a launch passes them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from triton.tools import tensor_descriptor
from triton.tools.tensor_descriptor import TensorDescriptor

from argus_smt.capture.record import Descriptor, Pointer
from argus_smt.capture.world import World
from argus_smt.smt import term as T
from argus_smt.source import Span

ALIGNMENT = 16
"""Bytes: `TensorDescriptor` refuses tensors that do not start at a multiple of it, and strides that are none."""
ASSUMED = f"a tensor that the launcher makes a TensorDescriptor of has its storage at a multiple of {ALIGNMENT} bytes"


@contextlib.contextmanager
def asking(world: World) -> Iterator[None]:
    """While this holds, what `TensorDescriptor` asserts of its tensor is a check: where it fails, the launcher rejects.

    Triton's own assertions run; the start of the tensor, which they skip for a fake one, is asked about here.
    """
    plain, validate = TensorDescriptor.__post_init__, tensor_descriptor.validate_block_shape

    def post_init(self: TensorDescriptor) -> None:
        oracle = world.oracle
        oracle.checking += 1
        try:
            if isinstance(self.base, torch.Tensor):
                start = world.term(self.base.storage_offset()) * self.base.element_size()
                aligned = oracle.check(T.eq(T.mod(start, T.const(ALIGNMENT)), 0), oracle.asker()[0])
                assert aligned, f"base must be {ALIGNMENT}-byte aligned"
                world.registry.told.setdefault(ASSUMED)
            plain(self)
        except (AssertionError, TypeError, ValueError) as error:
            oracle.refused = error
            raise
        finally:
            oracle.checking -= 1

    def validate_known(shape: Any) -> Any:
        """Symbolic sizes of a block become cases, each of which Triton compiles or refuses."""
        return validate([n for n in shape if not isinstance(n, torch.SymInt)])

    TensorDescriptor.__post_init__ = post_init
    tensor_descriptor.validate_block_shape = validate_known
    try:
        yield
    finally:
        TensorDescriptor.__post_init__ = plain
        tensor_descriptor.validate_block_shape = validate


def described(world: World, value: TensorDescriptor, pointer: Pointer, span: Span) -> Descriptor:
    """A descriptor as an argument of a launch; `pointer` is its base."""
    shape = world.terms(value.shape, "the shape of a descriptor", span)
    strides = world.terms(value.strides, "the strides of a descriptor", span)
    block = world.terms(value.block_shape, "the block of a descriptor", span)
    return Descriptor(pointer, shape, strides, block, value.padding)
