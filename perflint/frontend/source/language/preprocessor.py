"""A small conditional preprocessor: which lines are live, which macros hold at which line.

It follows `#define`, `#undef`, `#if` and its kin, and `#include`s of project headers. A name that
nothing in sight defines is undefined, as it is for a compiler without flags; a condition on what
only the compiler knows (`__CUDA_ARCH__`, `CUDART_VERSION >= 12000`) is neither true nor false, and
what it guards is left undecided.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.constant_folding import fold_tokens
from perflint.frontend.source.language.lookup import Names
from perflint.frontend.source.language.macros import ExpansionError, Macro, expand, parse_define
from perflint.frontend.source.language.tokens import LAUNCH, Token, tokenize, without_comments

INCLUDE_DEPTH = 16
INCLUDE_COUNT = 128  #: files of one program that are read, and as many of libraries beside them
STATE_LIMIT = 64  #: tables of macros that are kept for one file

#: Defined by every CUDA compiler; their values must not decide anything.
_COMPILERS = (
    *("__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "CUDART_VERSION", "CUDA_VERSION"),
    *("__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__", "__CUDACC_RTC__", "__GNUC__", "__clang__"),
)
#: Defined by <math.h>, which nvcc includes: a header's own are for who does not have it.
_MATH = ("HUGE_VAL", "HUGE_VALF", "INFINITY", "NAN")
#: The toolkits in use, from CUDA 9 on: a condition that holds for both ends, or for none, is no
#: question of the version (`CUDART_VERSION >= 2020`).
_VERSIONS = {"CUDART_VERSION": (9000, 14000), "CUDA_VERSION": (9000, 14000)}
#: Macros that hold before the first line of any file.
PREDEFINED = {
    **{name: Macro(name, (), known=False) for name in (*_COMPILERS, *_MATH)},
    "__CUDACC__": Macro("__CUDACC__", (Token("number", "1"),)),
    "__NVCC__": Macro("__NVCC__", (Token("number", "1"),)),
    "__linux__": Macro("__linux__", (Token("number", "1"),)),
    "__cplusplus": Macro("__cplusplus", (Token("number", "201703L"),)),
}
_DIRECTIVE = pattern(r"^[ \t]*#[ \t]*([a-z_]+)(.*)$", re.DOTALL)
#: All that some conditions guard, in the head of a kernel, which parsers then take for no function.
_BOUNDS_ALONE = pattern(r"\s*__launch_bounds__\s*\([^\n]*\)\s*")
_WORD = pattern(r"[A-Za-z_]\w*")
_INCLUDE = pattern(r'\s*(?:"([^"\n]+)"|<([^>\n]+)>)')
#: `VARIANT == 3`, what a branch for one variant of a program asks.
_VARIANT = pattern(r"\s*\(?\s*([A-Za-z_]\w*)\s*==\s*\d+\s*\)?\s*")
_LAUNCH = pattern(LAUNCH)

#: Finds an included file: (including file, name as written, in quotes) → its path and text.
Finder = Callable[[Path, str, bool], "tuple[Path, str] | None"]


@dataclass
class Preprocessed:
    """What preprocessing found out about one file."""

    path: Path
    text: str
    entry: Mapping[str, Macro]  #: the macros that hold before the first line
    changes: list[tuple[int, str, Macro | None]] = field(default_factory=list)  #: (line, name, …)
    dead: list[tuple[int, int]] = field(default_factory=list)  #: lines [first, last], never live
    directives: list[int] = field(default_factory=list)  #: lines of settled conditionals
    _states: dict[int, Mapping[str, Macro]] = field(default_factory=dict)

    def macros_at(self, line: int) -> Mapping[str, Macro]:
        """The macros that hold at a line (1-based)."""
        count = bisect_right(self.changes, line, key=lambda change: change[0])
        if count not in self._states:
            known = max((n for n in self._states if n < count), default=0)
            state = dict(self._states.get(known, self.entry))
            for _, name, macro in self.changes[known:count]:
                if macro is None:
                    state.pop(name, None)
                else:
                    state[name] = macro
            if len(self._states) >= STATE_LIMIT:
                del self._states[next(iter(self._states))]
            self._states[count] = state
        return self._states[count]

    @property
    def final(self) -> Mapping[str, Macro]:
        """The macros that hold after the last line."""
        return self.macros_at(self._behind)

    @cached_property
    def _behind(self) -> int:
        return self.text.count("\n") + 2

    @cached_property
    def used(self) -> Mapping[str, tuple[Macro, ...]]:
        """Every macro that a word of the file leads to, in each of its definitions, the last last.

        A library's headers define thousands of which one file names a few.
        """
        changed: dict[str, list[Macro]] = {}
        for _, name, macro in self.changes:
            if macro is not None:
                changed.setdefault(name, []).append(macro)
        final, waiting = self.final, [*_words(self.text)]
        found: dict[str, tuple[Macro, ...]] = {}
        while waiting:
            name = waiting.pop()
            if name in found or (name not in final and name not in changed):
                continue
            last = (final[name],) if name in final else ()
            found[name] = (*changed.get(name, ()), *last)
            waiting += (t.text for macro in found[name] for t in macro.body if t.kind == "name")
        return found

    @cached_property
    def used_last(self) -> Mapping[str, Macro]:
        """Those of `used` that hold after the last line."""
        final = self.final
        return {name: final[name] for name in self.used if name in final}

    @cached_property
    def named(self) -> Mapping[str, Macro]:
        """The macros that hold after the last line and are words of the file."""
        final = self.final
        return {name: final[name] for name in _words(self.text) if name in final}


@dataclass
class _Group:
    """One `#if` … `#endif`."""

    outer: bool | None  #: whether the group itself is live; None: undecided
    live: bool | None  #: whether the present branch is
    taken: bool | None  #: whether an earlier branch was
    lines: list[int]


def preprocess(
    path: Path,
    text: str,
    find: Finder,
    define: Mapping[str, str] | None = None,
    entry: Mapping[str, Macro] | None = None,
) -> list[Preprocessed]:
    """Preprocess a file; the first result is its own, the rest its includes', in order.

    `define` is what `-D` gives; `entry` are macros that hold before the first line, instead of
    the compiler's own.
    """
    macros = dict(entry if entry is not None else PREDEFINED)
    for name, value in (define or {}).items():
        macro = parse_define(f"{name} {value}")
        if macro is not None:
            macros[macro.name] = macro
    run = _Run(find)
    run.file(path, text, macros, 0)
    return run.results


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@lru_cache(maxsize=256)
def directives(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """Every directive of a file: (first line, last line, word, rest), continuations joined."""
    lines = without_comments(text).split("\n")
    found = []
    index = 0
    while index < len(lines):
        line = lines[index]
        first = index + 1
        if "#" in line and line.lstrip().startswith("#"):
            while line.rstrip().endswith("\\") and index + 1 < len(lines):
                index += 1
                line = line.rstrip()[:-1] + " " + lines[index]
            match = _DIRECTIVE.match(line)
            if match:
                found.append((first, index + 1, match[1], match[2]))
        index += 1
    return tuple(found)


class _Run:
    def __init__(self, find: Finder) -> None:
        self._find = find
        self.results: list[Preprocessed] = []
        self._seen: set[Path] = set()
        self._library = False  #: whether it is within what stands in angle brackets
        self._counts = {False: 0, True: 0}  #: files that are read: of the program, of libraries

    def file(self, path: Path, text: str, macros: dict[str, Macro], depth: int) -> Preprocessed:
        result = Preprocessed(path, text, dict(macros))
        self._seen.add(path)
        self.results.append(result)
        self._counts[self._library] += 1
        groups: list[_Group] = []
        lines = text.split("\n")
        dead_from: int | None = None
        variants = _variants(text)
        for first, last, word, rest in directives(text):
            live = groups[-1].live if groups else True
            if live and first in variants and variants[first] not in macros:
                name = variants[first]
                macros[name] = Macro(name, (), known=False)
                result.changes.append((first, name, macros[name]))
            if word in ("if", "ifdef", "ifndef"):
                condition = live and _condition(word, rest, macros)
                groups.append(_Group(live, condition, condition, [first]))
            elif word in ("elif", "else", "elifdef", "elifndef") and groups:
                _next_branch(groups[-1], word, rest, macros)
                groups[-1].lines.append(first)
            elif word == "endif" and groups:
                group = groups.pop()
                bounds = _BOUNDS_ALONE.fullmatch("\n".join(lines[group.lines[-1] : first - 1]))
                if (group.taken is not None and group.outer is not None) or bounds:
                    result.directives += [*group.lines, first]
            elif word in ("define", "undef") and live is not False:
                self._define(word, rest, macros, live, last, result)
            elif word == "include" and live:
                self._include(path, rest, macros, last, result, depth)
            now = groups[-1].live if groups else True
            if now is False and dead_from is None:
                dead_from = last + 1
            elif now is not False and dead_from is not None:
                result.dead.append((dead_from, first - 1))
                dead_from = None
        if dead_from is not None:
            result.dead.append((dead_from, text.count("\n") + 1))
        return result

    @staticmethod
    def _define(
        word: str,
        rest: str,
        macros: dict[str, Macro],
        live: bool | None,
        line: int,
        result: Preprocessed,
    ) -> None:
        macro = parse_define(rest)
        if macro is None:
            return
        new: Macro | None = macro if word == "define" else None
        if live is None and macros.get(macro.name) != new:
            new = replace(macro, known=False)
        if new is None:
            macros.pop(macro.name, None)
        else:
            macros[macro.name] = new
        result.changes.append((line, macro.name, new))

    def _include(
        self,
        path: Path,
        rest: str,
        macros: dict[str, Macro],
        line: int,
        result: Preprocessed,
        depth: int,
    ) -> None:
        match = _INCLUDE.match(rest)
        if match is None or depth >= INCLUDE_DEPTH:
            return
        is_library = self._library or match[1] is None
        if self._counts[is_library] >= INCLUDE_COUNT:
            return
        found = self._find(path, match[1] or match[2], match[1] is not None)
        if found is None or found[0] in self._seen:
            return
        self._seen.add(found[0])
        outside, self._library = self._library, is_library
        included = self.file(found[0], found[1], macros, depth + 1)
        self._library = outside
        for name in dict.fromkeys(name for _, name, _ in included.changes):
            if included.entry.get(name) is not macros.get(name):
                result.changes.append((line, name, macros.get(name)))


@lru_cache(maxsize=256)
def _variants(text: str) -> Mapping[int, str]:
    """The lines of each `#if NAME == 1` … `#elif NAME == 2` … `#endif` that must have a flag.

    Every branch launches, and there is no other: where NAME is no macro, nothing would run.
    """
    if "<<<" not in text or "#elif" not in text:
        return {}
    lines = text.split("\n")
    found: dict[int, str] = {}
    open_groups: list[list[tuple[int, str]]] = []  # of each branch: its line, what it asks
    for first, _, word, rest in directives(text):
        asks = _VARIANT.fullmatch(rest) if word in ("if", "elif") else None
        branch = first, asks[1] if asks else ""
        if word.startswith("if"):
            open_groups.append([branch])
        elif open_groups and word != "endif" and word.startswith("el"):
            open_groups[-1].append(branch)
        elif open_groups and word == "endif":
            branches = open_groups.pop()
            ends = [line for line, _ in branches[1:]] + [first]
            launch = all(
                any(_LAUNCH.search(line) for line in lines[start : end - 1])
                for (start, _), end in zip(branches, ends, strict=True)
            )
            names = {name for _, name in branches}
            if launch and len(branches) > 1 and len(names) == 1 and "" not in names:
                found[branches[0][0]] = names.pop()
    return found


def _next_branch(group: _Group, word: str, rest: str, macros: Mapping[str, Macro]) -> None:
    if group.outer is False or group.taken is True:
        group.live = False
        return
    kinds = {"elif": "if", "elifdef": "ifdef", "elifndef": "ifndef"}
    condition = True if word == "else" else _condition(kinds[word], rest, macros)
    if group.taken is None or group.outer is None:
        # An earlier branch may have been taken: this one is dead for sure or undecided.
        group.live = False if condition is False else None
    else:
        group.live = condition
        group.taken = condition


def _condition(word: str, rest: str, macros: Mapping[str, Macro]) -> bool | None:
    """Whether an `#if`, `#ifdef` or `#ifndef` holds; None where that is out of sight."""
    tokens = tokenize(rest)
    if word in ("ifdef", "ifndef"):
        defined = _defined(tokens[0].text if tokens else "", macros)
        return defined if defined is None or word == "ifdef" else not defined
    resolved: list[Token] = []
    index = 0
    while index < len(tokens):
        if tokens[index].text == "defined" and index + 1 < len(tokens):
            index += 1
            parenthesised = tokens[index].text == "("
            if parenthesised and index + 1 < len(tokens):
                index += 1
            answer = _defined(tokens[index].text, macros)
            index += 1 if parenthesised else 0
            # A name that folding cannot resolve stands for an undecided `defined`.
            resolved.append(
                Token("name", "__undecided") if answer is None else Token("number", str(+answer))
            )
        else:
            resolved.append(tokens[index])
        index += 1
    try:
        expanded = expand(resolved, macros)
    except ExpansionError:
        return None
    final = [_final(token, macros) for token in expanded]
    truths = {_truth(tuple(_at_end(t, end, macros) for t in final)) for end in (0, 1)}
    return truths.pop() if len(truths) == 1 else None


@lru_cache(maxsize=4096)
def _truth(tokens: tuple[Token, ...]) -> bool | None:
    """Whether a condition holds. Headers ask the same ones again for each file."""
    value = fold_tokens(tokens, Names())
    return None if value is None else bool(value.number)


def _at_end(token: Token, end: int, macros: Mapping[str, Macro]) -> Token:
    """A toolkit's version as the first or the last that is in use."""
    versions = _VERSIONS.get(token.text)
    if versions is None or (known := macros.get(token.text)) is None or known.known:
        return token
    return Token("number", str(versions[end]))


