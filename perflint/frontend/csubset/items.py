"""A translation unit cut into its top-level declarations, none of them parsed yet."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from perflint.base.records import dataclass
from perflint.frontend.source.language.tokens import Token, closing

_TYPE_WORDS = {"struct", "class", "union", "enum"}
#: What stands before a parenthesis without being a function's name.
_ATTRIBUTES = {
    *("__launch_bounds__", "__align__", "alignas", "__attribute__", "__declspec"),
    *("__maxnreg__", "__cluster_dims__", "__block_size__"),
}
#: What may stand between a parameter list and a function's body.
_TRAILING = {"const", "noexcept", "override", "final", "__restrict__"}


@dataclass(frozen=True, eq=False)
class Item:
    """One declaration at file scope."""

    kind: str  #: `function` (with a body), `type` or `variable` (also prototypes and the rest)
    name: str  #: of a function; "" for the rest
    tokens: tuple[Token, ...]
    template: bool = False

    def has(self, *words: str) -> bool:
        """Whether one of the words is among the specifiers, before any bracket."""
        return _leads(self.tokens, words, ("(", "{", "="))

    @property
    def name_token(self) -> Token:
        """Where the name stands; the first token of what has none."""
        return next((t for t in self.tokens if t.text == self.name), self.tokens[0])

    @property
    def is_kernel(self) -> bool:
        return self.kind == "function" and _leads(self.tokens, ("__global__",), ("{",))


def _leads(tokens: Sequence[Token], words: Sequence[str], ends: Sequence[str]) -> bool:
    """Whether one of the words stands before all of the others."""
    first = next((t.text for t in tokens if t.text in words or t.text in ends), "")
    return first in words


def split_items(tokens: Sequence[Token]) -> Iterator[Item]:
    """Cut at file scope, namespaces and `extern "C"` entered."""
    start, index, template = 0, 0, False
    while index < len(tokens):
        text = tokens[index].text
        if index == start and text == "template":
            template, index = True, _template_end(tokens, index)
            start = index
            continue
        if text in ("(", "["):
            index = _end(tokens, index)
        elif text == "{":
            head = tokens[start:index]
            if _opens_scope(head):
                start = index + 1
                template = False
            elif _is_function(head):
                end = _end(tokens, index)
                yield Item("function", _name(head), tuple(tokens[start : end + 1]), template)
                index, start, template = end, end + 1, False
            else:
                index = _end(tokens, index)
        elif text == "}":  # of a namespace
            start = index + 1
        elif text == ";":
            piece = tuple(tokens[start : index + 1])
            if len(piece) > 1:
                kind = "type" if _is_type(piece) else "variable"
                yield Item(kind, "", piece, template)
            start, template = index + 1, False
        index += 1


def _end(tokens: Sequence[Token], index: int) -> int:
    """The closing bracket, or the last token."""
    end = closing(tokens, index)
    return len(tokens) - 1 if end is None else end


def _template_end(tokens: Sequence[Token], index: int) -> int:
    depth = 0
    for at in range(index + 1, len(tokens)):
        text = tokens[at].text
        depth += (text == "<") - text.count(">") * (text in (">", ">>"))
        if depth <= 0 or text in (";", "{"):
            return at + 1
    return len(tokens)


def _opens_scope(head: Sequence[Token]) -> bool:
    words = [t.text for t in head]
    if "namespace" in words and "(" not in words:
        return True
    return len(words) == 2 and words[0] == "extern" and head[1].kind == "string"


def _is_function(head: Sequence[Token]) -> bool:
    at = len(head) - 1
    while at >= 0 and head[at].text in _TRAILING:
        at -= 1
    if at < 0 or head[at].text != ")":
        return False
    return bool(_name(head)) and "=" not in {t.text for t in outside_brackets(head)}


def outside_brackets(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens that stand in no bracket, and the outermost brackets."""
    depth = 0
    for token in tokens:
        depth -= token.text in (")", "]", "}")
        if depth == 0:
            yield token
        depth += token.text in ("(", "[", "{")


def _name(head: Sequence[Token]) -> str:
    """The name before the parameter list."""
    flat = [t for t in outside_brackets(head) if t.text != ")"]
    for before, token in itertools.pairwise(flat):
        if token.text == "(" and before.kind == "name" and before.text not in _ATTRIBUTES:
            return before.text
    return ""


def _is_type(tokens: Sequence[Token]) -> bool:
    words = [t.text for t in tokens]
    if words[0] in ("typedef", "using"):
        return True
    return "{" in words and any(w in _TYPE_WORDS for w in words[: words.index("{")])
