"""Reading the user's files: only regular ones within bounds, of bounded size, in any encoding."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from perflint.base import bounds
from perflint.base.patterns import pattern

#: The largest file that is read. The largest `.cu` of the corpora has 0.3 MB.
LARGEST_FILE = 8 << 20
LARGEST_PTX = 64 << 20  #: the same for PTX, which compilers write


#: Brackets in brackets. The deepest of the corpora has 15; compilers give up at some hundreds.
DEEPEST = 2000
_BRACKET = pattern(r"[(){}\[\]]")


class UnreadableError(ValueError):
    """A file cannot be read as source. The message says why, without the path."""


#: Texts that are read in place of files', by real path: an editor's, not saved yet.
_standing_in: dict[str, bytes] = {}


def stand_in(path: Path, data: bytes) -> None:
    """Let `data` be read wherever this file would be, which need not exist."""
    _standing_in[os.path.realpath(path)] = data


@contextmanager
def standing_in_for(texts: Mapping[Path, str]) -> Iterator[None]:
    """Let texts be read in place of files', for a while."""
    before = dict(_standing_in)
    for path, text in texts.items():
        stand_in(path, text.encode("utf-8", "surrogateescape"))
    try:
        yield
    finally:
        _standing_in.clear()
        _standing_in.update(before)


def standing_in(path: Path) -> bytes | None:
    """What is read in place of a file; None for the file itself."""
    return _standing_in.get(os.path.realpath(path)) if _standing_in else None


def standing() -> Mapping[str, bytes]:
    """All that is read in place of files', by real path."""
    return _standing_in


def read_bytes(path: Path, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of a regular file within `perflint.base.bounds`.

    Raises UnreadableError for anything else: a directory, a device, a pipe, a file that is
    missing, too large, not permitted or out of bounds. Never blocks.
    """
    if (data := standing_in(path)) is not None:
        return data
    if not bounds.allowed(path):
        raise UnreadableError(bounds.OUTSIDE)
    try:
        # Opened without blocking and looked at afterwards, so that a pipe cannot hang us and
        # the file cannot be another one by the time it is read.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise UnreadableError(getattr(error, "strerror", None) or str(error)) from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableError("is a directory")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("is not a regular file")
        if status.st_size > largest:
            raise UnreadableError(
                f"has {status.st_size / 2**20:.1f} MB; at most {largest / 2**20:.0f} MB are read"
            )
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(largest + 1)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    finally:
        os.close(descriptor)


def decode(data: bytes) -> str:
    """Source text from bytes: UTF-8 or UTF-16 by its mark, else UTF-8, else Latin-1.

    Raises UnreadableError for a binary file (one with NUL bytes).
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if b"\0" in data:
        raise UnreadableError("is a binary file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_text(path: Path, largest: int = LARGEST_FILE) -> str:
    """Source text of a file. Raises UnreadableError, for one that no compiler would bear too."""
    text = decode(read_bytes(path, largest))
    if (depth := nesting(text)) > DEEPEST:
        raise UnreadableError(f"nests brackets {depth:,} deep; at most {DEEPEST:,} are read")
    return text


def nesting(text: str) -> int:
    """How deep the brackets of a text are nested, those in comments and literals counted too."""
    if text.count("(") + text.count("{") + text.count("[") <= DEEPEST:
        return 0
    depth = most = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] in "({[" else max(0, depth - 1)
        most = max(most, depth)
    return most


_COMMENT_OR_LITERAL = pattern(
    r"""//(?:\\\r?\n|[^\n])* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)


def without_wide_characters(text: str) -> str:
    """`text` with each non-ASCII character of a comment or literal replaced by one ASCII one.

    The compiler counts columns in bytes; after this a byte is a character (but for identifiers
    that are not ASCII, which must stay as they are).
    """
    if text.isascii():
        return text

    def narrow(match: re.Match[str]) -> str:
        filler = " " if match[0].startswith("/") else "?"
        return re.sub(r"[^\x00-\x7f]", filler, match[0])

    return _COMMENT_OR_LITERAL.sub(narrow, text)


def words(text: str) -> frozenset[str]:
    """The words of a text, for the tables of names."""
    return frozenset(text.split())


def by_word(groups: Mapping[str, str]) -> dict[str, str]:
    """What each word stands for, of tables that list the words by what they stand for."""
    return {word: meaning for meaning, text in groups.items() for word in text.split()}
