"""A second solver's opinion: what Z3 and Argus's own algebra hold for impossible is put to cvc5."""

from __future__ import annotations

import importlib.util
from typing import Any

KNOWN = ("cvc5",)
"""Solvers that can be asked."""


def installed(name: str) -> bool:
    """Whether the Python package of a solver is there."""
    return importlib.util.find_spec(name) is not None


def opinion(text: str, milliseconds: int) -> str:
    """What cvc5 says of an SMT-LIB 2 text with one `(check-sat)`: sat | unsat | unknown.

    Raises ModuleNotFoundError where cvc5 is not installed, and RuntimeError for a text that it does not read.
    """
    import cvc5

    manager: Any = cvc5.TermManager()
    solver: Any = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(milliseconds))
    solver.setLogic("ALL")
    parser: Any = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    names = parser.getSymbolManager()
    said = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return said
        said = _answer(command.invoke(solver, names)) or said


def _answer(printed: str) -> str:
    words = printed.split()
    return words[0] if words and words[0] in ("sat", "unsat", "unknown") else ""
