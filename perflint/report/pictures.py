"""The worst request of a finding as pictures: as it is, and after what the help says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perflint.base.evidence import LaneBytes
from perflint.lint.findings import Finding
from perflint.report.context import plural
from perflint.sim import architecture
from perflint.view.one_request import Request, transactions, wavefronts
from perflint.view.request_svg import request_svg

#: Findings count sectors on every GPU, whatever its transactions are.
_SECTORS = "sectors32"
_NAME = 60  #: characters of an array's name in a picture


@dataclass(frozen=True)
class Picture:
    """One request, drawn."""

    heading: str  #: `now`, or what was changed
    count: str  #: `32 sectors, 128 of 1,024 bytes used`
    svg: str


def pictures(finding: Finding) -> tuple[Picture, ...]:
    """Before and, where the change says where bytes lie, after; () where nothing can be drawn.

    What lies in several allocations has no picture: its offsets do not tell which sectors it
    touches.
    """
    asked = finding.request
    if asked is None or finding.arch is None:
        return ()
    rule = _rule(asked.before.space, finding.arch)
    if _count(asked.before, rule) != asked.measured:
        return ()
    drawn = [_drawn("now", asked.before, rule, asked.array)]
    if asked.after is not None:
        drawn.append(_drawn(asked.change, asked.after, rule, asked.array))
    return tuple(drawn)


def _rule(space: str, arch: str) -> str:
    return _SECTORS if space == "global" else architecture.load(arch).shared_rule


def _count(lanes: LaneBytes, rule: str) -> int:
    request = _request(lanes)
    found = transactions if lanes.space == "global" else wavefronts
    return len(found(request, rule))


def _drawn(heading: str, lanes: LaneBytes, rule: str, array: str) -> Picture:
    request = _request(lanes)
    count = ", ".join(_counts(request, rule))
    label = f"{heading}: {count}"
    svg = request_svg(request, rule, label=label, array=array[:_NAME], standalone=False)
    return Picture(heading, count, svg)


def _counts(request: Request, rule: str) -> Iterator[str]:
    if request.space == "shared":
        yield plural(len(wavefronts(request, rule)), "wavefront")
        return
    found = transactions(request, rule)
    moved, used = sum(each.length for each in found), sum(each.used for each in found)
    yield plural(len(found), "sector")
    yield f"{used:,} of {moved:,} bytes used"


def _request(lanes: LaneBytes) -> Request:
    active = [(lane, at) for lane, at in enumerate(lanes.offsets) if at is not None]
    return Request(
        lanes.space, lanes.size, tuple(lane for lane, _ in active), tuple(at for _, at in active)
    )
