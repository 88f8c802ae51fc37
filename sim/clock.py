"""The clocks that a kernel can read (PTX ISA 10): `%clock`, `%clock64`, `%globaltimer`."""

from __future__ import annotations

import numpy as np

from perflint.sim.values import Value

CLOCKS = frozenset(
    ("%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi")
)

_NEAR = 16  #: issued instructions between two looks of a thread that does nothing but look
_PATIENCE = 1024  #: such looks one behind the other, before time leaps


class Clock:
    """A tick is an issued instruction, until somebody waits for time to pass.

    A kernel that spins until ten milliseconds are over would go round millions of times, and each
    turn is simulated. Who looks again and again, and does nothing in between, sees time go faster
    with every look: it never goes back, and whatever was waited for comes after some thousand.
    """

    def __init__(self) -> None:
        self._last = 0
        self._looks = 0
        self._ahead = 0

    def value(self, name: str, order: int) -> Value:
        """What a clock shows when `order` instructions have been issued."""
        near = 0 <= order - self._last <= _NEAR
        self._looks = self._looks + 1 if near else 0
        self._last = order
        self._ahead += max(0, self._looks - _PATIENCE)
        now = order + self._ahead
        if name in ("%clock64", "%globaltimer"):
            return np.uint64(now)
        return np.uint32(now >> 32 if name.endswith("_hi") else now & 0xFFFFFFFF)
