"""A launch in one line, as findings print it and `--launch` reads it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.lint.world_model import ASSUMED, Origin
from perflint.sim.launch import Dim3, Launch

UNKNOWN = Origin(ASSUMED)


def spell_launch(
    title: str, launch: Launch, values: Mapping[str, tuple[int | float, Origin]]
) -> str:
    """`k<<<(5, 4), (32, 8)>>>(n=1280 assumed, h=640 from n)`."""
    shared = f", {launch.dynamic_shared}" if launch.dynamic_shared else ""
    given = ", ".join(
        f"{name}={spell_number(value)}{origin.text and f' {origin.text}'}"
        for name, (value, origin) in values.items()
    )
    return f"{title}<<<{spell_dim3(launch.grid)}, {spell_dim3(launch.block)}{shared}>>>({given})"


def spell_number(value: int | float) -> str:
    """A `float` as its programmer wrote it: `0.1`, and not the double that it is on the way."""
    if isinstance(value, float) and abs(value) <= float(np.finfo(np.float32).max):
        single = np.float32(value)
        return str(float(str(single)) if float(single) == value else value)
    return str(value)


def spell_dim3(dim: Dim3) -> str:
    """`(32, 8)`: trailing ones left out, as people write them."""
    shown = dim[:3] if dim[2] > 1 else dim[:2] if dim[1] > 1 else dim[:1]
    return f"({', '.join(map(str, shown))})" if len(shown) > 1 else str(shown[0])
