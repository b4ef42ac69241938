"""How long a capture may take: what is not done by then is left out, and said."""

from __future__ import annotations

import time

LIMIT_S = 60.0


class Deadline:
    """Wall-clock limit of one capture, from its start."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self.limit_s = limit_s
        self._end = time.monotonic() + limit_s

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._end

    @property
    def reason(self) -> str:
        return (
            f"not looked at: the capture took {self.limit_s:g} s; fewer cases are left if sizes are given numbers, "
            "as in `x: f16[M, 128]` or `where K == 128`"
        )