def _defined(name: str, macros: Mapping[str, Macro]) -> bool | None:
    macro = macros.get(name)
    return (True if macro.known else None) if macro is not None else False


def _final(token: Token, macros: Mapping[str, Macro]) -> Token:
    """In a condition, a name that is no macro counts as 0 (C17 6.10.1)."""
    if token.kind != "name" or token.text in ("__undecided", "true", "__has_include"):
        return token
    known = macros.get(token.text)
    return token if known is not None and not known.known else Token("number", "0")


def dead_lines(parts: Sequence[tuple[int, int]]) -> frozenset[int]:
    """All lines inside the given stretches."""
    return frozenset(line for first, last in parts for line in range(first, last + 1))


def switched_off(text: str) -> frozenset[int]:
    """The lines under a plain `#if 0`, or the `#else` of a plain `#if 1`, whatever is defined."""
    dead: list[int] = []
    open_groups: list[tuple[int, str, bool]] = []  # line after the directive, condition, is dead
    for first, last, word, rest in directives(text):
        if word.startswith("if"):
            condition = rest.strip() if word == "if" else ""
            open_groups.append((last + 1, condition, condition == "0"))
        elif open_groups and word in ("else", "elif", "endif"):
            start, condition, is_dead = open_groups.pop()
            dead.extend(range(start, first) if is_dead else ())
            if word != "endif":
                open_groups.append((last + 1, condition, condition == "1"))
    return frozenset(dead)


