"""A text's lines as compilers and the source parser count them: they end with a line feed.

`str.splitlines` would end them at form feeds, lone carriage returns, U+0085 and U+2028 too.
"""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines without their ends (`\\n`, `\\r\\n`)."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def with_ends(text: str) -> list[str]:
    """The lines with their ends; together they are the text."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines[:-1] if lines[-1] == "" else lines


_SPACES = bytes(code if code in b"\r\n" else 0x20 for code in range(256))


def spaces_for(text: bytes) -> bytes:
    """Spaces in place of all but line ends: what stands behind keeps its place."""
    return text.translate(_SPACES)
