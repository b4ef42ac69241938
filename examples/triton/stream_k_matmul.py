"""Stream-K matrix product: a fixed number of programs share all steps along K of all tiles evenly.

The steps of all tiles lie on one line, tile after tile. Program p works on its stretch of that line, tile by tile; a tile
that lies across two stretches gets a share from each, so every share is added atomically to zeroed memory.
"""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def stream_k_kernel(
    a, b, c, M, N, K, steps_k, total_steps,
    a_row, a_col, b_row, b_col, c_row, c_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    programs = tl.num_programs(0)
    share = tl.cdiv(total_steps, programs)
    step = tl.program_id(0) * share
    last = tl.minimum(step + share, total_steps)
    columns = tl.cdiv(N, BLOCK_N)
    while step < last:
        tile = step // steps_k
        first_k = step % steps_k
        end_k = tl.minimum(steps_k, first_k + last - step)  # of this tile, as far as the stretch goes
        rows = (tile // columns) * BLOCK_M + tl.arange(0, BLOCK_M)
        cols = (tile % columns) * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for block in range(first_k, end_k):
            ks = block * BLOCK_K + tl.arange(0, BLOCK_K)
            x = tl.load(
                a + rows[:, None] * a_row + ks[None, :] * a_col,
                mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0,
            )  # fmt: skip
            y = tl.load(
                b + ks[:, None] * b_row + cols[None, :] * b_col,
                mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0,
            )  # fmt: skip
            acc += tl.dot(x, y)
        tl.atomic_add(
            c + rows[:, None] * c_row + cols[None, :] * c_col, acc,
            mask=(rows[:, None] < M) & (cols[None, :] < N),
        )  # fmt: skip
        step += end_k - first_k


@argus.launch("a: f16[M, K] strided, b: f16[K, N] strided, programs: int in [1, 4096]")
def stream_k_matmul(a, b, programs):
    M, K = a.shape
    N = b.shape[1]
    c = torch.zeros((M, N), dtype=torch.float32, device=a.device)
    steps_k = triton.cdiv(K, 32)
    total_steps = triton.cdiv(M, 64) * triton.cdiv(N, 64) * steps_k
    stream_k_kernel[(programs,)](
        a, b, c, M, N, K, steps_k, total_steps,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
    )  # fmt: skip
    return c
