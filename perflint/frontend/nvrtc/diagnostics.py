"""The compiler's messages, read back, and the files' own names for its aliases of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

_HEAD = pattern(
    r"^(?P<file>[^\n(]+)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$"
)
_END_OF_SOURCE = pattern(r"^At end of source: (?:catastrophic )?error(?: #[\w-]+)?: (.*)$")
_NOTE = pattern(r"^(?P<file>[^\n(]+)\((?P<line>\d+)\): note")
#: The compiler shows the source line indented by two spaces, and a caret below it.
_INDENT = 2

_UNDEFINED = pattern(r'identifier "([^"]+)" is undefined')
_NO_MEMBER = pattern(
    r'(?:(?:namespace|class|struct) "[^"]+" has no member|the global scope has no) "([^"]+)"'
)
_DELETED = pattern(
    r'function "(?:[^"()]*::)?([^"():]+)[^"]*".* cannot be referenced -- it is a deleted function'
)
_NO_OPERATOR = pattern(r'no operator "([^"]+)" matches')
_HEADER = pattern(r'(?:could not|cannot) open source file "([^"]+)"')


@dataclass(frozen=True)
class Diagnostic:
    """One error."""

    file: str  #: the alias it was compiled under
    line: int
    column: int  #: 1 where the compiler gave none
    text: str
    fatal: bool = False  #: the compiler read no further
    context: str = ""  #: "detected during instantiation of …"

    @property
    def undefined(self) -> str | None:
        """The identifier that the message calls undefined."""
        match = _UNDEFINED.search(self.text)
        return match[1] if match else None

    @property
    def lacked(self) -> str | None:
        """The identifier that is undefined, or the function that is deleted."""
        match = _DELETED.match(self.text)
        return match[1] if match else self.undefined

    @property
    def header(self) -> str | None:
        """The header that could not be opened."""
        match = _HEADER.search(self.text)
        return match[1] if match else None

    @property
    def absent(self) -> str | None:
        """The name that is undefined, or that a namespace or class does not have."""
        if operator := _NO_OPERATOR.search(self.text):
            return f"operator{operator[1]}"
        match = _NO_MEMBER.search(self.text)
        return match[1] if match else self.undefined

    @property
    def syntax(self) -> bool:
        """A message of the parser's, not about meaning."""
        return bool(_SYNTAX.match(self.text))


_SYNTAX = pattern(
    r"expected an? |unrecognized token|missing closing quote|this declaration has no storage"
    r"|extra text after|invalid (?:token|combination)|an? .* was expected"
)


def parse(log: str) -> tuple[Diagnostic, ...]:
    """All errors of a compile log, in its order."""
    found = []
    for block in log.split("\n\n"):
        lines = block.splitlines()
        for index, line in enumerate(lines):
            rest = lines[index + 1 :]
            if head := _HEAD.match(line):
                found.append(
                    Diagnostic(
                        head["file"],
                        int(head["line"]),
                        _column(rest),
                        _with_way_out(head["text"].strip()),
                        "catastrophic" in line.split(head["text"])[0],
                        _context(rest),
                    )
                )
            elif end := _END_OF_SOURCE.match(line):
                note = next((m for r in rest if (m := _NOTE.match(r))), None)
                if note:
                    found.append(
                        Diagnostic(note["file"], int(note["line"]), _column(rest[1:]), end[1])
                    )
    return tuple(found)


def _with_way_out(text: str) -> str:
    """A message with what to do about it, where that is an option of ours."""
    return f"{text}; --arch names another" if text.endswith("this GPU architecture") else text


def _context(lines: list[str]) -> str:
    """What follows `detected during`: the instantiations that led there."""
    start = next((i for i, line in enumerate(lines) if "detected during" in line), len(lines))
    end = next((i for i, line in enumerate(lines[start:], start) if _HEAD.match(line)), len(lines))
    return "\n".join(line.strip() for line in lines[start:end])


def _column(lines: list[str]) -> int:
    for line in lines:
        if _HEAD.match(line):
            break
        if line.strip() == "^":
            return max(1, line.index("^") - _INDENT + 1)
    return 1


_FILE = pattern(r'^(\s*\.file\s+\d+\s+)"([^"\n]*)"', re.MULTILINE)
_ALIAS = pattern(r"(?<![\w-])perflint-[0-9a-f]+(?:-\d+)?\.\w+\b")


def readable(text: str, aliases: Mapping[str, Path]) -> str:
    """A message with the files' own names."""
    return _ALIAS.sub(lambda m: aliases[m[0]].name if m[0] in aliases else m[0], text)


def with_real_paths(ptx: str, aliases: Mapping[str, Path]) -> str:
    """PTX whose `.file` directives name the user's files.

    The compiler prefixes its working directory to the names of what is no file: the aliases, our
    headers (`perflint/NAME`) and its own (`__nv_nvrtc_builtin_header.h`).
    """

    def put(match: re.Match[str]) -> str:
        name = match[2].replace("\\", "/")
        path = aliases.get(name.rsplit("/", 1)[-1])
        if path is not None:
            shown = path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
            shown = shown.replace("\n", "\\012").replace("\r", "\\015")
        else:
            own = re.search(r"(?:^|/)(perflint/\w+\.h|__nv_\w+(?:\.h)?)$", name)
            shown = own[1] if own else match[2]
        return f'{match[1]}"{shown}"'

    return _FILE.sub(put, ptx)
