"""## What it does
Finds accesses to neighbouring elements of global memory that begin in the middle of a sector, so
that every warp touches one sector more than it needs: an offset that is constant or an argument, or
rows whose length is not a multiple of a sector.

## Why it is slow
32 neighbouring words fill 4 sectors of 32 bytes if the first one lies at the start of a sector,
else 5. Stores write two of these in part.

## Example
```cuda
__global__ void shift(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 3];
}
```

## Use instead
```cuda
__global__ void shift(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 8];
}
```
Put what comes first in an array at a multiple of 32 bytes: 8 floats of padding instead of 3. Rows
are padded by `cudaMallocPitch`.

## How it is confirmed
The address is a formula in which neighbouring threads are neighbours, and what remains is an offset
or a distance of rows that is not a multiple of 32 bytes, with the arguments of the launch. The
sectors of full warps are counted in a simulation, and the golden execution moves the same bytes
starting at a sector boundary. It is confirmed if requests touch at least {LEAST_EXCESS} sectors
more on average, and the excess is at least {MIN_WASTE} of the sectors that the kernel moves. Loads
whose neighbours (`in[i - 1]`, `in[i]`, `in[i + 1]`) need the same sectors anyway are left alone, as
are overlapping tiles, sizes that no launch in sight gives, and offsets where a launch passes a
pointer that is not known to be an allocation's: the host may have shifted it so that the offset
makes up for it.

## When to ignore it
When neighbouring warps find the sector between them in L1, and the kernel only loads.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "A Sequential but Misaligned Access Pattern",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#a-sequential-but-misaligned-access-pattern
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A.2, figure 3c
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Literal

from perflint.analysis.model import AccessSite, Array
from perflint.analysis.polynomial import Monomial, Polynomial
from perflint.analysis.symbols import Loop, Op, Opaque, Parameter, Special, Symbol
from perflint.base.records import dataclass
from perflint.rules import advice
from perflint.rules.access_case import access_case, access_notes, measurement
from perflint.rules.access_shapes import owned
from perflint.rules.case import Case, Decision, nothing
from perflint.rules.measure import Measurement, figure, is_scattered
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    site_suspicion,
)
from perflint.rules.worst_request import aligned, worst_request
from perflint.sim.coalescing import SECTOR

RULE = Rule(
    code="CU105",
    name="misaligned-global-access",
    summary="Every warp touches one sector more because its addresses start inside a sector.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "alignment"),
    tracers=("AccessCounter",),
    measures="sectors per request",
    claim="pattern",
    change="requests",
)

#: Sectors a request that only the alignment costs.
LEAST_EXCESS = 0.5
WARP = 32


@dataclass(frozen=True)
class Misalignment:
    """What puts a warp's first address into the middle of a sector."""

    cause: Literal["offset", "pitch"]
    bytes: int


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    numbers = _numbers(kernel)
    for site in owned(kernel, ("packed",)):
        plain = not site.loaded_address and site.array.kind == "parameter"
        if plain and site.kind in ("load", "store") and not _has_neighbour(site, numbers):
            yield site_suspicion(kernel, site)


_Alike = tuple[Array, frozenset[tuple[Monomial, int]]]  #: loads of an array, and how they vary
_Numbers = Mapping[_Alike, Sequence[int]]  #: of the addresses of each, ascending


def _numbers(kernel: Kernel) -> _Numbers:
    """What tells a kernel's loads apart that lie a fixed distance from each other."""
    found: dict[_Alike, set[int]] = {}
    for site in kernel.facts.sites:
        for each in site.addresses if site.kind == "load" else ():
            if each is not None:
                found.setdefault((site.array, each.varying), set()).add(each.number)
    return {alike: sorted(numbers) for alike, numbers in found.items()}


def _has_neighbour(site: AccessSite, numbers: _Numbers) -> bool:
    """Whether the same warp loads the same sectors by another access: then the cache has them."""
    if site.kind != "load":
        return False
    return any(
        _least_gap(numbers.get((site.array, each.varying), ()), each.number) < WARP * site.size
        for each in site.addresses
        if each is not None
    )


