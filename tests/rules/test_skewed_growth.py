"""What an array needs besides for a skewed index, in words."""

from __future__ import annotations

import pytest

from perflint.rules.shared.skewed_index import growth


@pytest.mark.parametrize(
    ("used", "size", "factor", "told"),
    [
        (1024, 1024, 0, "; the array grows by an element for every 32"),
        (1024, 1052, 0, ""),  # the last of 256 elements goes to place 262
        (1024, 1048, 0, "; the array grows by an element for every 32"),
        (1024, 0, 0, "; the launch's bytes for it grow by an element for every 32"),
        (1024, 1024, 1, ""),  # permuted within rows of all banks
        (1028, 1028, 1, "; the array grows to whole rows of 32 elements"),
    ],
)
def test_an_array_grows_that_has_no_room(used: int, size: int, factor: int, told: str) -> None:
    assert growth(used, size, 32, factor, 4) == told


def test_vectors_stay_whole() -> None:
    told = "; the array grows by 4 elements for every 32"
    assert growth(1 << 14, 1 << 14, 8, 0, 16, unit=4) == told
