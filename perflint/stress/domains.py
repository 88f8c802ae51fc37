"""What values the arrays of a launch may hold: what they are for, and how far that goes.

Roles come from the analysis (indices, offsets of rows, flags), extents from the launch; what is
left, how large a number may be, is asked of the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from perflint.base.records import dataclass
from perflint.lint.data_values import buffer_of
from perflint.sim.launch import Flags, Offsets, Scalar
from perflint.stress import generators as g
from perflint.stress.formulas import Formulas
from perflint.stress.generators import Generator
from perflint.stress.target import Slot, Target

Kind = Literal["index", "offsets", "choice", "number", "fraction"]

#: Where nothing says how large an integer may be, these are tried from above.
_TOPS = (1 << 62, 1 << 32, 1 << 31, 1 << 16, 1 << 15, 4096, 1024, 256, 128, 32, 2)
_WIDEST_CHOICE = 4096  #: numbers further apart that something is compared with are no choice
_UNKNOWN = 1 << 30
_SAMPLES = 3  #: random inputs that a domain is asked by
_ROW = 8  #: entries of a row where nothing says how many there are


@dataclass(frozen=True)
class Domain:
    """What one array may hold: integers from `low` to below `high`, offsets up to `high`."""

    slot: Slot
    kind: Kind
    low: int = 0
    high: int = 1

    def random(self, seed: int) -> Generator:
        """Random data of this kind."""
        match self.kind:
            case "offsets":
                return g.Rows(self.high, g.Random(seed))
            case "fraction":
                return g.Random(seed)
        return self._between(g.Random(seed, max(1, self.high - self.low)))

    def plain(self) -> Generator:
        """Data without a pattern of its own: element i holds i, rows are equal, all are chosen."""
        match self.kind:
            case "offsets":
                return g.Rows(self.high, g.Constant(1))
            case "choice":
                return g.Constant(self.high - 1)
        return self.fitted(g.Affine())

    def _between(self, random: g.Random) -> Generator:
        return g.Plus(random, self.low) if self.low else random

    def fitted(self, generator: Generator) -> Generator:
        """A generator, with what brings its values into the domain where they leave it."""
        if self.kind in ("offsets", "fraction"):
            return generator
        values = generator.at(np.arange(self.slot.count), self.slot.count)
        if values.min() >= self.low and values.max() < self.high:
            return generator
        if isinstance(generator, g.Constant):
            return g.Constant(min(max(int(generator.value), self.low), self.high - 1))
        inside = g.Modulo(generator, self.high - self.low)
        return g.Plus(inside, self.low) if self.low else inside


#: Whether the kernel runs properly on an input.
Works = Callable[[Mapping[str, Generator]], bool]
#: The numbers from and to which an array may hold, by what the user says of it.
Bounds = Callable[[str, int, int], tuple[int, int]]


def domains(target: Target, formulas: Formulas, works: Works, bounds: Bounds) -> tuple[Domain, ...]:
    """A domain for each free array."""
    first = (_domain(target, formulas, slot) for slot in target.free)
    found = {each.slot.name: _bounded(each, bounds) for each in first}
    for name, domain in found.items():
        if domain.kind != "number" or domain.high < _UNKNOWN:
            continue
        others = {n: d.plain() for n, d in found.items() if n != name}
        for top in _tops(domain):
            found[name] = _bounded(Domain(domain.slot, "number", 0, top), bounds)
            if works({**others, name: found[name].random(0)}):
                break
    return _narrowed(tuple(found.values()), works)


def _bounded(domain: Domain, bounds: Bounds) -> Domain:
    if domain.kind in ("offsets", "fraction"):
        return domain
    low, high = bounds(domain.slot.name, domain.low, domain.high)
    return replace(domain, low=low, high=high)


def _narrowed(found: tuple[Domain, ...], works: Works) -> tuple[Domain, ...]:
    """Domains of which random data works: where a kernel adds two indices, each has half the room.

    As they are, where no narrower ones do.
    """

    def random_works(domains: tuple[Domain, ...]) -> bool:
        inputs = ({d.slot.name: d.random(n) for d in domains} for n in range(_SAMPLES))
        return all(works(each) for each in inputs)

    if random_works(found):
        return found
    names = [d.slot.name for d in found]
    for divisor in (2, 8, 64, 1024):
        for chosen in (*([name] for name in names), names):
            narrower = tuple(
                replace(d, high=max(d.low + 1, d.high // divisor))
                if d.kind in ("index", "number") and d.slot.name in chosen
                else d
                for d in found
            )
            if narrower != found and random_works(narrower):
                return narrower
    return found


def _tops(domain: Domain) -> Iterator[int]:
    most = int(np.iinfo(domain.slot.dtype).max) + 1
    yield from sorted({min(most, top) for top in (*_TOPS, domain.slot.count)}, reverse=True)


def _domain(target: Target, formulas: Formulas, slot: Slot) -> Domain:
    if slot.dtype.kind == "f":
        return Domain(slot, "fraction")
    sizes = {s.pointer: s.data.nbytes for s in target.slots}
    arguments = enumerate(target.launch.arguments)
    values = {(i, 0): a.value for i, a in arguments if isinstance(a, Scalar)}
    known = buffer_of(target.facts, slot.pointer, slot.name, _UNKNOWN, sizes, values)
    if isinstance(known.contents, Offsets):
        total = known.contents.total
        return Domain(slot, "offsets", 0, _ROW * (slot.count - 1) if total is None else total)
    if isinstance(known.contents, Flags):
        return Domain(slot, "choice", 0, 2)
    if known.limit < _UNKNOWN:
        return Domain(slot, "index", 0, min(known.limit, int(np.iinfo(slot.dtype).max) + 1))
    constants = formulas.constants(slot.pointer)
    if constants and not formulas.indexes(slot.pointer):
        limits = np.iinfo(slot.dtype)
        low, high = max(int(limits.min), constants[0] - 1), min(int(limits.max), constants[-1] + 1)
        if high - low < _WIDEST_CHOICE:
            return Domain(slot, "choice", low, high + 1)
    return Domain(slot, "number", 0, _UNKNOWN)
