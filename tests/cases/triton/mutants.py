"""Seeded faults of the example kernels, as edits of their text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "triton"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit of an example that makes it unsafe.

    `old` occurs once in the file and becomes `new`. `faults` are the codes that the edit causes, each with a piece of
    text that occurs once in the edited file, on the line where the fault shows. `followed_by`: the same for faults that
    only happen with values read by an earlier one, or after a division that had no result. `far`: it takes offsets past 32 bits.
    """

    example: str
    name: str
    old: str
    new: str
    faults: tuple[tuple[str, str], ...]
    why: str
    far: bool = False
    followed_by: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The edited file."""
        source = (EXAMPLES / self.example).read_text()
        assert source.count(self.old) == 1, f"{self}: {self.old!r} occurs {source.count(self.old)} times"
        return source.replace(self.old, self.new)

    def expected(self) -> frozenset[tuple[str, int]]:
        """Code and line of each fault that the edit causes by itself."""
        return self._places(self.faults)

    def observed(self) -> frozenset[tuple[str, int]]:
        """Code and line of each fault that execution sees."""
        return self._places(self.faults + self.followed_by)

    def _places(self, faults: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, int]]:
        text = self.text()
        for _, marker in faults:
            assert text.count(marker) == 1, f"{self}: {marker!r} occurs {text.count(marker)} times"
        return frozenset((code, text[: text.index(marker)].count("\n") + 1) for code, marker in faults)

    def __str__(self) -> str:
        return f"{self.example.removesuffix('.py')}-{self.name}"


def apply(mutant: Mutant, folder: Path) -> Path:
    """Write the edited file into `folder` and give its path."""
    path = folder / f"{str(mutant).replace('-', '_')}.py"
    path.write_text(mutant.text())
    return path


VECTOR_ADD = (
    Mutant(
        "vector_add.py", "load_mask_dropped", "x = tl.load(x_ptr + offsets, mask=mask)", "x = tl.load(x_ptr + offsets)",
        (("AR301", "x = tl.load"),), "the last block reads past n",
    ),
    Mutant(
        "vector_add.py", "store_mask_dropped", "x + y, mask=mask)", "x + y)",
        (("AR302", "tl.store"),), "the last block writes past n",
    ),
    Mutant(
        "vector_add.py", "mask_includes_n", "mask = offsets < n", "mask = offsets <= n",
        (("AR301", "x = tl.load"), ("AR301", "y = tl.load"), ("AR302", "tl.store")), "element n is one too many",
    ),
    Mutant(
        "vector_add.py", "mask_in_block", "mask = offsets < n", "mask = tl.arange(0, BLOCK) < n",
        (("AR301", "x = tl.load"), ("AR301", "y = tl.load"), ("AR302", "tl.store")),
        "the mask compares the place in the block with the length of the whole",
    ),
    Mutant(
        "vector_add.py", "shifted", "y_ptr + offsets,", "y_ptr + offsets - 1,",
        (("AR301", "y = tl.load"),), "the first element is read before the tensor",
    ),
    Mutant(
        "vector_add.py", "rounded_length", "n = out.numel()", "n = triton.cdiv(out.numel(), 4) * 4",
        (("AR301", "x = tl.load"), ("AR301", "y = tl.load"), ("AR302", "tl.store")),
        "the launcher passes a length rounded up to vectors of four",
    ),
)  # fmt: skip

SOFTMAX = (
    Mutant(
        "softmax.py", "load_mask_dropped", "+ cols, mask=mask, other=-float(\"inf\"))", "+ cols)",
        (("AR301", "tl.load"),), "padding lanes of the last row read past it",
    ),
    Mutant(
        "softmax.py", "mask_includes_end", "mask = cols < n_cols", "mask = cols <= n_cols",
        (("AR301", "tl.load"), ("AR302", "tl.store")), "column n_cols is one too many",
    ),
    Mutant(
        "softmax.py", "out_uses_x_stride", "out_ptr + row * out_row_stride", "out_ptr + row * x_row_stride",
        (("AR302", "tl.store"),), "rows of the input may be further apart than rows of the output",
    ),
    Mutant(
        "softmax.py", "strides_swapped", "x.stride(0), out.stride(0)", "out.stride(0), x.stride(0)",
        (("AR301", "tl.load"), ("AR302", "tl.store")), "the launcher swaps two strides",
    ),
    Mutant(
        "softmax.py", "extra_program", "softmax_kernel[(n_rows,)]", "softmax_kernel[(n_rows + 1,)]",
        (("AR301", "tl.load"), ("AR302", "tl.store")), "one program too many",
    ),
    Mutant(
        "softmax.py", "transposed_stride", "x.stride(0), out", "x.stride(1), out",
        (("AR301", "tl.load"),), "the row stride is that of the columns: rows 0 apart are then read 1 apart",
    ),
)  # fmt: skip

MATMUL = (
    Mutant(
        "matmul.py", "k_mask_dropped", "tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0.0)", "tl.load(a_ptrs)",
        (("AR301", "a = tl.load"),), "K need not be a multiple of BK",
    ),
    Mutant(
        "matmul.py", "no_wrap_m", "(pid_m * BM + tl.arange(0, BM)) % M", "pid_m * BM + tl.arange(0, BM)",
        (("AR301", "a = tl.load"),), "rows past M are read unmasked",
    ),
    Mutant(
        "matmul.py", "wrap_by_m", "(pid_n * BN + tl.arange(0, BN)) % N", "(pid_n * BN + tl.arange(0, BN)) % M",
        (("AR301", "b = tl.load"),), "columns are wrapped by the number of rows",
    ),
    Mutant(
        "matmul.py", "k_mask_inclusive", "offs_k[:, None] < K - k * BK", "offs_k[:, None] <= K - k * BK",
        (("AR301", "b = tl.load"),), "row K of B is one too many",
    ),
    Mutant(
        "matmul.py", "k_mask_whole", "mask=offs_k[None, :] < K - k * BK", "mask=offs_k[None, :] < K",
        (("AR301", "a = tl.load"),), "the mask forgets how much of K is done",
    ),
    Mutant(
        "matmul.py", "c_mask_half", "(offs_cm[:, None] < M) & (offs_cn[None, :] < N)", "offs_cm[:, None] < M",
        (("AR302", "tl.store"),), "columns past N are stored",
    ),
    Mutant(
        "matmul.py", "b_strides_swapped", "b.stride(0), b.stride(1)", "b.stride(1), b.stride(0)",
        (("AR301", "b = tl.load"),), "the launcher swaps the strides of B",
    ),
    Mutant(
        "matmul.py", "advance_by_rows", "a_ptrs += BK * stride_ak", "a_ptrs += BK * stride_am",
        (("AR301", "a = tl.load"),), "the K loop walks down the rows of A",
    ),
    Mutant(
        "matmul.py", "empty_group", "group_m = min(tiles_m - first_m,", "group_m = min(tiles_m - first_m - 1,",
        (("AR305", "pid_m = first_m"),), "the last group may have no rows to divide by",
        followed_by=(("AR305", "pid_n = (pid"),),
    ),
    Mutant(
        "matmul.py", "c_mask_axes", "(offs_cm[:, None] < M) & (offs_cn[None, :] < N)",
        "(offs_cm[:, None] < N) & (offs_cn[None, :] < M)", (("AR302", "tl.store"),), "the bounds of C are swapped",
    ),
)  # fmt: skip

LAYER_NORM = (
    Mutant(
        "layer_norm.py", "mask_dropped", "total += tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0)",
        "total += tl.load(x_ptr + cols)", (("AR301", "total += "),), "the last block of columns is read whole",
    ),
    Mutant(
        "layer_norm.py", "mask_includes_end", "mask = cols < n_cols", "mask = cols <= n_cols",
        (
            ("AR301", "w = tl.load"), ("AR301", "b = tl.load"), ("AR302", "tl.store(y_ptr"),
            ("AR301", "x = tl.load(x_ptr + cols, mask=mask"),
        ),
        "column n_cols is one too many",
    ),
    Mutant(
        "layer_norm.py", "strides_swapped", "x.stride(0), y.stride(0)", "y.stride(0), x.stride(0)",
        (
            ("AR301", "total += "), ("AR301", "x = tl.load(x_ptr + cols, mask=cols"),
            ("AR301", "x = tl.load(x_ptr + cols, mask=mask"), ("AR302", "tl.store(y_ptr"),
        ),
        "the launcher swaps two strides",
    ),
    Mutant(
        "layer_norm.py", "weight_per_row", "w_ptr + cols", "w_ptr + row * y_stride + cols",
        (("AR301", "w = tl.load"),), "all rows share one vector of weights",
    ),
    Mutant(
        "layer_norm.py", "mean_shifted", "mean_ptr + row", "mean_ptr + row + 1",
        (("AR302", "tl.store(mean_ptr"),), "the last row's mean is stored past the end",
    ),
    Mutant(
        "layer_norm.py", "rstd_per_column", "rstd = torch.empty((n_rows,)", "rstd = torch.empty((n_cols,)",
        (("AR302", "tl.store(rstd_ptr"),), "the launcher allocates one value a column",
    ),
    Mutant(
        "layer_norm.py", "mask_by_block", "squares = tl.zeros((BLOCK,), dtype=tl.float32)\n    for start in range(0, n_cols, BLOCK):"
        "\n        cols = start + tl.arange(0, BLOCK)\n        x = tl.load(x_ptr + cols, mask=cols < n_cols,",
        "squares = tl.zeros((BLOCK,), dtype=tl.float32)\n    for start in range(0, n_cols, BLOCK):"
        "\n        cols = start + tl.arange(0, BLOCK)\n        x = tl.load(x_ptr + cols, mask=cols - start < n_cols,",
        (("AR301", "mask=cols - start < n_cols"),), "the mask compares the place in the block with the row's length",
    ),
)  # fmt: skip

RMS_NORM = (
    Mutant(
        "rms_norm.py", "row_mask_dropped", "mask = row_mask[:, None] & col_mask[None, :]", "mask = col_mask[None, :]",
        (("AR301", "x = tl.load"), ("AR302", "tl.store(y_ptr")), "the last program has rows to spare",
    ),
    Mutant(
        "rms_norm.py", "rstd_mask_dropped", "rstd, mask=row_mask)", "rstd)",
        (("AR302", "tl.store(rstd_ptr"),), "the last program has rows to spare",
    ),
    Mutant(
        "rms_norm.py", "rows_inclusive", "rows < n_rows", "rows <= n_rows",
        (("AR301", "x = tl.load"), ("AR302", "tl.store(y_ptr"), ("AR302", "tl.store(rstd_ptr")), "one row too many",
    ),
    Mutant(
        "rms_norm.py", "cols_unbounded", "cols < n_cols", "cols < BLOCK",
        (("AR301", "x = tl.load"), ("AR301", "w = tl.load"), ("AR302", "tl.store(y_ptr")),
        "the mask is true for the padding of the block",
    ),
    Mutant(
        "rms_norm.py", "rows_from_wrong_sizes", "n_rows = batch * seq", "n_rows = batch * n_cols",
        (("AR301", "x = tl.load"), ("AR302", "tl.store(y_ptr"), ("AR302", "tl.store(rstd_ptr")),
        "the launcher multiplies the wrong sizes",
    ),
    Mutant(
        "rms_norm.py", "rstd_too_small", "rstd = torch.empty((batch, seq)", "rstd = torch.empty((seq,)",
        (("AR302", "tl.store(rstd_ptr"),), "the launcher forgets the batch",
    ),
)  # fmt: skip

EMBEDDING = (
    Mutant(
        "embedding.py", "token_mask_dropped", "tl.load(tokens_ptr + t, mask=live, other=0)", "tl.load(tokens_ptr + t)",
        (("AR301", "token = "),), "the last block of tokens is read whole",
    ),
    Mutant(
        "embedding.py", "column_mask_dropped", "mask = live[:, None] & (d < dim)[None, :]", "mask = live[:, None]",
        (("AR301", "rows = "), ("AR302", "tl.store")), "the last block of columns is moved whole",
    ),
    Mutant(
        "embedding.py", "tokens_inclusive", "live = t < n_tokens", "live = t <= n_tokens",
        (("AR301", "token = "), ("AR302", "tl.store")), "one token too many", followed_by=(("AR301", "rows = "),),
    ),
    Mutant(
        "embedding.py", "one_based", "token[:, None] * table_stride", "(token[:, None] + 1) * table_stride",
        (("AR301", "rows = "),), "tokens count from zero",
    ),
    Mutant(
        "embedding.py", "column_bound_is_stride", "(d < dim)", "(d < table_stride)",
        (("AR301", "rows = "), ("AR302", "tl.store")), "rows may be further apart than they are long",
    ),
    Mutant(
        "embedding.py", "out_uses_table_stride", "t[:, None] * out_stride", "t[:, None] * table_stride",
        (("AR302", "tl.store"),), "rows of the table may be further apart than rows of the output",
    ),
    Mutant(
        "embedding.py", "narrow_token", "mask=live, other=0)\n", "mask=live, other=0).to(tl.int32)\n",
        (("AR303", "rows = "), ("AR301", "rows = ")), "token * stride passes 2**31", far=True,
    ),
)  # fmt: skip

ATTENTION = (
    Mutant(
        "attention.py", "gqa_head_direct", "kv_head = head // heads_per_kv", "kv_head = head",
        (("AR301", "k = tl.load"), ("AR301", "v = tl.load")), "there are fewer key/value heads than query heads",
    ),
    Mutant(
        "attention.py", "k_tail_mask_dropped", "tl.load(k_ptrs, mask=live_n[None, :], other=0.0)", "tl.load(k_ptrs)",
        (("AR301", "k = tl.load"),), "the last block of keys is read whole",
    ),
    Mutant(
        "attention.py", "key_mask_in_block", "live_n = keys < seq_len", "live_n = offs_n < seq_len",
        (("AR301", "k = tl.load"), ("AR301", "v = tl.load")),
        "the mask compares the place in the block with the length of the whole",
    ),
    Mutant(
        "attention.py", "q_mask_dropped", "stride_qd, mask=live_m[:, None], other=0.0)", "stride_qd)",
        (("AR301", "q = tl.load"),), "the last block of queries is read whole",
    ),
    Mutant(
        "attention.py", "store_mask_dropped", "out.to(tl.float16), mask=live_m[:, None])", "out.to(tl.float16))",
        (("AR302", "tl.store"),), "the last block of queries is written whole",
    ),
    Mutant(
        "attention.py", "queries_inclusive", "live_m = offs_m < seq_len", "live_m = offs_m <= seq_len",
        (("AR301", "q = tl.load"), ("AR302", "tl.store")), "one query too many",
    ),
    Mutant(
        "attention.py", "v_uses_k_strides", "batch * stride_vb + kv_head * stride_vh",
        "batch * stride_kb + kv_head * stride_kh", (("AR301", "v = tl.load"),), "keys and values may be laid out differently",
    ),
    Mutant(
        "attention.py", "v_advance", "v_ptrs += BLOCK_N * stride_vs", "v_ptrs += BLOCK_N * stride_vh",
        (("AR301", "v = tl.load"),), "the loop over keys walks over the heads",
    ),
    Mutant(
        "attention.py", "kv_heads_for_heads", "seq_len, heads, heads // kv_heads,", "seq_len, kv_heads, heads // kv_heads,",
        (("AR301", "q = tl.load"), ("AR301", "k = tl.load"), ("AR301", "v = tl.load"), ("AR302", "tl.store")),
        "the launcher passes the wrong count of heads, so batches run past the end",
    ),
    Mutant(
        "attention.py", "narrow_batch", "batch = (tl.program_id(1) // heads).to(tl.int64)",
        "batch = tl.program_id(1) // heads",
        (
            ("AR303", "q_ptr += "), ("AR303", "k_ptr += "), ("AR303", "v_ptr += "),
            ("AR301", "q = tl.load"), ("AR301", "k = tl.load"), ("AR301", "v = tl.load"),
        ),
        "batch * stride passes 2**31", far=True,
    ),
)  # fmt: skip

MUTANTS: tuple[Mutant, ...] = VECTOR_ADD + SOFTMAX + MATMUL + LAYER_NORM + RMS_NORM + EMBEDDING + ATTENTION
