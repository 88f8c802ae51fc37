"""Which numbers of a launch go with its block."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.base.constructs import LaunchSource
from perflint.base.span import Span
from perflint.rules.launch.tile_literals import of_template


@pytest.mark.parametrize(
    ("callee", "block", "columns"),
    [
        ("copy<16>", (16, 16), [6, 6]),
        ("copy<float, 32, 8>", (32, 8), [13, 17]),
        ("copy<float, 8, 32>", (32, 8), []),
        ("copy<float>", (32, 8), []),  # no number at all: this was an internal error
        ("copy<float, 4>", (32, 8), []),
        ("copy", (16, 16), []),
    ],
)
def test_template_arguments(callee: str, block: tuple[int, int], columns: list[int]) -> None:
    span = Span(Path("a.cu"), 1, 1, 1, 1 + len(callee))
    launch = LaunchSource(callee, span, span, (), (), ())
    parts = of_template(launch, block)
    assert [part.span.column for part in parts] == columns
    assert [part.axis for part in parts] == [0, 1][: len(parts)]
