"""Layouts of tiles over registers, lanes, waves and LDS: algebra on integers alone, with no solver and no Triton."""

from __future__ import annotations
