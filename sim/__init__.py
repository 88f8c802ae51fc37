"""The simulator: architectures, memory, the SIMT emulator, its trace, and hardware models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.sim.emulator import LaunchError, simulate
    from perflint.sim.simulation_options import SimulationOptions

__all__ = ["LaunchError", "SimulationOptions", "simulate"]


def __getattr__(name: str) -> object:
    """`simulate` and what belongs to it, imported with NumPy only when they are asked for."""
    if name in __all__:
        from perflint.sim import emulator

        return getattr(emulator, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
