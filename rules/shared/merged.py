"""Accesses to shared memory of which ptxas makes one: what conflicts are left then.

ptxas places the variables of shared memory itself, and so knows how they are aligned. Where a
thread's accesses fill 8 or 16 bytes that are aligned for every thread, its machine code has one
access of them (read from that of ptxas 13 for `s[4 * t + j]` in an unrolled loop, and for the two
elements that a thread of a scan loads): a vector in rows of its own length has no conflict. A
factor that only the launch knows, as in `s[k * t + j]`, leaves them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Base
from perflint.grammar import table
from perflint.rules.access_case import Bad
from perflint.rules.case import Case, Figure
from perflint.rules.measure import Measurement, computed
from perflint.rules.protocol import Kernel, Trial
from perflint.sim import banks
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.requests import SharedRequests

_WIDTHS = (8, 16)  #: bytes of vector accesses


def merged(kernel: Kernel, site: AccessSite, case: Case, bad: Bad) -> Case:
    """The case of an access, with the figures of what ptxas makes of it and its neighbours."""
    if site.space != "shared" or not (case.bad or case.proved):
        return case
    figures = _all(_figure(kernel, site, each, bad) for each in case.figures)
    formulas = _all(_formula(kernel, site, each, bad) for each in case.formulas)
    shown = figures or formulas
    if not shown or figures is None or formulas is None:
        return case
    what = f"{counted_as(shown[0])}, which has no conflict"
    return replace(
        case,
        figures=figures,
        formulas=formulas,
        proved=case.proved and all(each.bad for each in formulas),
        silent="" if any(each.bad for each in shown) else what,
    )


def wavefronts(trial: Trial, rule: str) -> float:
    """Those of all accesses to shared memory, with one where ptxas makes one of several."""
    requests, known = trial.tracer(SharedRequests), _accesses(trial.facts)
    counts = trial.tracer(AccessCounter).counts
    total, seen = 0.0, set[int]()
    for pc, count in counts.items():
        if count.space != "shared" or pc in seen:
            continue
        group = _group(requests, pc)
        width = _width(group, known, trial.facts)
        first = requests.requests.get(min(group, key=lambda each: _offset(known, each), default=pc))
        if width and first is not None:
            waves = banks.wavefronts(first.mask, first.offset, width, rule)
            total += float(waves.measured.mean()) * count.requests
            seen |= set(group)
        else:
            total += count.measured
    return total


def _all(found: Iterable[Figure | None]) -> tuple[Figure, ...] | None:
    """The figures, if there is one for each."""
    each = tuple(found)
    known = tuple(figure for figure in each if figure is not None)
    return known if len(known) == len(each) else None


def counted_as(figure: Figure) -> str:
    """What the figures are of; "" where they are the instruction's own."""
    m = figure.detail
    assert isinstance(m, Measurement)
    return f"ptxas makes one access of {m.size} bytes of it and its neighbours" if m.size else ""


def _figure(kernel: Kernel, site: AccessSite, figure: Figure, bad: Bad) -> Figure | None:
    """The figure of a trial by its requests; None where an access of the site stays by itself."""
    m, requests = figure.detail, figure.trial.tracer(SharedRequests)
    assert isinstance(m, Measurement)
    if m.computed:
        return _formula(kernel, site, figure, bad)
    known = _accesses(kernel.facts)
    total, ways, members, size = np.zeros(3, np.int64), 1, 1, 0
    for pc in site.pcs:
        group = _group(requests, pc)
        width = _width(group, known, kernel.facts)
        first = requests.requests.get(min(group, key=lambda each: _offset(known, each), default=pc))
        if not width or first is None:
            return None
        waves = banks.wavefronts(first.mask, first.offset, width, kernel.arch.shared_rule)
        total += (waves.measured.sum(), waves.golden.sum(), len(first.mask))
        ways, size = max(ways, int(waves.ways.max())), max(size, width)
        members = max(members, len(group))
    measured, golden, made = total.tolist()
    wide = replace(m, requests=made, measured=measured, golden=golden, ways=ways, size=size)
    return _with(figure, wide, members, bad)


def _formula(kernel: Kernel, site: AccessSite, figure: Figure, bad: Bad) -> Figure | None:
    """The figure of full warps by the formula of the address; None likewise."""
    groups = [_group(figure.trial.tracer(SharedRequests), pc) for pc in site.pcs]
    known = _accesses(kernel.facts)
    widths = {_width(group, known, kernel.facts) for group in groups}
    if len(widths) > 1 or not (width := widths.pop()):
        return None
    wide = computed(replace(site, size=width), figure.trial, "shared")
    if wide is None:
        return None
    return _with(figure, replace(wide, size=width), len(groups[0]), bad)


def _with(figure: Figure, wide: Measurement, members: int, bad: Bad) -> Figure:
    """A figure with the cost of the one access that `members` become."""
    alone = figure.measured - figure.ideal
    excess = wide.per_request - wide.golden_per_request
    share = figure.share * excess / max(alone, 1e-9) / members
    return replace(
        figure,
        measured=wide.per_request,
        ideal=wide.golden_per_request,
        bad=bad(wide),
        share=share,
        detail=replace(wide, share=share),
    )


def _group(requests: SharedRequests, pc: int) -> tuple[int, ...]:
    return next((group.pcs for group in requests.groups if pc in group.pcs), ())


def _accesses(facts: KernelFacts) -> Mapping[int, tuple[Polynomial, int]]:
    """The address and bytes of each access to shared memory whose address is a formula."""
    return {
        pc: (address, site.size)
        for site in facts.sites
        if site.space == "shared"
        for pc, address in zip(site.pcs, site.addresses, strict=False)
        if address is not None
    }


def _offset(known: Mapping[int, tuple[Polynomial, int]], pc: int) -> int:
    return known[pc][0].number if pc in known else 0


def _width(
    group: Sequence[int], known: Mapping[int, tuple[Polynomial, int]], facts: KernelFacts
) -> int:
    """Bytes of the vector that a group of accesses fills; 0 if it fills none."""
    if len(group) < 2 or any(pc not in known for pc in group) or _is_parted(group, facts):
        return 0
    ordered = sorted(group, key=lambda pc: _offset(known, pc))
    first = known[ordered[0]][0]
    filled = 0
    for pc in ordered:
        address, size = known[pc]
        if address.beyond(first) != filled:
            return 0
        filled += size
    aligned = first.number % filled == 0 and all(
        factor % filled == 0
        for monomial, factor in first.terms.items()
        if monomial and not isinstance(monomial[0], Base)
    )
    return filled if filled in _WIDTHS and aligned else 0


def _is_parted(group: Sequence[int], facts: KernelFacts) -> bool:
    """Whether something between the accesses may want them in their order."""
    instructions = facts.kernel.instructions
    stores = any(a.kind != "load" for pc in group for a in table.accesses(instructions[pc]))
    return any(
        (stores or access.kind != "load") and access.space in ("shared", "generic")
        for pc in range(min(group), max(group))
        if pc not in group
        for access in table.accesses(instructions[pc])
    )
