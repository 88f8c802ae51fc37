"""C++ expressions spelled as C, for a C parser."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.frontend.source.c_types import TYPES
from perflint.frontend.source.lookup import Names
from perflint.frontend.source.tokens import Token, closing, closing_angle

_CASTS = {"static_cast", "const_cast", "reinterpret_cast", "dynamic_cast"}


_KEYWORD_TYPES = {"int", "char", "short", "long", "float", "double", "unsigned", "signed"}


LITERALS = {"true": "1", "false": "0", "nullptr": "0", "NULL": "0"}


QUALIFIER = "__qualifies__"  #: how `A::b` is spelled for the C parser


def as_c(tokens: Sequence[Token], names: Names) -> tuple[str, tuple[str, ...]]:
    """C++ spelling as C: casts, qualified names, literals. Also the type names that occur."""
    result: list[str] = []
    typedefs: set[str] = set()
    index = 0
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        index += 1
        if token.text == "::" and following:
            continue
        if token.kind == "number":
            result.append(token.text.replace("'", ""))
        elif token.kind != "name":
            result.append(token.text)
        elif token.text in LITERALS:
            result.append(LITERALS[token.text])
        elif token.text in _CASTS and following == "<":
            end = closing_angle(tokens, index)
            if end is not None:
                inner, found = as_c(tokens[index + 1 : end], names)
                typedefs.update(found)
                result += ["(", inner, ")"]
                index = end + 1
        elif following == "::":
            if token.text == "std":
                index += 1
            elif index + 1 < len(tokens):
                path = [token.text]
                while index + 1 < len(tokens) and tokens[index].text == "::":
                    path.append(tokens[index + 1].text)
                    index += 2
                result.append(QUALIFIER.join(path))
        else:
            is_type = _is_type(token.text, names)
            if is_type and token.text not in _KEYWORD_TYPES:
                typedefs.add(token.text)
            if is_type and following in ("(", "{"):
                end = closing(tokens, index)
                if end is not None and end > index + 1:
                    inner, found = as_c(tokens[index + 1 : end], names)
                    typedefs.update(found)
                    result += ["(", token.text, ")", "(", inner, ")"]
                    index = end + 1
                    continue
            result.append(token.text)
            if following == "<" and not is_type:
                # A function template's explicit arguments: `max<int>(a, b)`.
                end = closing_angle(tokens, index)
                if end is not None and end + 1 < len(tokens) and tokens[end + 1].text == "(":
                    index = end + 1
    return " ".join(result), tuple(sorted(typedefs))


def is_balanced(tokens: Sequence[Token]) -> bool:
    """Whether no bracket closes one that was not opened in the expression."""
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth < 0:
            return False
    return depth == 0


def _is_type(name: str, names: Names) -> bool:
    return name in _KEYWORD_TYPES or name in TYPES or names.type(name) is not None
