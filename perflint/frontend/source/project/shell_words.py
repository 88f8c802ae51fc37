"""Shell text as simple commands: variables replaced where they are known, nothing ever run.

A word with a part that nobody can tell keeps that part as it is written, between two `UNKNOWN`.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import Names
from perflint.frontend.source.project.user_files import words

UNKNOWN = "\0"
#: Lines of one file that are read.
MOST_LINES = 5_000
#: Values of loops' variables that one line is read with, and the longest line that is read.
_MOST_VALUES, _LONGEST = 8, 4_000

Variables = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Line:
    """A line with what continues it."""

    text: str
    number: int  #: of its first line in the file


@dataclass(frozen=True)
class Command:
    """A simple command as a file has it."""

    words: tuple[str, ...]
    folder: str | None  #: the one that it is run in; None if that cannot be told
    line: int
    text: str  #: the line as written, its blanks single


@dataclass
class _Session:
    """What the lines read so far have set."""

    folder: str | None
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)


_VARIABLE = pattern(r"\$\{(\w+)(?:(:?[-=])([^{}]*))?\}|\$([A-Za-z_]\w*|\d)|\$\{?([@*])\}?")
_OTHER = pattern(r"\$\{[^{}]*\}|\$[#?$!-]")
_ARITHMETIC = pattern(r"\$\(\(([^()]*(?:\([^()]*\)[^()]*)*)\)\)")
_INNER = pattern(r"\$\(([^()]*)\)|`([^`]*)`")
_PIECE = pattern(
    r""" "(?:\\.|[^"\\])*" | '[^']*' | \\. | \$\{[^}]*\} | \d?[<>]&\d? | &>>?
    | (?P<cut>&&|\|\||\|&|;;|[;|&()\n]) """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = pattern(r"""("(?:\\.|[^"\\])*"|'[^']*'|\\.)|(?:^|(?<=\s))\#.*""", re.VERBOSE)
_COUNTED = pattern(r"\bfor\s*\(\(\s*(\w*).*?\)\)")
_ALL = pattern(r"\"\$(?:[@*]|\{[@*]\})\"")
#: Nothing but words and blanks: most lines, which need no lexer.
_PLAIN = pattern(r"[\w./=,:%@+\-\0$ \t\r\n]*", re.ASCII)
_DESCRIPTOR = pattern(r"(?<=\s)\d(?=[<>])")
_SET = pattern(r"([A-Za-z_]\w*)\+?=(.*)\Z", re.DOTALL)
_LOOP = pattern(r"\s*for\s+(\w+)\s+in\s+(.*)\Z", re.DOTALL)
_RANGE = pattern(r"\{(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?\}")
_HERE = pattern(r"(?<!<)<<-?\s*(['\"]?)(\w+)\1(?!<)")
#: What may stand before a command, and what only declares.
_BEFORE = words("then do else if elif while until ! { }")
_DECLARES = words("export local declare readonly typeset setenv set")


def joined(text: str, comment: str = "#") -> Iterator[Line]:
    """The lines of a script: continued ones as one, here-documents and comments left out."""
    every = text.splitlines()[:MOST_LINES]
    last = {row.strip(): number for number, row in enumerate(every, start=1)}
    rows = iter(enumerate(every, start=1))
    for number, row in rows:
        parts = [row]
        while parts[-1].endswith("\\") and not parts[-1].lstrip().startswith(comment):
            parts[-1] = parts[-1][:-1]
            following = next(rows, None)
            if following is None:
                break
            parts.append(following[1])
        whole = " ".join(parts)
        here = _HERE.search(whole)
        if here and last.get(here[2], 0) > number:
            while (following := next(rows, None)) and following[1].strip() != here[2]:
                pass
        if len(whole) <= _LONGEST:
            yield Line(_COMMENT.sub(lambda m: m[1] or "", whole), number)


def commands(lines: Iterable[Line], folder: str | None) -> Iterator[Command]:
    """The simple commands of a script's lines, in order, run in a folder to begin with."""
    session = _Session(folder)
    for line in lines:
        shown = " ".join(line.text.replace(UNKNOWN, "").split())
        for given in _of_line(line.text, session):
            yield Command(given, session.folder, line.number, shown)


def _of_line(text: str, session: _Session) -> Iterator[tuple[str, ...]]:
    if counted := _COUNTED.search(text):
        session.variables.pop(counted[1], None)
        text = text[: counted.start()] + text[counted.end() :]
    text = _ALL.sub("", text)
    text = _ARITHMETIC.sub(lambda m: _calculated(m, session.variables), text)
    for _ in range(_MOST_VALUES):  # inside out
        inner = _INNER.search(text)
        if inner is None:
            break
        yield from _of_pieces(inner[1] or inner[2] or "", session)
        text = text[: inner.start()] + _unknown(inner[0]) + text[inner.end() :]
    yield from _of_pieces(text, session)


