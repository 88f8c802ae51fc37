"""Launches that really happened, with the memory that each found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perflint.base.records import dataclass
from perflint.sim.launch import (
    ImageRegion,
    MemoryImage,
)
from perflint.sim.memory import REGION_SHIFT


@dataclass(frozen=True, eq=False)
class RecordedLaunch:
    """One launch of a program."""

    module: str  #: digest of its PTX
    kernel: str  #: the entry's name
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int  #: dynamic, bytes
    number: int  #: the how-manieth launch of its kernel and shape it was, from 1
    alike: int  #: launches of that kernel and shape in all
    image: MemoryImage | None  #: None: the memory was too large to keep
    parameters: bytes


@dataclass(frozen=True, eq=False)
class Records:
    """The launches of a program, and the PTX of its modules by digest."""

    modules: Mapping[str, tuple[str, ...]]  #: the PTX of each object of a module
    launches: tuple[RecordedLaunch, ...]


def allocations_of(layout: Sequence[tuple[int, int]], image: MemoryImage) -> dict[int, ImageRegion]:
    """The allocation that each pointer parameter leads to, by the parameter's number."""
    regions = {r.number: r for r in image.regions}
    out = {}
    for number, (offset, size) in enumerate(layout):
        if size == 8:
            address = int.from_bytes(image.parameters[offset : offset + 8], "little")
            if address >> REGION_SHIFT in regions:
                out[number] = regions[address >> REGION_SHIFT]
    return out
