"""Function-like macros of a file: which launch, which stand for statements, which are given types.

The grammar reads a use as a call where it can. What it cannot read is made readable; each character
keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from perflint.base.patterns import pattern
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.tokens import Token, blank

#: Characters of one macro's use in which types are looked for.
LONGEST_USE = 4_000


def launching(unit: Preprocessed) -> frozenset[str]:
    """The macros in whose bodies a launch stands."""
    return frozenset(n for n, body in _bodies(unit) if any(t.text == "<<<" for t in body))


def those_that_use(names: Collection[str], unit: Preprocessed) -> frozenset[str]:
    """These macros, and all that lead to one of them."""
    found = frozenset(names)
    while more := {n for n, body in _bodies(unit) if any(t.text in found for t in body)} - found:
        found |= more
    return found


def _bodies(unit: Preprocessed) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """The function-like macros that a file uses, those that it undefines again included."""
    for name, macros in unit.used.items():
        for macro in macros:
            if macro.known and macro.parameters and macro.body:
                yield name, macro.body


#: An argument that is a type and begins with a keyword, which the grammar wants in no call.
_TYPE = pattern(
    r"\s*(?:const\s+)?(?:void|bool|char|short|int|long|float|double|signed|unsigned|const)\b[\s\w*&]*"
)


def without_types(text: str, names: Collection[str]) -> str:
    """A name in place of each type that a macro of these is given: `RUN(unsigned int, 4)`.

    To the grammar that is no call.
    """
    if not names or not any(name in text for name in names):
        return text
    pieces = list(text)
    for match in re.finditer(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\s*\(", text):
        start, depth = match.end(), 0
        for at in range(match.end(), min(len(text), match.end() + LONGEST_USE)):
            letter = text[at]
            if depth == 0 and letter in ",)":
                if _TYPE.fullmatch(argument := text[start:at]):
                    first = start + len(argument) - len(argument.lstrip())
                    pieces[start:at] = blank(argument)
                    pieces[first] = "T"
                start = at + 1
                if letter == ")":
                    break
            depth += (letter in "([{") - (letter in ")]}")
    return "".join(pieces)


def whole_statements(unit: Preprocessed) -> frozenset[str]:
    """The function-like macros that stand for whole statements."""
    macros = dict(_bodies(unit))
    found = {
        n
        for n, body in macros.items()
        if (body[-1].text in (";", "}") and len(body) > 1) or body[0].text == "do"
    }
    while more := {n for n, body in macros.items() if body[0].text in found} - found:
        found |= more
    return frozenset(found)
