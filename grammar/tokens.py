"""A PTX text as tokens, cut by the terminals of the grammar.

All terminals make one regular expression, and the text is cut by a single `findall`. Which
terminal a token is follows from its text alone, so each distinct text is looked at once. The types
of all tokens form a string with one character each (`codes`): the shape of a statement is a slice
of that string. Line ends and comments are tokens too, so that lines can be counted.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from perflint.base.records import dataclass
from perflint.grammar.errors import PtxSyntaxError

#: Terminals that mean nothing between other tokens.
IGNORED = ("COMMENT", "LINE_MARK", "NEWLINE")
_BLANK = r"[ \t\r\f\v]*+"
_UNEXPECTED = "UNEXPECTED"
#: What begins no token. All of a misspelt number or of a string that is not closed: where only its
#: first character was cut off, the rest would be looked through again, for each of its characters.
_WRONG = r"\d[\w$]*+|\"[^\n]*+|[^ \t\r\f\v\n]"
#: Distinct token texts to remember between files.
_REMEMBERED = 200_000


class Terminal(NamedTuple):
    """A terminal of the grammar."""

    name: str
    is_text: bool  #: one fixed text, no pattern
    value: str  #: that text, or the pattern
    regexp: str  #: either as a regular expression
    priority: int


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of one text. `texts[i]` has the type that `codes[i]` stands for."""

    path: str
    source: str
    texts: list[str]
    codes: str
    lexicon: Lexicon

    def error(self, index: int, message: str, expected: tuple[str, ...] = ()) -> PtxSyntaxError:
        """A syntax error at a token; an index past the last one is the end of the text."""
        offset = self.offset(index)
        line = self.source.count("\n", 0, offset) + 1
        column = offset - self.source.rfind("\n", 0, offset)
        return PtxSyntaxError(self.path, line, column, message, expected)

    def offset(self, index: int) -> int:
        """Where a token begins in the text; counted anew, for errors only."""
        for at, found in enumerate(self.lexicon.pattern.finditer(self.source)):
            if at == index:
                return found.start(1)
        return len(self.source.rstrip())

    def lines(self) -> list[int]:
        """The line of each token, from 1."""
        out, line = [], 1
        for text in self.texts:
            out.append(line)
            line += text.count("\n")
        return out


class Lexicon(dict[str, str]):
    """Token text → code of its terminal, filled as texts are met.

    The code of a terminal that is one fixed character is that character; the others have letters.
    """

    def __init__(self, terminals: Iterable[Terminal]) -> None:
        super().__init__()
        self.terminals = tuple(terminals)
        defined = [each for each in self.terminals if each.name != "BLANK"]
        free = iter(string.ascii_letters + string.digits)
        self.code: dict[str, str] = {_UNEXPECTED: "\0"}
        self._keywords: dict[str, str] = {}
        patterns: list[Terminal] = []
        for each in defined:
            value = each.value
            self.code[each.name] = value if each.is_text and len(value) == 1 else next(free)
            if each.is_text and len(value) > 1:
                self._keywords[value] = self.code[each.name]
            else:
                patterns.append(each)
        self.ignored = self.codes(*IGNORED)
        self.terminal = {code: name for name, code in self.code.items()}
        # Lark's own order for its lexer: priority first, and patterns before fixed texts.
        patterns.sort(key=lambda each: (-each.priority, each.is_text, each.name))
        expressions = [each.regexp for each in patterns]
        named = "|".join(f"(?P<{each.name}>{each.regexp})" for each in patterns)
        self._named = re.compile(named, re.ASCII)
        # Line ends and punctuation that begin no other terminal come first, as one class.
        alone = "".join(map(re.escape, filter(self._is_alone, map(_fixed, patterns))))
        alternatives = "|".join([f"[{alone}]", *expressions])
        self.pattern = re.compile(rf"{_BLANK}({alternatives}|{_WRONG})", re.ASCII)

    def __missing__(self, text: str) -> str:
        code = self._keywords.get(text)
        if code is None:
            found = self._named.fullmatch(text)
            code = self.code[_UNEXPECTED if found is None else str(found.lastgroup)]
        if len(self) > _REMEMBERED:
            self.clear()
        self[text] = code
        return code

    def _is_alone(self, char: str) -> bool:
        """Whether a character is a terminal and begins no other one."""
        return bool(char) and all(
            found is not None and found.end() == 1
            for found in (self._named.match(char + behind) for behind in ("", *string.printable))
        )

    def codes(self, *names: str) -> frozenset[str]:
        """The codes of some terminals."""
        return frozenset(self.code[name] for name in names)

    def tokenise(self, source: str, path: str) -> Tokens:
        """Cut a text. Raises PtxSyntaxError at a character that begins no token.

        And, lest a program in C++ or a binary be taken for PTX with an error in it, at a first
        token that is not `.version` (PTX ISA 11.1.1).
        """
        texts: list[str] = self.pattern.findall(source)
        codes = "".join(map(self.__getitem__, texts))
        tokens = Tokens(path, source, texts, codes, self)
        if texts and texts[-1].startswith("/*") and not _closed(texts[-1]):
            raise tokens.error(len(texts) - 1, "this comment is never closed", ("`*/`",))
        first = len(codes) - len(codes.lstrip("".join(self.ignored)))
        if codes[first : first + 1] != self.code["VERSION"]:
            message = "this is not PTX: a module begins with `.version`"
            raise tokens.error(first, message, ("`.version`",))
        bad = codes.find(self.code[_UNEXPECTED])
        if bad >= 0:
            raise tokens.error(bad, _unexpected(texts[bad]))
        return tokens


