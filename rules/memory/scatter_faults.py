"""What is at fault where an access is scattered: accesses that one change mends have one fault."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, Opaque
from perflint.rules.access_shapes import LARGEST_STRUCTURE, is_built_in
from perflint.rules.memory.like_accesses import copies_of
from perflint.rules.protocol import Kernel
from perflint.sim.accesses import Witness


def fault_of(kernel: Kernel, site: AccessSite, array: str, label: str, witness: Witness) -> str:
    """What is at fault: which threads go where, alike in all arrays; or how one array lies.

    Of a statement's copies, as an unrolled loop has them, the first says which threads go where.
    """
    near = _distance(site, witness) if kernel.names.language != "triton" else 0  # no structures
    if near and site.size < near <= LARGEST_STRUCTURE and site.kind != "atomic":
        return f"{array}, of {near} bytes each"
    site = copies_of(kernel, site)[0]
    strides = {axis: found.text for axis, found in site.strides.items() if found is not None}
    apart = str(strides) if strides else label
    if site.loaded_address or site.address is None or site.kind == "atomic":
        return f"{array} {apart}"
    stride = site.strides.get("x")
    if stride is None:
        return _index(site) if _is_known(site) else f"{array} {apart}"
    step = abs(stride.constant or 0)
    rows = step <= site.size  # what scatters them is how short rows are, or an argument
    far = step > LARGEST_STRUCTURE and is_built_in(kernel, site)
    return apart if rows or far else f"{array} {apart}"


def _distance(site: AccessSite, witness: Witness) -> int:
    """Bytes between the elements of neighbouring threads; of most, where some clamp their index."""
    stride = site.strides.get("x")
    if site.loaded_address or stride is not None:
        return abs(stride.constant or 0) if stride is not None else 0
    if _is_known(site):
        return 0  # the index tells which threads go where, whatever lanes one request has
    lanes = [lane for lane in witness.lanes if lane is not None]
    apart = Counter(after - before for before, after in pairwise(lanes)).most_common(1)
    return abs(apart[0][0]) if apart and 2 * apart[0][1] > len(lanes) else 0


def loop_of(kernel: Kernel, site: AccessSite) -> str:
    """The line of the loop around an access: copies of it have one."""
    header = site.loops[-1].counter.header
    at = next((each.location for each in kernel.facts.loops if each.header == header), None)
    return f"line {at.line}" if at is not None else f"loop {header}"


def _is_known(site: AccessSite) -> bool:
    """Whether nothing of an address is out of the analysis' sight."""
    atoms = site.address.atoms() if site.address is not None else None
    return atoms is not None and not any(isinstance(symbol, Opaque) for symbol in atoms)


def _index(site: AccessSite) -> str:
    """What of the address of a site differs among the lanes."""
    assert site.address is not None
    terms = site.address.terms.items()
    return Polynomial({m: f for m, f in terms if any(s.depends & LANES for s in m)}).text
