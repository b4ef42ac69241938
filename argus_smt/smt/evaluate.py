"""Values of terms at concrete points: the meaning that every constructor of `term.py` keeps."""

from __future__ import annotations

from collections.abc import Callable

from argus_smt.smt.polynomial import Term


def evaluate(t: Term, env: Callable[[Term, tuple[int, ...]], int], memo: dict[Term, int] | None = None) -> int:
    """Value of `t` where `env(node, args)` gives variables (no args) and applications.

    Raises ZeroDivisionError where the term divides by zero on the branch that is taken.
    """
    memo = {} if memo is None else memo
    if t in memo:
        return memo[t]
    if t.op in ("ite", "bite"):
        out = evaluate(t.args[1] if evaluate(t.args[0], env, memo) else t.args[2], env, memo)
    elif t.op == "and":
        out = int(all(evaluate(a, env, memo) for a in t.args))
    elif t.op == "or":
        out = int(any(evaluate(a, env, memo) for a in t.args))
    else:
        out = _apply(t, tuple(evaluate(a, env, memo) for a in t.args), env)
    memo[t] = out
    return out


def _apply(t: Term, v: tuple[int, ...], env: Callable[[Term, tuple[int, ...]], int]) -> int:
    match t.op:
        case "const" | "true" | "false":
            return t.value
        case "add":
            return int(t.data[0] + sum(c * x for c, x in zip(t.data[1:], v, strict=True)))
        case "mul":
            out = 1
            for x in v:
                out *= x
            return out
        case "div":
            return v[0] // v[1]
        case "mod":
            return v[0] % v[1]
        case "min":
            return min(v)
        case "max":
            return max(v)
        case "nonneg":
            return int(v[0] >= 0)
        case "zero":
            return int(v[0] == 0)
        case "not":
            return int(not v[0])
        case _:
            return env(t, v)