def _fixed(terminal: Terminal) -> str:
    """The text of a terminal that has only one, else nothing."""
    return terminal.value if terminal.is_text else ""


def _closed(comment: str) -> bool:
    return len(comment) >= 4 and comment.endswith("*/")


def _unexpected(text: str) -> str:
    if text.startswith('"'):
        return "unexpected character '\"' (a string that is not closed?)"
    if text[0].isdigit():
        return f"{quote(text)} is no number"
    return f"unexpected character {text!r}"


def quote(text: str, limit: int = 40) -> str:
    """A token for a message: its first line, cut if that is long."""
    line = text.partition("\n")[0]
    cut = text != line or len(line) > limit
    return f"`{line[: limit - 1]}…`" if cut else f"`{text}`"


def debug_strings(tokens: Tokens) -> dict[str, tuple[bytes, int]]:
    """Label → the `.debug_str` section's bytes, and where in them it stands (PTX ISA 11.5.1)."""
    out: dict[str, tuple[bytes, int]] = {}
    section = tokens.lexicon.code["SECTION"]
    at = tokens.codes.find(section)
    while at >= 0:
        end = tokens.codes.find("}", at)
        end = len(tokens.codes) if end < 0 else end
        body = [
            (text, code)
            for text, code in zip(tokens.texts[at:end], tokens.codes[at:end], strict=True)
            if code not in tokens.lexicon.ignored
        ]
        if len(body) > 1 and body[1][0] == ".debug_str":
            out |= _labelled(body, tokens.lexicon)
        at = tokens.codes.find(section, end)
    return out


class _Octets(dict[str, int]):
    """Decimal number → its lowest eight bits."""

    def __missing__(self, text: str) -> int:
        value = self[text] = int(text[-8:]) & 0xFF  # 10**8 is a multiple of 256
        return value


def _labelled(body: Sequence[tuple[str, str]], lexicon: Lexicon) -> dict[str, tuple[bytes, int]]:
    data, octets = bytearray(), _Octets()
    labels = {".debug_str": 0}
    number, name = lexicon.code["INTEGER"], lexicon.code["NAME"]
    for (text, code), (_, following) in zip(body, [*body[1:], ("", "")], strict=True):
        if code == name and following == ":":
            labels[text] = len(data)
        elif code == lexicon.code["BYTES"]:
            data.extend(map(octets.__getitem__, text.replace(",", " ").replace(".b8", "").split()))
        elif code == number and text.isdigit():
            data.append(octets[text])
    ended = bytes(data) + b"\0"
    return {label: (ended, start) for label, start in labels.items()}


#: Compilers write a quotation mark or a backslash in a path behind a backslash. An end of line,
#: which a name may hold, stands there by its code, as in C.
_ESCAPED = re.compile(r"\\([\"\\]|012|015)")
_ENDS = {"012": "\n", "015": "\r"}


def files(tokens: Tokens) -> dict[int, str]:
    """Number → path of the `.file` directives, which may stand behind their first use (11.5.3)."""
    out: dict[int, str] = {}
    directive = tokens.lexicon.code["FILE"]
    at = tokens.codes.find(directive)
    while at >= 0:
        number, path, *_ = (*tokens.texts[at + 1 : at + 3], "", "")
        if number.isdigit() and len(number) < 10 and path.startswith('"'):
            out[int(number)] = _ESCAPED.sub(lambda m: _ENDS.get(m[1], m[1]), path[1:-1])
        at = tokens.codes.find(directive, at + 1)
    return out
