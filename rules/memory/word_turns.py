"""A loop of one small element a turn, written anew so that a turn is about a word of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from perflint.base.constructs import Fragment, LoopSource, StatementSource
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.access_shapes import WORD
from perflint.rules.protocol import Edit

_PLAIN = pattern(r"[\w.]+")


@dataclass(frozen=True)
class Head:
    """What a loop counts."""

    index: str
    type: str
    first: str
    bound: str
    step: str
    counted: Span | None = None  #: the lines at the end of a `while`'s body that count it up


def stored(
    loop: LoopSource,
    head: Head,
    store: Fragment,
    array: str,
    kind: str,
    count: int,
    alone: StatementSource | None,
) -> tuple[Edit, ...]:
    """The loop's head, the element that is written, and what follows the body."""
    deeper = f"{loop.line_start or chr(10)}    "
    word = f"*reinterpret_cast<unsigned *>({array} + turn) = *reinterpret_cast<unsigned *>(word);"
    if alone is not None:
        return (*_word_or_rest(loop, head, kind, count, alone, [store], "", word),)
    behind = (
        f"{deeper}if (turn + {count - 1} < {head.bound})"
        f"{deeper}    {word}"
        f"{deeper}else"
        f"{deeper}    for (int part = 0; turn + part < {head.bound}; ++part)"
        f"{deeper}        {array}[turn + part] = word[part];"
    )
    return (*_by_words(loop, head, kind, count, "", behind), Edit(store.span, "word[part]"))


def loaded(
    loop: LoopSource,
    head: Head,
    elements: Sequence[Fragment],
    array: str,
    kind: str,
    count: int,
    alone: StatementSource | None,
) -> tuple[Edit, ...]:
    """The loop's head, what precedes the body, and the elements that are read."""
    deeper = f"{loop.line_start or chr(10)}    "
    word = (
        "*reinterpret_cast<unsigned *>(word) ="
        f" *reinterpret_cast<const unsigned *>({array} + turn);"
    )
    if alone is not None:
        return (*_word_or_rest(loop, head, kind, count, alone, elements, word, ""),)
    before = (
        f"{deeper}if (turn + {count - 1} < {head.bound})"
        f"{deeper}    {word}"
        f"{deeper}else"
        f"{deeper}    for (int part = 0; turn + part < {head.bound}; ++part)"
        f"{deeper}        word[part] = {array}[turn + part];"
    )
    return (
        *_by_words(loop, head, kind, count, before, ""),
        *(Edit(each.span, "word[part]") for each in elements),
    )


def _turns_of(head: Head, count: int) -> str:
    """`for (int turn = 4 * first; turn < bound; turn += 4 * step)`."""
    first, step = (
        text if _PLAIN.fullmatch(text) or _is_bracketed(text) else f"({text})"
        for text in (head.first, head.step)
    )
    return (
        f"for ({head.type} turn = {count} * {first}; turn < {head.bound}; turn += {count} * {step})"
    )


def _is_bracketed(text: str) -> bool:
    """Whether one pair of brackets holds all of a text."""
    depths = [*accumulate({"(": 1, ")": -1}.get(letter, 0) for letter in text)]
    return text.startswith("(") and not depths[-1] and 0 not in depths[:-1]


def _word_or_rest(
    loop: LoopSource,
    head: Head,
    kind: str,
    count: int,
    alone: StatementSource,
    elements: Sequence[Fragment],
    before: str,
    behind: str,
) -> Iterator[Edit]:
    """A loop of which each turn is about a whole word, or about what is left at the end.

    A short body is written twice, so that whole words are asked for no bound in between.
    """
    start, body = loop.span, loop.body
    line = loop.line_start or "\n"
    deeper, deepest = f"{line}        ", f"{line}            "
    text = alone.text
    for element in dict.fromkeys(each.text for each in elements):
        text = text.replace(element, "word[part]")
    before, behind = (f"{deeper}{each}" if each else "" for each in (before, behind))
    named = re.search(rf"\b{head.index}\b", text)
    declared = f"{deepest}const {head.type} {head.index} = turn + part;" if named else ""
    braced = alone.span != body
    yield Edit(
        replace(start, end_line=body.line, end_column=body.column + braced),
        f"{_turns_of(head, count)} {{{line}    if (turn + {count - 1} < {head.bound}) {{"
        f"{deeper}__align__({WORD}) {kind} word[{count}];{before}"
        f"\n#pragma unroll"
        f"{deeper}for (int part = 0; part < {count}; ++part) {{"
        f"{declared}{'' if braced else deepest}",
    )
    yield Edit(alone.span, f"{' ' * 8 if braced else ''}{text}")
    if head.counted is not None:
        yield Edit(head.counted, "")
    closed = (
        f"{'' if braced else deeper}{' ' * 8 * braced}}}{behind}{line}    }} else"
        f"{deeper}for ({head.type} {head.index} = turn; {head.index} < {head.bound};"
        f" ++{head.index}){deepest}{alone.text}{line}}}"
    )
    end = replace(body, line=body.end_line, column=body.end_column - braced)
    yield Edit(end, closed)


def _by_words(
    loop: LoopSource, head: Head, kind: str, count: int, before: str, behind: str
) -> Iterator[Edit]:
    """A loop of which each turn is about a word's elements, one by one, with what is around it."""
    start, body = loop.span, loop.body
    bound = head.bound if _PLAIN.fullmatch(head.bound) else f"({head.bound})"
    at = f"{head.index} = turn + part"
    line = loop.line_start or "\n"
    deeper = f"{line}    "
    opened = (
        f"{_turns_of(head, count)} {{{deeper}__align__({WORD}) {kind} word[{count}];{before}"
        f"\n#pragma unroll"
        f"{deeper}for (int part = 0; part < {count}; ++part) {{"
        f"{deeper}    const {head.type} {at};"
        f"{deeper}    if (part < {bound} - turn) "
    )
    yield Edit(replace(start, end_line=body.line, end_column=body.column), opened)
    if head.counted is not None:
        yield Edit(head.counted, "")
    closed = f"{deeper}}}{behind}{line}}}"
    yield Edit(body.behind, closed)
