"""Where an expression looks up its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.macros import Macro


@dataclass(frozen=True)
class Declared:
    """What a declaration says of a name: `float *a[4]` is (FLOAT, 1, (4,))."""

    type: CType | None
    pointers: int = 0
    extents: tuple[int | None, ...] = ()


class Names(Protocol):
    """Where an expression looks up its names. Every answer may be None: unknown."""

    @property
    def macros(self) -> Mapping[str, Macro]: ...

    def variable(self, name: str) -> Value | None: ...

    def member(self, name: str, field: str) -> Value | None: ...

    def element(self, name: str, value: Value | None, index: str) -> Value | None: ...

    def call(self, name: str, arguments: Sequence[Value | None]) -> Value | None: ...

    def branch(self, condition: str) -> bool | None: ...

    def type(self, name: str) -> CType | None: ...

    def declared(self, name: str) -> Declared | None: ...


class NoNames:
    """Knows the given macros and constants, nothing else."""

    def __init__(
        self,
        macros: Mapping[str, Macro] | None = None,
        constants: Mapping[str, Value] | None = None,
    ) -> None:
        self.macros: Mapping[str, Macro] = macros or {}
        self._constants = constants or {}

    def variable(self, name: str) -> Value | None:
        return self._constants.get(name)

    def member(self, name: str, field: str) -> Value | None:
        return None

    def element(self, name: str, value: Value | None, index: str) -> Value | None:
        return None

    def call(self, name: str, arguments: Sequence[Value | None]) -> Value | None:
        return None

    def branch(self, condition: str) -> bool | None:
        return None

    def type(self, name: str) -> CType | None:
        return None

    def declared(self, name: str) -> Declared | None:
        return None


def type_of_words(words: Sequence[str], names: Names) -> CType | None:
    """The scalar type that a declaration's words name, typedefs followed."""
    kept = tuple(w for w in words if w not in ("const", "volatile", "constexpr", "static"))
    basic = c_types.basic_type(kept)
    if basic is None and len(kept) == 1:
        return names.type(kept[0])
    return basic
