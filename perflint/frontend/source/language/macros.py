"""Macro definitions and their expansion (C17 6.10.3), bounded against hostile input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from perflint.base.records import dataclass
from perflint.frontend.source.language.tokens import Token, closing, spell, split, tokenize

#: Tokens one expansion may produce or rescan; a real launch expression needs some dozens.
TOKEN_BUDGET = 20_000
#: Characters of one token that `#` or `##` makes: each macro may double what the last one made.
WORD_LIMIT = 10_000
#: Nesting of macros inside macros.
DEPTH_LIMIT = 64


def bodies_of(define: Iterable[str]) -> dict[str, str]:
    """Bodies by name of what `-D` gives: `NAME` is 1, `NAME=` is empty, as compilers have it."""
    parts = (text.partition("=") for text in define)
    return {name: body if equals else "1" for name, equals, body in parts}


class ExpansionError(Exception):
    """An expansion outgrew its budget or is malformed; the expression's value is unknown."""


@dataclass(frozen=True)
class Macro:
    """`#define name body` or `#define name(parameters) body`."""

    name: str
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None  #: None: object-like
    variadic: bool = False
    known: bool = True  #: False: whether or how it is defined depends on something out of sight

    def __hash__(self) -> int:
        return hash((self.name, len(self.body), self.known))  # few of one name differ in more


@lru_cache(maxsize=1 << 13)
def parse_define(text: str) -> Macro | None:
    """The macro of a `#define` line, given what follows the word `define`."""
    stripped = text.strip()
    tokens = tokenize(stripped)
    if not tokens or tokens[0].kind != "name":
        return None
    name = tokens[0].text
    if not stripped[len(name) :].startswith("("):
        return Macro(name, tuple(tokens[1:]))
    end = closing(tokens, 1)
    if end is None:
        return None
    names = [spell(part) for part in split(tokens[2:end])]
    variadic = bool(names) and names[-1].endswith("...")
    if variadic:
        names[-1] = names[-1].removesuffix("...").strip() or "__VA_ARGS__"
    return Macro(name, tuple(tokens[end + 1 :]), tuple(names), variadic)


def expand(
    tokens: Sequence[Token], macros: Mapping[str, Macro], budget: int = TOKEN_BUDGET
) -> list[Token]:
    """Expand every macro in `tokens`.

    A macro of unknown definition is left as a name. Raises ExpansionError when the result
    outgrows the budget of tokens or macros nest deeper than DEPTH_LIMIT.
    """
    return _Expansion(macros, budget).run(list(tokens), frozenset())


class _Expansion:
    def __init__(self, macros: Mapping[str, Macro], budget: int) -> None:
        self._macros = macros
        self._limit = self._budget = budget
        self._use: Token | None = None  #: of the outermost macro: where all it brings stands

    def run(self, tokens: list[Token], hidden: frozenset[str]) -> list[Token]:
        if len(hidden) > DEPTH_LIMIT:
            raise ExpansionError("macros nest too deeply")
        self._spend(len(tokens))
        result: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            macro = self._macros.get(token.text) if token.kind == "name" else None
            if macro is None or not macro.known or token.text in hidden:
                result.append(token)
                continue
            arguments: list[list[Token]] = []
            if macro.parameters is not None:
                if index >= len(tokens) or tokens[index].text != "(":
                    result.append(token)
                    continue
                end = closing(tokens, index)
                if end is None and self._use is None:
                    result.append(token)
                    continue
                if end is None:
                    raise ExpansionError(f"unclosed arguments of macro {macro.name}")
                arguments = split(tokens[index + 1 : end])
                index = end + 1
            outer, self._use = self._use, self._use or token
            body = self._substitute(macro, arguments, hidden)
            expanded = self.run(body, hidden | {macro.name})
            self._use = outer
            following = tokens[index] if index < len(tokens) else None
            if expanded and following and self._calls(expanded[-1], following, hidden):
                # The name of a function-like macro may meet its arguments behind the expansion.
                index -= 1
                tokens[index] = expanded.pop()
                self._spend(1)
            result += expanded
        return result

    def _calls(self, last: Token, following: Token, hidden: frozenset[str]) -> bool:
        macro = self._macros.get(last.text) if last.kind == "name" else None
        takes_arguments = macro is not None and macro.known and macro.parameters is not None
        return takes_arguments and following.text == "(" and last.text not in hidden

    def _substitute(
        self, macro: Macro, arguments: list[list[Token]], hidden: frozenset[str]
    ) -> list[Token]:
        body = self._placed(macro.body)
        if macro.parameters is None:
            return self._pasted(body)
        names = macro.parameters
        if macro.variadic and len(arguments) >= len(names):
            rest = arguments[len(names) - 1 :]
            (comma,) = self._placed((Token("mark", ","),))
            joined = [t for part in rest for t in (comma, *part)][1:]
            arguments = [*arguments[: len(names) - 1], joined]
        arguments += [[] for _ in range(len(names) - len(arguments))]
        if len(arguments) != len(names):
            raise ExpansionError(f"wrong number of arguments for macro {macro.name}")
        bound = dict(zip(names, arguments, strict=True))
        result: list[Token] = []
        for index, token in enumerate(body):
            before = body[index - 1].text if index else ""
            after = body[index + 1].text if index + 1 < len(body) else ""
            if token.text == "#" and after in bound:
                continue
            if token.kind != "name" or token.text not in bound:
                result.append(token)
            elif before == "#":
                text = f'"{spell(bound[token.text])}"'
                if len(text) > WORD_LIMIT:
                    raise ExpansionError("# makes too long a text")
                result.append(token._replace(kind="string", text=text))
            elif before == "##" or after == "##":
                result += bound[token.text]
            else:
                # Arguments are expanded before they are put in place (C17 6.10.3.1).
                result += self.run(bound[token.text], hidden)
            self._spend(1)
            if len(result) > self._limit:
                raise ExpansionError(f"macro {macro.name} expands without end")
        return self._pasted(result)

    def _placed(self, tokens: Sequence[Token]) -> list[Token]:
        """What a macro brings along, as standing where the outermost macro is used."""
        use = self._use
        if use is None or not use.line:
            return list(tokens)
        return [use._replace(kind=token.kind, text=token.text) for token in tokens]

    def _pasted(self, tokens: list[Token]) -> list[Token]:
        """Apply `##`."""
        if not any(token.text == "##" for token in tokens):
            return tokens
        result: list[Token] = []
        index = 0
        while index < len(tokens):
            if tokens[index].text == "##" and result and index + 1 < len(tokens):
                text = result[-1].text + tokens[index + 1].text
                if len(text) > WORD_LIMIT:
                    raise ExpansionError("## makes too long a word")
                result[-1:] = self._placed(tokenize(text))
                index += 1
            elif tokens[index].text != "##":
                result.append(tokens[index])
            index += 1
        return result

    def _spend(self, count: int) -> None:
        self._budget -= count
        if self._budget < 0:
            raise ExpansionError("macros expand to too many tokens")
