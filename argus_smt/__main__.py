"""`python -m argus_smt` is `argus`."""

from __future__ import annotations

from argus_smt.cli import entry

if __name__ == "__main__":
    entry()
