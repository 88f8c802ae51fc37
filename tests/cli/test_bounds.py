"""Which paths a bound allows, held against pathlib's own words for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.base.bounds import Bound


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("below", "allowed"),
    [
        ("p", True),
        ("p/a.cu", True),
        ("p/.git/config", False),
        ("p/x/.env", False),
        ("p/x.y/a..b.h", True),
        ("p/x/../a.cu", True),
        ("p/../q/a.cu", False),
        ("pq/a.cu", False),
        ("p.cu", False),
        ("q/named.cu", True),
    ],
)
def test_a_folder_bounds_what_lies_below_it(folder: Path, below: str, allowed: bool) -> None:
    bound = Bound((folder / "p",), frozenset({folder / "q" / "named.cu"}))
    assert bound.allows(folder / below) is allowed
    real = (folder / below).resolve()
    inside = real.is_relative_to(folder / "p") and not any(
        part.startswith(".") for part in real.relative_to(folder / "p").parts
    )
    assert allowed is (inside or real in bound.files)


def test_the_root_bounds_nothing_but_what_is_hidden() -> None:
    everything = Bound((Path("/").resolve(),))
    assert everything.allows(Path("/usr/include/a.h"))
    assert not everything.allows(Path("/home/.ssh/id"))


def test_a_link_is_what_it_points_to(folder: Path) -> None:
    (folder / "p").mkdir()
    (folder / "secret").write_text("")
    (folder / "p" / "link").symlink_to(folder / "secret")
    assert not Bound((folder / "p",)).allows(folder / "p" / "link")
