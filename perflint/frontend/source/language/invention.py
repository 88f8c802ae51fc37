"""Roots of one evaluation: what stands for the values of host code that reading cannot tell.

While a launch is evaluated for its formulas every root has a sample value. The samples only steer
the evaluation; the values that kernels are tried with are chosen later (`perflint.lint.worlds`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.terms import Root, Unknown

#: Roots of one launch. Beyond it values stay unknown.
ROOT_LIMIT = 48


@dataclass
class Invention:
    """The roots that an evaluation has met, in the order in which it met them."""

    roots: dict[object, Root] = field(default_factory=dict)  #: by what tells one from all others
    closed: bool = False  #: no further ones are taken up
    reading: bool = False  #: for the moment nothing is invented

    def root(
        self,
        key: object,
        name: str,
        kind: CType,
        place: Span,
        default: int | float | None = None,
        enumerators: tuple[int, ...] = (),
        why: str = "",
        told: str = "",
        picked: bool = False,
    ) -> Value | None:
        """The sample of a root with its formula; None where no more are taken up."""
        if key not in self.roots:
            if self.closed or len(self.roots) >= ROOT_LIMIT or kind.kind == "opaque":
                return None
            sample = _sample(len(self.roots), kind, default, enumerators)
            typed = kind is not c_types.UNSEEN
            self.roots[key] = Root(
                name, kind, sample.number, default, enumerators, place, why, typed, told, picked
            )
        elif why and not (self.roots[key].why or self.roots[key].told):
            self.roots[key] = replace(self.roots[key], why=why)  # it was met where nothing told
        index = list(self.roots).index(key)
        return Value(self.roots[key].sample, kind, Unknown(index))

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """While it lasts, what is not known stays so."""
        before, self.reading = self.reading, True
        try:
            yield
        finally:
            self.reading = before


def _sample(
    index: int, kind: CType, default: int | float | None, enumerators: tuple[int, ...]
) -> Value:
    """A number that is like no other root's: no quotient of two is whole, no difference 0."""
    number: int | float = 640 + 128 * index
    if kind.kind == "float":
        number = 1.5 + 0.25 * index
    elif kind.size == 1:
        number = 1  # a flag
    if enumerators:
        number = enumerators[0]
    if default is not None:
        number = default
    found = c_types.convert(
        Value(number, c_types.DOUBLE if isinstance(number, float) else c_types.LLONG), kind
    )
    return found or Value(1, kind)
