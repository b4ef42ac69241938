"""What autotuning does to the arguments: which configurations are measured on them, and what is restored between the runs."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from triton.runtime.autotuner import Autotuner

from argus_smt.capture.ledger import Ledger, Owner
from argus_smt.capture.world import storage_key
from argus_smt.ir.launch import Tuning

_SKIPS_ONE = "len(pruned_configs) == 1" in inspect.getsource(Autotuner.run)
"""Whether this version of Triton measures nothing where pruning leaves one configuration."""


def is_measured(tuner: Any, configs: list[Any]) -> bool:
    """Whether the tuner runs its configurations on the arguments before the run that counts."""
    return len(tuner.configs) > 1 and (len(configs) > 1 or not _SKIPS_ONE)


def tuning_of(tuner: Any, configs: int, values: dict[str, Any], ledger: Ledger, before: dict[int, Owner]) -> Tuning:
    """What comes before each run: resets that the tuner was told of, and what the configuration's own hook has just filled.

    `before` is the ledger as it was before that hook. A hook of the tuner itself takes the place of its resets.
    """
    restored, hook = set(), ""
    if tuner.user_defined_pre_hook or tuner.user_defined_post_hook:
        hook = "the tuner has hooks of its own"
    if not tuner.user_defined_pre_hook:
        for name in (*tuner.reset_to_zero, *(() if tuner.user_defined_post_hook else tuner.restore_value)):
            tensor = values.get(name)
            if isinstance(tensor, torch.Tensor):
                owner = ledger.owners.get(storage_key(tensor))
                if owner is not None:
                    restored.add(owner.storage.ident)
    for key, owner in ledger.owners.items():
        old = before.get(key)
        if old is not None and old.storage is not owner.storage:
            if owner.storage.contents.startswith("fill "):
                restored.add(owner.storage.ident)
            else:
                hook = hook or f"a hook of the configuration writes into `{owner.storage.name}`"
    return Tuning(max(configs, 2), tuple(sorted(restored)), hook)
