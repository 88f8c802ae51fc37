"""One memory access of an instruction, as compiled code refers to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lazy import lazy


@dataclass(frozen=True, eq=False)
class Site:
    """What an instruction accesses, and how; where each lane does is known when it runs."""

    pc: int
    space: str  #: `global`, `const`, `shared`, `local`, `param` or `generic`
    kind: str  #: `load`, `store`, `atomic`
    element: str  #: PTX type
    dtype: np.dtype[Any]
    width: int = 1  #: elements of a vector
    traced: bool = True
    step: int = 0  #: how many instructions of its basic block are issued before it

    @lazy
    def size(self) -> int:
        """Bytes per lane."""
        return self.dtype.itemsize * self.width
