"""Top-k of each row, as a router of experts takes it: k times the largest logit that is left, then softmax over the k."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def top_k_kernel(
    logits_ptr, weights_ptr, ids_ptr, n_tokens, n_experts, k, stride_t, stride_e,
    ROWS: tl.constexpr, BLOCK_E: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    t = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    e = tl.arange(0, BLOCK_E)
    live = t < n_tokens
    mask = live[:, None] & (e < n_experts)[None, :]
    rest = tl.load(
        logits_ptr + t[:, None].to(tl.int64) * stride_t + e[None, :] * stride_e, mask=mask, other=-float("inf")
    ).to(tl.float32)

    rank = tl.arange(0, BLOCK_K)
    best = tl.full((ROWS, BLOCK_K), -float("inf"), dtype=tl.float32)
    for i in range(k):
        value, winner = tl.max(rest, axis=1, return_indices=True)
        best = tl.where(rank[None, :] == i, value[:, None], best)
        tl.store(ids_ptr + t * k + i, winner, mask=live)
        rest = tl.where(e[None, :] == winner[:, None], -float("inf"), rest)

    weights = tl.exp(best - tl.max(best, axis=1)[:, None])
    weights = weights / tl.sum(weights, axis=1)[:, None]
    tl.store(weights_ptr + t[:, None] * k + rank[None, :], weights, mask=live[:, None] & (rank < k)[None, :])


@argus.launch("logits: f32[T, E] strided, k: int in [1, 8] where k <= E")
def top_k(logits, k):
    """Returns, for each token, the weights of its k best experts and their numbers, the best first."""
    n_tokens, n_experts = logits.shape
    assert k <= n_experts, "more experts wanted than there are"
    assert n_experts <= 1024, "a row of logits must fit into one block"
    weights = torch.empty((n_tokens, k), dtype=torch.float32, device=logits.device)
    ids = torch.empty((n_tokens, k), dtype=torch.int32, device=logits.device)
    grid = (triton.cdiv(n_tokens, 4),)
    top_k_kernel[grid](
        logits, weights, ids, n_tokens, n_experts, k, *logits.stride(),
        ROWS=4, BLOCK_E=triton.next_power_of_2(n_experts), BLOCK_K=triton.next_power_of_2(k),
    )  # fmt: skip
    return weights, ids
