"""Write the IR of `data/older_kernels.py` by the installed Triton: `python -m tests.unit.ttir.record VERSION`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from argus_smt.capture.ttir import raw_ttir
from tests.unit.ttir.data import older_kernels

DATA = Path(older_kernels.__file__).parent


def record(version: str) -> None:
    """One file a kernel, with paths cut down to what does not depend on the machine."""
    for name, types in older_kernels.SIGNATURES.items():
        text = raw_ttir(getattr(older_kernels, name), types, {"B": 16})
        text = text.replace(older_kernels.__file__, "older_kernels.py")
        text = re.sub(r'"[^"]*(/triton/language/\w+\.py")', r'"\1', text)
        (DATA / f"{name}_{version}.mlir").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1])
