"""Accesses in device code, against the `// access:` comments, strict both ways."""

from __future__ import annotations

import re
from pathlib import Path

from perflint.frontend.source.facts import read
from perflint.frontend.source.language.model import Subscript

CASE = Path(__file__).parent / "subscripts" / "accesses.cu"


def _described(subscript: Subscript, lines: list[str]) -> str:
    line = lines[subscript.span.line - 1]
    written = line[subscript.span.column - 1 : subscript.span.end_column - 1]
    direction = "L" * subscript.load + "S" * subscript.store + "A" * subscript.atomic
    return " ".join([*written.split(), direction])


def test_accesses_are_read_as_marked() -> None:
    facts = read(CASE)
    lines = facts.text.split("\n")
    by_line: dict[int, list[Subscript]] = {}
    for subscript in facts.subscripts:
        by_line.setdefault(subscript.span.line, []).append(subscript)
    marked = 0
    for number, line in enumerate(lines, 1):
        _, mark, expected = line.partition("// access:")
        found = by_line.get(number, [])
        wanted = [part.split() for part in expected.split(" | ") if part.strip()]
        if not mark or line.startswith("//"):
            assert not found, line
            continue
        marked += 1
        assert len(found) == len(wanted), (line, found)
        for subscript, words in zip(found, wanted, strict=True):
            options = dict(w.split("=", 1) for w in words if w.split("=")[0] in _OPTIONS)
            plain = [w for w in words if w.split("=")[0] not in _OPTIONS]
            assert _described(subscript, lines) == " ".join(plain)
            first = re.search(r"[A-Za-z_]\w*", plain[0])
            assert first is not None
            assert subscript.array == options.get("array", first[0])
            assert subscript.origin == options.get("origin")
            assert subscript.space == options.get("space")
            assert subscript.span.line == subscript.span.end_line
    assert marked > 35


_OPTIONS = ("array", "origin", "space")


def test_the_function_is_named() -> None:
    functions = {s.function for s in read(CASE).subscripts}
    assert functions == {"helper", "k", "behind_macros"}
