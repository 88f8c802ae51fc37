"""The picture of one request as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from perflint.view.one_request import Request
from perflint.view.request_svg import request_svg

LANES = tuple(range(32))
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str, tag: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}{tag}")]


def test_a_column_of_a_matrix() -> None:
    request = Request("global", 4, LANES, tuple(lane * 4096 for lane in LANES))
    svg = request_svg(request, "sectors32", label="a store", array="out")
    assert "32 × 32 bytes, 128 used" in texts(svg, "text")
    titles = texts(svg, "title")
    assert "lane 3: 4 bytes at out + 12,288" in titles
    assert titles.count("out + 12,288, 32 bytes, 4 used") == 1


def test_banks() -> None:
    request = Request("shared", 4, LANES, tuple(lane // 2 * 128 for lane in LANES))
    svg = request_svg(request, "cc5", label="a load")
    assert "16 wavefronts" in texts(svg, "text")
    assert "bank 0, word 32: lanes 2, 3" in texts(svg, "title")
    assert len(list(ElementTree.fromstring(svg).iter(f"{SVG}polygon"))) == 16  # stars


@pytest.mark.parametrize("rule", ["cc10", "cc12", "lines128", "sectors32"])
def test_lanes_that_take_no_part(rule: str) -> None:
    request = Request("global", 4, (5,), (100,))
    svg = request_svg(request, rule, label="one lane")
    filled = [r.get("fill") for r in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert filled.count("currentColor") == 1
    assert any(t.startswith("lane 5: 4 bytes") for t in texts(svg, "title"))


def test_names_are_text() -> None:
    name = '</svg><script>alert(1)</script>"'
    svg = request_svg(Request("global", 4, LANES, LANES), "sectors32", label=name, array=name)
    assert "<script" not in svg
    assert ElementTree.fromstring(svg).get("aria-label") == name
