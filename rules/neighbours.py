"""Who has what lies beside an element, and where a thread takes it: which remedy there is."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Special


def block_axis(site: AccessSite) -> str:
    """The axis whose next block has the element beside a block's own; "": no such axis.

    A tile in shared memory packs nothing then: its block has one element of each row.
    """
    if site.address is None:
        return ""
    steps = ((axis, site.address.coefficient_of(Special(f"%ctaid.{axis}"))) for axis in "xyz")
    return next((axis for axis, step in steps if step.constant == site.size), "")


def is_copied(site: AccessSite, sites: Iterable[AccessSite]) -> bool:
    """Whether the statement that loads an element stores to shared memory: it is a copy there."""
    return site.kind == "load" and any(
        other.kind == "store" and other.space == "shared" and other.location == site.location
        for other in sites
    )
