"""Divisors that are fields of a struct passed by value, written as constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import cycle

from perflint.base.constructs import Operation
from perflint.rules.protocol import Edit


def fields_in(text: str, structs: Sequence[str]) -> tuple[str, ...]:
    """`table.size` and the like in an expression, each once, in order; no calls, no elements."""
    found = (each for name in structs for each in _uses(name).findall(text))
    return tuple(sorted(dict.fromkeys(found), key=text.index))


def constant_fields(
    operations: Sequence[Operation], structs: Sequence[str], numbers: Sequence[int]
) -> tuple[Edit, ...]:
    """Edits by which the divisors' fields become numbers of the fields' own types."""
    named = [each for o in operations for each in fields_in(o.right.text, structs)]
    numbered = dict(zip(dict.fromkeys(named), cycle(numbers), strict=False))
    edits = (
        Edit(each.right.span, _written(each.right.text, structs, numbered))
        for each in operations
        if fields_in(each.right.text, structs)
    )
    outer: list[Edit] = []  # a division may stand in the divisor of another
    for edit in sorted(edits, key=lambda each: (each.span.line, each.span.column)):
        begin = (edit.span.line, edit.span.column)
        if not outer or begin >= (outer[-1].span.end_line, outer[-1].span.end_column):
            outer.append(edit)
    return tuple(outer)


def _written(text: str, structs: Sequence[str], numbers: Mapping[str, int]) -> str:
    for name in structs:
        text = _uses(name).sub(lambda m: f"static_cast<decltype({m[0]})>({numbers[m[0]]})", text)
    return f"({text})"


def _uses(name: str) -> re.Pattern[str]:
    """Fields of a struct of this name."""
    return re.compile(rf"(?<![\w.>]){re.escape(name)}(?:\.\w+)+\b(?!\s*[.(\[]|\s*->)")
