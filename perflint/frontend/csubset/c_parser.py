"""pycparser over respelled declarations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from perflint.base.records import dataclass
from perflint.frontend.csubset.items import Item
from perflint.frontend.csubset.respell import INFERRED, Respelled, respell
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.source.language.tokens import Token, closing, split

IsType = Callable[[str], bool]
#: Text nested deeper than any program's costs the parser its stack.
_NESTING = 200
_KEYWORDS = {"float", "double", "_Bool"}  #: types that C's grammar knows by itself


@dataclass(frozen=True, eq=False)
class Definition:
    """A function: its parsed tree, and the parameters that are references."""

    item: Item
    node: Any  #: pycparser's FuncDef
    tokens: tuple[Token, ...]
    references: frozenset[str]

    @property
    def is_volatile(self) -> bool:
        """Whether something in it is declared volatile, or a type it names may be."""
        return any(t.text in ("volatile", "__volatile__") for t in self.item.tokens)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The parameters' Decl nodes; () for `(void)`."""
        arguments = self.node.decl.type.args
        found: list[Any] = arguments.params if arguments is not None else []
        kinds = [type(p).__name__ for p in found]
        if kinds == ["Typename"] and getattr(found[0].type.type, "names", None) == ["void"]:
            return ()
        if "EllipsisParam" in kinds:
            raise OutsideError("variable arguments", self.item.tokens[0])
        return tuple(found)


def token_of(tokens: Sequence[Token], node: Any) -> Token | None:
    """The token at which a node begins."""
    coordinate = getattr(node, "coord", None)
    line = getattr(coordinate, "line", 0) - 2
    return tokens[line] if 0 <= line < len(tokens) else None


#: Operators that may stand before an expression's first operand.
_PREFIXES = ("*", "&", "++", "--", "-", "+", "!", "~", "(")


def first_token(tokens: Sequence[Token], node: Any) -> Token | None:
    """The token at which a statement begins: trees begin at their first operand."""
    at = getattr(getattr(node, "coord", None), "line", 0) - 2
    if not 0 <= at < len(tokens):
        return None
    while at > 1 and tokens[at - 1].text in _PREFIXES:
        before = tokens[at - 2]
        if tokens[at - 1].text == "(" and before.kind == "name":
            break  # `for (i = 0`
        at -= 1
    return tokens[at]


def parse_unit(tokens: Sequence[Token], is_type: IsType) -> tuple[Any, ...]:
    """The trees of a declaration at file scope. Raises OutsideError where it is not C."""
    return tuple(_parse(respell(tokens, is_type, keep_tags=True), is_type))


def parse_function(item: Item, is_type: IsType) -> Definition:
    """A function definition. Raises OutsideError where it is not C."""
    tokens, references = _without_references(item)
    respelled = respell(tokens, is_type)
    nodes = list(_parse(respelled, is_type))
    if len(nodes) != 1 or type(nodes[0]).__name__ != "FuncDef":
        raise OutsideError("function that is not C", item.tokens[0])
    return Definition(item, nodes[0], respelled.tokens, references)


def _parse(respelled: Respelled, is_type: IsType) -> Iterator[Any]:
    from pycparser import c_lexer, c_parser

    class Lexer(c_lexer.CLexer):  # type: ignore[misc]
        """Remembers the line it is at: not every message of the parser's names one."""

        last = 0

        def token(self) -> Any:
            token = super().token()
            self.last = token.lineno if token is not None else self.last
            return token

    _check_nesting(respelled.tokens)
    defined = _defined_types(respelled.tokens)
    words = {t.text for t in respelled.tokens if t.kind == "name"} - defined - _KEYWORDS
    names = {word for word in words if is_type(word)}
    names.add(INFERRED)
    prelude = "".join(f"typedef int {name};" for name in sorted(names))
    parser = c_parser.CParser(lexer=Lexer)
    try:
        tree = parser.parse(f"{prelude}\n{respelled.text}\n")
    except RecursionError as error:
        raise OutsideError("too deeply nested code", respelled.tokens[0]) from error
    except Exception as error:  # pycparser's lexer and parser each have errors of their own
        raise _not_c(error, parser.clex.last, respelled) from error
    yield from tree.ext[len(names) :]


def _check_nesting(tokens: Sequence[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth > _NESTING:
            raise OutsideError("too deeply nested code", token)


def _defined_types(tokens: Sequence[Token]) -> set[str]:
    """Names that the text itself declares as types: tags and, for a typedef, its names."""
    words = [t.text for t in tokens]
    if words[:1] != ["typedef"]:
        return set()
    return {
        before
        for before, after in itertools.pairwise(words)
        if after in (";", ",", "[") and before.isidentifier()
    } - set(words[1:2])


def _not_c(error: Exception, last: int, respelled: Respelled) -> OutsideError:
    """What pycparser could not read: its message begins with `:line:column:`, as a rule."""
    digits = [part for part in str(error).split(":")[:4] if part.strip().isdigit()]
    line = (int(digits[0]) if digits else last) - 2
    at = min(max(line, 0), len(respelled.tokens) - 1)
    token, before = respelled.tokens[at], respelled.tokens[max(at - 1, 0)]
    unknown = before.kind == "name" and (token.text == "*" or token.kind == "name")
    text = f"{before.text} {token.text}" if unknown and at else token.text
    return OutsideError(f"`{text}`, which C does not have here", token, syntax=True)


def _without_references(item: Item) -> tuple[list[Token], frozenset[str]]:
    """Reference parameters as pointers, and default arguments left out."""
    tokens = list(item.tokens)
    start = next(
        i
        for i, t in enumerate(tokens)
        if t.text == item.name and i + 1 < len(tokens) and tokens[i + 1].text == "("
    )
    end = closing(tokens, start + 1)
    if end is None:
        raise OutsideError("unclosed bracket", tokens[start])
    references: set[str] = set()
    parameters: list[Token] = []
    for part in split(tokens[start + 2 : end]):
        kept = split(part, "=")[0] if part else []
        for at, token in enumerate(kept[:-1]):
            if token.text == "(":
                break
            if token.text == "&" and kept[at + 1].kind == "name":
                names = [t.text for t in kept[at + 1 : at + 3] if t.kind == "name"]
                references.add(names[-1])
                kept[at] = token._replace(text="*")
        comma = tokens[start]._replace(kind="mark", text=",")
        parameters += [comma, *kept] if parameters else kept
    return [*tokens[: start + 2], *parameters, *tokens[end:]], frozenset(references)