def _least_gap(numbers: Sequence[int], own: int) -> float:
    """From a number to the nearest other of some ascending ones."""
    before, after = bisect_left(numbers, own), bisect_right(numbers, own)
    below = own - numbers[before - 1] if before else inf
    return min(below, numbers[after] - own if after < len(numbers) else inf)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes aligned, is counted in the original's run
    case = access_case(suspicion, original, "global", _bad)
    site, kernel, shown = suspicion.site, suspicion.kernel, case.worst
    assert kernel is not None
    if shown is None:
        return case
    why = misalignment(site, shown.trial, _known(kernel))
    if why is None:
        return nothing(suspicion, "where its warps begin is not to be avoided, or not known")
    if why.cause == "offset" and not _begins_aligned(kernel, site):
        return nothing(suspicion, "a launch may pass a pointer into the middle of an array")
    return case


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    m = measurement(decision)
    why = misalignment(site, decision.shown.trial, _known(kernel))
    assert why is not None
    array, measured, golden = (
        kernel.names.array(site),
        figure(m.per_request),
        figure(m.golden_per_request),
    )
    return Told(
        message=f"{advice.access(site.kind, array)} begins in the middle of a sector: {measured} "
        f"sectors per request where {golden} would do",
        label=_label(why),
        evidence=(Evidence("sectors per request", m.per_request, m.golden_per_request, "sectors"),),
        notes=access_notes(decision),
        help=_help(why, array),
        witness=kernel.names.witness(m.witness, "sectors"),
        request=worst_request(kernel.names, site, m, "begun at a sector", aligned),
        fault=f"{array} {_label(why)}",
        severity=m.ratio,
    )


def _bad(m: Measurement) -> bool:
    """Whether full warps are packed but for where they begin."""
    beyond = m.measured - m.golden
    return m.full and not is_scattered(m) and beyond >= LEAST_EXCESS * m.requests


def _label(why: Misalignment) -> str:
    if why.cause == "pitch":
        return f"rows are {why.bytes} bytes apart, no multiple of {SECTOR}"
    return f"{why.bytes % SECTOR} bytes into a sector"


def _help(why: Misalignment, array: str) -> str:
    if why.cause == "pitch":
        padded = -(-why.bytes // SECTOR) * SECTOR
        return f"pad the rows of {array} to {padded} bytes, as `cudaMallocPitch` does"
    return (
        f"let the first element that a warp accesses lie at a multiple of {SECTOR} bytes: change "
        f"the offset, or pad the start of {array}"
    )


# --- why ------------------------------------------------------------------------------------------


def _begins_aligned(kernel: Kernel, site: AccessSite) -> bool:
    """Whether every launch in sight passes what an allocation returned.

    A host may pass a pointer into an array, such that the offset in the kernel makes it aligned.
    """
    read = [launch for launch in kernel.launches if not launch.assumed]
    return all(site.array.parameter in launch.allocations for launch in read)


def _known(kernel: Kernel) -> frozenset[int]:
    """The scalar parameters that some launch fixes."""
    return frozenset(index for launch in kernel.launches for index in launch.values)


def misalignment(
    site: AccessSite, trial: Trial, known: frozenset[int] = frozenset()
) -> Misalignment | None:
    """Why a site's warps begin in the middle of a sector; None where it is not to be avoided.

    `known` are the parameters that launches fix. Tiles that overlap, windows that slide with a
    loop, and what depends on data or on sizes that nobody gives are not avoidable.
    """
    values = _values(trial)
    for address in site.addresses:
        found = _of(address, site.size, values, known) if address is not None else None
        if found is not None:
            return found
    return None


def _of(
    address: Polynomial, size: int, values: Mapping[str, int], known: frozenset[int]
) -> Misalignment | None:
    offset, pitch = address.number, 0
    for monomial, factor in address.terms.items():
        place = [s for s in monomial if _is_place(s)]
        rest = [s for s in monomial if not _is_place(s)]
        if any(isinstance(s, Op | Opaque) for s in monomial) or len(place) > 1:
            return None
        for symbol in rest:
            factor *= values.get(symbol.text, 0)
        if not factor % SECTOR:
            continue  # the pointer itself is among these: its factor is 0
        if any(isinstance(s, Parameter) and s.index not in known for s in rest):
            return None
        if not place:
            offset += factor if rest else 0
        elif place[0].text == "%tid.x":
            if abs(factor) != size:
                return None
        elif place[0].text == "%ctaid.x" or abs(factor) < WARP * size:
            return None
        else:
            pitch = abs(factor)
    if offset % SECTOR:
        return Misalignment("offset", offset)
    return Misalignment("pitch", pitch) if pitch else None


def _is_place(symbol: Symbol) -> bool:
    """Whether it differs between threads, blocks or turns."""
    return isinstance(symbol, Loop) or symbol.text.startswith(("%tid", "%ctaid"))


def _values(trial: Trial) -> dict[str, int]:
    """What stays the same all through a launch, by the symbols' texts."""
    launch = trial.run.launch
    out = {
        Parameter(index).text: value
        for index, value in trial.values.items()
        if isinstance(value, int)
    }
    for axis, block, grid in zip("xyz", launch.block, launch.grid, strict=True):
        out[Special(f"%ntid.{axis}").text] = block
        out[Special(f"%nctaid.{axis}").text] = grid
    return out
