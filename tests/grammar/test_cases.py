"""Each `//=` in cases/*.ptx says what its line's instructions mean; both ways of parsing agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.grammar import parse
from perflint.grammar.model import Module
from tests.grammar.printer import instruction

CASES = sorted(Path(__file__).parent.joinpath("cases").glob("*.ptx"))


def expectations(text: str) -> dict[int, str]:
    marked = (line.partition("//= ") for line in text.splitlines())
    return {at: want.strip() for at, (_, sign, want) in enumerate(marked, 1) if sign}


def meant(module: Module) -> dict[int, str]:
    out: dict[int, str] = {}
    for function in module.functions.values():
        for each in function.instructions:
            out[each.line] = f"{out.get(each.line, '')} {instruction(each)}".strip()
    return out


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_instructions_mean_what_the_line_says(case: Path, cache: bool) -> None:
    text = case.read_text(encoding="utf-8")
    wanted = expectations(text)
    found = meant(parse(text, case.name, cache=cache))
    assert {at: found.get(at) for at in wanted} == wanted
