"""Elements of less than a word that a thread moves one after the other, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from perflint.analysis.model import AccessSite
from perflint.rules import advice
from perflint.rules.access_shapes import VECTOR, WORD
from perflint.sim.accesses import Witness


def packed_parts(
    site: AccessSite, sites: Iterable[AccessSite], witness: Witness, array: str
) -> str:
    """What moves all of a thread's neighbouring elements at once; "" where it has no such ones."""
    step = _step(witness)
    if site.size >= WORD or not site.size < step <= VECTOR or step & (step - 1):
        return ""
    alike = (each for each in sites if (each.kind, each.size) == (site.kind, site.size))
    own = {text for text, _ in _places(site)}
    places = {place for each in alike for place in _places(each) if place[0] in own}
    begin = min((at for _, at in places), default=0)
    if {at - begin for _, at in places} != set(range(0, step, site.size)):
        return ""
    verb, count = advice.verb(site), step // site.size
    return (
        f"each thread {verb}s {count} neighbouring elements of {array} one by one, {site.size} "
        f"byte{'s' if site.size > 1 else ''} each: {verb} all {step} bytes at once, packed into "
        f"a vector"
    )


def _step(witness: Witness) -> int:
    """Bytes between all neighbouring lanes; 0 where these differ."""
    lanes = [lane for lane in witness.lanes if lane is not None]
    apart = {after - before for before, after in pairwise(lanes)}
    return apart.pop() if len(apart) == 1 else 0


def _places(site: AccessSite) -> list[tuple[str, int]]:
    """The addresses of a site: what they have beside constants, and these."""
    known = [each for each in site.addresses if each is not None]
    constants = [each.number for each in known]
    return [((a - constant).text, constant) for a, constant in zip(known, constants, strict=True)]
