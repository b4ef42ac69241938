"""Persistent row softmax: as many programs as the device has processors, each walking over every so-many-th row."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def persistent_softmax_kernel(x_ptr, out_ptr, stride_xm, stride_xn, stride_om, stride_on, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in tl.range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * stride_xm + cols * stride_xn, mask=mask, other=-float("inf")).to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        denominator = tl.sum(numerator, axis=0)
        tl.store(out_ptr + row * stride_om + cols * stride_on, numerator / denominator, mask=mask)


def processors(device):
    """How many programs run at once; a few when there is no device, as in Triton's interpreter."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 4


@argus.launch("x: f16[M, N] strided")
def persistent_softmax(x):
    n_rows, n_cols = x.shape
    assert n_cols <= 65536, "a row must fit into one block"
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (min(n_rows, 4 * processors(x.device)),)
    persistent_softmax_kernel[grid](x, out, *x.stride(), *out.stride(), n_rows, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return out
