"""Cross entropy of next-token logits, fused with its gradient: logits are read twice, and end up as their own gradient."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def cross_entropy_kernel(
    logits_ptr, labels_ptr, loss_ptr, stride_row, stride_label, vocab, n_counted, smoothing,
    IGNORED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * stride_row
    label = tl.load(labels_ptr + row * stride_label)
    if label == IGNORED:
        for start in range(0, vocab, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            tl.store(logits_ptr + cols, 0.0, mask=cols < vocab)
        tl.store(loss_ptr + row, 0.0)
        return

    # One pass for the largest logit and the sum of exponentials: the sum so far is rescaled when the maximum grows.
    row_max = -float("inf")
    row_sum = 0.0
    logits_sum = 0.0
    for start in range(0, vocab, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + cols, mask=cols < vocab, other=-float("inf")).to(tl.float32)
        new_max = tl.maximum(row_max, tl.max(x, axis=0))
        row_sum = row_sum * tl.exp(row_max - new_max) + tl.sum(tl.exp(x - new_max), axis=0)
        logits_sum += tl.sum(tl.where(cols < vocab, x, 0.0), axis=0)
        row_max = new_max
    log_sum = row_max + tl.log(row_sum)
    wanted = tl.load(logits_ptr + label).to(tl.float32)
    tl.debug_barrier()  # every thread has the logit of the label before any of them overwrites it

    spread = smoothing / vocab
    loss = (1.0 - smoothing) * (log_sum - wanted) + spread * (vocab * log_sum - logits_sum)
    tl.store(loss_ptr + row, loss)
    for start in range(0, vocab, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + cols, mask=cols < vocab, other=-float("inf")).to(tl.float32)
        target = tl.where(cols == label, 1.0 - smoothing, 0.0) + spread
        tl.store(logits_ptr + cols, (tl.exp(x - log_sum) - target) / n_counted, mask=cols < vocab)


@argus.launch("logits: f32[T, V]{row, 1} inout, labels: i64[T]{step} in [-1, V), smoothing: float")
def cross_entropy(logits, labels, smoothing=0.0):
    """Returns the loss of each row; `logits` becomes the gradient of their mean over the rows whose label is not -1."""
    rows, vocab = logits.shape
    loss = torch.empty((rows,), dtype=torch.float32, device=logits.device)
    n_counted = (labels != -1).sum().item()
    cross_entropy_kernel[(rows,)](
        logits, labels, loss, logits.stride(0), labels.stride(0), vocab, n_counted, smoothing, IGNORED=-1, BLOCK=1024
    )
    return loss
