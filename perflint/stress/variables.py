"""A module's `__constant__` and `__device__` variables: what a launch finds in them, byte by byte.

What nobody tells is the simulator's invention, by the type that the kernel reads. A case states it,
so that a program can set the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.grammar import table
from perflint.sim.launch import Fill, SymbolBytes
from perflint.sim.layout import mentioned, module_regions
from perflint.sim.memory import PAGE, Accounting, Region
from perflint.sim.values import DTYPE

#: Bytes of a variable whose contents are stated: constant memory has as many.
LARGEST_VARIABLE = 1 << 16
_MEMORY = 1 << 30


def variables_of(facts: KernelFacts, symbols: Sequence[SymbolBytes]) -> dict[str, Region]:
    """The variables that a kernel mentions, with what the launch finds in them."""
    names = mentioned(facts.kernel) & facts.module.variables.keys()
    found = module_regions(facts.module, names, Fill.RANDOM, Accounting(_MEMORY), symbols)
    types = _types(facts)
    for name, region in found.items():
        region.element = region.element or types.get(name)
    return found


def _types(facts: KernelFacts) -> Mapping[str, str]:
    """The PTX types that variables are read as, the first of each."""
    found: dict[str, str] = {}
    for site in facts.sites:
        named = table.types(facts.kernel.instructions[site.pcs[0]])
        if site.array.kind == "variable" and named and named[-1] in DTYPE:
            found.setdefault(site.array.name, named[-1])
    return found


def is_open(facts: KernelFacts, name: str, region: Region) -> bool:
    """Whether neither the source nor CUDA says what a variable holds before the host copies."""
    return facts.module.variables[name].initialiser is None and region.fill is not Fill.ZERO


def region_bytes(region: Region) -> np.ndarray:
    """What a region holds before the launch, uint8."""
    size = region.size or 0
    pages = np.arange(-(-size // PAGE))
    return region.initial(pages).reshape(-1)[:size].copy() if size else np.zeros(0, np.uint8)


def invented(facts: KernelFacts) -> tuple[SymbolBytes, ...]:
    """What the simulator invents of variables that are open, stated."""
    return tuple(
        SymbolBytes(name, 0, region_bytes(region).tobytes(), told=False)
        for name, region in sorted(variables_of(facts, ()).items())
        if is_open(facts, name, region) and 0 < (region.size or 0) <= LARGEST_VARIABLE
    )
