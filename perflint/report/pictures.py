"""The worst request of a finding as pictures: as it is, and after what the help says."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.evidence import LaneBytes, WorstRequest
from perflint.base.records import dataclass
from perflint.lint.findings import Finding
from perflint.report.context import plural
from perflint.sim import architecture
from perflint.view.one_request import Request, transactions, wavefronts
from perflint.view.pair_svg import Shown
from perflint.view.request_svg import request_svg

#: Findings count sectors on every GPU, whatever its transactions are.
_SECTORS = "sectors32"
NOW = "now"  #: the heading of a request as it is
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
    shown, rule = drawable(finding)
    array = finding.request.array if finding.request else ""
    return tuple(_drawn(each, rule, array) for each in shown)


def drawable(finding: Finding) -> tuple[tuple[Shown, ...], str]:
    """What `pictures` draws, not drawn yet, and the rule that serves it."""
    asked = finding.request
    if asked is None or finding.arch is None:
        return (), ""
    rule = _rule(asked.before.space, finding.arch)
    if _count(asked.before, rule) != asked.measured:
        return (), rule
    return tuple(_shown(asked, rule)), rule


def _shown(asked: WorstRequest, rule: str) -> Iterator[Shown]:
    """Before and, where it is known, after."""
    both = [(NOW, asked.before)]
    if asked.after is not None:
        both.append((asked.change, asked.after))
    for heading, lanes in both:
        request = _request(lanes)
        yield Shown(heading, ", ".join(_counts(request, rule)), request)


def _rule(space: str, arch: str) -> str:
    return _SECTORS if space == "global" else architecture.load(arch).shared_rule


def _count(lanes: LaneBytes, rule: str) -> int:
    request = _request(lanes)
    found = transactions if lanes.space == "global" else wavefronts
    return len(found(request, rule))


def _drawn(shown: Shown, rule: str, array: str) -> Picture:
    label = f"{shown.heading}: {shown.count}"
    name = array[:_NAME]
    svg = request_svg(shown.request, rule, label=label, array=name, standalone=False)
    return Picture(shown.heading, shown.count, svg)


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
