"""C++ expressions spelled as C: casts, qualified names and template arguments, literals."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.base.patterns import pattern
from perflint.frontend.source.language.c_types import TYPES, limit_of
from perflint.frontend.source.language.lookup import Names, type_of_words
from perflint.frontend.source.language.tokens import (
    Token,
    closing,
    closing_angle,
    inside_angles,
    spell,
)

_CASTS = {"static_cast", "const_cast", "reinterpret_cast", "dynamic_cast"}


_KEYWORD_TYPES = {"int", "char", "short", "long", "float", "double", "unsigned", "signed"}


LITERALS = {"true": "1", "false": "0", "nullptr": "0", "NULL": "0"}


QUALIFIER = "__qualifies__"  #: how `A::b` is spelled for the C parser
#: How the template arguments of `f<T>(n)` and `A<T>::b` are.
_GIVEN, _GIVEN_END = "__given__", "__end"
_ENCODED = pattern(f"{_GIVEN}([0-9a-f]*){_GIVEN_END}")


def as_written(name: str) -> str:
    """A name of the C spelling as C++ has it: `A<T>::b`."""
    plain = name.replace(QUALIFIER, "::")
    return _ENCODED.sub(lambda m: bytes.fromhex(m[1]).decode("utf-8", "replace"), plain)


def _encoded(tokens: Sequence[Token]) -> str:
    return _GIVEN + spell(tokens).encode("utf-8", "replace").hex() + _GIVEN_END


def as_c(tokens: Sequence[Token], names: Names) -> tuple[str, tuple[str, ...]]:
    """C++ spelling as C: casts, qualified names, literals. Also the type names that occur."""
    result: list[str] = []
    typedefs: set[str] = set()
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text == "{" and index and tokens[index - 1].text == "(":
            end = closing(tokens, index)  # `min({a, b})`
            if end is not None and end + 1 < len(tokens) and tokens[end + 1].text == ")":
                tokens = [*tokens[:index], *tokens[index + 1 : end], *tokens[end + 1 :]]
                continue
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
                inner, found = as_c(inside_angles(tokens, index, end), names)
                typedefs.update(found)
                result += ["(", inner, ")"]
                index = end + 1
        elif token.text == "numeric_limits" and following == "<":
            path, behind = _path(tokens, index - 1)
            limit = _limit(tokens, index, names)
            result.append(path if limit is None else limit[0])
            index = behind if limit is None else limit[1]
        elif following == "::":
            if token.text == "std":
                index += 1
            elif index + 1 < len(tokens):
                path, index = _path(tokens, index - 1)
                result.append(path)
        else:
            is_type = not _qualifies(tokens, index) and _is_type(token.text, names)
            if is_type and following == "(" and _is_object(tokens, index):
                end = closing(tokens, index) or index
                inner, found = as_c(tokens[index + 1 : end], names)
                typedefs.update(found)
                result += [token.text, "(", inner, ")"]
                index = end + 1
                continue
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
                result[-1], index = _path(tokens, index - 1)
    return " ".join(result), tuple(sorted(typedefs))


def _qualifies(tokens: Sequence[Token], index: int) -> bool:
    """Whether what stands before an index names the class of a member: `Table<K, V>::size`."""
    is_list = index < len(tokens) and tokens[index].text == "<"
    end = closing_angle(tokens, index) if is_list else None
    return end is not None and end + 1 < len(tokens) and tokens[end + 1].text == "::"


def _is_object(tokens: Sequence[Token], index: int) -> bool:
    """Whether what brackets hold makes an object of which a member is taken: `Size(n).rows`."""
    end = closing(tokens, index)
    return end is not None and end + 1 < len(tokens) and tokens[end + 1].text in (".", "->")


def _limit(tokens: Sequence[Token], index: int, names: Names) -> tuple[str, int] | None:
    """`<int>::max()` behind `numeric_limits` as C's number, and the index behind it."""
    end = closing_angle(tokens, index)
    if end is None or [t.text for t in tokens[end + 1 : end + 5 : 2]] != ["::", "("]:
        return None
    words = spell(inside_angles(tokens, index, end)).split()
    number = limit_of(type_of_words(words, names), tokens[end + 2].text)
    return None if number is None else (number, end + 5)


def _path(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """`A<T>::b` and `max<int>` before a bracket as one C name, and the index behind it."""
    name = tokens[index].text
    index += 1
    while index + 1 < len(tokens):
        if tokens[index].text == "::" and tokens[index + 1].kind == "name":
            name += QUALIFIER + tokens[index + 1].text
            index += 2
        elif tokens[index].text == "<":
            end = closing_angle(tokens, index)
            if end is None or end + 1 >= len(tokens) or tokens[end + 1].text not in ("(", "::"):
                break
            name += _encoded(tokens[index : end + 1])
            index = end + 1
        else:
            break
    return name, index


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
