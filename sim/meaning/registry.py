"""The registry of instruction meanings.

A meaning is one small function of NumPy values (arrays over lanes, or scalars that all lanes
share). It is registered for an opcode by a resolver, which reads the modifiers once, when a kernel
is compiled, and answers with the function and the types of its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

from perflint.base.records import dataclass
from perflint.sim.values import DTYPE

Function = Callable[..., Any]


@dataclass(frozen=True)
class Meaning:
    """What an instruction computes: `function(*sources)` gives the result, or a tuple of them."""

    function: Function
    results: tuple[str, ...]  #: PTX types; `pred` for predicates
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Form:
    """An opcode with its modifiers, as a resolver sees it."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: int  #: how many are written

    @cached_property
    def types(self) -> tuple[str, ...]:
        return tuple(m for m in self.modifiers if m in DTYPE)

    @property
    def type(self) -> str:
        return self.types[-1]

    @cached_property
    def flags(self) -> frozenset[str]:
        """The modifiers that are no types."""
        return frozenset(m for m in self.modifiers if m not in DTYPE)

    @property
    def rounding(self) -> str:
        """The rounding mode: rn where none is written."""
        return next((m for m in self.modifiers if m in ("rn", "rz", "rm", "rp")), "rn")


Resolver = Callable[[Form], Meaning | None]
_RESOLVERS: dict[str, tuple[Resolver, frozenset[str]]] = {}


def meaning(*opcodes: str, flags: str = "") -> Callable[[Resolver], Resolver]:
    """Register a resolver for opcodes. `flags` lists the modifiers, types apart, it knows."""

    def register(resolver: Resolver) -> Resolver:
        for opcode in opcodes:
            _RESOLVERS[opcode] = (resolver, frozenset(flags.split()))
        return resolver

    return register


@lru_cache(maxsize=4096)
def resolve(opcode: str, modifiers: tuple[str, ...], operands: int) -> Meaning | None:
    """The meaning of an instruction, or None where the emulator has none."""
    known = _RESOLVERS.get(opcode)
    if known is None:
        return None
    form = Form(opcode, modifiers, operands)
    resolver, flags = known
    if not form.types or not form.flags <= flags:
        return None
    return resolver(form)
