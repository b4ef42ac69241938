"""Stand-alone tests that reproduce a counterexample in Triton's interpreter."""

from __future__ import annotations
