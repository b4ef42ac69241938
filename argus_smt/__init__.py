"""Argus: a symbolic verifier for GPU tile kernels."""

from __future__ import annotations

__version__ = "0.1.0"
