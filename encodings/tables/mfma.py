"""Matrix instructions of gfx942 with one block: which lane and register holds which element of A, B and the result."""

from __future__ import annotations

from dataclasses import dataclass

LANES = 64


@dataclass(frozen=True, slots=True)
class Mfma:
    """D[m, n] = C[m, n] + Σ A[m, k] B[k, n], with m = n."""

    name: str
    m: int
    k: int
    operand_bits: int
    result_bits: int
    clocks: int

    @property
    def k_held(self) -> int:
        """Consecutive k that a lane holds of A and of B."""
        return self.m * self.k // LANES

    @property
    def results_held(self) -> int:
        """Elements of the result that a lane holds."""
        return self.m * self.m // LANES

    def operand(self, lane: int, element: int) -> tuple[int, int]:
        """(row of A or column of B, k) of an element of a lane: A and B are held alike."""
        self._check(lane, element, self.k_held)
        return lane % self.m, self.k_held * (lane // self.m) + element

    def operand_place(self, index: int, k: int) -> tuple[int, int]:
        """(lane, element) that holds row `index` of A, or column `index` of B, at k."""
        return self.m * (k // self.k_held) + index, k % self.k_held

    def packing(self, element: int) -> tuple[int, int]:
        """(register, lowest bit in it) where an element of an operand begins."""
        return element * self.operand_bits // 32, element * self.operand_bits % 32

    def result(self, lane: int, element: int, *, transposed: bool = False) -> tuple[int, int]:
        """(row, column) of an element of the result. Transposed is the form that swapping the operands gives."""
        self._check(lane, element, self.results_held)
        if self.result_bits == 64:
            held = 4 * element + lane // self.m
        else:
            held = 4 * (LANES // self.m) * (element // 4) + 4 * (lane // self.m) + element % 4
        across = lane % self.m
        return (across, held) if transposed else (held, across)

    def result_place(self, row: int, column: int, *, transposed: bool = False) -> tuple[int, int]:
        """(lane, element) that holds an element of the result."""
        held, across = (column, row) if transposed else (row, column)
        if self.result_bits == 64:
            return self.m * (held % 4) + across, held // 4
        groups = LANES // self.m
        return self.m * (held // 4 % groups) + across, 4 * (held // (4 * groups)) + held % 4

    def _check(self, lane: int, element: int, held: int) -> None:
        if not (0 <= lane < LANES and 0 <= element < held):
            raise ValueError(f"{self.name} has lanes 0 to {LANES - 1} with {held} elements each, not ({lane}, {element})")


def _table() -> dict[str, Mfma]:
    rows = [Mfma(f"v_mfma_f32_16x16x16_{t}", 16, 16, 16, 32, 16) for t in ("f16", "bf16")]
    rows += [Mfma(f"v_mfma_f32_32x32x8_{t}", 32, 8, 16, 32, 32) for t in ("f16", "bf16")]
    for a in ("fp8", "bf8"):
        for b in ("fp8", "bf8"):
            rows.append(Mfma(f"v_mfma_f32_16x16x32_{a}_{b}", 16, 32, 8, 32, 16))
            rows.append(Mfma(f"v_mfma_f32_32x32x16_{a}_{b}", 32, 16, 8, 32, 32))
    rows += [
        Mfma("v_mfma_i32_16x16x32_i8", 16, 32, 8, 32, 16),
        Mfma("v_mfma_i32_32x32x16_i8", 32, 16, 8, 32, 32),
        Mfma("v_mfma_f32_16x16x8_xf32", 16, 8, 32, 32, 16),
        Mfma("v_mfma_f32_32x32x4_xf32", 32, 4, 32, 32, 32),
        Mfma("v_mfma_f32_16x16x4_f32", 16, 4, 32, 32, 32),
        Mfma("v_mfma_f32_32x32x2_f32", 32, 2, 32, 32, 64),
        Mfma("v_mfma_f64_16x16x4_f64", 16, 4, 64, 64, 32),
    ]
    return {row.name: row for row in rows}


INSTRUCTIONS = _table()
"""Name → instruction."""
