"""Index tensors that the host computes: the element functions give what torch gives, and proofs lean on them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest
import torch

from argus_smt.interp.memory import Memory, Region
from argus_smt.ir.types import element
from argus_smt.prove.domain import domain
from argus_smt.prove.finding import ProveOptions
from argus_smt.prove.scene import compute
from argus_smt.smt.model import Model
from tests.integration.pipeline import errors, program_of, prove_all, undecided

FILE = Path(__file__).resolve().parents[1] / "cases" / "contents" / "computed.py"
EXACT = (
    "shifted", "clamped", "halved", "chosen", "counting", "starts", "joined", "narrowed", "table", "picked", "flipped",
    "stacked", "masked", "sliced",
)  # fmt: skip


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("computed_contents", FILE)
    assert spec is not None
    assert spec.loader is not None
    out = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(out)
    return out


class _NoKernel:
    def __getitem__(self, grid: object) -> object:
        return lambda *args, **kwargs: None


@pytest.mark.parametrize("name", EXACT)
def test_element_functions_are_what_torch_computes(name: str) -> None:
    program = program_of(FILE, f"{name}(x: f32[R], lens: i64[B] in [0, 1000)) where B >= 2")
    launch = program.launches[0]
    dom = domain(program, launch, launch.cases[0], ())
    rng = Random(name)
    real = module()
    real.gather = _NoKernel()  # type: ignore[attr-defined]
    for _ in range(12):
        b, r = rng.randint(2, 6), rng.randint(1, 40)
        lens = [rng.randint(0, 999) for _ in range(b)]
        wanted = getattr(real, name)(torch.zeros(r), torch.tensor(lens))
        model = Model({"B": b, "R": r})
        storages = {s.ident: s for s in dom.launch.storages}
        memory = Memory([Region(s.ident, s.name, element(s.dtype).name, model.value(s.nbytes)) for s in storages.values()])
        source = next(s for s in storages.values() if s.name == "lens")
        memory.write_elements(source.ident, 0, np.array(lens, np.int64))
        for s in sorted(storages.values(), key=lambda s: s.ident):
            if s.facts is not None and s.facts.exact:
                assert compute(memory, s, model)
        passed = dom.case.args[1]
        home = storages[passed.storage]  # type: ignore[union-attr]
        assert home.contents == "input" or (home.facts is not None and home.facts.exact)
        raw = memory.read_bytes(passed.storage, model.value(passed.offset), wanted.numel() * wanted.element_size())  # type: ignore[union-attr]
        assert raw.view(wanted.numpy().dtype).tolist() == wanted.reshape(-1).tolist()


DECIDED = {
    "shifted": ("shifted(x: f32[R], lens: i64[B] in [0, 1000))", None),
    "clamped": ("clamped(x: f32[R], lens: i64[B] in [0, 1000))", None),
    "counting": ("counting(x: f32[R], lens: i64[B]) where R >= 2 * B", None),
    "table": ("table(x: f32[R], lens: i64[B]) where R >= 4 * B", None),
    "flipped": ("flipped(x: f32[R], lens: i64[B] in [0, R))", None),
    "starts": ("starts(x: f32[R], lens: i64[B] in [0, 8)) where R >= 8 * B + 1", None),
    "chosen": ("chosen(x: f32[R], lens: i64[B] in [0, R + 3))", "AR301"),
    "counting short": ("counting(x: f32[R], lens: i64[B]) where R >= 2 * B - 1", "AR301"),
    "halved": ("halved(x: f32[R], lens: i64[B] in [0, 2 * R))", "AR301"),
    "narrowed": ("narrowed(x: f32[R], lens: i64[B] in [0, 3)) where R >= 201", "AR301"),
    "starts short": ("starts(x: f32[R], lens: i64[B] in [0, 8)) where R >= 7 * B", "AR301"),
}


@pytest.mark.parametrize("name", DECIDED)
def test_verdicts_lean_on_computed_contents(name: str) -> None:
    call, code = DECIDED[name]
    results = prove_all(program_of(FILE, call), ProveOptions())
    assert not undecided(results), undecided(results)[0].reason
    assert {f.code for f in errors(results)} == ({code} if code else set())


def test_contents_made_before_their_source_changed_are_not_followed() -> None:
    results = prove_all(program_of(FILE, "later(x: f32[R], lens: i64[B] in [0, R))"), ProveOptions())
    assert undecided(results)
    assert not errors(results)
