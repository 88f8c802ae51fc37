"""Which rules run and which findings are shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.cli.globs import Globs
from perflint.lint.findings import Finding, worst_first
from perflint.lint.rulebook import RuleInfo

_PREFIX = pattern(r"[A-Z]+[0-9]*")
_EXACT = 1000  #: more specific than any prefix is long


class UnknownSelectorError(ValueError):
    """A selector that means no rule."""


@dataclass(frozen=True)
class Layer:
    """What one source (configuration file, command line) says of the rules."""

    select: tuple[str, ...] | None = None  #: replaces what lower layers chose
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def expand(selector: str, book: Mapping[str, RuleInfo]) -> tuple[frozenset[str], int]:
    """The codes that a selector means, and how specific it is.

    A selector is a code, a rule's name, a prefix of codes (`CU1`) or `ALL`. Raises
    UnknownSelectorError with the nearest known one.
    """
    by_name = {info.name: code for code, info in book.items()}
    if selector == "ALL":
        return frozenset(book), 0
    if selector in book:
        return frozenset({selector}), _EXACT
    if selector in by_name:
        return frozenset({by_name[selector]}), _EXACT
    if _PREFIX.fullmatch(selector):
        codes = frozenset(code for code in book if code.startswith(selector))
        if codes:
            return codes, len(selector)
    known = [*book, *by_name]
    near = difflib.get_close_matches(selector, known, 1) or [
        code for code in book if code.lower() == selector.lower()
    ]
    hint = f"did you mean {near[0]!r}?" if near else "`perflint rule` lists them"
    raise UnknownSelectorError(f"no rule is called {selector!r}; {hint}")


def resolve(
    layers: Iterable[Layer], book: Mapping[str, RuleInfo], *, preview: bool = False
) -> frozenset[str]:
    """The codes to run: every stable rule, unless a layer selects; later layers build on earlier.

    Within a layer the most specific selector wins, and `ignore` wins a tie. A rule in preview runs
    only with `preview`, even if it is selected.
    """
    usable = frozenset(c for c, info in book.items() if preview or info.status != "preview")
    chosen = frozenset(code for code in usable if book[code].status != "deprecated")
    for layer in layers:
        if layer.select is not None:
            chosen = frozenset()
        on = _specificity([*(layer.select or ()), *layer.extend_select], book)
        off = _specificity(layer.ignore, book)
        for code in on.keys() | off.keys():
            if on.get(code, -1) > off.get(code, -1):
                chosen |= {code}
            else:
                chosen -= {code}
    return chosen & usable


def _specificity(selectors: Iterable[str], book: Mapping[str, RuleInfo]) -> dict[str, int]:
    most: dict[str, int] = {}
    for selector in selectors:
        codes, specific = expand(selector, book)
        for code in codes:
            most[code] = max(most.get(code, -1), specific)
    return most


def named(layers: Iterable[Layer], book: Mapping[str, RuleInfo]) -> frozenset[str]:
    """The codes selected by their own code or name, not by a prefix or `ALL`."""
    selectors = [s for layer in layers for s in (*(layer.select or ()), *layer.extend_select)]
    return frozenset().union(
        *(codes for codes, specific in (expand(s, book) for s in selectors) if specific == _EXACT)
    )


@dataclass(frozen=True)
class FileIgnore:
    """Codes not wanted in the files that a pattern matches."""

    base: Path  #: the directory the pattern is relative to
    globs: Globs
    codes: frozenset[str]


def visible(
    findings: Sequence[Finding],
    rules: frozenset[str],
    *,
    book: Mapping[str, RuleInfo],
    named: frozenset[str] = frozenset(),
    show_unconfirmed: bool = False,
    per_file_ignores: Sequence[FileIgnore] = (),
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings to print, the worst first, and the notes that were left out.

    A note is left out unless a rule on performance confirms it, unconfirmed findings are wanted, or
    its rule reports nothing but notes and was selected by its own code or name.
    """
    wanted = [f for f in findings if f.code in rules and not _ignored(f, per_file_ignores)]
    shown = [
        f
        for f in wanted
        if f.level != "note"
        or show_unconfirmed
        or (f.verdict == "confirmed" and f.code in book and "performance" in book[f.code].tags)
        or (f.code in named and f.code in book and book[f.code].level == "note")
    ]
    kept = set(map(id, shown))
    hidden = [f for f in wanted if id(f) not in kept]
    return tuple(worst_first(shown)), tuple(hidden)


def _ignored(finding: Finding, ignores: Sequence[FileIgnore]) -> bool:
    return any(
        finding.code in ignore.codes and _matches(ignore, finding.place.path) for ignore in ignores
    )


def _matches(ignore: FileIgnore, path: Path) -> bool:
    try:
        relative = path.resolve().relative_to(ignore.base.resolve())
    except (ValueError, OSError):
        return False
    return ignore.globs.match(relative.as_posix())
