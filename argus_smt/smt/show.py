"""Terms as people write them, and the text form that parses back."""

from __future__ import annotations

import ast
from functools import reduce

from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_OR, _AND, _NOT, _CMP, _SUM, _PRODUCT, _ATOM = range(7)
_LARGEST_POWER = 256
_LARGEST_TEXT = 2000


def show(t: Term) -> str:
    """Python-like text: `row * stride + col < n`; `parse_term` reads it back.

    Text repeats what a term shares, so beyond some thousand nodes the inner parts are written `…1`, `…2`, one number a
    part, and nothing reads that back.
    """
    return _show(t if _size(t, None, {}) <= _LARGEST_TEXT else _abbreviated(t))[0]


def _size(t: Term, depth: int | None, memo: dict[tuple[int, int | None], int]) -> int:
    """Nodes of `t` written out as a tree, down to `depth` levels."""
    if depth == 0:
        return 1
    key = (t.ident, depth)
    if key not in memo:
        below = None if depth is None else depth - 1
        memo[key] = 1 + sum(_size(a, below, memo) for a in t.args)
    return memo[key]


def _abbreviated(t: Term) -> Term:
    """`t` down to as many levels as fit, with a variable for each part below."""
    memo: dict[tuple[int, int | None], int] = {}
    depth = 2
    while _size(t, depth + 1, memo) <= _LARGEST_TEXT:
        depth += 1
    return _cut(t, depth, {}, {})


def _cut(t: Term, depth: int, names: dict[Term, Term], memo: dict[tuple[Term, int], Term]) -> Term:
    if not t.args:
        return t
    if depth == 0:
        if t not in names:
            name = f"…{len(names) + 1}"
            names[t] = T.var(name) if t.sort is T.Sort.INT else T.bvar(name)
        return names[t]
    if (t, depth) not in memo:
        memo[t, depth] = T.rebuild(t, tuple(_cut(a, depth - 1, names, memo) for a in t.args))
    return memo[t, depth]


def _wrap(t: Term, level: int) -> str:
    text, at = _show(t)
    return text if at >= level else f"({text})"


def _show(t: Term) -> tuple[str, int]:
    match t.op:
        case "const":
            return _number(t.data), _ATOM if t.data >= 0 else _SUM
        case "true" | "false":
            return t.op.capitalize(), _ATOM
        case "var" | "bvar":
            return t.data, _ATOM
        case "add":
            return _sum(T.poly(t)), _SUM
        case "mul":
            return " * ".join(_wrap(a, _ATOM) for a in t.args), _PRODUCT
        case "div" | "mod":
            sign = "//" if t.op == "div" else "%"
            return f"{_wrap(t.args[0], _PRODUCT)} {sign} {_wrap(t.args[1], _ATOM)}", _PRODUCT
        case "nonneg" | "zero":
            return _equation(t.args[0], "==") if t.op == "zero" else _compare(t.args[0]), _CMP
        case "not":
            if t.args[0].op == "zero":
                return _equation(t.args[0].args[0], "!="), _CMP
            return f"not {_wrap(t.args[0], _CMP)}", _NOT
        case "and" | "or":
            level = _AND if t.op == "and" else _OR
            return f" {t.op} ".join(_wrap(a, level + 1) for a in t.args), level
        case "ite" | "bite":
            c, a, b = (show(x) for x in t.args)
            return f"ite({c}, {a}, {b})", _ATOM
        case "min" | "max":
            return f"{t.op}({', '.join(show(a) for a in t.args)})", _ATOM
        case _:
            mark = "@" if t.op == "app" else "?"
            return f"{_name(t.data, mark)}({', '.join(show(a) for a in t.args)})", _ATOM


def _name(name: str, mark: str) -> str:
    return f"{'app' if mark == '@' else 'bapp'}_{name}"


def _number(n: int) -> str:
    if 1 << 20 <= abs(n) < 1 << _LARGEST_POWER:
        for offset in (0, 1, -1):
            base = abs(n) - offset
            if base & (base - 1) == 0:
                tail = "" if not offset else f" {'+' if offset > 0 else '-'} 1"
                text = f"2**{base.bit_length() - 1}{tail}"
                return text if n > 0 and not tail else f"-({text})" if n < 0 else f"({text})"
    return str(n)


def _sum(p: T.Poly) -> str:
    items = sorted(p.items(), key=lambda mc: (mc[0] == (), mc[1] < 0))
    out = ""
    for mono, coef in items:
        size = abs(coef)
        # `-(a // b)` needs its brackets, `x - a // b` does not
        bare = len(mono) == 1 and size == 1 and (coef > 0 or out != "")
        body = _wrap(mono[0], _PRODUCT) if bare else " * ".join(_wrap(a, _ATOM) for a in mono)
        text = _number(size) if not mono else body if size == 1 else f"{_number(size)} * {body}"
        if not out:
            out = text if coef > 0 else f"-{text}"
        else:
            out += f" + {text}" if coef > 0 else f" - {text}"
    return out or "0"


