"""The worst request after the advice: where its bytes then lie, and what that costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.base.evidence import LaneBytes
from perflint.lint.options import CheckOptions
from perflint.report.pictures import pictures
from perflint.rules.shared_layouts import Tile
from perflint.rules.worst_request import aligned, laid_out, packed, whole_elements, words
from perflint.work.pipeline import check

RULES = Path(__file__).parent
LANES = range(32)


def lanes(step: int, size: int = 4, start: int = 0, space: str = "global") -> LaneBytes:
    return LaneBytes(space, size, tuple(start + step * lane for lane in LANES))


def test_packed() -> None:
    assert packed(lanes(4096, start=4100)) == lanes(4, start=4096)
    some = LaneBytes("global", 8, (None, 100, None, 900, *[None] * 28))
    assert packed(some).offsets == (None, 96, None, 104, *[None] * 28)


def test_aligned() -> None:
    assert aligned(lanes(4, start=4)) == lanes(4)
    assert aligned(lanes(4)) is None
    assert aligned(lanes(4096, start=4)) is None  # that costs a sector a lane wherever it begins


def test_whole_elements() -> None:
    assert whole_elements(8)(lanes(8, start=4)) == lanes(8, size=8)
    assert whole_elements(16)(lanes(16, start=8)) == lanes(16, size=16)
    assert whole_elements(32)(lanes(32, start=20)) == lanes(32, size=16)
    assert whole_elements(4)(lanes(4, size=1, start=2)) == lanes(4, size=4)
    assert whole_elements(12)(lanes(12)) is None  # no vector has 12 bytes
    assert whole_elements(8)(lanes(12)) is None  # lanes are at different fields


def test_words() -> None:
    assert words(lanes(1, size=1, start=64)) == lanes(4, start=64)
    assert words(lanes(2, size=2, start=2)) is None


def test_laid_out() -> None:
    padded = Tile("tile", 4096, 128, 4).padded(1)
    column = lanes(128, start=256, space="shared")
    assert laid_out(padded, 256)(column) == lanes(132, start=256, space="shared")
    assert laid_out(padded, 512)(column) is None  # it begins before the array


@pytest.mark.parametrize(
    ("name", "code", "before", "after"),
    [
        ("CU101/accessors", "CU101", "32 sectors, 128 of 1,024 bytes used",
         "4 sectors, 128 of 128 bytes used"),
        ("CU102/fixes", "CU102", "8 sectors, 128 of 256 bytes used",
         "8 sectors, 256 of 256 bytes used"),
        ("CU103/bytes", "CU103", "1 sector, 32 of 32 bytes used",
         "4 sectors, 128 of 128 bytes used"),
        ("CU104/structures", "CU104", "20 sectors, 128 of 640 bytes used",
         "4 sectors, 128 of 128 bytes used"),
        ("CU105/offsets", "CU105", "5 sectors, 128 of 160 bytes used",
         "4 sectors, 128 of 128 bytes used"),
        ("CU201/remedies", "CU201", "32 wavefronts", "1 wavefront"),
        ("CU201/remedies", "CU201", "8 wavefronts", "1 wavefront"),  # columns exchanged
    ],
)  # fmt: skip
def test_findings_have_pictures(name: str, code: str, before: str, after: str) -> None:
    options = CheckOptions(rules=frozenset({code}), jobs=1)
    found = check([RULES / f"{name}.cu"], options).findings
    drawn = [[each.count for each in pictures(f)] for f in found if f.code == code]
    assert all(drawn)  # what was counted is what is drawn
    assert [before, after] in drawn
