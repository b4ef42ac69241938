"""Signatures: what parses and to what, what does not and where the caret stands, and printing."""

from __future__ import annotations

import pytest

from argus_smt.capture.call import parse_signature
from argus_smt.capture.call_text import show_signature
from argus_smt.capture.domain import build_domain
from argus_smt.capture.failure import SignatureError
from argus_smt.capture.signature import ScalarType, TensorType
from argus_smt.smt import term as T

M, N, K = T.var("M"), T.var("N"), T.var("K")

GOOD = [
    "launch(x: f32[M, K], w: f32[N, K])",
    "f(x: f32[M, N]{s, 1}, y: bf16[M, N] strided)",
    "f(x: i32[B + 1] in [0, R] nondecreasing, r: f32[R, 4]) where x[0] == 0, x[B] == R",
    "f(x: i64[T, E] in [0, E), e: int) where e == E, E >= 1",
    "f(x: i32[T] in {-1, 3, 5} distinct except -1 steps in [0, 4] covering [0, 3] inout)",
    "f(x: f32[M], out: f32[M] out, alpha: float, p: float in [0.5, 1), b: bool, mode: str = 'sum', eps: float = 1e-6)",
    "f(x: f32[M], sizes: list of [1, 2, 3], n: int in [1, 4096], k: int = M * 2)",
    "f(x: f32[16 * W], y: f32[cdiv(W, 4)], z: f32[max(W, 3) - min(2, W)])",
    "k(x: f32[n], n: int, BLOCK=1024) grid (cdiv(n, BLOCK),)",
    "k(x: f32[n], BLOCK=64, EVEN=True, NAME='a') grid (cdiv(n, BLOCK), 2, 3)",
    "f(x: f32[M]) where M % 4 == 0, 1 <= M <= 2**20 where pow2(M // 4)",
    "f(x: i32[T, K]) helper plan(x, 3) -> i32[P] in [0, T)".replace("x, 3", "x, n") + ", int in [1, 8] where P <= T",
    "f(x: f32[P, C], used: i32[P]) defined x[p, t] if t < 3, p >= 0",
    "f(x: f32[M], sizes: list = [1, [2, 'a']], shape: tuple = (4, 8), one: tuple = (M,), t: tuple of (1, 2.5))",
    "f(xs: list[3] of f32[N] strided, ys: tuple(f32[N], int in [1, 4], list[2] of i32[K] in [0, N)), z: f32[K])",
    "f(ms: i32[G] in [1, K], lds: i64[G], ptrs: table[g: G] of f16[ms[g], K]{lds[g], 1})",
    "f(ptrs: table[e: 2 * E] of i8[K, e + 1] in [0, K] out, q: f32[E], t: table of f32[M])",
    "f(cache: f32[P, T, D], used: i32[P] in [0, T]) defined cache[p, t, d] if t < used[p]",
    "f(x: f32[M]) helper Plan.build(x) -> int in [1, 8], i32[G + 1] nondecreasing in [0, M] helper go() -> bool",
    "f(x: f32[M], bias: f32[M] strided or None, t: i32[M] in [0, 4) or None, n: int in {1, 4})",
    "f(x: i32[M] in [0, 4) or [8, 12] or {20}, n: int in [0, 2) or {-5}, y: i8[M] in {1} or [3, 4] distinct)",
    "f(in_: f32[M], of: f32[M], grid: f32[M], where_: f32[M], distinct: f32[M])",
]  # fmt: skip

