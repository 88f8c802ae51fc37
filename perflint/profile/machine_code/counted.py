"""The least that a profiled launch takes of the machine code that NVRTC's ptxas makes of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.api import Kernel
from perflint.base.records import dataclass
from perflint.frontend.nvrtc.internal_names import stable_names
from perflint.profile.machine_code.blocks import UnreadableCodeError, blocks
from perflint.profile.machine_code.disassembly import disassembled
from perflint.profile.machine_code.least import Work, least
from perflint.sim.floors import instructions


@dataclass(frozen=True)
class MachineCode:
    """What a kernel's machine code adds to its floors."""

    least: Mapping[str, int]  #: warp instructions, of all kinds (`issue`) and by pipe
    blocks: int
    instructions: int


def counted(kernel: Kernel, arch: str, counts: np.ndarray, warps: int) -> MachineCode:
    """Of a launch of so many warps, with UnitWork's `counts` of all its blocks.

    Raises UnreadableCodeError where there is no machine code, or it is not understood.
    """
    image = kernel.image(arch)
    if not image:
        raise UnreadableCodeError("machine code is made of CUDA sources by NVRTC")
    code = blocks(stable_names(disassembled(image)), kernel.entry)
    found = least(code, Work(warps, instructions(counts)))
    return MachineCode(found, len(code), sum(len(block.instructions) for block in code))
