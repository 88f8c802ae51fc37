"""Cycles of a multiprocessor that no schedule can beat, by unit (docs/worth.md)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from perflint.base.records import dataclass

#: The units by the rate that bounds them, and what people call them.
UNITS: Mapping[str, str] = {
    "issue": "issue",
    "fp32": "FP32 pipe",
    "fp64": "FP64 pipe",
    "special": "SFU",
    "tensor": "tensor cores",
    "lsu": "LSU",
    "tags": "L1 tag stage",
    "l1_bytes": "L1 data stage",
    "shared_wavefronts": "shared memory",
    "int": "ALU (integers)",
    "imad": "integer products",
}
#: What is counted on machine code alone: ptxas makes others of PTX's integers.
OF_MACHINE_CODE = frozenset({"int", "imad"})


#: Cycles in which memory brings a multiprocessor one sector: an A100's 1,555 GB/s at 1.41 GHz are
#: 10 bytes per cycle for each of its 108. Others have 3 to 13.
CYCLES_PER_SECTOR = 32 / 10
ISSUED_PER_CYCLE = 4
#: Cycles in which L2 moves a multiprocessor a sector at best: an A100's 5,120 bytes per cycle
#: (whitepaper) shared out to 108.
CYCLES_PER_L2_SECTOR = 32 * 108 / 5120
#: Atomics that L2 does per cycle at most, of the whole GPU: an H200's 132 multiprocessors had 32,
#: each on its own word, done in 18.9 cycles (docs/hardware.md).
ATOMICS_PER_CYCLE = 132 * 32 / 18.9
#: … and for one of 108 multiprocessors, at best: by the sectors that requests go to, or by lanes.
CYCLES_PER_ATOMIC_SECTOR = CYCLES_PER_L2_SECTOR
CYCLES_PER_ATOMIC = 108 / ATOMICS_PER_CYCLE


@dataclass(frozen=True)
class Floor:
    """The floor of each unit in cycles, of those whose rate is known."""

    cycles: Mapping[str, float]  #: by the keys of `UNITS`

    @property
    def unit(self) -> str:
        """The unit that sets the floor, a key of `UNITS`; "" where nothing was counted."""
        worst = max(self.cycles, key=lambda unit: self.cycles[unit], default="")
        return worst if worst and self.cycles[worst] > 0 else ""

    @property
    def value(self) -> int:
        """Whole cycles: the largest of the units'."""
        return ceil(self.cycles[self.unit]) if self.unit else 0

    def beside(self, other: Mapping[str, float]) -> Floor:
        """The larger of two floors of each unit: what bounds from below by either, does by both."""
        units = [unit for unit in UNITS if unit in self.cycles or unit in other]
        return Floor({u: max(self.cycles.get(u, 0.0), other.get(u, 0.0)) for u in units})

    def over(self, multiprocessors: int) -> Floor:
        """The floor of the same work shared out evenly over a GPU's multiprocessors."""
        return Floor({unit: cycles / multiprocessors for unit, cycles in self.cycles.items()})
