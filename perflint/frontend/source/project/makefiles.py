"""Makefiles as text: variables, rules, and the shell lines of their recipes. Nothing is run.

Of conditions every branch counts; of a variable that several branches set, the first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.project.shell_words import MOST_LINES, UNKNOWN, Line

#: Variables in variables, files that are included, and characters that a text may grow to.
_DEPTH, _INCLUDED, _LONGEST = 12, 8, 8_000

_RULE = pattern(
    r"([^\s#:=][^:=#]*?)\s*::?(?![:=])\s*((?:[^#;=$]|\$[({][^(){}]*[)}]|\$)*)(?:;(.*)|#.*)?\Z"
)
_SET = pattern(
    r"\s*(?:(?:export|override|private)\s+)*([\w.+-]+)\s*(::?=|\?=|\+=|=)\s*((?:\\#|[^#])*)"
)
_INCLUDE = pattern(r"(?:-|s)?include\s+(.*)")
_OPENS, _CLOSES = re.compile(r"\s*if(?:n?eq|n?def)\b"), re.compile(r"\s*endif\b")
_REFERENCE = pattern(r"\$(?:([({])|(\S))")
_CALL = pattern(r"([a-z-]+)\s+(.*)\Z", re.DOTALL)
_SUBSTITUTION = pattern(r"([\w.+-]+):([^=]*)=(.*)\Z")
_DOLLAR = "\1"
#: Variables that make sets itself; those of folders are the file's own.
_BUILT_IN = {
    **{"CURDIR": ".", "PWD": ".", "MAKE": "make", "RM": "rm -f", "CC": "cc", "CXX": "g++"},
    **{"CPP": "cc -E", "LD": "ld", "AR": "ar", "AS": "as", "FC": "f77", "SHELL": "/bin/sh"},
}


@dataclass(frozen=True)
class Rule:
    """A rule with its variables replaced."""

    targets: tuple[str, ...]
    needs: tuple[str, ...]
    recipe: tuple[Line, ...]  #: for the shell; of an included file, where it is included


class Makefile:
    """A Makefile, the ones that it includes read with it.

    `include` gives the text of a file by its name as written, None if it may not be read; `names`
    are the files beside it, for wildcards.
    """

    def __init__(
        self, text: str, include: Callable[[str], str | None], names: tuple[str, ...] = ()
    ) -> None:
        self._names, self._include = names, include
        self._left, self._whole, self._conditions = _INCLUDED, True, 0
        self._variables, self._set = dict(_BUILT_IN), set[str]()
        self._rows = list(self._read(text))

    def rules(self) -> Iterator[Rule]:
        """The rules, those of included files among them."""
        targets: tuple[str, ...] = ()
        needs: tuple[str, ...] = ()
        recipe: list[Line] = []
        for row in (*self._rows, Line("end:", 0)):
            if row.text.startswith("\t"):
                recipe.append(row)
            elif rule := _RULE.match(row.text):
                if targets:
                    yield self._rule(targets, needs, recipe)
                targets = tuple(self.expand(rule[1]).split())
                needs = tuple(self.expand(rule[2]).replace("|", " ").split())
                recipe = [Line(rule[3], row.number)] if rule[3] else []

    def _rule(self, targets: tuple[str, ...], needs: tuple[str, ...], recipe: list[Line]) -> Rule:
        every, first = " ".join(needs), needs[0] if needs else ""
        automatic = {"@": targets[0], "<": first, "^": every, "?": every, "+": every}
        lines = [
            Line(self.expand(row.text.strip().lstrip("@-+ "), automatic), row.number)
            for row in recipe
            if not row.text.lstrip().startswith("#")
        ]
        return Rule(targets, needs, tuple(lines))

    def _read(self, text: str) -> Iterator[Line]:
        rows = iter(enumerate(text.splitlines()[:MOST_LINES], start=1))
        for number, row in rows:
            while row.endswith("\\") and len(row) < _LONGEST:
                following = next(rows, None)
                row = row[:-1] + (" " + following[1].strip() if following else "")
            if len(row) > _LONGEST:
                continue
            included = _INCLUDE.match(row)
            if included is None:
                if not row.startswith("\t"):
                    self._learn(row)
                yield Line(row, number)
                continue
            for name in self.expand(included[1]).split():
                self._left -= 1
                inner = self._include(name) if self._left >= 0 and UNKNOWN not in name else None
                self._whole &= inner is not None
                yield from (replace(each, number=number) for each in self._read(inner or ""))

    def _learn(self, row: str) -> None:
        if _OPENS.match(row):
            self._conditions += 1
        elif _CLOSES.match(row):
            self._conditions = max(0, self._conditions - 1)
        elif match := _SET.match(row):
            name, how, value = match[1], match[2], match[3].strip()
            known = self._variables.get(name)
            if how == "+=":
                value = f"{known or ''} {value}".strip()[:_LONGEST]
            elif name in self._set and (how == "?=" or self._conditions):
                return
            elif re.search(rf"\$[({{]{re.escape(name)}[)}}]", value):  # `N := $(N) more`
                value = self.expand(value)
            self._variables[name] = value
            self._set.add(name)

    # --- variables and functions -----------------------------------------------------------------

    def expand(self, text: str, automatic: Mapping[str, str] | None = None) -> str:
        """A text with variables and functions replaced; what is unknown is marked."""
        return self._expanded(text, automatic or {}, _DEPTH).replace(_DOLLAR, "$")

    def _expanded(self, text: str, automatic: Mapping[str, str], depth: int) -> str:
        out, at = [], 0
        while found := _REFERENCE.search(text, at):
            out.append(text[at : found.start()])
            if found[1]:
                end = _closing(text, found.end() - 1)
                body, at = text[found.end() : end], end + 1
                out.append(self._value(body, automatic, depth - 1) if depth else UNKNOWN)
            else:
                at = found.end()
                single = found[2]
                out.append(_DOLLAR if single == "$" else self._value(single, automatic, depth - 1))
            if sum(map(len, out)) > _LONGEST:
                return UNKNOWN
        return "".join((*out, text[at:]))

    def _value(self, body: str, automatic: Mapping[str, str], depth: int) -> str:
        if depth <= 0:
            return UNKNOWN
        if body in automatic:
            return automatic[body]
        if body in self._variables:
            return self._expanded(self._variables[body], automatic, depth)
        if call := _CALL.match(body):
            given = [self._expanded(a, automatic, depth) for a in _arguments(call[2])]
            return self._called(call[1], given)
        if change := _SUBSTITUTION.match(body):
            old, new = (a if "%" in a else f"%{a}" for a in change.groups()[1:])
            return _patsubst(old, new, self._value(change[1], automatic, depth))
        # make's own answer is nothing; but a file that could not be read may say more
        return "" if self._whole else f"{UNKNOWN}$({body.replace(UNKNOWN, '')}){UNKNOWN}"

    def _called(self, function: str, given: list[str]) -> str:
        each = given[-1].split()
        if function == "wildcard":
            return " ".join(n for w in each for n in (*self._matching(w),) or (w,))
        if function == "patsubst" and len(given) == 3:
            return _patsubst(given[0], given[1], given[2])
        if function == "subst" and len(given) == 3 and given[0]:
            return given[2].replace(given[0], given[1])[:_LONGEST]
        if function == "addprefix" and len(given) == 2:
            return " ".join(given[0] + w for w in each)
        if function == "addsuffix" and len(given) == 2:
            return " ".join(w + given[0] for w in each)
        if function == "notdir":
            return " ".join(w.rpartition("/")[2] for w in each)
        if function == "basename":
            return " ".join(os.path.splitext(w)[0] for w in each)  # noqa: PTH122
        if function == "firstword":
            return each[0] if each else ""
        if function in ("strip", "sort", "abspath", "realpath"):
            return " ".join(each)
        return f"{UNKNOWN}$({function}){UNKNOWN}"

    def _matching(self, pattern: str) -> Iterator[str]:
        folder, slash, name = pattern.rpartition("/")
        if folder in ("", "."):
            yield from (f"{folder}{slash}{n}" for n in self._names if fnmatchcase(n, name))


def _closing(text: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`; the text's end without one."""
    opening = text[start]
    closing, depth = {"(": ")", "{": "}"}[opening], 0
    for at in range(start, len(text)):
        depth += (text[at] == opening) - (text[at] == closing)
        if not depth:
            return at
    return len(text)


def _arguments(text: str) -> list[str]:
    """A call's arguments, cut at commas outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _patsubst(old: str, new: str, text: str) -> str:
    head, _, tail = old.partition("%")
    found = []
    for word in text.split():
        fits = len(word) >= len(head) + len(tail) and word.startswith(head) and word.endswith(tail)
        stem = word[len(head) : len(word) - len(tail)]
        found.append(new.replace("%", stem, 1) if fits and "%" in old else word)
    return " ".join(found)[:_LONGEST]