#: What asks for nothing but whether a macro is defined.
_ASKS = pattern(r"(!?)\s*defined\b[\s(]*([A-Za-z_]\w*)[\s)]*")


def left_out(text: str, given: Collection[str]) -> Mapping[int, str]:
    """The lines that an `#ifdef NAME` or its like leaves out where names are given, each with its
    name.

    A name that the text defines itself is none: what is given is a default then.
    """
    out: dict[int, str] = {}
    found = directives(text)
    defines = (rest.split("(")[0].split() for _, _, word, rest in found if word == "define")
    defined = {words[0] for words in defines if words}
    # line after the directive, name, whether this branch is left out, whether those after it are
    open_groups: list[tuple[int, str, bool, bool]] = []
    for first, last, word, rest in found:
        if word.startswith("if"):
            name, absent = _asked_for(word, rest.strip())
            known = name in given and name not in defined
            open_groups.append((last + 1, name, known and absent, known and not absent))
        elif open_groups and word in ("else", "elif", "endif"):
            start, name, is_out, others_are = open_groups.pop()
            out |= dict.fromkeys(range(start, first) if is_out else (), name)
            if word != "endif":
                open_groups.append((last + 1, name, others_are, others_are))
    return out


def _asked_for(word: str, condition: str) -> tuple[str, bool]:
    """The name that a condition asks for, and whether it asks that it is not defined; else ""."""
    if word in ("ifdef", "ifndef"):
        return condition, word == "ifndef"
    asks = _ASKS.fullmatch(condition)
    return (asks[2], bool(asks[1])) if asks else ("", False)
