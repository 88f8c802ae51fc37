"""The memory of a recorded launch, as regions of the simulator's."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Function, Module
from perflint.sim.launch import Fill, ImageTexture, MemoryImage
from perflint.sim.layout import Parameters, frame, module_regions
from perflint.sim.memory import Accounting, Region, base_address
from perflint.sim.textures import Bound

_OWN = 1 << 22  #: numbers from here on are of variables that the recorded module did not have


@dataclass(frozen=True, eq=False)
class PitchedBound(Bound):
    """A texture whose rows do not follow one another closely."""

    pitch: int = 0

    def offset(self, place: tuple[np.ndarray, ...]) -> np.ndarray:
        _, _, y, x = place
        return np.asarray(y * self.pitch + x * self.texture.texel_bytes)


def bound(found: ImageTexture, region: Region) -> Bound:
    """A texture on a region's bytes."""
    if found.pitch:
        return PitchedBound(found.texture, region, found.pitch)
    return Bound(found.texture, region)


def remembered(
    module: Module,
    function: Function,
    names: Set[str],
    image: MemoryImage,
    fill: Fill,
    accounting: Accounting,
) -> tuple[list[Region], Parameters, dict[str, int]]:
    """Regions, parameters and variables' addresses of a recorded launch.

    The kernel may be another than the one recorded (a variant of it, compiled anew): variables are
    found by name, and those that the recorded module did not have are as `module_regions` has them.
    """
    regions = [
        Region(
            r.number, r.name, fill, 1024, accounting,
            size=len(r.data), data=r.data, constant=r.constant,
        )
        for r in image.regions
    ]  # fmt: skip
    here = {region.number: region for region in regions}
    symbols = dict(image.symbols)
    fresh = module_regions(module, names - symbols.keys(), fill, accounting)
    for name, region in fresh.items():
        region.number = _OWN + len(regions)
        symbols[name] = base_address(region.number)
        regions.append(region)
    placed = frame(function.parameters)
    bytes_ = np.zeros(placed.size + 16, np.uint8)
    given = np.frombuffer(image.parameters, np.uint8)[: placed.size]
    bytes_[: len(given)] = given
    textures = {
        number: bound(found, here[number])
        for number, found in image.textures.items()
        if number in here
    }
    return regions, Parameters(placed.offsets, bytes_, textures), symbols
