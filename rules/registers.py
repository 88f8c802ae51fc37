"""Registers of a kernel going by its PTX: ptxas takes as long as NVRTC, and need not be asked."""

from __future__ import annotations

from perflint.analysis.pressure import register_pressure
from perflint.rules.protocol import Kernel

#: Registers that ptxas allocates at most, as a multiple of what PTX keeps alive at once, and a few
#: for addresses: of 120 kernels of Rodinia, llm.c and cuda-samples the most was 1.3 times it.
ALLOCATED, SPARE = 1.5, 16
WIDEST = 16  #: bytes that variables are aligned to at most


def most_registers(kernel: Kernel) -> int:
    """The registers of a thread that ptxas comes to at most."""
    bound = ALLOCATED * register_pressure(kernel.facts.kernel) + SPARE
    return min(kernel.arch.max_registers_per_thread or 63, int(bound))


def static_shared(kernel: Kernel) -> int:
    """Bytes of shared memory that a block's variables take at most."""
    variables = (*kernel.facts.module.variables.values(), *kernel.facts.kernel.variables)
    return sum(-(-v.size // WIDEST) * WIDEST for v in variables if v.space == "shared")
