"""What is at fault where an access is scattered: accesses that one change mends have one fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, Opaque
from perflint.rules.access_shapes import LARGEST_STRUCTURE, is_built_in
from perflint.rules.memory.like_accesses import copies_of
from perflint.rules.protocol import Kernel
from perflint.sim.accesses import Witness
from perflint.sim.launch import Dim3


def is_packed(site: AccessSite, axis: str) -> bool:
    """Whether threads along an axis access neighbouring elements of global memory."""
    stride = site.strides.get(axis)
    return site.may_be_global and stride is not None and stride.constant == site.size


def fault_of(
    kernel: Kernel, site: AccessSite, array: str, label: str, witness: Witness, block: Dim3
) -> str:
    """What is at fault: which threads go where, alike in all arrays; or how one array lies.

    Of a statement's copies, as an unrolled loop has them, the first says which threads go where.
    """
    near = _distance(site, witness) if kernel.names.language != "triton" else 0  # no structures
    if near and site.size < near <= LARGEST_STRUCTURE and site.kind != "atomic":
        return f"{array}, of {near} bytes each"
    if axis := exchanged_axis(kernel, site, block):
        return f"threadIdx.x in the place of threadIdx.{axis}"  # whatever the arrays' rows are
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


def exchanged_axis(kernel: Kernel, site: AccessSite, block: Dim3) -> str:
    """The axis of the block that packs a kernel's accesses in the place of x; "": there is none."""
    if site.kind == "atomic" or site.strides.get("x") is None:
        return ""
    sites = [each for each in kernel.facts.sites if each.may_be_global]
    if any(is_packed(each, "x") for each in sites):
        return ""  # a transpose: whichever index threadIdx.x counts, one side is scattered
    axes = [axis for axis, extent in zip("yz", block[1:], strict=True) if extent > 1]
    return next((axis for axis in axes if _gains(site, axis) and _is_better(sites, axis)), "")


def turned_to(kernel: Kernel, site: AccessSite) -> AccessSite | None:
    """What a kernel that turns the axes accesses along x, where a site's elements are packed along
    another axis; None where nothing is: whichever threadIdx.x counts, one of the two is scattered.
    """
    others = [s for s in kernel.facts.sites if {s.kind, site.kind} == {"load", "store"}]
    return next(
        (
            other
            for axis in "yz"
            if is_packed(site, axis) and not _gains(site, "x")
            for other in others
            if is_packed(other, "x") and other.strides.get(axis) and not _gains(other, axis)
        ),
        None,
    )


def _gains(site: AccessSite, axis: str) -> bool:
    """Whether neighbours along an axis access one element, or neighbouring ones."""
    return is_packed(site, axis) or _stays(site, axis)


def _is_better(sites: Sequence[AccessSite], axis: str) -> bool:
    """Whether an axis packs any access, and scatters none that neighbours in x have in common."""
    common = [each for each in sites if _stays(each, "x")]
    return any(is_packed(each, axis) for each in sites) and all(_gains(e, axis) for e in common)


def _stays(site: AccessSite, axis: str) -> bool:
    stride = site.strides.get(axis)
    return stride is not None and stride.constant == 0


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
    atoms = site.address.atoms if site.address is not None else None
    return atoms is not None and not any(isinstance(symbol, Opaque) for symbol in atoms)


def _index(site: AccessSite) -> str:
    """What of the address of a site differs among the lanes."""
    assert site.address is not None
    terms = site.address.terms.items()
    return Polynomial({m: f for m, f in terms if any(s.depends & LANES for s in m)}).text
