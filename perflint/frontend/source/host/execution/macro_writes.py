"""Which variables a macro's call may write to, by the tokens that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from perflint.frontend.source.language.macros import ExpansionError, Macro, expand
from perflint.frontend.source.language.tokens import Token, tokenize

_ASSIGNS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "|=", "&=", "^="))
_STEPS = ("++", "--")
#: What stands before a parenthesis and writes to nothing in it; a launch copies its arguments.
_NO_CALLS = frozenset(
    ("if", "while", "for", "switch", "return", "sizeof", "exit", "abort", "static_cast", ">>>")
)
#: What stands before an `&` that takes an address.
_BEFORE_ADDRESS = frozenset(("(", ",", "=", "{", ";", "return", "[", "?", ":"))


def written(
    text: str, macros: Mapping[str, Macro], only_reads: Callable[[str], bool]
) -> frozenset[str] | None:
    """The names that an expression with macros may write to; None where nobody can tell.

    `only_reads`: of a function by name, whether it writes to nothing but through pointers.
    """
    try:
        tokens = [t for t in expand(tokenize(text), macros) if t.text != "\\"]
    except ExpansionError:
        return None
    words = [t.text for t in tokens]
    return frozenset(
        words[start]
        for start, end in _variables(tokens)
        if _is_written(words, start, end, only_reads)
    )


def _variables(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where names stand that are no members, with the members and elements asked of them."""
    for start, token in enumerate(tokens):
        before = tokens[start - 1].text if start else ""
        if token.kind != "name" or before in (".", "->", "::"):
            continue
        end = start + 1
        while end < len(tokens) and tokens[end].text in (".", "->", "["):
            if tokens[end].text != "[":
                end += 2
                continue
            depth = 1
            end += 1
            while end < len(tokens) and depth:
                depth += (tokens[end].text == "[") - (tokens[end].text == "]")
                end += 1
        yield start, end


def _is_written(
    words: Sequence[str], start: int, end: int, only_reads: Callable[[str], bool]
) -> bool:
    while start > 0 and end < len(words) and words[start - 1] == "(" and words[end] == ")":
        if start > 1 and (words[start - 2].isidentifier() or words[start - 2] == ">>>"):
            break  # a call's only argument
        start, end = start - 1, end + 1
    before, after = words[start - 1] if start else "", words[end] if end < len(words) else ""
    if after in _ASSIGNS or after in _STEPS or before in _STEPS:
        return True
    if before == "&" and (start < 2 or words[start - 2] in _BEFORE_ADDRESS):
        return True
    if before not in ("(", ",") or after not in (")", ","):
        return False
    called = _called(words, start)
    return called not in _NO_CALLS and called != "" and not only_reads(called)


def _called(words: Sequence[str], at: int) -> str:
    """What is called with the argument at a place; "" where it is none."""
    depth = 0
    for index in range(at - 1, -1, -1):
        depth += (words[index] in ")]}") - (words[index] in "([{")
        if depth < 0:
            before = words[index - 1] if index else ""
            return (
                before if words[index] == "(" and (before.isidentifier() or before == ">>>") else ""
            )
    return ""
