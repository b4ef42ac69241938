"""Combine regions of reductions on what lanes may hold: which lanes are neutral, and what comes of combining others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from argus_smt.absint import content as C
from argus_smt.absint import signs as S
from argus_smt.absint.content import Content
from argus_smt.ir.ops import Binary, Block, Cast, Cmp, Const, Fma, If, Op, Select, Unary
from argus_smt.ir.types import Ptr, Scalar, elem_of
from argus_smt.ir.walk import blocks, operands, results

How = Callable[[Sequence[Content]], list[Content]]
"""From the contents of the left and then of the right elements to those of the combined ones."""
ROUNDS = 4


def region(block: Block) -> How:
    """A region of scalar operations as a function of contents."""

    def run(given: Sequence[Content]) -> list[Content]:
        env = {p.number: x for p, x in zip(block.params, given, strict=True)}
        return _run(block, env)

    return run


def _run(block: Block, env: dict[int, Content]) -> list[Content]:
    for op in block.ops:
        made = results(op)
        for result, value in zip(made, step(op, env), strict=True):
            env[result.number] = value
    return [env.get(v.number, C.anything(elem_of(v.type))) for v in block.yields]


def step(op: Op, env: dict[int, Content]) -> list[Content]:
    """Results of one operation on scalars; anything for those that are not followed."""
    made = results(op)
    if isinstance(op, If):
        sides = [_run(block, env) for block in (op.then, op.orelse)]
        cond = env.get(op.cond.number, Content())
        return [C.select(cond, a, b) for a, b in zip(*sides, strict=True)]
    if len(made) != 1:
        return [C.anything(elem_of(r.type)) for r in made]
    return [_value(op, elem_of(made[0].type), env)]


def _value(op: Op, elem: Scalar | Ptr, env: dict[int, Content]) -> Content:
    def get(number: int) -> Content:
        return env.get(number, Content())

    match op:
        case Const():
            return C.constant(op.value, elem)
        case Unary() if isinstance(kind := elem_of(op.operand.type), Scalar):
            return C.unary(op.fn, get(op.operand.number), kind)
        case Binary() if isinstance(elem, Scalar):
            return C.binary(op.fn, get(op.lhs.number), get(op.rhs.number), elem)
        case Fma() if isinstance(elem, Scalar):
            product = C.binary("fmul", get(op.a.number), get(op.b.number), elem)
            return C.binary("fadd", product, get(op.c.number), elem)
        case Cmp() if isinstance(kind := elem_of(op.lhs.type), Scalar):
            return C.compare(op.pred, get(op.lhs.number), get(op.rhs.number), kind)
        case Select():
            return C.select(get(op.cond.number), get(op.a.number), get(op.b.number))
        case Cast():
            return C.cast(op.kind, get(op.operand.number), elem_of(op.operand.type), elem)
        case _:
            return C.anything(elem)


def closure(how: How, seeds: Sequence[Content], others: Sequence[Content]) -> list[Content]:
    """What becomes of `seeds` however often they are combined with each other and with `others`."""
    found = list(seeds)
    for turn in range(ROUNDS + 1):
        every = [C.join(a, b) for a, b in zip(found, others, strict=True)]
        made = [how([*found, *every]), how([*every, *found])]
        wider = [C.join(x, C.join(a, b)) for x, a, b in zip(found, *made, strict=True)]
        wider = [replace(x, tag="") for x in wider]
        if wider == found:
            return found
        found = [C.widest(x) if turn >= ROUNDS - 2 and x != old else x for x, old in zip(wider, found, strict=True)]
    return [C.widest(x) for x in found]


def neutral(how: How, reals: Sequence[Content], lane: Sequence[Content]) -> bool:
    """Whether combining with `lane`, from either side, leaves any of `reals` as it is."""
    return all(_leaves(how, case, lane) for case in _cases(reals))


def _cases(reals: Sequence[Content]) -> list[list[Content]]:
    """The elements with the first one finite, infinite or not a number: what is equal to what depends on it."""
    first = reals[0]
    if first.span is not None or first.number is not None:
        return [list(reals)]
    kinds = [first.signs & k for k in (S.NINF, S.FINITE, S.PINF, S.NAN) if first.signs & k]
    return [[replace(C.of_signs(k), given=first.given), *reals[1:]] for k in kinds]


def _leaves(how: How, reals: Sequence[Content], lane: Sequence[Content]) -> bool:
    wanted = [f"element {i}" for i in range(len(reals))]
    named = [replace(x, tag=name) for x, name in zip(reals, wanted, strict=True)]
    return all([x.tag for x in how(given)] == wanted for given in ([*named, *lane], [*lane, *named]))


def compared(block: Block, i: int) -> bool:
    """Whether a region only compares the i-th elements of both sides with each other and chooses between them."""
    n = len(block.params) // 2
    own = {block.params[i].number, block.params[n + i].number}
    handed = set(own)
    for op in block.ops:
        if not handed & {v.number for v in operands(op)}:
            if blocks(op):
                return False
            continue
        match op:
            case Cmp() if {op.lhs.number, op.rhs.number} <= own:
                pass
            case Select() if op.cond.number not in handed and {op.a.number, op.b.number} <= handed:
                handed.add(op.result.number)
            case _:
                return False
    return all((y.number in handed) == (k == i) for k, y in enumerate(block.yields))
