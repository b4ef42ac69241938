"""Generated kernels whose programs may meet: maps of program ids, shares, loops, masks, shifts in place, repeated lanes."""

from __future__ import annotations

import random
from dataclasses import dataclass

SOURCE = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, n, m, B: tl.constexpr):
    pid = tl.program_id(0)
{body}


def launch(x, y, n, m):
    kernel[({grid},)](x, y, n, m, B={block})
"""

MAPS = (
    "p = pid",
    "p = tl.num_programs(0) - 1 - pid",
    "p = pid // 2",
    "p = pid % m",
    "p = (pid % m) * tl.cdiv(n, m) + pid // m",
    "p = pid // m * m + pid % m",
    "p = pid // m * m + (m - 1 - pid % m)",
    "g = pid // (2 * m)\n    r = pid % (2 * m)\n    h = tl.minimum(n - 2 * g, 2)\n    p = (2 * g + r % h) * m + r // h",
    "g = pid // (2 * m)\n    r = pid % (2 * m)\n    p = (2 * g + r % 2) * m + r // 2",
    "g = pid // (2 * m)\n    r = pid % (2 * m)\n    h = tl.minimum(n - 2 * g, 2)\n    p = (2 * g + r // h) * m + r % h",
    (
        "q = tl.num_programs(0) // 4\n    t = tl.num_programs(0) % 4\n    d = pid % 4\n    e = pid // 4\n"
        "    p = tl.where(d < t, d * (q + 1) + e, t * (q + 1) + (d - t) * q + e)"
    ),
    "q = tl.cdiv(tl.num_programs(0), 4)\n    p = pid % 4 * q + pid // 4",
    "q = tl.num_programs(0) // 4\n    p = pid % 4 * q + pid // 4",
    "p = pid ^ 1",
    "p = pid * 2",
    "p = tl.where(pid < m, pid, pid - 1)",
    "p = tl.minimum(pid, m)",
)
GRIDS = ("n", "n * m", "2 * m", "triton.cdiv(n, {b})", "m")
INDICES = (
    "i = p * B + tl.arange(0, B)",
    "i = p * B + (B - 1 - tl.arange(0, B))",
    "i = p * (B - 1) + tl.arange(0, B)",
    "i = p * (B + 1) + tl.arange(0, B)",
    "i = p + tl.arange(0, B) * tl.num_programs(0)",
    "i = p + tl.arange(0, B) * m",
    "i = p * B + tl.arange(0, B) // 2",
    "i = p * B + tl.arange(0, B) % m",
    "i = tl.minimum(p * B + tl.arange(0, B), n - 1)",
    "i = p * m + tl.arange(0, B)",
)
MASKS = (
    "i < n",
    "(i < n) & (tl.arange(0, B) < B - 1)",
    "(i < n) & (tl.arange(0, B) < m)",
    "(i < n) & (i % 2 == 0)",
    "(i < n) & (pid < m)",
)
STORES = (
    "tl.store(y_ptr + i, tl.load(x_ptr + i, mask=mask), mask=mask)",
    "tl.store(y_ptr + i, i, mask=mask)",
    "tl.store(y_ptr + i, pid, mask=mask)",
    "tl.store(y_ptr + i, 7, mask=mask)",
    "tl.store(y_ptr + i, tl.load(y_ptr + i, mask=mask) + 1, mask=mask)",
    "v = tl.load(y_ptr + i + 1, mask=mask)\n    tl.store(y_ptr + i, v, mask=mask)",
    "tl.atomic_add(y_ptr + i, pid, mask=mask)",
    "tl.atomic_add(y_ptr + i, pid, mask=mask)\n    tl.store(y_ptr + i + n, pid, mask=mask)",
    "tl.store(y_ptr + 2 * i, i, mask=mask)\n    tl.store(y_ptr + 2 * i + 1, i, mask=mask)",
    "tl.store(y_ptr + i, i, mask=mask)\n    tl.store(y_ptr + n - 1 - i, i, mask=mask)",
    "tl.store(y_ptr + i, i, mask=mask)\n    tl.store(y_ptr + n + i, i, mask=mask)",
)
LOOPS = (
    "",
    "for t in range(pid, m, tl.num_programs(0)):",
    "for t in range(pid, m, tl.num_programs(0) - 1):",
    "for t in range(0, m):",
    "for t in range(pid * 2, pid * 2 + 2):",
    "for t in range(pid * 2, pid * 2 + 3):",
)


@dataclass(frozen=True, slots=True)
class RaceKernel:
    """The file's text; `x` has n elements, `y` has 2n + 2; both n and m are at least 1."""

    seed: int
    source: str


def race_kernel(seed: int) -> RaceKernel:
    """The kernel of a seed."""
    r = random.Random(seed)
    block = r.choice((2, 4))
    loop = r.choice(LOOPS) if r.random() < 0.4 else ""
    mapping = r.choice(MAPS) if not loop else "p = t" if r.random() < 0.7 else "p = t % m"
    store = r.choice(STORES)
    lines = [*mapping.split("\n    "), r.choice(INDICES), f"mask = {r.choice(MASKS)}", *store.split("\n    ")]
    indent = "    " if not loop else "        "
    body = "\n".join([f"    {loop}"] * bool(loop) + [indent + line for line in lines])
    grid = r.choice(GRIDS).format(b=block)
    return RaceKernel(seed, SOURCE.format(body=body, grid=grid, block=block))
