"""The names of GPUs: those that can be simulated, and what users and builds write for them."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from perflint.base.patterns import pattern

_NAME = pattern(r"(?:sm|compute)_(\d{1,4})[af]?", re.ASCII)


class UnknownArchitectureError(ValueError):
    """A GPU that cannot be simulated; the message lists those that can."""


@cache
def known() -> tuple[str, ...]:
    """The GPUs that can be simulated, oldest first."""
    spec = find_spec("perflint.sim")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    names = {p.stem for folder in folders for p in Path(folder).glob("architectures/*.toml")}
    return tuple(sorted(names, key=_number))


def named(name: str) -> str:
    """The GPU that a user means: `sm_90`, `sm_90a` and `compute_90` are all `sm_90`.

    The letters promise instructions of one chip or family (PTX ISA, "Target Architecture"); its
    memory system is the base's. Raises UnknownArchitectureError.
    """
    match = _NAME.fullmatch(name)
    base = f"sm_{match[1]}" if match else name
    if base not in known():
        raise UnknownArchitectureError(
            f"there is no architecture {name!r}; choose from {', '.join(known())}"
        )
    return base


def nearest(name: str) -> str:
    """The GPU to simulate for one that a build names: itself, else the next older, else oldest."""
    older = [arch for arch in known() if _number(arch) <= _number(name)]
    return older[-1] if older else known()[0]


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else 0
