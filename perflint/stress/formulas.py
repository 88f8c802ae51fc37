"""Formulas of the analysis, evaluated for the lanes of a warp: which loads they rest on.

The analysis writes an address as `base + 4*loaded(23, %r5)`. Which array a loaded value comes from,
and which element a lane reads, stands at the site of that load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from perflint.analysis.extents import comparisons
from perflint.analysis.model import KernelFacts, Pointer
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop, Opaque, Parameter, Special, Symbol
from perflint.base.records import dataclass
from perflint.sim.launch import Launch, Scalar


@dataclass(frozen=True)
class Load:
    """A load of a kernel, as far as formulas tell."""

    pointer: Pointer
    address: Polynomial | None
    size: int


@dataclass(frozen=True, eq=False)
class Formulas:
    """What a kernel's formulas come to in one launch."""

    facts: KernelFacts
    launch: Launch

    @cached_property
    def loads(self) -> Mapping[int, Load]:
        """The loads through pointers that were passed, by instruction."""
        return {
            pc: Load((site.array.parameter, site.array.offset or 0), address, site.size)
            for site in self.facts.sites
            if site.kind == "load" and site.array.parameter is not None
            for pc, address in zip(site.pcs, site.addresses or (site.address,), strict=False)
        }

    @cached_property
    def conditions(self) -> tuple[Polynomial, ...]:
        """All conditions of branches and before accesses, each once."""
        found = [b.condition for b in self.facts.branches if b.condition is not None]
        found += [guard for site in self.facts.sites for guard in site.guards]
        return tuple(dict.fromkeys(found))

    def leaves(self, formula: Polynomial) -> dict[Opaque, Load] | None:
        """The loaded values in a formula; None where it rests on another unknown value."""
        found: dict[Opaque, Load] = {}
        for atom in formula.atoms:
            if isinstance(atom, Opaque):
                if not atom.is_loaded or atom.pc not in self.loads:
                    return None
                found[atom] = self.loads[atom.pc]
        return found

    def known(self, lane: Any = 0, block: Sequence[Any] = (0, 0, 0)) -> dict[Symbol, Any]:
        """Values of what is no loaded value, for some threads of a block: `lane` numbers.

        Addresses of arrays count from 0, and loops are in their first turn.
        """
        width, height, _ = self.launch.block
        axes = (lane % width, lane // width % height, lane // (width * height))
        values: dict[Symbol, Any] = {Special("%laneid"): lane % 32}
        extents = zip("xyz", axes, block, self.launch.block, self.launch.grid, strict=True)
        for axis, thread, its, threads, blocks in extents:
            values[Special(f"%tid.{axis}")] = thread
            values[Special(f"%ntid.{axis}")] = threads
            values[Special(f"%ctaid.{axis}")] = its
            values[Special(f"%nctaid.{axis}")] = blocks
        return values

    def value(
        self,
        formula: Polynomial,
        given: Mapping[Symbol, Any],
        lane: Any = 0,
        block: Sequence[Any] = (0, 0, 0),
    ) -> Any:
        """A formula's value with these loaded values; None where something in it has none."""
        values = {**self.known(lane, block), **given}
        for atom in formula.atoms:
            if atom in values:
                continue
            if isinstance(atom, Parameter):
                argument = self.launch.arguments[atom.index]
                known = isinstance(argument, Scalar) and not atom.offset
                values[atom] = int(argument.value) if known else 0  # type: ignore[union-attr]
            elif isinstance(atom, Loop) or not isinstance(atom, Opaque | Special):
                values[atom] = 0  # a base address, or a first turn
        try:
            return formula.evaluate(values)
        except (KeyError, ArithmeticError, TypeError, ValueError):
            return None

    def stride(self, load: Load) -> int:
        """Elements from the one that a lane loads to the next lane's; 0 where that is not fixed."""
        lanes = np.arange(min(32, self.launch.threads_per_block), dtype=np.int64)
        if load.address is None or self.leaves(load.address) != {} or len(lanes) < 2:
            return 0
        address = self.value(load.address, {}, lanes)
        steps = set(np.diff(np.broadcast_to(address, lanes.shape)).tolist())
        step = steps.pop() if len(steps) == 1 else 0
        return int(step // load.size) if step > 0 and step % load.size == 0 else 0

    def constants(self, pointer: Pointer) -> tuple[int, ...]:
        """The numbers that values loaded of an array are compared with, ascending."""
        return tuple(sorted(set(self._constants(pointer))))

    def _constants(self, pointer: Pointer) -> Iterator[int]:
        found = (each for c in self.conditions for each in comparisons(c.symbol))
        pairs = [pair for c in found for pair in ((c.left, c.right), (c.right, c.left))]
        for one, other in pairs:
            leaf, number = one.symbol, self._fixed(other)
            if isinstance(leaf, Opaque) and self._is_of(leaf, pointer) and number is not None:
                yield number

    def _fixed(self, formula: Polynomial) -> int | None:
        """A number that is the same for all threads and turns; None for what is none."""
        if any(isinstance(atom, Opaque | Special | Loop) for atom in formula.atoms):
            return None
        found = self.value(formula, {})
        return None if found is None else int(found)

    def indexes(self, pointer: Pointer) -> bool:
        """Whether an address rests on values of an array."""
        return any(
            isinstance(atom, Opaque) and self._is_of(atom, pointer)
            for site in self.facts.sites
            if site.address is not None
            for atom in site.address.atoms
        )

    def _is_of(self, leaf: Opaque, pointer: Pointer) -> bool:
        return leaf.pc in self.loads and self.loads[leaf.pc].pointer == pointer
