"""The grammar at work: tokens of a text, and trees of token sequences.

Tokens are made once for the whole text by the grammar's own terminals, in one regular expression;
lark then parses sequences of them: the whole module, or one piece of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from perflint.grammar.errors import PtxSyntaxError

if TYPE_CHECKING:
    from lark import Lark, Tree
    from lark.lexer import Token

Start = Literal["module", "item", "header", "statement"]

#: What people call the terminals in an error message.
_SPOKEN = {
    "NAME": "a name",
    "DOTTED": "a name",
    "INTEGER": "a number",
    "FLOAT": "a number",
    "STRING": "a string",
    "TYPE": "a type",
    "SPACE": "a state space",
    "VECTOR": "a vector width",
    "DIRECTIVE": "a directive",
    "CALL": "an instruction",
    "SIGN": "an operator",
    "OPERATOR": "an operator",
    "BAR": "an operator",
    "LINKAGE": "a linkage",
    "SEMICOLON": "`;`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "EQUAL": "`=`",
}
#: Terminals that begin an operand: together they are "an operand".
_OPERAND = frozenset({"NAME", "INTEGER", "LBRACE", "LPAR"})
#: Rarely what was meant: left out of a list of expectations.
_UNSPOKEN = frozenset({"BANG", "TILDE", "LESS", "MORE", "QMARK", "GENERIC", "AT", "$END"})


@cache
def _lark() -> Lark:
    from lark import Lark
    from lark.lexer import Lexer

    class Given(Lexer):
        """Passes tokens on."""

        def __init__(self, configuration: object) -> None:
            pass

        def lex(self, tokens: Sequence[Token]) -> Iterator[Token]:  # type: ignore[override]
            return iter(tokens)

    text = files("perflint.grammar").joinpath("ptx.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer=Given,
        start=["module", "item", "header", "statement"],
        maybe_placeholders=False,
    )


@cache
def scanner() -> tuple[re.Pattern[str], dict[str, str]]:
    """One expression for all terminals, a group being a terminal's name; and the keywords.

    Terminals are tried in lark's own order. A keyword is a fixed text that a more general terminal
    (a name, a directive) matches too.
    """
    terminals = sorted(
        _lark().terminals,
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    fixed = {t.pattern.value: t.name for t in terminals if t.pattern.type == "str"}
    keywords = {text: name for text, name in fixed.items() if text[-1].isalpha()}
    groups = (
        f"(?P<{t.name}>{t.pattern.to_regexp()})"
        for t in terminals
        if t.name not in keywords.values()
    )
    return re.compile("|".join(groups)), keywords


IGNORED = frozenset({"COMMENT", "LINE_MARK", "NEWLINE", "BLANK"})


class Text:
    """A text's tokens as parallel lists, and the places they stand at."""

    def __init__(self, text: str, path: str) -> None:
        """Raises PtxSyntaxError for a character that begins no token."""
        self.text, self.path = text, path
        self.kinds: list[str] = []
        self.values: list[str] = []
        self.starts: list[int] = []
        kinds, values, starts = self.kinds.append, self.values.append, self.starts.append
        at = 0
        pattern, keywords = scanner()
        for match in pattern.finditer(text):
            kind = match.lastgroup
            if match.start() != at:
                raise self.error(f"unexpected character {text[at]!r}", at)
            at = match.end()
            if kind not in IGNORED:
                value = match[0]
                kinds(keywords.get(value, kind))  # type: ignore[arg-type]
                values(value)
                starts(match.start())
            elif kind == "COMMENT" and match[0].startswith("/*") and not match[0].endswith("*/"):
                raise self.error("this comment is never closed", match.start())
        if at != len(text):
            raise self.error(f"unexpected character {text[at]!r}", at)
        self.starts.append(len(text.rstrip()))  # where the end is reported
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, token: int) -> int:
        """The 1-based line of a token."""
        return bisect_right(self._lines, self.starts[token])

    def error(
        self, message: str, position: int, expected: tuple[str, ...] = ()
    ) -> PtxSyntaxError:
        """An error at a position of the text."""
        before = self.text[:position]
        line = before.count("\n") + 1
        return PtxSyntaxError(
            self.path, line, position - before.rfind("\n"), message, expected
        )

    def error_at(self, token: int, message: str) -> PtxSyntaxError:
        """An error at a token."""
        return self.error(message, self.starts[token])

    def tree(self, start: Start, first: int, end: int) -> Tree[Token]:
        """The tree of the tokens [first, end); a leaf's `start_pos` is the token's index.

        Raises PtxSyntaxError that names what was found and what was expected.
        """
        from lark.exceptions import UnexpectedInput, UnexpectedToken
        from lark.lexer import Token

        tokens = [Token(self.kinds[i], self.values[i], i) for i in range(first, end)]
        try:
            return _lark().parse(tokens, start=start)  # type: ignore[arg-type]
        except UnexpectedToken as error:
            at = error.token.start_pos if error.token.type != "$END" else end
            raise self._unexpected(min(at or 0, len(self.values)), error) from None
        except UnexpectedInput:
            raise self.error_at(first, "this is not PTX") from None

    def _unexpected(self, token: int, error: Any) -> PtxSyntaxError:
        expected = _spoken(error.accepts or error.expected)
        found = "the end of the file" if token == len(self.values) else f"`{self.values[token]}`"
        wanted = f", expected {' or '.join(expected)}" if expected else ""
        return self.error(f"unexpected {found}{wanted}", self.starts[token], expected)


def _spoken(terminals: set[str]) -> tuple[str, ...]:
    """A short list for people of what could have stood there."""
    names = set(terminals) - _UNSPOKEN
    out = []
    if names >= _OPERAND:
        names -= {*_OPERAND, "DOTTED", "FLOAT", "SIGN", "LSQB"}
        out.append("an operand")
    patterns = {t.name: t.pattern.value for t in _lark().terminals}
    for name in sorted(names):
        out.append(_SPOKEN.get(name) or f"`{patterns.get(name, name)}`")
    out = list(dict.fromkeys(out))
    # punctuation first: it is what is most often missing
    out.sort(key=lambda text: (not text.startswith("`"), text))
    return tuple(out[:6])
