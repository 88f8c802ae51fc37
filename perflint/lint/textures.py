"""Textures and surfaces for a launch that binds none: the kernel's own use says what they hold.

Texels are the host's data, as a pointer's are: what an access owes to them is known for invented
data only, and the analysis says so (`loaded_address`, `data_dependent`).
"""

from __future__ import annotations

from perflint.grammar import table
from perflint.grammar.model import Function, Instruction
from perflint.sim.launch import Texture
from perflint.sim.texture_emission import geometry, through
from perflint.sim.textures import GEOMETRIES

#: Layers of a layered texture, and depth of one of three dimensions, where no launch tells.
LAYERS, DEPTH = 8, 64
FACES = 6


def assumed(kernel: Function, size: int) -> dict[tuple[str, int], Texture]:
    """A texture of `size` texels a side for each (symbol, byte offset) that is fetched through.

    The symbol is a parameter, or a texture reference. Handles that come from neither have none:
    the simulator then refuses the kernel.
    """
    found: dict[tuple[str, int], Texture] = {}
    for instruction, parameter, offset in through(kernel):
        shape = geometry(instruction)
        if parameter is not None and shape is not None:
            found.setdefault((parameter, offset), _texture(instruction, shape, parameter, size))
    return found


def references(kernel: Function, size: int) -> tuple[tuple[str, Texture], ...]:
    """The textures of `assumed` that no parameter passes, by their variables' names."""
    passed = {each.name for each in kernel.parameters}
    every = assumed(kernel, size).items()
    return tuple((name, texture) for (name, _), texture in every if name not in passed)


def _texture(instruction: Instruction, shape: str, name: str, size: int) -> Texture:
    dimensions, layered = GEOMETRIES[shape]
    cube = "cube" in shape
    layers = (FACES if cube else 1) * (LAYERS if layered else 1)
    extents = (
        layers,
        min(size, DEPTH) if dimensions == 3 and not cube else 1,
        size if dimensions > 1 else 1,
        size,
    )
    element = table.types(instruction)[0]
    surface = instruction.opcode.startswith("su")
    channels = table.vector(instruction) if surface else 4
    return Texture(name, extents, element, channels, normalised_coordinates=cube)
