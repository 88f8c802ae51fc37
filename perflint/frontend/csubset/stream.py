"""A translation unit as one stream of tokens: includes drawn in, macros expanded, places kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from perflint.frontend.source.language.macros import expand
from perflint.frontend.source.language.preprocessor import (
    Finder,
    Preprocessed,
    directives,
    preprocess,
)
from perflint.frontend.source.language.tokens import Token, located, without_comments

#: Tokens of one translation unit; the largest of the corpora has some 60,000.
TOKEN_LIMIT = 2_000_000


#: Tokens that the macros of one stretch between two directives may expand to.
_BUDGET = 500_000


def compiler_macros(arch: str) -> Mapping[str, str]:
    """The macros of a CUDA 13 compiler that conditions look at."""
    digits = "".join(c for c in arch.partition("_")[2] if c.isdigit())
    return {
        "__CUDA_ARCH__": f"{digits}0",
        **{"CUDART_VERSION": "13000", "CUDA_VERSION": "13000"},
        **{"__CUDACC_VER_MAJOR__": "13", "__CUDACC_VER_MINOR__": "0"},
        **{"__GNUC__": "12", "__CUDACC_RTC__": "1"},
    }


def read_stream(
    path: Path, text: str, find: Finder, define: Mapping[str, str], arch: str
) -> list[Token]:
    """The tokens of a file and of the project headers it includes, as a C parser would see them.

    Raises macros.ExpansionError where a macro outgrows its budget.
    """
    macros = {**compiler_macros(arch), **define}
    units = {unit.path: unit for unit in preprocess(path, text, find, macros)}
    return list(_Flattening(units, find).of(path))


class _Flattening:
    def __init__(self, units: Mapping[Path, Preprocessed], find: Finder) -> None:
        self._units, self._find = units, find
        self._done: set[Path] = set()

    def of(self, path: Path) -> Iterator[Token]:
        """A file's live tokens, and at each `#include` those of the header."""
        self._done.add(path)
        unit = self._units[path]
        lines = without_comments(unit.text).split("\n")
        first = 1
        for start, last, word, rest in directives(unit.text):
            yield from self._chunk(unit, lines, first, start - 1)
            if word == "include" and not _is_dead(unit, start):
                header = self._header(path, rest)
                if header is not None:
                    yield from self.of(header)
            first = last + 1
        yield from self._chunk(unit, lines, first, len(lines))

    def _header(self, path: Path, rest: str) -> Path | None:
        name = rest.strip()
        if name[:1] not in ('"', "<"):
            return None
        end = name.find('"' if name[0] == '"' else ">", 1)
        found = self._find(path, name[1:end], name[0] == '"') if end > 0 else None
        if found is None or found[0] in self._done or found[0] not in self._units:
            return None
        return found[0]

    def _chunk(
        self, unit: Preprocessed, lines: Sequence[str], first: int, last: int
    ) -> Iterator[Token]:
        """The tokens of the lines between two directives, macros expanded."""
        if first > last or _is_dead(unit, first):
            return
        placed: list[Token] = []
        for number in range(first, last + 1):
            line = lines[number - 1]
            if line.strip():
                placed += _tokens(unit.path, number, line)
        yield from expand(placed, unit.macros_at(first), _BUDGET)


def _is_dead(unit: Preprocessed, line: int) -> bool:
    return any(start <= line <= end for start, end in unit.dead)


def _tokens(path: Path, number: int, line: str) -> Iterator[Token]:
    for start, token in located(line):
        if token.text != "\\":
            yield token._replace(path=path, line=number, column=start + 1)


# --- what is outside the C subset -----------------------------------------------------------------


class OutsideError(Exception):
    """A construct that only a compiler understands, and where it stands.

    `syntax` tells that it is no C at all: C++ perhaps, or an error.
    """

    def __init__(self, construct: str, token: Token | None = None, syntax: bool = False) -> None:
        super().__init__(construct)
        self.construct, self.token, self.syntax = construct, token, syntax

    @property
    def reason(self) -> str:
        """Why a kernel could not be lowered, for the user."""
        where = f" (line {self.token.line})" if self.token is not None else ""
        return f"needs a compiler: {self.construct}{where}"
