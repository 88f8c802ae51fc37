"""Callers of what a file defines: a text that names it as a word, and not as a part of one."""

from __future__ import annotations

import pytest

from perflint.frontend.header_sources import _names_one


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("int main() { scale(a, 4); }", True),
        ("int main() { rescale(a, 4); scaled(b); }", False),
        ("int main() { rescale(a); shift(b); }", True),
        ("int main() { return 0; }", False),
        ("", False),
    ],
)
def test_a_name_counts_as_a_word(text: str, named: bool) -> None:
    assert _names_one(text, {"scale", "shift"}) is named
    assert not _names_one(text, set())
