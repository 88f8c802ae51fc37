"""The accesses that belong to one: copies of a statement, the other parts of an element."""

from __future__ import annotations

from math import gcd, prod

from perflint.analysis.gathers import walks
from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Op, Opaque, Parameter, Symbol
from perflint.rules.access_shapes import LARGEST_STRUCTURE, VECTOR, fields_of
from perflint.rules.protocol import Kernel, Trial

VECTORS = (VECTOR, 8, 4, 2)  #: bytes that one access of a lane moves, the most first


def copies_of(kernel: Kernel, site: AccessSite) -> list[AccessSite]:
    """A load, and what the compiler made of it besides."""
    return [
        each
        for each in kernel.facts.sites
        if (each.kind, each.array, each.location) == (site.kind, site.array, site.location)
    ]


def before_its_rest(kernel: Kernel, site: AccessSite) -> AccessSite:
    """A load, or of the turns that unrolling leaves over the load of the others.

    Where a loop's length is loaded, so is where what is left over begins, but not where a run does.
    """
    if not site.indirect or not goes_on(site):
        return site
    others = (each for each in copies_of(kernel, site) if not each.indirect)
    return next(filter(goes_on, others), site)


def apart_from(kernel: Kernel, site: AccessSite) -> frozenset[int]:
    """How far from a site the like accesses lie that are reached with it, in bytes; 0: itself."""
    if site.address is None:
        return frozenset()
    alike = (
        each
        for each in kernel.facts.sites
        if (each.kind, each.array, each.guards) == (site.kind, site.array, site.guards)
    )
    found = (address for each in alike for address in (each.address, *each.addresses))
    steps = (address.beyond(site.address) for address in found if address is not None)
    return frozenset(step for step in steps if step is not None)


def updated_parts(kernel: Kernel, site: AccessSite) -> int:
    """How many parts of its own element each thread updates, of which this is one; 0: loads."""
    stride = site.strides.get("x")
    step = stride.constant if stride is not None else None
    if site.kind != "atomic" or site.indirect or step is None:
        return 0
    return sum(abs(apart) < abs(step) for apart in apart_from(kernel, site))


def bytes_used(kernel: Kernel, site: AccessSite) -> int:
    """The bytes that a kernel uses of each element that neighbours are apart; 0: not known."""
    stride = site.strides.get("x")
    if stride is None:  # what lies beside it, then, behind whatever the index is computed by
        together = len(beside(kernel, site)) * site.size
        return together if together > site.size else 0
    step = abs(stride.constant or 0)
    return len(fields_of(kernel, site, step)) * site.size if step else 0


def parts_of(kernel: Kernel, site: AccessSite) -> frozenset[int]:
    """Where the parts of an element lie that a loaded index or a clamped one picks, in bytes.

    From this one on: they are apart by constants, and one follows the other.
    """
    clamped = not site.indirect and site.size < element_bytes(site) <= LARGEST_STRUCTURE
    return beside(kernel, site) if site.indirect or clamped else frozenset()


def beside(kernel: Kernel, site: AccessSite) -> frozenset[int]:
    """Where what lies beside an access is accessed as well, from this one on, in bytes."""
    apart = apart_from(kernel, site)
    first = last = 0
    while first - site.size in apart:
        first -= site.size
    while last + site.size in apart:
        last += site.size
    return frozenset(range(first, last + 1, site.size)) if apart else frozenset()


def left_by_vectors(kernel: Kernel, site: AccessSite) -> float:
    """Of the requests for the parts of an element, the share that vectors would leave."""
    stride = site.strides.get("x")
    step = element_bytes(site) if site.indirect or stride is None else stride.constant or 0
    whole = len(beside(kernel, site)) * site.size
    fits = (size for size in VECTORS if size > site.size and step % size == whole % size == 0)
    return site.size / next(fits, site.size) if step else 1.0


def element_bytes(site: AccessSite) -> int:
    """Bytes from one element to the next, which a loaded index picks; 0 where that is not plain.

    Or one that is held within bounds: `min(x + 1, w - 1)`.
    """
    terms = site.address.terms.items() if site.address is not None else ()
    if not site.indirect and site.strides.get("x") is None:
        return gcd(*(factor for monomial, factor in terms if any(map(_is_clamped, monomial))))
    steps = {
        abs(factor)
        for monomial, factor in terms
        if any(isinstance(symbol, Opaque) and symbol.is_loaded for symbol in monomial)
    }
    return steps.pop() if len(steps) == 1 else 0


def _is_clamped(symbol: Symbol) -> bool:
    return isinstance(symbol, Op) and symbol.name.split(".")[0] in ("min", "max", "selp")


def picked_apart(site: AccessSite, trial: Trial) -> int:
    """Bytes from what a loaded index picks to what the next one does; 0 where that is not plain."""
    steps = set()
    for monomial, factor in site.address.terms.items() if site.address is not None else ():
        others = [s for s in monomial if not (isinstance(s, Opaque) and s.is_loaded)]
        if len(others) == len(monomial):
            continue
        given = (trial.values.get(s.index) for s in others if isinstance(s, Parameter))
        sizes = [value for value in given if isinstance(value, int)]
        steps.add(factor * prod(sizes) if len(sizes) == len(others) else 0)
    return steps.pop() if len(steps) == 1 else 0


def is_part(site: AccessSite) -> bool:
    """Whether an access takes a part of an element that a loaded index picks."""
    return site.kind != "atomic" and site.size < element_bytes(site) <= LARGEST_STRUCTURE


def goes_on(site: AccessSite) -> bool:
    """Whether a loop goes on from one element to the next: on each turn, or where data tell it."""
    terms = site.address.terms if site.address is not None else {}
    alone = ((m[0], factor) for m, factor in terms.items() if len(m) == 1)
    return walks(site) or any(
        isinstance(symbol, Opaque) and symbol.kind == "recurrence" and abs(factor) <= VECTOR
        for symbol, factor in alone
    )
