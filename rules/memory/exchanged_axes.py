"""The edit that exchanges a kernel's axes: `threadIdx.x` and `.y`, and all that goes with them.

Every thread has its twin in the exchanged launch, so that the same is computed; what changes is
which threads are a warp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.base.constructs import Fragment, LaunchSource, within
from perflint.base.span import Span
from perflint.rules.case import Decision
from perflint.rules.mending import shorter
from perflint.rules.protocol import Edit, Kernel, OtherLaunch, SourceEdit, Trial, Variant
from perflint.sim.tracers.accesses import AccessCounter

#: Blocks along each axis that are run.
REGION = 8
#: Threads along each axis of blocks that are made wider: half a warp's row is a line of words.
WIDE = 16
#: Constants of the block's extent that are tried.
MOST_CONSTANTS = 4
_OTHER = {"x": "y", "y": "x"}


def exchanges(kernel: Kernel, decision: Decision) -> tuple[Variant, ...]:
    """Part of the grid as it is, and with its axes exchanged; () where that is no edit of ours."""
    trial = decision.shown.trial
    edits = tuple(_kernel_edits(kernel))
    written = _only_launch(kernel, trial)
    if not edits or written is None or kernel.facts.communicates or not _may_help(kernel):
        return ()
    x, y, z = trial.run.launch.block
    across, down = (min(REGION, extent) for extent in trial.run.launch.grid[:2])
    found: list[Variant] = []
    for values in dict.fromkeys(((), shorter(trial))):
        own = OtherLaunch((x, y, z), (across, down, 1), None, "launch", values)
        other = OtherLaunch((y, x, z), (down, across, 1), None, "launch", values)
        both = (*edits, *_host_edits(written, same_block=x == y))
        found += [own, SourceEdit(both, other, relaunched="exchanged", against=own)]
        for edit, side in _wider(kernel, written, trial):
            if across * x % side or down * y % side:
                continue
            grid = (down * y // side, across * x // side, 1)
            wide = OtherLaunch((side, side, z), grid, None, "launch", values)
            found.append(SourceEdit((*edits, edit), wide, "exchanged", against=own))
    return tuple(found)


def _wider(kernel: Kernel, launch: LaunchSource, trial: Trial) -> Iterator[tuple[Edit, int]]:
    """Constants of the launching file that may make its small square blocks wider, and how wide.

    Which one it is, if any, is told by what the edited host code launches.
    """
    x, y, _ = trial.run.launch.block
    constructs = kernel.constructs(str(launch.span.path))
    if x != y or x >= WIDE or WIDE % x or constructs is None:
        return
    alike = [m for m in (*constructs.macros, *constructs.constants) if m.body == str(x)]
    yield from ((Edit(each.span, str(WIDE)), WIDE) for each in alike[:MOST_CONSTANTS])


def widened(decision: Decision, edits: tuple[Edit, ...]) -> str:
    """`16×16`, where edits that were tried make the blocks larger; else ""."""
    now = decision.shown.trial.run.launch.threads_per_block
    blocks = (
        result.variant.launch.block
        for result in decision.cures
        if isinstance(result.variant, SourceEdit) and result.variant.edits == edits
    )
    return next((f"{x}×{y}" for x, y, z in filter(None, blocks) if x * y * z > now), "")


def _may_help(kernel: Kernel) -> bool:
    """Whether more is packed along y than along x, deeper loops first: a transpose gains nothing.

    Where the analysis knows no stride, it does not count.
    """
    packed: dict[str, list[int]] = {"x": [], "y": []}
    for site in kernel.facts.sites:
        along = [axis for axis in packed if _is_packed(site, axis)]
        if site.may_be_global and len(along) == 1:
            packed[along[0]].append(site.loop_depth)
    return sorted(packed["y"], reverse=True) > sorted(packed["x"], reverse=True)


def _is_packed(site: AccessSite, axis: str) -> bool:
    stride = site.strides.get(axis)
    return stride is not None and stride.constant in (0, site.size, -site.size)


def traffic(trial: Trial) -> float:
    """Sectors of global memory and wavefronts of shared memory: what the exchange changes."""
    return sum(count.measured for count in trial.tracer(AccessCounter).by_space.values())


def _kernel_edits(kernel: Kernel) -> Iterator[Edit]:
    """The other axis at each index of a kernel that uses both."""
    function, constructs = kernel.function, kernel.own_constructs
    if function is None or constructs is None:
        return
    found = list(within(constructs.coordinates, function.body))
    if {"threadIdx.x", "threadIdx.y"} <= {each.text for each in found}:
        for each in found:
            yield Edit(each.span, each.text[:-1] + _OTHER[each.text[-1]])


def _only_launch(kernel: Kernel, trial: Trial) -> LaunchSource | None:
    """The kernel's launch as written; None if there are several, or none in sight."""
    spans = {launch.span for launch in kernel.launches}
    span = next(iter(spans), None)
    if len(spans) != 1 or span is None or trial.assumed_block:
        return None
    constructs = kernel.constructs(str(span.path))
    launches = constructs.launches if constructs is not None else ()
    return next((launch for launch in launches if launch.span == span), None)


def _host_edits(launch: LaunchSource, *, same_block: bool) -> Iterator[Edit]:
    """Grid and block of the launch with their axes exchanged, where these are not alike."""
    name = launch.block_name
    if not same_block:
        yield from _exchanged(launch.block, "")
    else:  # as it is: another edit of the block must wait until this one is made
        as_written = (e for e in launch.block if name and len(e.text) == _width(e.span))
        yield from (Edit(extent.span, extent.text) for extent in as_written)
    if name or same_block:
        yield Edit(launch.configuration[1].span, launch.configuration[1].text)
    if len({extent.text for extent in launch.grid[:2]}) > 1:
        yield from _exchanged(launch.grid, "" if same_block else name)


def _width(span: Span) -> int:
    return span.end_column - span.column if span.line == span.end_line else -1


def _exchanged(extents: tuple[Fragment, ...], block: str) -> Iterator[Edit]:
    """Two extents in each other's place; what is computed of the block with its other axis."""
    if len(extents) < 2:
        return
    texts = [extent.text for extent in extents[:2]]
    if block:
        axis = re.compile(rf"\b{block}\.([xy])\b")
        texts = [axis.sub(lambda m: f"{block}.{_OTHER[m[1]]}", text) for text in texts]
    for extent, text in zip(extents[:2], reversed(texts), strict=True):
        yield Edit(extent.span, text)
