"""Which way a metric of a launch should go.

Only what costs the GPU something is judged. What a change moves from one place to another (global
requests to shared ones, f64 to f32) and what only describes the launch is shown without a word.
"""

from __future__ import annotations

from typing import Literal

Direction = Literal["lower", "higher", "neither"]

LOWER = frozenset(
    {
        ("Branch", "divergent branches"),
        ("Floors", "cycles"),
        ("Instruction", "thread instructions"),
        ("Instruction", "warp instructions"),
        ("Memory", "excessive wavefronts"),
        ("Memory", "moved bytes"),
        ("Memory", "sectors"),
        ("MemoryChecker", "memory errors"),
        ("BarrierChecker", "barrier errors"),
        ("MemoryRaceDetector", "shared memory races"),
        ("Cache", "capacity"),
        ("Cache", "cold"),
        ("Cache", "conflict"),
        ("Cache", "intra"),
    }
)
HIGHER = frozenset(
    {
        ("Branch", "activity factor"),
        ("Branch", "activity factor, ipdom"),
        ("Branch", "activity factor, thread-frontiers"),
        ("Memory", "memory efficiency"),
    }
)


def direction(tracer: str, name: str) -> Direction:
    """The way that is better; `neither` for what is not judged, tracers of others included."""
    if (tracer, name) in LOWER:
        return "lower"
    return "higher" if (tracer, name) in HIGHER else "neither"
