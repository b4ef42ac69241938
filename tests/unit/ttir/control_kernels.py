"""Kernels with every form of control flow that Triton's front end takes, and unusual arguments."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def early(p, n):
    i = tl.program_id(0)
    if i >= n:
        return
    tl.store(p + i, 1)


@triton.jit
def three_ways(x, n):
    if n > 5:
        return x + 1
    if n > 3:
        return x * 2
    return x


@triton.jit
def may_return(x, a, b, n):
    if a > 0:
        if b > 0:
            return x
        n += 1
    else:
        n += 2
        if n > 7:
            return x * 3
    return x + n


@triton.jit
def calls_in_loop(p, a, b, n):
    v = 0
    for j in range(n):
        v += may_return(v, a, b, j)
        if v > 100:
            v = three_ways(v, j)
        else:
            v = v - 1
    tl.store(p, v)


@triton.jit
def nested_returns(p, a, b, n):
    i = tl.program_id(0)
    v = 0
    if a > i:
        v = 5
        if b > i:
            tl.store(p, 1)
            return
        tl.store(p + 1, v)
    elif a > 3:
        v = 7
    tl.store(p + v, v)
    if n == 3:
        return
    tl.store(p + i, v)


@triton.jit
def returns_everywhere(p, a, b, n):
    if a > 0:
        if b > 0:
            tl.store(p, 1)
            return
        else:
            tl.store(p, 2)
            return
    else:
        tl.store(p, 3)
        return
    tl.store(p, 4)


@triton.jit
def loops(p, a, b, n):
    s = 0
    for i in range(a, b, 3):
        for j in range(n, 0, -1):
            s += i * j
    t = s.to(tl.int64)
    for k in tl.range(t, t * 4, 2, num_stages=2):
        t += k
    while t > 10 and s < 5:
        t = t // 2
        while s < t:
            s += 1
    for u in tl.static_range(3):
        s += u
    tl.store(p, s + t)


@triton.jit
def loop_hint(p, a, b, n):
    q = p
    for _ in range(n):
        q = tl.multiple_of(q, 16)
        tl.store(q, a)
        q += b


@triton.jit
def conditionals(p, a, b, n):
    x = a if a > b else b
    if n > 3:
        y = x + 1
        z = 1.0
    else:
        y = x - 1
        z = 2.0
    if n > 4:
        tl.store(p, y)
    tl.store(p + 1, y + z.to(tl.int32))


@triton.jit
def tuple_argument(t, n, W: tl.constexpr):
    tl.store(t[0], tl.load(t[1][0]) + n + W[0] + W[1][1] + t[1][1])


@triton.jit
def function_argument(p, n, F: tl.constexpr):
    tl.store(p, F(n) + F(n + 1))


@triton.jit
def twice(x):
    return x * 2


@triton.jit(noinline=True)
def apart(x):
    return x + 5


@triton.jit
def calls_noinline(p, n):
    y = apart(n)
    tl.store(p, y)


class Holder:
    @triton.jit
    def indented(p, n):
        # é: a column counts characters
        é = tl.load(p + n) + 1; z = é * n + n  # fmt: skip  # noqa: E702
        tl.store(p, z)


@triton.jit
def bad_range(p, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(p + i, 0)


@triton.jit
def calls_bad_range(p, n: tl.constexpr):
    tl.store(p, 1)
    bad_range(p, n)


@triton.jit
def bad_library(p, n: tl.constexpr):
    tl.store(p, tl.sum(tl.zeros((16,), tl.float32), axis=n))


@triton.jit
def bad_name(p, n: tl.constexpr):
    tl.store(p, missing)  # noqa: F821


@triton.jit
def bad_assert(p, n: tl.constexpr):
    tl.static_assert(n == 16, "n must be 16")


@triton.jit
def bad_node(p, n: tl.constexpr):
    f = lambda x: x  # noqa: E731
    tl.store(p, f(n))
