"""Launchers that compute the index tensor that they pass: every element is known from the inputs'."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def gather(x, i, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.load(i + at, mask=at < n, other=0)
    tl.store(o + at, tl.load(x + j, mask=at < n, other=0.0), mask=at < n)


def _run(x, index):
    o = torch.empty(index.numel(), dtype=torch.float32, device=x.device)
    gather[(triton.cdiv(index.numel(), 16),)](x, index, o, index.numel(), BLOCK=16)
    return index


def shifted(x, lens):
    return _run(x, (lens * 2 - 3) % x.shape[0])


def clamped(x, lens):
    return _run(x, torch.clamp(lens + 5, 0, x.shape[0] - 1))


def halved(x, lens):
    return _run(x, torch.div(lens, 2, rounding_mode="floor") + (lens > 3).to(torch.int64))


def chosen(x, lens):
    return _run(x, torch.where(lens < x.shape[0], lens, torch.full_like(lens, -1)))


def counting(x, lens):
    return _run(x, torch.arange(1, 2 * lens.shape[0] + 1, 2, device=x.device))


def starts(x, lens):
    return _run(x, F.pad(torch.cumsum(lens, 0), (1, 0)))


def joined(x, lens):
    zero = torch.zeros(1, dtype=torch.int64, device=x.device)
    return _run(x, torch.cat([zero, lens.cumsum(0)])[:-1].contiguous())


def narrowed(x, lens):
    return _run(x, (lens * 100).to(torch.int8).to(torch.int32))


def table(x, lens):
    rows = torch.arange(lens.shape[0], device=x.device)[:, None] * 4
    return _run(x, (rows + torch.arange(4, device=x.device)[None, :]).contiguous())


def picked(x, lens):
    order = torch.arange(lens.shape[0] - 1, -1, -1, device=x.device)
    return _run(x, lens[order])


def flipped(x, lens):
    return _run(x, torch.flip(lens, (0,)))


def stacked(x, lens):
    return _run(x, torch.stack([lens, lens + 1], dim=1))


def masked(x, lens):
    keep = (lens >= 2) & ~(lens == 3)
    return _run(x, torch.where(keep, lens, 0))


def sliced(x, lens):
    return _run(x, (lens + 1)[1:] - lens[:-1])


def later(x, lens):
    """The input changes after it was read: what was computed from it stays."""
    index = lens + 1
    lens.zero_()
    return _run(x, index)
