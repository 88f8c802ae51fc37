"""CUDA C++ tokens respelled as C, one token a line, so that a parser's lines name tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perflint.base.records import dataclass
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.source.language.tokens import Token, closing, closing_angle

#: Dropped: they change nothing about what a lowered function does.
_DROPPED = {
    *("__global__", "__device__", "__host__", "__forceinline__", "__noinline__", "__inline__"),
    *("inline", "__inline", "__forceinline", "static", "register", "extern", "constexpr"),
    *("__restrict__", "__restrict", "restrict", "volatile", "__volatile__", "__grid_constant__"),
    *("noexcept", "struct", "class", "union", "enum", "typename", "__managed__"),
}
#: Kept where a type is defined.
_TAGS = {"struct", "class", "union", "enum"}
_WITH_ARGUMENTS = {
    *("__launch_bounds__", "__attribute__", "__declspec", "__align__", "alignas", "__maxnreg__"),
    *("__cluster_dims__", "__block_size__"),
}
_CASTS = {"static_cast", "reinterpret_cast", "const_cast"}
_OUTSIDE = {
    "template": "template",
    "operator": "operator function",
    "new": "new",
    "delete": "delete",
    "throw": "exception",
    "try": "exception",
    "this": "class",
    "asm": "inline PTX",
    "__asm__": "inline PTX",
    "decltype": "decltype",
    "using": "using declaration",
    "<<<": "launch from device code",
    "dynamic_cast": "dynamic_cast",
}
#: How storage and inferred types are spelled for the C parser.
SHARED, CONSTANT, INFERRED, EXTERN = "auto", "static", "__inferred", "extern"
_SPELLED = {"__shared__": SHARED, "__constant__": CONSTANT, "auto": INFERRED}
_BASIC = {"int", "char", "short", "long", "float", "double", "unsigned", "signed"}


@dataclass(frozen=True, eq=False)
class Respelled:
    """C text of which line `n` (from 1) is token `n - 1`."""

    text: str
    tokens: tuple[Token, ...]


def respell(
    tokens: Sequence[Token], is_type: Callable[[str], bool], keep_tags: bool = False
) -> Respelled:
    """The tokens as C. Raises OutsideError at what C has no spelling for."""
    out: list[Token] = []
    _Respelling(is_type, keep_tags, out).run(list(tokens))
    return Respelled("\n".join(t.text for t in out), tuple(out))


class _Respelling:
    def __init__(self, is_type: Callable[[str], bool], keep_tags: bool, out: list[Token]) -> None:
        self._is_type, self._keep_tags, self._out = is_type, keep_tags, out

    def run(self, tokens: list[Token]) -> None:
        index = 0
        while index < len(tokens):
            index = self._step(tokens, index)

    def _put(self, token: Token, text: str | None = None) -> None:
        self._out.append(token if text is None else token._replace(text=text))

    def _step(self, tokens: list[Token], index: int) -> int:
        """Respell what stands at an index; the index behind it."""
        token = tokens[index]
        if token.text in _OUTSIDE:
            raise OutsideError(_OUTSIDE[token.text], token)
        if token.kind == "number":
            self._put(token, _number(token.text))
            return index + 1
        if token.kind != "name":
            return self._mark(tokens, index)
        if token.text in _SPELLED:
            self._put(token, _SPELLED[token.text])
            around = tokens[max(0, index - 2) : index + 2]
            if token.text == "__shared__" and any(t.text == "extern" for t in around):
                self._put(token, EXTERN)
            return index + 1
        if token.text in _DROPPED:
            if self._keep_tags and token.text in _TAGS:
                self._put(token, "struct" if token.text == "class" else token.text)
            return index + 1
        return self._name(tokens, index)

    def _name(self, tokens: list[Token], index: int) -> int:
        token = tokens[index]
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if following == "(" and token.text in _WITH_ARGUMENTS:
            return self._end(tokens, index + 1) + 1
        if following == "::" and token.text != "std":
            raise OutsideError("name of a namespace or class", token)
        if following == "::":
            return index + 2
        if following == "<" and token.text in _CASTS:
            end = self._end(tokens, index + 1, closing_angle)
            self._put(token, "(")
            self.run(tokens[index + 2 : end])
            self._put(token, ")")
            return end + 1
        if following == "(" and self._is_conversion(tokens, index):
            end = self._end(tokens, index + 1)
            for spelled in ("(", token.text, ")"):
                self._put(token, spelled)
            self.run(tokens[index + 1 : end + 1])
            return end + 1
        if following == "<" and self._is_template_call(tokens, index):
            raise OutsideError("template", token)
        self._put(token)
        return index + 1

    def _mark(self, tokens: list[Token], index: int) -> int:
        token = tokens[index]
        if token.text == "::" or token.text == "":
            return index + 1
        if token.text == "[" and index + 1 < len(tokens) and index > 0:
            before = tokens[index - 1]
            begins = before.text in ("(", ",", "=", "return")
            if begins and tokens[index + 1].text in ("]", "&", "="):
                raise OutsideError("lambda", token)
        if token.kind == "string" and index and tokens[index - 1].text == "extern":
            return index + 1  # extern "C"
        if token.text == ">>>":
            raise OutsideError("launch from device code", token)
        self._put(token)
        return index + 1

    def _is_conversion(self, tokens: list[Token], index: int) -> bool:
        """`float(x)`; not `(float)(x)`, `float (*f)(…)` or `unsigned int (x)`."""
        text = tokens[index].text
        if text not in _BASIC and not self._is_type(text):
            return False
        before = tokens[index - 1] if index else None
        inside = tokens[index + 2].text if index + 2 < len(tokens) else ""
        if inside in ("*", ")") or before is None:
            return False
        return before.kind == "mark" or before.text in ("return", "else")

    def _is_template_call(self, tokens: list[Token], index: int) -> bool:
        end = closing_angle(tokens, index + 1)
        if end is None or end + 1 >= len(tokens):
            return False
        if tokens[end + 1].text != "(":
            return False
        # Only then is it no comparison: `a < b > (c)`.
        inner = [t for t in tokens[index + 2 : end] if t.text not in (",", "*", "const")]
        return bool(inner) and all(
            t.kind == "number"
            or t.text in ("true", "false")
            or t.text in _BASIC
            or self._is_type(t.text)
            for t in inner
        )

    @staticmethod
    def _end(
        tokens: list[Token], index: int, close: Callable[[list[Token], int], int | None] = closing
    ) -> int:
        end = close(tokens, index)
        if end is None:
            raise OutsideError("unclosed bracket", tokens[index])
        return end


def _number(text: str) -> str:
    plain = text.replace("'", "")
    if plain[:2].lower() == "0b":
        digits = plain[2:].rstrip("uUlL")
        return str(int(digits or "0", 2)) + plain[2 + len(digits) :]
    return plain