def _sides(t: Term) -> tuple[T.Poly, T.Poly]:
    """Polynomials without negative coefficients whose difference, right minus left, is `t`."""
    p = T.poly(t)
    return {m: -c for m, c in p.items() if c < 0}, {m: c for m, c in p.items() if c > 0}


def _equation(t: Term, sign: str) -> str:
    left, right = _sides(t)
    if list(left) in ([], [()]) or (() in left and () not in right):
        left, right = right, left
    return f"{_sum(left)} {sign} {_sum(right)}"


def _compare(t: Term) -> str:
    """`0 <= t` as a comparison of two sums."""
    left, right = _sides(t)
    if left.get(()) == 1 and len(left) > 1:
        return f"{_sum({m: c for m, c in left.items() if m})} < {_sum(right)}"
    if list(left) == [()]:
        return f"{_sum(right)} >= {_sum(left)}" if left[()] != 1 else f"{_sum(right)} > 0"
    if not left:
        return f"{_sum(right)} >= 0"
    if list(right) in ([()], []) and right.get((), 0) >= 1 << 20 and bin(right[()] + 1).count("1") == 1:
        return f"{_sum(left)} < {_number(right[()] + 1)}"
    return f"{_sum(left)} <= {_sum(right)}"


# ---------------------------------------------------------------- reading back


def parse_term(text: str, booleans: frozenset[str] = frozenset()) -> Term:
    """Read what `show` wrote; names in `booleans` are boolean variables.

    Raises ValueError with the offending part for text outside the notation, or where a condition stands for a number.
    """
    try:
        return _read(ast.parse(text, mode="eval").body, booleans)
    except SyntaxError as error:
        raise ValueError(f"not an expression: {text!r}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"nested too deeply: {text[:40]!r}…") from error


def _number_of(t: Term) -> Term:
    if t.sort is not T.Sort.INT:
        raise ValueError(f"a number is wanted, not the condition `{show(t)}`")
    return t


def _condition_of(t: Term) -> Term:
    if t.sort is not T.Sort.BOOL:
        raise ValueError(f"a condition is wanted, not the number `{show(t)}`")
    return t


def _read(node: ast.expr, booleans: frozenset[str]) -> Term:
    match node:
        case ast.Constant(value=bool() as b):
            return T.boolean(b)
        case ast.Constant(value=int() as n):
            return T.const(n)
        case ast.Name(id=name):
            return T.bvar(name) if name in booleans else T.var(name)
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -_number_of(_read(x, booleans))
        case ast.UnaryOp(op=ast.Not(), operand=x):
            return T.not_(_condition_of(_read(x, booleans)))
        case ast.BoolOp(op=op, values=values):
            parts = [_condition_of(_read(v, booleans)) for v in values]
            return T.and_(*parts) if isinstance(op, ast.And) else T.or_(*parts)
        case ast.BinOp(left=a, op=op, right=b):
            return _arith(op, _number_of(_read(a, booleans)), _number_of(_read(b, booleans)))
        case ast.Compare(left=first, ops=ops, comparators=rest):
            sides = [_number_of(_read(x, booleans)) for x in (first, *rest)]
            return T.and_(*(_relate(o, a, b) for o, a, b in zip(ops, sides, sides[1:], strict=False)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _call(name, [_read(a, booleans) for a in args])
        case _:
            raise ValueError(f"not a term: {ast.unparse(node)!r}")


def _arith(op: ast.operator, a: Term, b: Term) -> Term:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.FloorDiv():
            return T.div(a, b)
        case ast.Mod():
            return T.mod(a, b)
        case ast.Pow() if a.is_const and b.is_const and 0 <= b.value <= _LARGEST_POWER:
            return T.const(a.value**b.value)
        case ast.Pow():
            raise ValueError(f"powers in terms have constant operands and exponents up to {_LARGEST_POWER}")
        case _:
            raise ValueError(f"no such operator in terms: {type(op).__name__}")


def _relate(op: ast.cmpop, a: Term, b: Term) -> Term:
    table = {ast.Lt: T.lt, ast.LtE: T.le, ast.Gt: T.gt, ast.GtE: T.ge, ast.Eq: T.eq, ast.NotEq: T.ne}
    if type(op) not in table:
        raise ValueError(f"no such comparison in terms: {type(op).__name__}")
    return table[type(op)](a, b)


def _call(name: str, args: list[Term]) -> Term:
    if name == "ite" and len(args) == 3:
        cond, a, b = args
        if a.sort is not b.sort:
            raise ValueError(f"`{show(a)}` and `{show(b)}` are not both numbers or both conditions")
        return T.ite(_condition_of(cond), a, b)
    numbers = [_number_of(a) for a in args]
    if name in ("min", "max") and len(args) >= 2:
        return reduce(T.minimum if name == "min" else T.maximum, numbers)
    if name == "cdiv" and len(args) == 2:
        return T.div(numbers[0] + numbers[1] - 1, numbers[1])
    for prefix, make in (("app_", T.app), ("bapp_", T.bapp)):
        if name.startswith(prefix):
            return make(name.removeprefix(prefix), *numbers)
    raise ValueError(f"no such function in terms: {name}")
