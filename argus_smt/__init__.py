"""Argus: a symbolic verifier for GPU tile kernels."""

from __future__ import annotations

from argus_smt.declare import launch

__version__ = "0.1.0"
__all__ = ["__version__", "launch"]
