"""Kernels that fetch from textures again and again: what they move is not what is counted.

A fetch moves sectors like a load, but which ones, only the hardware's layout of the texture tells.
"""

from __future__ import annotations

from functools import lru_cache

from perflint.analysis.model import AccessSite, KernelFacts

_FETCHES = frozenset({"tex", "tld4"})
MOSTLY_FETCHES = "a loop of the kernel fetches from textures, and what these move is not counted"


def beside_fetches(facts: KernelFacts, site: AccessSite | None = None) -> bool:
    """Whether a loop fetches from textures beside the kernel's accesses, or beside one of them."""
    pcs = {pc for each in facts.sites if each.may_be_global for pc in each.pcs}
    own = pcs if site is None else set(site.pcs)
    return any(own.isdisjoint(loop) for loop in _fetching(facts))


@lru_cache(maxsize=16)
def _fetching(facts: KernelFacts) -> tuple[frozenset[int], ...]:
    """The instructions of each loop that fetches from a texture."""
    instructions = facts.kernel.instructions
    return tuple(
        frozenset(loop.pcs)
        for loop in facts.loops
        if any(instructions[pc].opcode in _FETCHES for pc in loop.pcs)
    )
