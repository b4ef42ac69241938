"""Float arguments as integers that keep their order, so that comparisons with numbers are exact conditions."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from argus_smt.capture.signature import ScalarType
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term


def order(value: float) -> int:
    """An integer for each float but NaN: `order(a) < order(b)` exactly where `a < b`."""
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return int(bits) if bits >= 0 else -int(bits & (1 << 63) - 1)


LOWEST, HIGHEST = order(-math.inf), order(math.inf)


@dataclass(slots=True)
class Floats:
    """The float arguments of an exploration: their order symbols, which only paths speak of, and texts of conditions."""

    symbols: dict[str, Term] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)
    texts: dict[Term, Term] = field(default_factory=dict)
    """Conditions over order symbols → booleans that are named as a person would write them."""

    def argument(self, name: str, t: ScalarType) -> Term:
        """The order symbol of an argument, within its stated range."""
        if name not in self.symbols:
            x = T.var(f"order of {name}")
            self.symbols[name] = x
            low, high = t.floats or (-math.inf, math.inf)
            self.facts += [T.ge(x, order(low)), T.le(x, order(high))]
            if t.choices:
                self.facts.append(T.or_(*(T.eq(x, order(c)) for c in t.choices)))
        return self.symbols[name]

    def note(self, condition: Term, text: str, negated: str) -> None:
        """Remember how a condition over order symbols is written."""
        self.texts.setdefault(condition, T.bvar(text))
        self.texts.setdefault(T.not_(condition), T.bvar(negated))

    def shown(self, t: Term) -> Term:
        """`t` with conditions over floats as a person would write them."""
        return T.substitute(t, self.texts) if any(v in t.free for v in self.symbols.values()) else t

    def hides(self, t: Term) -> bool:
        """Whether terms over the symbols of the launch cannot say `t`."""
        return any(v.op == "bvar" for v in t.free) or not t.free.isdisjoint(self.symbols.values())

    def exact(self, conditions: Sequence[Term], session: Session) -> bool:
        """Whether conditions that `hides` is true of only ask for floats that exist, whatever the integers are."""
        mine = set(self.symbols.values())
        return all(set(c.free) <= mine for c in conditions) and session.possible([*self.facts, *conditions]) is True
