"""Build files that call: Bazel's and Meson's programs and tests, read as text."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.project.shell_words import UNKNOWN

#: Calls of one file that are read, and characters of each.
_MOST, _LONGEST = 500, 20_000

_CALL = pattern(r"(?:\b(\w+)\s*=\s*)?\b([a-z]\w*)\s*\(")
_MARK = pattern(r"""#[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[()]""")
_STRING = pattern(r"""["']([^"'\n]*)["']""")
_NAMED = pattern(r"""\bname\s*=\s*["']([^"'\n]+)["']""")
_POSITIONAL = pattern(r"""\s*["']([^"'\n]+)["']\s*,?\s*(\w+)?""")
_ARGUMENTS = pattern(r"\bargs\s*[:=]\s*\[([^\[\]]*)\]")
_SOURCE = pattern(r"\.(?:cu|c|cc|cpp|cxx)\Z")


@dataclass(frozen=True)
class Target:
    """A program or a test."""

    name: str
    sources: tuple[str, ...]
    arguments: tuple[str, ...] | None  #: None: the call gives none
    line: int
    text: str  #: as written, its blanks single


def targets(text: str) -> Iterator[Target]:
    """The programs and tests of a file in order; a Meson test has its program's name."""
    names: dict[str, str] = {}
    at = 0
    for _ in range(_MOST):
        call = _CALL.search(text, at)
        if call is None:
            return
        at = call.end()
        body = text[at : _end(text, at)]
        named, positional = _NAMED.search(body), _POSITIONAL.match(body)
        if named is None and positional is None:
            continue
        name = named[1] if named else positional[1] if positional else ""
        if call[1]:
            names[call[1]] = name
        if call[2] in ("test", "benchmark") and positional and positional[2]:
            name = names.get(positional[2], UNKNOWN)
        given = _ARGUMENTS.search(body)
        yield Target(
            name,
            tuple(s for s in _STRING.findall(body) if _SOURCE.search(s)),
            tuple(_STRING.findall(given[1])) if given else None,
            text.count("\n", 0, call.start()) + 1,
            " ".join(text[call.start() : at + len(body) + 1].split()),
        )


def _end(text: str, at: int) -> int:
    """The place of the bracket that closes the one before `at`."""
    depth = 1
    for mark in _MARK.finditer(text, at, at + _LONGEST):
        depth += (mark[0] == "(") - (mark[0] == ")")
        if not depth:
            return mark.start()
    return min(len(text), at + _LONGEST)
