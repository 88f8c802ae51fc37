"""Commands that people are told to type: in a README, and in the comments of a source."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from perflint.base.patterns import pattern
from perflint.frontend.source.project.shell_words import MOST_LINES, Command, Line, commands, joined

#: What a line may begin with before its command.
_LEAD = pattern(r"\s*(?:/\*+|\*+(?!/)|//+|[-•+]|\d+[.)])?\s+|\s*")
_PROMPT = pattern(r"(?:\[?[\w.@-]*[~:\w/]*\]?)?[$%>]\s+")
_SPAN = pattern(r"`+([^`\n]+)`+")
_FENCE = pattern(r"\s*(?:```|~~~)")
_PATH = pattern(r"(?<![\w./$~<])(?:\.{1,2}/|(?:bin|build|out)/)[\w.+/-]*\w")
#: What stands for an argument instead of being one.
_PLACEHOLDER = pattern(r"<[^<>\s][^<>]*>|(?<!\w)\[[^\[\]]*\]|\{[^{}]*\}|\.\.\.|…|\|\s*\||\w\|\w")
_CAPITALS = pattern(r"[A-Z][A-Z_]*\Z")
_PLAIN = pattern(r"[A-Za-z][A-Za-z_']*[,;:.)]?\Z")
_USAGE = pattern(r"usage|syntax|synopsis", re.IGNORECASE)
#: Operators and dashes of prose and of tables.
_SIGNS = frozenset({"=", "->", "=>", "-", "--", "+", "*", "|", ":", "==", "–", "—"})
_COMMENT_OR_LITERAL = pattern(
    r"""//[^\n]* | /\*.*?(?:\*/|\Z) | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)


def in_page(text: str, folder: str) -> Iterator[Command]:
    """The commands of a README, in order."""
    fenced = False
    for line in joined(text, comment="\0"):
        if _FENCE.match(line.text):
            fenced = not fenced
            continue
        yield from _of_line(line, folder, fenced)


def in_comments(text: str, folder: str) -> Iterator[Command]:
    """The commands in the comments of a C or C++ file."""
    for line in _comment_lines(text):
        yield from _of_line(line, folder, coded=False)


def _comment_lines(text: str) -> Iterator[Line]:
    first, at, lines = 1, 0, 0
    for match in _COMMENT_OR_LITERAL.finditer(text):
        if match[0].startswith("/") and lines < MOST_LINES:
            first, at = first + text.count("\n", at, match.start()), match.start()
            for number, row in enumerate(match[0].splitlines(), start=first):
                lines += 1
                yield Line(row.rstrip().removesuffix("*/"), number)


def _of_line(line: Line, folder: str, coded: bool) -> Iterator[Command]:
    for text, code in _candidates(line.text, coded):
        if _PLACEHOLDER.search(text):
            continue
        for command in commands([Line(text, line.number)], folder):
            usage = bool(_USAGE.search(line.text))
            if (kept := as_typed(command.words, code, usage)) is not None:
                yield replace(command, words=kept, text=" ".join(text.split()))


def _candidates(row: str, coded: bool) -> Iterator[tuple[str, bool]]:
    """The texts in a line that may be commands, and whether they stand there as code."""
    lead = _LEAD.match(row)
    text = row[lead.end() :] if lead else row
    prompt = _PROMPT.match(text)
    if prompt:
        yield text[prompt.end() :], True
        return
    for span in _SPAN.findall(text):
        yield span.removeprefix("$ "), True
    text = _SPAN.sub("", text)
    path = _PATH.search(text)
    if coded or (path and not text[: path.start()].strip()):
        yield text, True
    elif path:
        yield text[path.start() :], False


def as_typed(
    words: Iterable[str], code: bool = True, usage: bool = False
) -> tuple[str, ...] | None:
    """The words as they would be typed; None if some only describe."""
    program, *given = words
    if not code:  # in the middle of a sentence
        typed = list(itertools.takewhile(lambda word: not _PLAIN.match(word), given))
        if usage and len(typed) < len(given):
            return None
        given = [word.rstrip(",;:)") for word in typed]
        given = [w.removesuffix(".") if w == given[-1] else w for w in given]
    before = program
    for word in given:
        follows = before.startswith("-")
        if word in _SIGNS or _CAPITALS.match(word) or word[-1:] == "=":
            return None
        if _PLAIN.match(word) and not follows and (usage or _is_word(before, program)):
            return None
        if " " in word and all(map(_PLAIN.match, word.split())):  # "text file name here"
            return None
        before = word
    return (program, *given)


def _is_word(before: str, program: str) -> bool:
    return before != program and bool(_PLAIN.match(before))
