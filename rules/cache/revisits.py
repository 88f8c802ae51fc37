"""Loads that may come back to a line: what the cache rules look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.rules.protocol import (
    Kernel,
    Suspicion,
    site_suspicion,
)

LINE = 128  #: bytes


def suspicions(kernel: Kernel) -> Iterator[Suspicion]:
    """Loads that may come back to a line: nothing else can lose one that it had."""
    loads = [s for s in kernel.facts.sites if s.kind == "load" and s.may_be_global]
    times = Counter(site.identity for site in loads)
    for site in loads:
        if times[site.identity] > 1 or _returns(site):
            yield site_suspicion(kernel, site)


def _returns(site: AccessSite) -> bool:
    """Whether a thread may touch a line twice: short steps, or a loop that the address ignores."""
    if not site.loop_depth:
        return False
    if site.address is None or site.loaded_address or len(site.loops) != site.loop_depth:
        return True
    steps = [_step(site.address, loop.counter.text) for loop in site.loops]
    return any(step is not None and abs(step) < LINE for step in steps)


def _step(address: Polynomial, counter: str) -> int | None:
    """Bytes that an address moves with each turn; None where it is no constant, 0 for none."""
    mentions = [m for m in address.terms if any(counter in symbol.text for symbol in m)]
    if not mentions:
        return 0
    if len(mentions) == 1 and len(mentions[0]) == 1 and mentions[0][0].text == counter:
        return address.terms[mentions[0]]
    return None if all(counter in [s.text for s in m] for m in mentions) else 0
