"""On which condition neighbouring elements may be moved as vectors: that each begins at a vector.

The start of an array is aligned, as an allocation returns it. What a kernel adds to it, as the
length of a row for each row, must be whole vectors as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, lcm

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Parameter
from perflint.rules.names import Names, is_base


def if_aligned(
    names: Names, site: AccessSite, width: int, others: Iterable[AccessSite] = ()
) -> str:
    """The condition in words, for vectors of `width` bytes at a site's elements.

    Those of the `others` that move the same array are to become vectors along with it.
    """
    alike = [each for each in others if (each.array, each.kind) == (site.array, site.kind)]
    start = f"if {names.array(site)} is aligned to {width} bytes, as all that cudaMalloc returns is"
    needed = [
        f"`{name}` a multiple of {times}"
        for name, times in _multiples(names, alike or [site], width)
    ]
    return start + (f", and {' and '.join(needed)}" if needed else "")


def _multiples(names: Names, sites: list[AccessSite], width: int) -> list[tuple[str, int]]:
    """Parameters that addresses count elements by, and of what each must be a multiple."""
    found: dict[str, int] = {}
    known = [(site, each) for site in sites for each in site.addresses if each is not None]
    terms = [(site, *term) for site, each in known for term in each.terms.items()]
    for site, monomial, factor in terms:
        sizes = [s for s in monomial if isinstance(s, Parameter) and not is_base(s, site)]
        times = width // gcd(width, factor)
        if not sizes or times == 1:
            continue
        told = [name for name in map(names.symbol, sizes) if name is not None]
        if len(told) == len(sizes):
            name = " * ".join(told)
            found[name] = lcm(found.get(name, 1), times)
    return sorted(found.items())
