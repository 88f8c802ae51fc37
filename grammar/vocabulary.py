"""What is wrong with an instruction's modifiers: its row does not take one, or misses its type.

Texts of a later version of PTX than the rows know are not held against them, nor is an opcode
that no row begins with: that is an instruction that the table has yet to learn.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from perflint.grammar import table
from perflint.grammar.model import Module
from perflint.grammar.modifiers import MODIFIER_TYPES
from perflint.grammar.words import GROWING

#: The last version of PTX whose modifiers the rows have.
KNOWN_VERSION = (9, 3)


@lru_cache(maxsize=4096)
def fault(opcode: str, modifiers: tuple[str, ...]) -> str | None:
    """What is wrong with an instruction's modifiers; None where nothing is."""
    row = table.find(opcode, modifiers)
    if row is None or opcode in GROWING:
        return None
    name = ".".join((opcode, *modifiers))
    wrong = next((each for each in modifiers if not row.words.take(each)), None)
    if wrong is None:
        missing = row.words.typed and MODIFIER_TYPES.isdisjoint(modifiers)
        return f"`{name}` names no type" if missing else None
    if wrong in _vocabulary() or any(other.words.take(wrong) for other in table.ROWS.values()):
        return f"`{row.name}` takes no `.{wrong}` (`{name}`)"
    near = nearest(wrong, (*row.words.words, *_vocabulary()))
    return f"`{name}` has the unknown modifier `.{wrong}`" + (
        f"; did you mean `.{near}`?" if near else ""
    )


def slip(module: Module) -> tuple[str, int, str] | None:
    """(full name, line, what is wrong) of the first instruction whose modifiers are."""
    if module.version > KNOWN_VERSION:
        return None
    names = {
        (each.opcode, each.modifiers)
        for function in module.functions.values()
        for each in function.instructions
    }
    wrong = {name: found for name in names if (found := fault(*name)) is not None}
    if not wrong:
        return None
    first = min(
        (
            each
            for function in module.functions.values()
            for each in function.instructions
            if (each.opcode, each.modifiers) in wrong
        ),
        key=lambda each: each.line,
    )
    return first.name, first.line, wrong[first.opcode, first.modifiers]


_LONGEST = 100


@cache
def _vocabulary() -> tuple[str, ...]:
    """Every word that a row takes, types first."""
    words = {word: None for row in table.ROWS.values() for word in sorted(row.words.words)}
    return tuple(dict.fromkeys((*sorted(MODIFIER_TYPES), *words)))


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word that is most like another; None where none is like it."""
    known = tuple(words)
    if len(word) > _LONGEST:  # no word of PTX is, and the letters are compared each with each
        return None
    distance, at = min((_distance(word, each), at) for at, each in enumerate(known))
    return known[at] if distance <= max(1, len(word) // 3) else None


def _distance(one: str, other: str) -> int:
    """Changed, missing, surplus and exchanged neighbouring letters (Damerau and Levenshtein)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        after = [i]
        for j, b in enumerate(other, 1):
            best = min(row[j] + 1, after[-1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            after.append(best)
        before, row = row, after
    return row[-1]
