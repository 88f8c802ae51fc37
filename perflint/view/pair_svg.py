"""Requests side by side as one small image: the worst request before and after a change.

An editor's hover shows an image of `data:` but nothing that lies in a page: so the picture has its
own ground, no pointer reaches it, and what it says stands in the text beside it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from perflint.base.patterns import pattern
from perflint.base.plain_text import clean
from perflint.base.records import dataclass
from perflint.view.one_request import Request
from perflint.view.request_svg import INK, PAPER, SMALL, request_svg

_HEAD = 32  #: pixels above each request
_CHARACTERS = 5.6  #: pixels of one, of ten-pixel text
_SIZE = pattern(r'<svg width="(\d+)" height="(\d+)"')


@dataclass(frozen=True)
class Shown:
    """A request and what is said above it."""

    heading: str
    count: str
    request: Request


def pair_svg(shown: Sequence[Shown], rule: str) -> str:
    """Requests from left to right, as a document with a white ground."""
    parts = []
    x, height = 8.0, 0.0
    for each in shown:
        svg = request_svg(each.request, rule, label="", standalone=False, scale=SMALL)
        wide, tall = map(int, _SIZE.match(svg).groups())  # type: ignore[union-attr]
        parts.append(
            f'<text x="{x:.0f}" y="14" font-weight="bold">{_cut(each.heading, 0.9 * wide)}</text>'
            f'<text x="{x:.0f}" y="28">{_cut(each.count, wide)}</text>'
            f'<svg x="{x:.0f}" y="{_HEAD}"{svg[len("<svg") :]}'
        )
        x += wide + 12
        height = max(height, _HEAD + tall)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {x:.0f} {height:.0f}" font-family="system-ui, sans-serif" font-size="10" '
        f'fill="{INK}" color="{INK}"><rect width="100%" height="100%" rx="4" fill="{PAPER}"/>'
        f"{''.join(parts)}</svg>"
    )


def _cut(text: str, wide: float) -> str:
    text, room = clean(text), int(wide / _CHARACTERS)
    return escape(text if len(text) <= room else text[: room - 1].rstrip() + "…")
