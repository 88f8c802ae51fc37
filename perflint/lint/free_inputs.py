"""What of a launch's input may be another: elements of its arrays, and arguments that are roots.

Values are asked for near those that are tried first, then as far as the type and the use go: left
alone, a solver answers 1 and 0, for which everything is fine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from perflint.analysis.model import KernelFacts, Pointer
from perflint.base.records import dataclass
from perflint.lint.experiment import Condition
from perflint.sim.fills import filled_at
from perflint.sim.launch import Aggregate, Argument, Buffer, Fill, Launch, Offsets, Same
from perflint.sim.values import DTYPE
from perflint.symbolic.solver import Clause
from perflint.symbolic.terms import Terms
from perflint.symbolic.transfer import width

#: How far from what is tried first values are asked for, one after the other.
SCALES = ("near", "below zero", "far")
_FARTHEST_FLOAT = 1e6
_TYPES = frozenset(f"{kind}{bits}" for kind in "bsu" for bits in (8, 16, 32, 64)) | {"f32", "f64"}

Range = tuple[int | float | None, int | float | None]  #: least and most, None: the type's own


@dataclass(frozen=True, eq=False)
class FreeArray:
    """An array whose elements may be others."""

    buffer: Buffer
    ranges: Mapping[str, Range]  #: by scale

    @property
    def dtype(self) -> np.dtype[Any]:
        assert self.buffer.element is not None
        return np.dtype(DTYPE[self.buffer.element])

    @property
    def sort(self) -> str:
        return f"{'f' if self.dtype.kind == 'f' else 'b'}{8 * self.dtype.itemsize}"

    @property
    def is_signed(self) -> bool:
        assert self.buffer.element is not None
        return self.buffer.element[0] == "s"

    def first(self, fill: Fill, index: np.ndarray, region: int) -> np.ndarray:
        """What the elements with numbers `index` (n,) hold at first, (n,), in a numbered region."""
        buffer = self.buffer
        assert buffer.element is not None
        found = filled_at(fill, buffer.element, buffer.limit, index, region, buffer.contents)
        return found.view(self.dtype)

    def value(self, number: Any) -> Any:
        """An element of a solver's number."""
        if self.dtype.kind == "f":
            return self.dtype.type(float(number))
        bits = np.array(int(number), np.uint64).astype(f"u{self.dtype.itemsize}")
        return bits.view(f"i{self.dtype.itemsize}" if self.is_signed else bits.dtype)[()]


@dataclass(frozen=True)
class FreeArgument:
    """An argument that is a root of the host code, invented for want of better."""

    index: int  #: of the parameter
    value: int
    sort: str

    def range(self, scale: str) -> Range:
        most = (1 << (width(self.sort) - 1)) - 1
        if scale != "far":
            return self.value // 2, min(most, 2 * self.value)
        return 0, min(most, 64 * max(1, self.value))


@dataclass(frozen=True, eq=False)
class Free:
    """All of an input that may be another."""

    arrays: Mapping[str, FreeArray]  #: by name
    arguments: Mapping[str, FreeArgument]  #: by PTX name

    def bounds(self, terms: Terms, scale: str, variable: int) -> list[Clause]:
        """What holds of an element or an argument by itself."""
        kind, sort, name, *_ = terms.all[variable]
        signed = True
        if kind == "element":
            found, signed = self.arrays[name].ranges[scale], self.arrays[name].is_signed
        else:
            found = self.arguments[name].range(scale)
        suffix = "" if sort[0] == "f" else "_s" if signed else "_u"
        low, high = (None if each is None else terms.const(each, sort) for each in found)
        out: list[Clause] = []
        if low is not None:
            out.append((terms.op(f"le{suffix}", "p", low, variable),))
        if high is not None:
            out.append((terms.op(f"le{suffix}", "p", variable, high),))
        return out


def arrays_of(facts: KernelFacts, launch: Launch) -> dict[str, FreeArray]:
    """The arrays of a launch whose elements may be others, by name.

    Offsets of rows stay as they are, and what the program tells.
    """
    roles = {role.pointer: role.kind for role in facts.data_roles if not role.others}
    return {
        buffer.name: FreeArray(buffer, _ranges(buffer, roles.get(pointer)))
        for pointer, buffer in buffers(launch.arguments)
        if buffer.element in _TYPES
        and buffer.data is None
        and pointer[0] not in facts.told
        and not isinstance(buffer.contents, Offsets)
    }


def with_arrays(condition: Condition, contents: Mapping[str, np.ndarray | Same]) -> Condition:
    """A condition whose arrays, by name, begin with these elements, or have all the same one."""

    def made(buffer: Buffer) -> Buffer:
        given = contents.get(buffer.name)
        if given is None:
            return buffer
        if isinstance(given, Same):
            return replace(buffer, contents=given)
        return replace(buffer, data=given)

    def passed(argument: Argument) -> Argument:
        if isinstance(argument, Buffer):
            return made(argument)
        if isinstance(argument, Aggregate):
            inside = ((o, made(b) if isinstance(b, Buffer) else b) for o, b in argument.buffers)
            return replace(argument, buffers=tuple(inside))
        return argument

    launch = condition.launch
    arguments = tuple(map(passed, launch.arguments))
    return replace(condition, launch=replace(launch, arguments=arguments))


def buffers(arguments: Sequence[Argument]) -> Iterator[tuple[Pointer, Buffer]]:
    """The buffers that are passed, by where their pointers stand; in structs, too."""
    for index, argument in enumerate(arguments):
        if isinstance(argument, Buffer):
            yield (index, 0), argument
        elif isinstance(argument, Aggregate):
            for offset, each in argument.buffers:
                if isinstance(each, Buffer):
                    yield (index, offset), each


def _ranges(buffer: Buffer, role: str | None) -> dict[str, Range]:
    if buffer.element in ("f32", "f64"):
        far = (-_FARTHEST_FLOAT, _FARTHEST_FLOAT)
        return dict(zip(SCALES, ((0.0, 1.0), (-1.0, 0.0), far), strict=True))
    limits = np.iinfo(DTYPE[buffer.element or "b32"])
    most = min(1 if role == "flag" else buffer.limit - 1, int(limits.max))
    near: Range = (0, most)
    if role is not None:
        return dict.fromkeys(SCALES, near)
    # PTX loads an `int` as `u32`: there, what is below zero is near the top
    beyond = 0 if limits.min else 1 << limits.bits
    below: Range = (beyond - min(most + 1, 1 << (limits.bits - 1)), beyond - 1)
    return dict(zip(SCALES, (near, below, (None, None)), strict=True))


def number_of(value: Any, sort: str) -> int | Fraction:
    """A value as the solver has it."""
    return Fraction(float(value)) if sort[0] == "f" else int(value) % (1 << width(sort))
