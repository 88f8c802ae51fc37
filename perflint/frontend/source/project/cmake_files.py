"""CMake files as text: their calls, variables replaced where they are known. Nothing is run.

Of conditions every branch counts, as in `makefiles`; a loop's variable has all its values.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.project.shell_words import UNKNOWN
from perflint.frontend.source.project.user_files import words

#: Values of loops' variables that one call is read with, variables in variables, words, and calls.
_MOST_VALUES, _DEPTH, _MOST_WORDS, _MOST_CALLS = 8, 4, 2_000, 2_000

_COMMENT = pattern(r'("(?:\\.|[^"\\])*")|#\[\[.*?\]\]|#[^\n]*', re.DOTALL)
_CALL = pattern(r"\b(\w+)\s*\(")
_WORD = pattern(r'"((?:\\.|[^"\\])*)"|([()])|((?:\\.|\$<[^<>]*>|[^\s()"\\])+)', re.DOTALL)
_VARIABLE = pattern(r"\$\{([\w.-]+)\}")
_FILE_OF = pattern(r"\$<TARGET_FILE(?:_NAME)?:([\w.+-]+)>")
_EVALUATED = pattern(r"\$<[^<>]*>|\$ENV\{[^}]*\}")
#: Folders that CMake names; what they are called does not matter here.
_FOLDERS = words(
    """CMAKE_CURRENT_SOURCE_DIR CMAKE_CURRENT_BINARY_DIR CMAKE_CURRENT_LIST_DIR CMAKE_SOURCE_DIR
    CMAKE_BINARY_DIR PROJECT_SOURCE_DIR PROJECT_BINARY_DIR CMAKE_RUNTIME_OUTPUT_DIRECTORY
    EXECUTABLE_OUTPUT_PATH"""
)


@dataclass(frozen=True)
class Call:
    """A call; quoted words may hold blanks."""

    name: str  #: in small letters
    words: tuple[str, ...]
    line: int
    text: str  #: as written, its blanks single


Variables = dict[str, tuple[str, ...]]


def calls(text: str, variables: Variables) -> Iterator[Call]:
    """The calls of a CMake file in order. `variables` are those set before, and are set further."""
    text = _COMMENT.sub(lambda m: m[1] or "\n" * m[0].count("\n"), text)
    loops: list[str] = []
    mine: set[str] = set()
    at = conditions = 0
    for _ in range(_MOST_CALLS):
        found = _CALL.search(text, at)
        if found is None:
            return
        given, at = _words(text, found.end())
        name = found[1].lower()
        line = text.count("\n", 0, found.start()) + 1
        shown = " ".join(text[found.start() : at].split())
        for expanded in _expansions(given, variables, frozenset(loops)):
            yield Call(name, expanded, line, shown)
        if name == "foreach" and given:
            loops.append(given[0])
            variables[given[0]] = tuple(
                w
                for e in _expansions(given[1:], variables, frozenset())
                for w in e
                if w not in ("IN", "ITEMS", "LISTS")
            )[:_MOST_VALUES]
            if "LISTS" in given:
                listed = given[given.index("LISTS") + 1 :]
                variables[given[0]] = tuple(v for n in listed for v in variables.get(n, ()))
        elif name == "endforeach" and loops:
            variables.pop(loops.pop(), None)
        elif name in ("if", "endif"):
            conditions = max(0, conditions + (1 if name == "if" else -1))
        elif given and not (name == "set" and conditions and given[0] in mine):
            _learn(name, given, variables)
            mine.add(given[0])


def _learn(name: str, given: tuple[str, ...], variables: Variables) -> None:
    """What a call sets."""
    values = next(_expansions(given[1:], variables, frozenset()), ())
    if name == "set":
        cut = next((i for i, v in enumerate(values) if v in ("CACHE", "PARENT_SCOPE")), None)
        variables[given[0]] = values[:cut]
    elif name == "project":
        for each in ("PROJECT_NAME", "CMAKE_PROJECT_NAME"):
            variables[each] = next(_expansions(given[:1], variables, frozenset()), ())
    elif name == "list" and given[0] == "APPEND" and len(given) > 1:
        variables[given[1]] = (*variables.get(given[1], ()), *values[1:])[:_MOST_WORDS]
    elif name == "file" and given[0] in ("GLOB", "GLOB_RECURSE") and len(given) > 1:
        variables[given[1]] = values[1:]


def _words(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The words up to the bracket that closes, and the place behind it."""
    found: list[str] = []
    depth = 1
    while (match := _WORD.search(text, at)) and len(found) < _MOST_WORDS:
        at = match.end()
        if match[2]:
            depth += 1 if match[2] == "(" else -1
            if not depth:
                return tuple(found), at
        else:
            found.append(match[1] if match[1] is not None else match[3])
    return tuple(found), len(text) if match is None else at


def _expansions(
    given: tuple[str, ...], variables: Variables, loops: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    """The words with variables replaced: once, or for each value of loops' variables."""
    named = dict.fromkeys(n for word in given for n in _VARIABLE.findall(word) if n in loops)
    several = [variables.get(name, ()) for name in named]
    for values in itertools.islice(itertools.product(*several), _MOST_VALUES):
        scope = variables | {n: (v,) for n, v in zip(named, values, strict=True)}
        yield tuple(w for word in given for w in _replaced(word, scope))[:_MOST_WORDS]


def _replaced(word: str, variables: Variables) -> tuple[str, ...]:
    """What a word stands for: several words for a list's variable alone."""
    alone = _VARIABLE.fullmatch(word)
    if alone and alone[1] in variables:
        return variables[alone[1]]

    def value(match: re.Match[str]) -> str:
        if match[1] in _FOLDERS:
            return "."
        if match[1] in variables:
            return ";".join(variables[match[1]])
        return f"{UNKNOWN}{match[0]}{UNKNOWN}"

    for _ in range(_DEPTH):  # a name may be made of names
        replaced = _VARIABLE.sub(value, word)
        if replaced == word or UNKNOWN in replaced:
            break
        word = replaced
    replaced = _FILE_OF.sub(r"\1", replaced)
    return (_EVALUATED.sub(lambda m: f"{UNKNOWN}{m[0]}{UNKNOWN}", replaced),)