def _of_pieces(text: str, session: _Session) -> Iterator[tuple[str, ...]]:
    for piece in _pieces(text):
        if loop := _LOOP.match(piece):
            listed = [w for v in expand(loop[2], session.variables) for w in split(v)]
            values = [value for word in listed for value in _braced(word)]
            session.variables.pop(loop[1], None)
            if values and not any(UNKNOWN in v for v in values):
                session.variables[loop[1]] = tuple(values[:_MOST_VALUES])
            continue
        for expanded in expand(piece, session.variables):
            given = _without_prefix(split(expanded))
            if not given or given[0] in _DECLARES or _SET.match(given[0]):
                _assign(given, session)
            elif given[0] == "cd":
                session.folder = _entered(session.folder, given)
            given = tuple(itertools.dropwhile(_SET.match, given))
            if given:
                yield given
            if "-c" in given[:-1]:  # bash -c 'text'
                yield from map(split, _pieces(given[given.index("-c") + 1]))


def _pieces(text: str) -> list[str]:
    """A line cut at what ends a command."""
    pieces, start = [], 0
    for match in _PIECE.finditer(text):
        if match["cut"]:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [p for p in (*pieces, text[start:]) if p.strip()]


def split(text: str) -> tuple[str, ...]:
    """The words of a simple command, quotes undone, redirections left out; none if it is broken."""
    if _PLAIN.fullmatch(text):
        return tuple(text.split())
    lexer = shlex.shlex(_DESCRIPTOR.sub("", text), posix=True, punctuation_chars="<>&")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:  # an open quotation mark
        return ()
    kept, target = [], False
    for word in found:
        if word and not word.strip("<>&"):
            target = True
        elif target:
            target = False
        else:
            kept.append(word)
    return tuple(kept)


def _braced(word: str) -> tuple[str, ...]:
    """The first words of a range in braces, `{1..9}`, `{10..100..5}`; else the word itself."""
    found = _RANGE.fullmatch(word)
    if found is None:
        return (word,)
    first, last, step = int(found[1]), int(found[2]), abs(int(found[3] or 1)) or 1
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return tuple(map(str, numbers[:_MOST_VALUES]))


def _without_prefix(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(itertools.dropwhile(lambda word: word in _BEFORE, given))


def _assign(given: tuple[str, ...], session: _Session) -> None:
    if len(given) == 3 and given[0] == "setenv":
        given = (f"{given[1]}={given[2]}",)
    for word in given:
        if word in _DECLARES or word.startswith("-"):
            continue
        match = _SET.match(word)
        if match is None:  # the command that the values are for
            return
        session.variables[match[1]] = (match[2],)


def _entered(folder: str | None, given: tuple[str, ...]) -> str | None:
    if folder is None or len(given) != 2 or UNKNOWN in given[1] or given[1].startswith(("~", "-")):
        return None
    return os.path.normpath(f"{folder}/{given[1]}") if given[1][0] != "/" else given[1]


def _unknown(text: str) -> str:
    plain = re.sub(r"[\s\"'`$<>|&;()\0]", "", text)
    return f"{UNKNOWN}${plain}{UNKNOWN}"


def _calculated(match: re.Match[str], variables: Variables) -> str:
    text = re.sub(r"\$?\b([A-Za-z_]\w*)", r"${\1}", match[1])
    values = expand(text, variables)
    value = fold(values[0], Names()) if UNKNOWN not in values[0] else None
    return str(value.number) if value is not None else _unknown("arithmetic")


def expand(text: str, variables: Variables) -> list[str]:
    """A text with the shell's variables replaced: once, or for each value of loops' variables."""
    named = dict.fromkeys(m[1] or m[4] for m in _VARIABLE.finditer(text) if m[1] or m[4])
    many = {name: variables[name] for name in named if len(variables.get(name, ())) > 1}
    combined = itertools.islice(itertools.product(*many.values()), _MOST_VALUES)
    return [_replaced(text, {**variables, **_ones(many, values)}) for values in combined]


def _ones(many: Variables, values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {name: (value,) for name, value in zip(many, values, strict=True)}


def _replaced(text: str, variables: Variables) -> str:
    def value(match: re.Match[str]) -> str:
        if match[5]:  # the script's own arguments: it is run without any
            return ""
        name = match[1] or match[4]
        if name in variables:
            return variables[name][0]
        if match[2]:
            return _replaced(match[3], variables)  # shorter, without braces
        return f"{UNKNOWN}${name}{UNKNOWN}"

    return _OTHER.sub(lambda m: _unknown(m[0]), _VARIABLE.sub(value, text))
