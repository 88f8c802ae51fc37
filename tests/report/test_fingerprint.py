"""`primaryLocationLineHash`: GitHub's value, and one computed straight from its definition."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.report.fingerprint import line_hashes


def by_definition(text: str) -> list[str]:
    """Each line's hash as the polynomial over its 100 units, nothing rolled."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    seen: Counter[int] = Counter()
    out = []
    for start in [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]:
        raw = "".join(c for c in text[start:] if c not in " \t").encode("utf-16-le")
        units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
        units = (units + [0xFFFF] + [0] * 100)[:100]
        value = sum(unit * 37 ** (99 - i) for i, unit in enumerate(units)) % 2**64
        seen[value] += 1
        out.append(f"{value:x}:{seen[value]}")
    return out


def test_the_empty_file() -> None:
    assert line_hashes("") == ["c129715d7a2bc9a3:1"]


@pytest.mark.parametrize(
    "text",
    ["a\nb\nc\n", "a\r\nb\rc\n", "x\n" * 150, " \tx\n  y", "\U0001f600 = \u4f60;\n" * 3, "z" * 250],
)
def test_vectors(text: str) -> None:
    assert line_hashes(text) == by_definition(text)


@given(st.text(st.sampled_from("ab \t\r\n\u4f60\U0001f600"), max_size=300))
def test_any_text(text: str) -> None:
    assert line_hashes(text) == by_definition(text)


def test_line_ends_and_blanks_do_not_matter() -> None:
    assert line_hashes("a b\nc\n") == line_hashes("ab\r\n\tc\r\n")
