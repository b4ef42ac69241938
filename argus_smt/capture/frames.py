"""Whose code a frame runs: the engine that carries symbols (torch, Triton, Argus), Python's library, or the user."""

from __future__ import annotations

import dis
import os
import sys
import sysconfig
from functools import lru_cache
from types import FrameType

import sympy
import torch
import triton

import argus_smt

ENGINE, LIBRARY, USER = "engine", "library", "user"
_ROOTS = [os.path.dirname(os.path.abspath(m.__file__ or "")) for m in (torch, triton, sympy)]
_BESIDE = [os.path.join(os.path.dirname(_ROOTS[0]), name) for name in ("functorch", "mpmath", "numpy")]
_OWN = [os.path.join(os.path.dirname(os.path.abspath(argus_smt.__file__)), name) for name in ("capture", "ir", "smt")]
_ENGINE = tuple(folder + os.sep for folder in (*_ROOTS, *_BESIDE, *_OWN))
_STANDING_IN = tuple(os.path.join(_OWN[0], name) for name in ("hosts.py", "device.py", "target.py"))
_LIBRARY = tuple({os.path.realpath(sysconfig.get_path(p)) + os.sep for p in ("stdlib", "platstdlib")})


@lru_cache(maxsize=4096)
def kind(filename: str) -> str:
    """ENGINE, LIBRARY or USER for a code object's file name; code without a file counts as the engine's."""
    if filename.startswith("<"):
        return ENGINE
    if filename.startswith(_ENGINE):
        return ENGINE
    real = os.path.realpath(filename)
    if real.startswith(_LIBRARY) and "site-packages" not in real and "dist-packages" not in real:
        return LIBRARY
    return USER


def outside_engine(depth: int = 1) -> FrameType | None:
    """The nearest frame that is not the engine's, from `depth` frames above the caller."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None and kind(frame.f_code.co_filename) == ENGINE:
        frame = frame.f_back
    return frame


def of_user(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's code, from `frame` on."""
    while frame is not None and kind(frame.f_code.co_filename) != USER:
        frame = frame.f_back
    return frame


def asked_by_user() -> bool:
    """Whether a function that stands in for one of torch's or Python's was called by code outside the engine."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in _STANDING_IN:
        frame = frame.f_back
    return frame is not None and kind(frame.f_code.co_filename) != ENGINE


def opname(frame: FrameType) -> str:
    """The instruction that a frame is at."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] if frame.f_lasti >= 0 else ""
