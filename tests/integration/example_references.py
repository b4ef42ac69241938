"""Child process: runs the example launchers in Triton's interpreter and prints how far each is from torch, as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "triton"))

import attention
import embedding
import layer_norm
import matmul
import rms_norm
import softmax
import torch
import torch.nn.functional as F
import vector_add

from tests.cases.triton.registry import CHECKS, Pair


def vectors() -> Iterator[Pair]:
    for n in (1, 1000, 1024, 2050):
        x, y = torch.randn(n), torch.randn(n)
        yield f"vector_add n={n}", vector_add.add(x, y), x + y


def softmaxes() -> Iterator[Pair]:
    for m, n, stride in ((1, 1, 1), (3, 5, 5), (4, 64, 80), (2, 100, 0)):
        x = torch.randn(m * stride + n).as_strided((m, n), (stride, 1))
        yield f"softmax {m}x{n} stride {stride}", softmax.softmax(x), x.softmax(1)


def products() -> Iterator[Pair]:
    for m, n, k in ((1, 1, 1), (65, 30, 33), (10, 130, 64), (600, 2, 5)):
        a, b = torch.randn(m, k).half(), torch.randn(k, n).half()
        yield f"matmul {m}x{n}x{k}", matmul.matmul(a, b), a.float() @ b.float()
        a, b = torch.randn(k, m).half().t(), torch.randn(n, k).half().t()
        yield f"matmul transposed {m}x{n}x{k}", matmul.matmul(a, b), a.float() @ b.float()


def norms() -> Iterator[Pair]:
    for m, n in ((1, 1), (3, 300), (2, 256)):
        x, w, b = torch.randn(m, n + 3)[:, :n], torch.randn(n), torch.randn(n)
        y, mean, rstd = layer_norm.layer_norm(x, w, b)
        yield f"layer_norm {m}x{n}", y, F.layer_norm(x, (n,), w, b)
        yield f"layer_norm mean {m}x{n}", mean, x.mean(1)
        yield f"layer_norm rstd {m}x{n}", rstd, (x.var(1, unbiased=False) + 1e-5).rsqrt()
    for b, s, n in ((1, 1, 1), (2, 3, 17), (1, 4, 64)):
        x, w = torch.randn(b, s, n).half(), torch.randn(n).half()
        y, rstd = rms_norm.rms_norm(x, w)
        yield f"rms_norm {b}x{s}x{n}", y, F.rms_norm(x.float(), (n,), w.float(), 1e-6)
        yield f"rms_norm rstd {b}x{s}x{n}", rstd, (x.float().square().mean(2) + 1e-6).rsqrt()


def embeddings() -> Iterator[Pair]:
    for t, v, d in ((1, 1, 1), (19, 9, 70), (16, 3, 64)):
        table, tokens = torch.randn(v, d + 2)[:, :d], torch.randint(0, v, (t,))
        yield f"embedding {t} of {v}x{d}", embedding.embedding(tokens, table), table[tokens]


def attentions() -> Iterator[Pair]:
    for b, hq, hkv, s in ((1, 1, 1, 1), (2, 4, 2, 70), (1, 3, 1, 33), (1, 2, 2, 128)):
        q = torch.randn(b, hq, s, 64).half()
        k = torch.randn(b, s, hkv, 64).half().transpose(1, 2)
        v = torch.randn(b, hkv, s, 64).half()
        want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True, enable_gqa=True)
        yield f"attention {b}x{hq}/{hkv}x{s}", attention.attention(q, k, v), want


def others() -> Iterator[Pair]:
    for name, checks in CHECKS.items():
        for what, got, want in checks.references(import_module(name.removesuffix(".py"))):
            yield f"{name.removesuffix('.py')} {what}", got, want


def main() -> None:
    torch.manual_seed(0)
    distances = {}
    for group in (vectors, softmaxes, products, norms, embeddings, attentions, others):
        for name, got, want in group():
            same = got.shape == want.shape
            distances[name] = float(((got.float() - want.float()).abs() / (1 + want.float().abs())).max()) if same else None
    print(json.dumps(distances))


main()