BAD = [
    ("f(x: f32[M, N)", "unexpected ')'", ")"),
    ("f(x: f32[M], n: int or None)", "stands after the type of a tensor", "or None"),
    ("f(x: f32[M], n: int in [0, M) or {7})", "have numbers for ends", "[0, M)"),
    ("f(x: f32[M], n: int in [0, 9] or [20, 1000])", "1 to 256 values", "in [0, 9]"),
    ("f(x: f32[M], e: float in [0, 1] or [2, 3])", "a float has one range", "[2, 3]"),
    ("f(x: i32[M] steps in [0, 1] or [2, 3])", "steps are in one range", "steps"),
    ("f(x: f32[M] or None, x_given: int)", "would be called `x_given`", "x: f32"),
    ("f(x: f32[M]", "ends too early", None),
    ("f(x f32[M])", "unexpected 'f32'", "f32"),
    ("f(x: fp32[M])", "unknown dtype `fp32` (did you mean `f32`?); known are f16, bf16, f32", "fp32"),
    ("f(x: f33)", "unknown type `f33`", "f33"),
    ("f(x: f32)", "needs its dimensions", "f32)"),
    ("f(x: f32[M]) where Q == 2", "`Q` is not declared", "Q"),
    ("f(x: f32[Mode]) where Mod == 2", "did you mean `Mode`?", "Mod =="),
    ("f(x: f32[M]) where x > 2", "`x` is not an integer", "x > 2"),
    ("f(x: f32[M], x: int)", "argument `x` is written twice", "x: int"),
    ("f(x: f32[M] in [0, 1])", "only integer tensors", "in [0"),
    ("f(x: f32[M, N]{1})", "2 dimensions but 1 strides", "{1}"),
    ("f(x: f32[M]) where M % 0 == 1", "division by zero", "M % 0"),
    ("f(x: f32[foo(M)])", "no such function `foo`", "foo"),
    ("f(x: f32[M], t: f32[M] = 3)", "a tensor cannot be pinned", "3)"),
    ("f(s: str)", "needs a value", "s: str"),
    ("f(x: f32[M]) where x[0] > 3", "name[index] == value", "x[0]"),
    ("f(x: f32[x[0]])", "give the size a name of its own", "x[0]]"),
    ("k(x: f32[n], B=4) grid (cdiv(n, C),)", "`C` is not declared", "C),"),
    ("f(n: int = 1.5)", "is an integer", "n: int"),
    ("f(xs: list of f32[N])", "a list needs its length", "list of"),
    ("f(xs: list)", "a list argument needs a value", "xs: list"),
    ("f(xs: list[0] of f32[N])", "1 to 64 items", "0]"),
    ("f(xs: list[2] of f32[N], xs_1: int)", "an item of `xs` would be called `xs_1`", "xs: list"),
    ("f(p: table[g: G] of f16[m[g], K])", "`m` is not a tensor of the call", "m[g]"),
    ("f(m: f32[G], p: table[g: G] of f16[m[g], K])", "`m` holds no integers", "m[g]"),
    ("f(m: i32[G], p: table[g: G] of f16[m[g, 1], K])", "`m` has 1 dimensions, not 2", "m[g, 1]"),
    ("f(m: i32[G], p: table[g: G] of f16[m[h], K])", "`h` is not declared", "h]"),
    ("f(m: i32[G] out, p: table[g: G] of f16[m[g], K])", "its elements are no sizes", "p: table"),
    ("f(p: table[g: G] of f16[g, K] strided)", "are written out", "p: table"),
    ("f(m: i32[G], p: table[g: G] of f16[g, K] uninit)", "is given, `out` or `inout`", "p: table"),
    ("f(x: f32[P, T]) defined x[p] if p < 3", "`x` has 2 dimensions, not 1", "defined"),
    ("f(x: f32[P]) defined y[p] if p < 3", "`y` is not a tensor of the call", "defined"),
    ("f(x: f32[P], u: i32[P]) defined x[p] if p < v[p]", "`v` is not a tensor of the call", "v[p]"),
]


@pytest.mark.parametrize("text", GOOD)
def test_prints_to_a_text_of_the_same_meaning(text: str) -> None:
    signature = parse_signature(text)
    again = parse_signature(show_signature(signature))
    assert show_signature(again) == show_signature(signature)
    one, two = build_domain(signature), build_domain(again)
    assert (one.symbols, one.tensors, one.ints, one.grid) == (two.symbols, two.tensors, two.ints, two.grid)
    assert (one.tables, one.results) == (two.tables, two.results)
    assert [(d.tensor, d.conditions) for d in signature.defined] == [(d.tensor, d.conditions) for d in again.defined]
    assert [c.term for c in one.preconditions] == [c.term for c in two.preconditions]


