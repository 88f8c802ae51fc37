"""What a launch of a Triton kernel says: its shape, its arguments, and where it stands."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from perflint.base.launch_option import Dim3, LaunchSpec
from perflint.python_kernels.stand_ins.tensors import Tensor

WARP = 32
_REQUIRED = re.compile(r"^\.reqntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", re.MULTILINE)


def plain(value: Any) -> Any:
    """A number as Triton's specialiser knows it."""
    return int(value) if isinstance(value, int) and type(value) not in (int, bool) else value


def place() -> tuple[str, int] | None:
    """The line of the user's that makes the launch which is being compiled."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("triton.", "perflint.", "contextlib", "functools")):
            return os.path.realpath(frame.f_code.co_filename), frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def bound_of(kernel: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The value of each parameter of a kernel, its defaults too."""
    mine = {k: v for k, v in kwargs.items() if k in kernel.signature.parameters}
    bound = kernel.signature.bind_partial(*args, **mine)
    bound.apply_defaults()
    return dict(bound.arguments)


def grid_of(grid: Any, bound: Mapping[str, Any]) -> Dim3:
    """The grid of a launch, which may be a function of the kernel's arguments."""
    found = grid(bound) if callable(grid) else grid
    values = [int(n) for n in (found if isinstance(found, (tuple, list)) else (found,))]
    x, y, z = (*values, 1, 1)[:3]
    return max(1, x), max(1, y), max(1, z)


def launch_of(kernel: Any, ptx: str, grid: Dim3, bound: Mapping[str, Any]) -> LaunchSpec:
    """A launch of what was compiled: its block, its arguments and the bytes of its tensors."""
    required = _REQUIRED.search(ptx)
    threads = [int(n or 1) for n in required.groups()] if required else []
    x, y, z = threads or [kernel.metadata.num_warps * WARP, 1, 1]
    kept = {n for n, type_ in kernel.src.signature.items() if type_ != "constexpr"}
    arguments = tuple(
        (name, value)
        for name, value in bound.items()
        if name in kept and isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    sizes = tuple(
        (name, value.extent) for name, value in bound.items() if isinstance(value, Tensor)
    )
    return LaunchSpec(
        kernel.metadata.name, grid, (x, y, z), kernel.metadata.shared, arguments, sizes
    )
