"""Carets stand under the very characters they speak of, as a terminal shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from perflint.base.span import Span
from perflint.report.context import Context
from perflint.report.snippet import WIDTH, Paint, draw

PLAIN = Paint(False)


def drawn(
    lines: list[str], line: int, column: int, end: int, end_line: int | None = None
) -> list[str]:
    place = Span(Path("a.cu"), line, column, end_line or line, end)
    return draw(lines, place, "label", "red", PLAIN)


def underlined(line: str, column: int, end: int) -> str:
    """What stands in the terminal cells above the carets."""
    _, text, carets, _ = drawn([line], 1, column, end)
    at, count = carets.index("^"), carets.count("^")
    out, cells = "", 0
    for character in text:
        if at <= cells < at + count and (cells > at or cell_len(character)):
            out += character
        cells += cell_len(character)
    return out


@pytest.mark.parametrize(
    ("line", "column", "end", "expected"),
    [
        ("out[i] = 1;", 1, 7, "out[i]"),
        ("\tout[i] = 1;", 2, 8, "out[i]"),
        ("a\tb\tc", 5, 6, "c"),
        ("/* 你好 */ out[i];", 10, 16, "out[i]"),
        ("你好[i]", 1, 3, "你好"),
        ("x; // " + "y" * 300, 1, 2, "x"),
        ("y" * 300 + " out[i];", 302, 308, "out[i]"),
        ("你" * 300 + " out[i];", 302, 308, "out[i]"),
        ("ab", 2, 2, "b"),
    ],
)
def test_carets(line: str, column: int, end: int, expected: str) -> None:
    assert underlined(line, column, end) == expected


@given(
    st.text(st.sampled_from("ab \t你\u0301;[é"), min_size=1, max_size=400),
    st.data(),
)
def test_long_and_odd_lines_stay_within_the_width(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(line) + 1))
    end = data.draw(st.integers(column, len(line) + 1))
    rows = drawn([line], 1, column, end)
    assert all(cell_len(row) <= len("1 | ") + WIDTH + 2 + len(" label") for row in rows)
    assert any("^" in row for row in rows)


def test_context_is_two_lines_and_no_blank_edges() -> None:
    lines = ["one", "", "three", "four", "five", "six", ""]
    assert drawn(lines, 4, 1, 5) == [
        "  |",
        "3 | three",
        "4 | four",
        "  | ^^^^ label",
        "5 | five",
        "6 | six",
        "  |",
    ]


def test_region_of_several_lines_is_underlined_to_its_first_lines_end() -> None:
    assert drawn(["a = b[", "  i];  "], 1, 5, 4, end_line=2)[2] == "  |     ^^ label"


@pytest.mark.parametrize("line", [0, 3])
def test_a_line_that_the_file_does_not_have(line: int) -> None:
    assert drawn(["a", "b"], line, 1, 2) == []


def test_control_characters_are_not_printed() -> None:
    rows = drawn(["a\x1b[31m\u202eb\x07"], 1, 1, 2)
    assert not set("".join(rows)) & {"\x1b", "\u202e", "\x07"}


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("\ufeffint é;\n".encode("utf-16-le"), ["int é;", ""]),
        ("int é;\r\n".encode("latin-1"), ["int é;", ""]),
        ("\ufeffint é;".encode(), ["int é;"]),
        ("int é;".encode(), ["int é;"]),
        (b"\x7fELF\0\1", []),
    ],
)
def test_lines_are_quoted_as_they_are_read(data: bytes, shown: list[str], tmp_path: Path) -> None:
    """Other encodings were quoted as noise, and binary files were quoted at all."""
    (tmp_path / "a.cu").write_bytes(data)
    assert Context(tmp_path).lines(tmp_path / "a.cu") == shown
