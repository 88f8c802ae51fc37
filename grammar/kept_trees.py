"""Trees of statements, kept between runs: most files need no parser then.

What the parser makes of a statement is a matter of its shape alone (quick.py), and of a compiler's
repertoire a file has some hundred shapes. To import Lark and to load its tables takes longer than
all else that is done to read a small module. So is kept, beside these tables, what the parser made:
a first line with the grammar's terminals, then a line for each shape. The checksums of these go on
from that of the first line: what another version adds at the same time, whose codes may stand for
other terminals, is unknown here.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from perflint.grammar.kept_folder import folder
from perflint.grammar.tokens import Terminal, Tokens

#: What trees hang on beside a shape: the grammar, what is made of it, and this notation.
_MAKERS = ("ptx.lark", "lalr.py", "syntax.py", "tokens.py", "kept_trees.py")
#: Bytes of the file, beyond which nothing is added: it is read at each start.
_MOST = 1 << 20


class Leaf(str):
    """A token in a kept tree, with what the parser's tokens say."""

    type: str
    start_pos: int


class Node(NamedTuple):
    """A kept tree, with what the parser's say."""

    data: str
    children: Sequence[Any]


class KeptTrees:
    """What is in the file, and what is to be added to it."""

    def __init__(self, path: Path | None) -> None:
        """`path`: None where nothing can be kept."""
        self._path, self._key = path, _key()
        self.terminals: tuple[Terminal, ...] | None = None  #: None: none are known
        self._lines: dict[str, str] = {}  #: by start symbol and shape: the tree, and its checksum
        self._new: list[tuple[str, str]] = []
        self._seed = 0  #: of the lines' checksums
        if path is not None:
            with suppress(OSError, ValueError):
                self._read(path)

    def _read(self, path: Path) -> None:
        first, *lines = path.read_text("utf-8").split("\n")
        head = json.loads(_checked(first))
        if head["key"] == self._key:
            self._seed = zlib.crc32(first.encode())
            self.terminals = tuple(Terminal(*each) for each in head["terminals"])
            for line in lines:
                place, _, rest = line.partition("\t")
                self._lines[place] = rest

    def tree(self, start: str, tokens: Tokens, begin: int, end: int) -> Any:
        """The tree of the tokens [begin, end) from a start symbol; None if it is not known."""
        place = _place(start, tokens.codes[begin:end])
        line = self._lines.get(place)
        if line is None:
            return None
        try:
            written = _checked(line, place, self._seed)
        except ValueError:
            return None
        return _made(json.loads(written), tokens, begin)

    def came(self, start: str, tokens: Tokens, begin: int, end: int, tree: Any) -> None:
        """Take what the parser made of some tokens."""
        written = json.dumps(_written(tree), separators=(",", ":"))
        self._new.append((_place(start, tokens.codes[begin:end]), written))

    def keep(self, terminals: Sequence[Terminal]) -> None:
        """Write down what is new. Several processes may do so at once: each adds whole lines."""
        new, self._new = self._new, []
        if not new or self._path is None:
            return
        with suppress(OSError):
            if self.terminals is None:
                self._begin(terminals)
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                if os.fstat(file).st_size < _MOST:
                    lines = (f"\n{place}\t{_sealed(it, place, self._seed)}" for place, it in new)
                    os.write(file, "".join(lines).encode())
            finally:
                os.close(file)

    def _begin(self, terminals: Sequence[Terminal]) -> None:
        """Begin the file anew, in place of one of another grammar's."""
        assert self._path is not None
        self.terminals = tuple(terminals)
        head = {"key": self._key, "terminals": self.terminals}
        first = _sealed(json.dumps(head))
        self._seed = zlib.crc32(first.encode())
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        beside.write_text(first, "utf-8")
        beside.replace(self._path)


@cache
def kept_trees() -> KeptTrees:
    """Those of this user."""
    found = folder()
    return KeptTrees(None if found is None else found / "ptx.trees")


def _key() -> int:
    """A checksum of all that trees hang on beside a shape, Lark's version among it."""
    lark = find_spec("lark")
    paths = [Path(__file__).with_name(name) for name in _MAKERS]
    paths += [Path(lark.origin)] if lark is not None and lark.origin else []
    key = 0
    for path in paths:
        key = zlib.crc32(path.read_bytes(), key)
    return key


def _place(start: str, shape: str) -> str:
    return start + json.dumps(shape)


def _sealed(written: str, place: str = "", seed: int = 0) -> str:
    """What a line has behind its place: what was written, and a checksum."""
    return f"{written}\t{zlib.crc32(f'{place}{written}'.encode(), seed):08x}"


def _checked(line: str, place: str = "", seed: int = 0) -> str:
    """What was written, if it is whole. Raises ValueError."""
    written = line.rpartition("\t")[0]
    if line != _sealed(written, place, seed):
        raise ValueError
    return written


def _written(node: Any) -> Any:
    """A tree as a list that begins with its name; a token as its index."""
    if hasattr(node, "data"):
        return [str(node.data), *map(_written, node.children)]
    return node.start_pos


def _made(written: Any, tokens: Tokens, begin: int) -> Any:
    """The tree that was written, of these tokens."""
    if isinstance(written, int):
        leaf = Leaf(tokens.texts[begin + written])
        leaf.type, leaf.start_pos = tokens.lexicon.terminal[tokens.codes[begin + written]], written
        return leaf
    return Node(written[0], [_made(each, tokens, begin) for each in written[1:]])