@pytest.mark.parametrize(("text", "message", "place"), BAD)
def test_names_the_fault_and_its_place(text: str, message: str, place: str | None) -> None:
    with pytest.raises(SignatureError) as caught:
        build_domain(parse_signature(text))
    error = caught.value
    assert message in error.message
    lines = str(error).splitlines()
    assert len(lines) == 3
    position = len(text) if place is None else text.index(place)
    assert lines[1] == text
    assert lines[2] == " " * position + "^"


def test_caret_stands_under_the_line_of_a_longer_text() -> None:
    with pytest.raises(SignatureError) as caught:
        parse_signature("f(x: f32[M],\n  y: f99[M])")
    assert str(caught.value).splitlines()[1:] == ["  y: f99[M])", "     ^"]


def test_types_and_values() -> None:
    s = parse_signature("f(x: u8[M, N]{r, 1} in [0, M) uninit, n: int = M + 1, b: bool = True, l: list of [1, 'a'], C=4)")
    x = s.arguments[0].type
    assert isinstance(x, TensorType)
    assert (x.scalar.name, x.dims, x.strides, x.role) == ("i8", (M, N), (T.var("r"), T.ONE), "uninit")
    assert x.range is not None
    assert (x.range.lower, x.range.upper) == (T.ZERO, M - 1)
    assert [a.value for a in s.arguments[1:]] == [M + 1, True, (1, "a"), 4]
    assert s.arguments[4].type == ScalarType("constexpr")


def test_bounds_of_symbols() -> None:
    text = "f(x: f32[M, N]{s, 1}, n: int, y: f32[N], k: int in [2, 9]) where M >= 0, N >= 4, N <= 32, n >= 3"
    d = build_domain(parse_signature(text))
    bounds = {s.name: (s.kind, s.lower) for s in d.symbols}
    assert bounds == {"M": ("dim", 0), "N": ("dim", 4), "s": ("stride", 0), "n": ("int", 3), "k": ("int", 2)}
    assert {s.name: s.upper for s in d.symbols if s.name in "Nk"} == {"N": 32, "k": 9}


def test_equations_are_substituted() -> None:
    d = build_domain(parse_signature("f(q: f32[NQ], k: f32[NK], start: int) where NK == NQ + start, start == 4"))
    assert d.tensors["k"].dims == (T.var("NQ") + 4,)
    assert [s.name for s in d.symbols] == ["NQ"]
    assert d.ints["start"] == T.const(4)


def test_pinned_constexprs_reach_the_grid() -> None:
    d = build_domain(parse_signature("k(x: f32[n], n: int, BLOCK=64) grid (cdiv(n, BLOCK),)"))
    assert d.grid == (T.div(T.var("n") + 63, T.const(64)),)
    assert d.ints["n"] is T.var("n")


def test_strided_makes_one_stride_a_dim_and_lists_what_it_assumes() -> None:
    d = build_domain(parse_signature("f(x: f32[M, N] strided inout)"))
    assert d.tensors["x"].strides == (T.var("x_s0"), T.var("x_s1"))
    assert d.notes == ("no two elements of `x` share an address (assumed of its strides)",)


def test_lists_and_tuples() -> None:
    s = parse_signature("f(xs: list[2] of f32[N], p: tuple(int in [1, 4], f32[K]), q: tuple = (1, 2)) where p_0 <= N")
    d = build_domain(s)
    assert list(d.tensors) == ["xs_0", "xs_1", "p_1"]
    assert d.ints == {"p_0": T.var("p_0")}
    assert [a.name for a in s.arguments[0].leaves] == ["xs_0", "xs_1"]
    assert s.arguments[2].value == (1, 2)


def test_tables_speak_of_elements() -> None:
    d = build_domain(parse_signature("f(ms: i32[G] in [1, R], ptrs: table[g: G] of f16[ms[g], K + R])"))
    table = d.tables["ptrs"]
    m = T.app("ms", T.var("g"))
    assert (table.index, table.count) == ("g", T.var("G"))
    assert table.item.dims == (m, K + T.var("R"))
    assert table.item.strides == (K + T.var("R"), T.ONE)
    assert {s.name: s.kind for s in d.symbols} == {"G": "dim", "K": "dim", "R": "dim"}
