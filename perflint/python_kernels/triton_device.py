"""A GPU that need not be there, as Triton asks for one, and where its compiler stops."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from triton.backends.compiler import GPUTarget

from perflint.python_kernels.made_arguments import TileError

#: Bytes of a multiprocessor's registers: no tile that is worked on is larger.
REGISTERS = 256 << 10
_TILE = re.compile(r"tensor<((?:\d+x)+)[a-z]+(\d+)\b")


class Device:
    """A GPU as Triton's runtime asks for it: only its kind is known."""

    def __init__(self, target: GPUTarget) -> None:
        self.target = target

    def get_current_target(self) -> GPUTarget:
        return self.target

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        """There is one."""

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda

    def is_active(self) -> bool:
        return True


def stages_hook(supposes: Callable[[], bool]) -> Any:
    """Triton's hook of a compilation: PTX is the end of it, and tiles that come of sizes that
    somebody `supposes` are looked at. Without arguments it names what it changes, for Triton's
    cache. It raises TileError.
    """

    def hook(*given: Any) -> Any:
        if not given:
            return "perflint", "perflint"
        stages, make = given[1], given[1]["ttgir"]

        def looked_at(module: Any, metadata: Any) -> Any:
            for tile in _TILE.finditer(str(module)) if supposes() else ():
                size = prod(map(int, tile[1].rstrip("x").split("x"))) * int(tile[2]) // 8
                if size > REGISTERS:
                    raise TileError(
                        f"a tile of {size:,} bytes, and a multiprocessor's registers hold"
                        f" {REGISTERS:,}"
                    )
            return make(module, metadata)

        stages["ttgir"] = looked_at
        stages["cubin"] = lambda source, metadata: b""
        return None

    return hook
