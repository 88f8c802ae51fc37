"""Trees of token sequences, by the parser of `ptx.lark`, and its complaints in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from perflint.grammar.lalr import parser
from perflint.grammar.tokens import Tokens, quote

Node = Tree[Token]

_OPERATORS = {"SIGN", "OPERATOR", "BAR", "MORE", "QMARK"}
#: The end of a piece is no advice, and the `<` of register ranges seldom good one.
_UNSAID = {"$END", "LESS"}
#: What to say for a set of terminals that could come next, the most telling set first.
_PHRASES: tuple[tuple[str, set[str], set[str]], ...] = (
    ("a kernel, function or variable", {"ENTRY", "VERSION"}, {
        "VERSION", "TARGET", "ADDRESS_SIZE", "ALIAS", "PRAGMA", "FILE", "LOC", "SECTION", "ENTRY",
        "FUNC", "LINKAGE", "SPACE", "TYPE", "VECTOR", "PTR", "ALIGN", "ATTRIBUTE", "SEMICOLON",
    }),
    ("a statement", {"CALL", "AT"}, {
        "CALL", "CALL_UNI", "AT", "NAME", "DOTTED", "LINKAGE", "SPACE", "TYPE", "VECTOR", "PTR",
        "ALIGN", "ATTRIBUTE", "LOC", "FILE", "PRAGMA", "BRANCHTARGETS", "CALLTARGETS",
        "CALLPROTOTYPE", "SEMICOLON", "LBRACE",
    }),
    ("an operand", {"INTEGER", "NAME", "LSQB"}, {
        "INTEGER", "NAME", "CALL", "DOTTED", "FLOAT", "SIGN", "BANG", "TILDE", "LPAR", "LBRACE",
        "LSQB", "TYPE", "SPACE", "VECTOR", "LINKAGE", "DIRECTIVE",
    }),
    ("a constant", {"INTEGER", "FLOAT"}, {
        "INTEGER", "NAME", "CALL", "DOTTED", "FLOAT", "SIGN", "BANG", "TILDE", "LPAR", "LBRACE",
    }),
    ("an instruction", {"CALL_UNI", "NAME"}, {"CALL", "CALL_UNI", "NAME", "DOTTED"}),
    ("a type or state space", {"TYPE", "SPACE"}, {
        "TYPE", "SPACE", "VECTOR", "PTR", "ALIGN", "ATTRIBUTE", "LINKAGE",
    }),
    ("a number", {"INTEGER"}, {"INTEGER"}),
    ("a number such as 9.0", {"FLOAT"}, {"FLOAT"}),
    ("a name", {"NAME"}, {"NAME", "CALL", "DOTTED"}),
    ("a directive", {"DIRECTIVE"}, {"DIRECTIVE"}),
    ("a string", {"STRING"}, {"STRING"}),
    ("a type", {"TYPE"}, {"TYPE", "BYTES"}),
    ("a state space", {"SPACE"}, {"SPACE"}),
    ("an operator", {"OPERATOR"}, {"OPERATOR", "SIGN"}),
    ("a sign", {"SIGN"}, {"SIGN"}),
)  # fmt: skip


def parse_tokens(tokens: Tokens, start: str, begin: int = 0, end: int | None = None) -> Node:
    """Parse some of the tokens from a start symbol.

    A leaf's `start_pos` is the token's index, from `begin`. Raises PtxSyntaxError.
    """
    end = len(tokens.texts) if end is None else end
    try:
        tree: Any = parser().parse(_leaves(tokens, begin, end), start=start)
    except UnexpectedInput as problem:
        raise _explain(problem, tokens, begin, end) from None
    return tree if isinstance(tree, Tree) else Tree("leaf", [tree])


def _leaves(tokens: Tokens, begin: int, end: int) -> Iterator[Token]:
    terminal, ignored = tokens.lexicon.terminal, tokens.lexicon.ignored
    for index in range(begin, end):
        code = tokens.codes[index]
        if code not in ignored:
            yield Token(terminal[code], tokens.texts[index], start_pos=index - begin)


def _explain(problem: UnexpectedInput, tokens: Tokens, begin: int, end: int) -> Exception:
    found, index, accepted = "the end of the text", end, set[str]()
    if isinstance(problem, UnexpectedToken):
        accepted = set(problem.accepts or problem.expected)
        if problem.token.type != "$END":
            index = begin + (problem.token.start_pos or 0)
            found = quote(str(problem.token))
    expected = describe(accepted)
    wanted = f", expected {' or '.join(expected)}" if expected else ""
    return tokens.error(index, f"unexpected {found}{wanted}", expected)


def describe(terminals: Iterable[str], limit: int = 4) -> tuple[str, ...]:
    """Terminals as a short list for people: "`;`", "an operand"."""
    left = set(terminals) - _UNSAID
    literals = {
        each.name: str(each.pattern.value)
        for each in parser().terminals
        if each.pattern.type == "str"
    }
    if len(left) > 1:
        if left > _OPERATORS:  # behind a term, where `%v .x` and `0xff(a)` are rare
            left -= _OPERATORS | {"DIRECTIVE", "LPAR"}
        if left > {"ENTRY", "LBRACE"}:  # behind a header: what follows one without `;` and body
            left = left - _PHRASES[0][2] | {"SEMICOLON"}
    out = []
    for phrase, telling, covered in _PHRASES:
        if telling <= left:
            out.append(phrase)
            left -= covered
    out.extend(sorted(quote(literals[name]) for name in left if name in literals))
    return tuple(out[:limit])
