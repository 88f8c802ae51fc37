"""perflint: finds performance bugs in CUDA and PTX, and proves each by simulating the kernel.

From Python, `perflint.load("reduce.cu")["reduce"].launch(grid=64, block=256, args=[…])` simulates
a kernel on NumPy arrays, watched by `perflint.tracers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.api import (
        ArgumentError,
        Kernel,
        KernelFaultError,
        Kernels,
        LoadError,
        Run,
        load,
    )
    from perflint.sim import LaunchError, tracers
    from perflint.sim.trace import Tracing

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "Kernel",
    "KernelFaultError",
    "Kernels",
    "LaunchError",
    "LoadError",
    "Run",
    "Tracing",
    "__version__",
    "load",
    "tracers",
]


def __getattr__(name: str) -> object:
    """The Python API, imported with NumPy and the compiler when it is first asked for."""
    from importlib import import_module

    if name == "tracers":
        return import_module("perflint.sim.tracers")
    if name == "Tracing":
        return import_module("perflint.sim.trace").Tracing
    if name == "LaunchError":
        return import_module("perflint.sim").LaunchError
    if name in __all__:
        return getattr(import_module("perflint.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
