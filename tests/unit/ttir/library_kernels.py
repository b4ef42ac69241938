"""One kernel a function of Triton's library: each loads, applies it, and stores."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as nv


@triton.jit
def cdiv(x, o, n, B: tl.constexpr):
    tl.store(o, tl.cdiv(n, B) + tl.cdiv(B, 3))


@triton.jit
def zeros(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.zeros((B,), tl.float32) + tl.full((B,), 2.5, tl.float32) + tl.zeros_like(tl.load(x + i)))


@triton.jit
def sums(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(o, tl.sum(v, 0) + tl.sum(tl.reshape(v, (2, B // 2)), axis=1, keep_dims=True).sum())


@triton.jit
def extremes(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    m, i = tl.max(v, 0, return_indices=True)
    tl.store(o, tl.max(v, 0) + tl.min(v, 0) + m + i)


@triton.jit
def positions(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(o, tl.argmax(v, 0) + tl.argmin(v, 0, tie_break_left=False))


@triton.jit
def sort(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(x + i), descending=True))


@triton.jit
def topk(x, o, n, B: tl.constexpr):
    tl.store(o + tl.arange(0, 4), tl.topk(tl.load(x + tl.arange(0, B)), 4))


@triton.jit
def running(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, tl.cumsum(v, 0) + tl.cumprod(v, 0, reverse=True))


@triton.jit
def flip(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.flip(tl.load(x + i), 0))


@triton.jit
def softmax(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.softmax(tl.load(x + i)) + tl.sigmoid(tl.load(x + i)))


@triton.jit
def where(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(o + i, tl.where(v > 0, v, -v) + tl.minimum(v, 1.0) + tl.maximum(v, 0.0) + tl.clamp(v, -1.0, 1.0), i < n)


@triton.jit
def swizzle(x, o, n, B: tl.constexpr):
    a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(1), n, n, 4)
    tl.store(o + a * n + b, 1.0)


@triton.jit
def random(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.rand(n, i) + tl.randn(n, i) + tl.randint(n, i))


@triton.jit
def shapes(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    pair = tl.join(v, v + 1)
    a, b = tl.split(pair)
    t = tl.trans(pair)
    r = tl.ravel(tl.permute(tl.reshape(t, (2, 2, B // 2)), 2, 0, 1))
    tl.store(o + i, a + b + tl.interleave(a, b).sum() + tl.cat(a, b, can_reorder=True).sum() + r.sum())
    tl.store(o + i[:, None] + tl.arange(0, 2)[None, :], tl.broadcast_to(v[:, None], (B, 2)) + tl.expand_dims(v, 1))


@triton.jit
def product(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i[:, None] * n + i[None, :])
    c = tl.dot(a, tl.trans(a), input_precision="ieee")
    tl.store(o + i[:, None] * n + i[None, :], tl.dot(c, a, acc=c))


@triton.jit
def gathered(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.gather(tl.load(x + i), (i + 1) % B, 0))


@triton.jit
def combine(a, b):
    return a + b + a * b


@triton.jit
def combine_pairs(a0, a1, b0, b1):
    if a1 > b1:
        return a0, a1
    return b0 * a0, b1


@triton.jit
def custom_scan(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    p, q = tl.associative_scan((v, i), 0, combine_pairs)
    tl.store(o + i, tl.associative_scan(v, 0, combine, reverse=True) + p + q + tl.reduce(v, 0, combine))


@triton.jit
def mathematics(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.exp(v) + tl.exp2(v) + tl.log(v) + tl.log2(v) + tl.sin(v) + tl.cos(v) + tl.sqrt(v) + tl.rsqrt(v) + tl.erf(v)
    w += tl.floor(v) + tl.ceil(v) + tl.abs(v) + tl.fma(v, w, v) + tl.sqrt_rn(v) + tl.div_rn(v, w) + tl.fdiv(v, w) - v % w
    tl.store(o + i, w + tl.umulhi(i, i) + tl.abs(i - 3))


@triton.jit
def device_library(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, libdevice.tanh(v) + libdevice.log1p(v) + libdevice.exp(v))


@triton.jit
def both_libraries(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = libdevice.pow(v, v) + libdevice.atan2(v, v) + libdevice.fma(v, v, v) + libdevice.acos(v)
    w += nv.pow(v, v) + nv.tanh(v) + nv.fma(v, v, v) + nv.fast_expf(v) + libdevice.isnan(v) + nv.isinf(v)
    tl.store(o + i, w + nv.clz(i) + nv.popc(i) + nv.mulhi(i, i) + nv.rsqrt(v) + nv.fmod(v, v))


@triton.jit
def casts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.to(tl.float16).to(tl.bfloat16).to(tl.float8e5b16).to(tl.float32) + v.to(tl.int64).to(tl.float32)
    w += (v > 0).to(tl.int8) + v.to(tl.int32, bitcast=True) + i.to(tl.uint32).to(tl.float32) + v.to(tl.uint8)
    h = tl.cast(o, tl.pointer_type(tl.float16))
    tl.store(h + i, w.to(tl.float16))
    tl.store((o.to(tl.int64) + 8).to(tl.pointer_type(tl.float32)), 1.0)


@triton.jit
def integers(x, o, n, B: tl.constexpr):
    j = tl.arange(0, B)
    i = j + n
    u = i.to(tl.uint32)
    a = (i // 3) ^ (i % 3) | (i << 2) & (i >> 1)
    b = (u // 3) + (u % 3) + (u >> 1) + (~i).to(tl.uint32) + tl.minimum(u, 5) + tl.maximum(u, 7) + (-i)
    c = (i.to(tl.int64) * 4294967296) + (i < 3) + (u <= 3) + (i != 4) + (i == 5) + (not (n > 3))
    tl.store(o + j, (a + b + c).to(tl.float32))


@triton.jit
def atomics(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v += tl.atomic_add(o + i, v, mask=i < n, sem="relaxed", scope="sys")
    v += tl.atomic_max(o + i, v) + tl.atomic_min(o + i, v) + tl.atomic_xchg(o + i, v)
    p = tl.cast(o, tl.pointer_type(tl.int32)) + i
    w = tl.atomic_and(p, i) + tl.atomic_or(p, i) + tl.atomic_xor(p, i) + tl.atomic_add(p, i) + tl.atomic_max(p, i)
    w += tl.atomic_cas(tl.cast(o, tl.pointer_type(tl.int32)), 0, 1, sem="acquire")
    tl.debug_barrier()
    tl.store(o + i, v + w)


@triton.jit
def statements(x, o, n, B: tl.constexpr):
    tl.assume(n > 0)
    tl.device_assert(n < 100, 'n is small; "quoted"')
    tl.device_print("n = ", n)
    tl.static_assert(B > 1)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, B), [4]), [8])
    n = tl.multiple_of(n, 16)
    v = tl.load(tl.multiple_of(x, 16) + i, mask=i < n, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(o + i, v, mask=i < n, cache_modifier=".wb")


@triton.jit
def apart(a, b):
    if a > b:
        return a - b, 1
    return b - a, 0


@triton.jit
def both(a, b):
    return a + b, a - b


@triton.jit
def counted(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d, larger = tl.map_elementwise(apart, i, n - i)
    tl.store(o + i, (tl.histogram(i % 4, B, mask=i < n) + tl.histogram(i, B) + d * larger).to(tl.float32))


@triton.jit
def mapped(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    distance, larger = tl.map_elementwise(apart, v, i * n)
    tl.store(x + i, distance * 2 + larger + tl.histogram(i * n, B, mask=v > 0))


@triton.jit
def opaque_parts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    (h,) = tl.map_elementwise(both, i, pack=2)
    a = tl.inline_asm_elementwise("v_add_u32 $0, $1, $2;", "=v,v,v", [i, h], dtype=tl.int32, is_pure=True, pack=1)
    b = tl.inline_asm_elementwise("s_sleep 1 ; {$0} : $1", "=v,v", [i], dtype=tl.int32, is_pure=False, pack=1)
    c = tl.inline_asm_elementwise("s_getreg $0;", "=s", [], dtype=tl.int32, is_pure=True, pack=1)
    p = tl.inline_asm_elementwise("global_load $0, $1;", "=v,v", [x + i], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o + i, (a + b + h + c + p).to(tl.float32))


@triton.jit
def scaled_product(x, o, n, B: tl.constexpr):
    i = tl.arange(0, 32)
    a = tl.load(tl.cast(x, tl.pointer_type(tl.uint8), bitcast=True) + i[:, None] * 64 + tl.arange(0, 64)[None, :])
    scale = tl.load(tl.cast(x, tl.pointer_type(tl.uint8), bitcast=True) + i[:, None] * 2 + tl.arange(0, 2)[None, :])
    c = tl.dot_scaled(a, scale, "e4m3", tl.trans(a), scale, "e5m2")
    tl.store(o + i[:, None] * 32 + i[None, :], c)


@triton.jit
def descriptors(x, o, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    for k in range(0, n, B):
        v = d.load([k, 0])
        tl.store(o + tl.arange(0, B), v.sum(0))


@triton.jit
def hinted_counter(x, o, n, B: tl.constexpr):
    """What Triton notes of a counter stays on a placeholder that it throws away."""
    for k in range(0, n, B):
        k = tl.multiple_of(k, B)
        tl.store(o + k, tl.load(x + k))


KERNELS = (
    cdiv, zeros, sums, extremes, positions, sort, topk, running, flip, softmax, where, swizzle, random, shapes, product,
    gathered, custom_scan, mathematics, device_library, both_libraries, casts, integers, atomics, statements, counted,
)  # fmt: skip
