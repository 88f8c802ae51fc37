"""How many machine instructions ptxas makes of a PTX instruction.

PTX counts a division as it counts an addition; a GPU has no instruction for it. Counts that compare
one with the other (`x / y` against `x * r`, `i % n` against `i & 7`) are of machine instructions on
the common path, from `expansions.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from perflint.grammar.model import Instruction
from perflint.sim.tracers.instruction import class_of

#: Copies and addresses in the constant bank: ptxas folds them into what uses them.
_NOTHING = frozenset({"mov", "cvta", "neg", "abs"})
#: Other types of the same width cost the same.
_TYPES = {"u64": "s64", "b64": "s64"}


@cache
def _data() -> Mapping[str, tuple[int, int]]:
    with (Path(__file__).parent / "expansions.toml").open("rb") as file:
        data = tomllib.load(file)
    return {
        name: (n, d) for part in ("instructions", "calls") for name, (n, d) in data[part].items()
    }


def machine_instructions(instruction: Instruction) -> tuple[int, int]:
    """Machine instructions on the common path: all of them, and those on doubles among them."""
    if instruction.opcode in _NOTHING or (
        instruction.opcode == "ld" and "param" in instruction.modifiers
    ):
        return 0, 0
    found = _of_name(instruction.opcode, instruction.modifiers)
    if found is not None:
        return found
    return (1, 1) if class_of(instruction) == "f64" else (1, 0)


@lru_cache(maxsize=1024)
def _of_name(opcode: str, modifiers: tuple[str, ...]) -> tuple[int, int] | None:
    known = _data()
    name = ".".join((opcode, *modifiers))
    plain = ".".join((opcode, *(w for w in modifiers if w not in ("ftz", "sat"))))
    if found := known.get(name) or known.get(plain):
        return found
    signed = ".".join(_TYPES.get(word, word) for word in plain.split("."))
    return known.get(signed) if opcode in ("add", "sub", "mul") else None
