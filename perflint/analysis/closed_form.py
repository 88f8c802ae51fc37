"""The requests of a site without a run, where its address is a formula of the launch.

What does not differ between the lanes of a warp (block indices, loop counters, the pointer)
cancels; what is left must be constants once the launch's arguments are put in.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.analysis.coalescing_proof import Dim3, warp_patterns
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import Loop, Parameter, Symbol


def lane_offsets(
    site: AccessSite, block: Dim3, values: Mapping[int, int | float]
) -> np.ndarray | None:
    """Byte offsets of the lanes of full warps, relative to the first lane: (kinds of warp, 32).

    `values` are the scalar arguments by parameter. None where lanes may differ by anything else, or
    where the block has no full warp.
    """
    if site.address is None or min(block) < 1 or block[0] * block[1] * block[2] < 32:
        return None
    if site.uniformity == "divergent" and any(isinstance(a, Loop) for a in site.address.atoms()):
        return None  # lanes may have left the loop at different turns
    patterns = warp_patterns(site.address, block)
    if patterns is None:
        return None

    def known(symbol: Symbol) -> Polynomial | None:
        value = values.get(symbol.index) if isinstance(symbol, Parameter) else None
        return Polynomial(value) if isinstance(value, int) else None

    rows: list[list[int]] = []
    for lanes in patterns:
        if len(lanes) < 32:
            continue
        offsets = [each.substitute(known, build).constant for each in lanes]
        if None in offsets:
            return None
        rows.append([o for o in offsets if o is not None])
    return np.array(rows, np.int64) if rows else None
