"""Front end for Triton kernels: raw TTIR of a kernel, and its import into the Tile IR."""

from __future__ import annotations

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.errors import CompileRefused, Unsupported
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.capture.ttir.source_map import SourceMap

__all__ = ["CompileRefused", "SourceMap", "Unsupported", "import_kernel", "raw_ttir"]
