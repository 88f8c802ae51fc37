"""Statements that macros get as arguments: `RUN(float, int n = 4; k<<<1, n>>>(a);)`.

To a grammar these are no arguments. What begins there is lost to it, mostly the first declaration,
and with it the numbers of the launch behind. So the macro's name and brackets are taken for those
of a block, `{ int n = 4; k<<<1, n>>>(a); }`, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.tokens import blank, without_comments

_MARK = pattern(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|(?P<mark>[()\[\]{};,])"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<other>[^\s\w])""",
    re.DOTALL | re.VERBOSE,
)
_COMMENTS = ("//", "/*")
_CLOSING = {")": "(", "]": "[", "}": "{"}
#: What brackets belong to that are no macro's.
_STATEMENTS = {
    "for",
    "if",
    "while",
    "switch",
    "catch",
    "return",
    "sizeof",
    "else",
    "do",
    "constexpr",
}
#: What stands between a function's parameters and its body, and before a block.
_BEFORE_BODIES = {")", "const", "noexcept", "override", "mutable", "else", "do", "try"}
_HEADS = ("if", "while", "for")
_BEFORE_STATEMENTS = (";", "{", "}", "else", "do")
#: What begins a statement: an assignment, a launch, a type with a name behind it.
_BEGINS = pattern(
    r"(?<![=!<>])=(?!=)|<<<|\A\s*(?:const\s+|auto\b)|\A\s*[\w:<>]+[\s*&]+[A-Za-z_]\w*\b"
)
#: `<` and `>` that are no brackets of a template's list, and what may hold them.
_NO_ANGLES = pattern(r'"(?:\\.|[^"\\])*"|->|<<<|>>>|[<>]=|\s[<>]\s')
_AHEAD = 400  #: characters in which what follows a use is looked for
_TYPES = pattern(r"\s*(?:(?:unsigned|signed|long|short|int|char|double|float)\b\s*)+\Z")


@dataclass
class _Bracket:
    """A bracket that is open."""

    mark: str
    at: int
    before: str  #: the word or mark before it
    name_at: int  #: where that stands
    behind: tuple[str, int]  #: what stands before that, and where
    code: bool  #: whether a function's body is around it
    commas: list[int] = field(default_factory=list)  #: directly inside
    statements: list[int] = field(default_factory=list)  #: arguments' ends of statements and blocks
    shells: list[int] = field(default_factory=list)  #: brackets around blocks: `({ … })`
    lambdas: bool = False  #: a block with statements stands in an argument


@dataclass(frozen=True)
class _Use:
    """A macro's use that holds statements."""

    bracket: _Bracket
    end: int  #: of its closing bracket
    whole: bool = False  #: it stands for statements, whatever it holds


@lru_cache(maxsize=256)
def opened(text: str, left: frozenset[str], whole: frozenset[str] = frozenset()) -> str:
    """The text with blocks in place of the macros' uses that hold statements.

    Every character keeps its place. Macros named in `left` stay as they are, but for the semicolon
    that one which stands for whole statements (`whole`) needs where none follows.
    """
    pieces = list(text)
    changed = False
    for use in _uses(text, whole):
        if use.whole:
            changed = True
            _end(text, pieces, use.end + 1)
            continue
        if use.bracket.before in left:
            continue
        changed = True
        if use.bracket.statements:
            _open(text, pieces, use)
        else:
            _end(text, pieces, use.end + 1)
    return "".join(pieces) if changed else text


def _uses(text: str, whole: frozenset[str]) -> Iterator[_Use]:
    """The uses of macros in functions that hold statements, or stand for some, inner ones first."""
    stack: list[_Bracket] = []
    ended = headed = -1  #: the last closing brackets of a use that stands for statements, of a head
    before, at = "", 0
    earlier = "", 0
    for match in _MARK.finditer(text):
        if match[0].startswith(_COMMENTS):
            continue
        word = match["mark"] or match["word"] or match["other"] or '"'
        if word in ("(", "[", "{"):
            code = bool(stack) and stack[-1].code
            if word == "{":
                code = code or before in _BEFORE_BODIES
            stack.append(_Bracket(word, match.start(), before, at, earlier, code))
        elif word in _CLOSING:
            if not stack or stack[-1].mark != _CLOSING[word]:
                return  # half of what the preprocessor decides: nothing is sure
            closed = stack.pop()
            headed = match.start() if closed.before in _HEADS else headed
            if closed.statements or (closed.lambdas and _is_bare(text, closed, match.end())):
                yield _Use(closed, match.start())
            elif closed.before in whole and closed.code and closed.mark == "(":
                row = closed.behind in ((")", ended), (")", headed))
                if _is_bare(text, closed, match.end(), row):
                    ended = match.start()
                    yield _Use(closed, ended, whole=True)
        elif word == "," and stack:
            stack[-1].commas.append(match.start())
        elif word == ";" and stack:
            _note(stack, match.start())
        earlier, before, at = (before, at), word, match.start()


def _note(stack: list[_Bracket], at: int) -> None:
    """Enter a statement's end with the use of a macro whose argument it is in."""
    inner = stack[-1]
    if inner.mark == "(":
        if _is_use(inner):
            inner.statements.append(at)
        return
    outer = stack[-2] if len(stack) > 1 else None
    if inner.mark != "{" or outer is None or outer.mark != "(":
        return
    if inner.before in ("]", ")"):
        around = (b for b in reversed(stack[:-1]) if b.mark != "(" or b.before not in ("(", ","))
        use = next(around)  # `([&] { … })` may stand in brackets of its own
        use.lambdas = use.lambdas or _is_use(use)
    elif inner.before in ("(", ","):
        if _is_use(outer):
            outer.statements.append(at)
        elif len(stack) > 2 and outer.before in ("(", ",") and _is_use(stack[-3]):
            stack[-3].statements.append(at)
            stack[-3].shells.append(outer.at)


def _is_use(bracket: _Bracket) -> bool:
    is_name = bracket.before.isidentifier() and bracket.before not in _STATEMENTS
    return bracket.mark == "(" and bracket.code and is_name


def _is_bare(text: str, bracket: _Bracket, end: int, row: bool = False) -> bool:
    """Whether a use stands for a statement and has no semicolon: one more statement follows.

    `row`: it stands behind another such use, or a head.
    """
    following = without_comments(text[end : end + _AHEAD]).lstrip()
    alone = following[:1] == "}" or following[:1].isalpha() or following[:1] == "_"
    return (
        (row or bracket.behind[0] in _BEFORE_STATEMENTS)
        and alone
        and not re.match(r"else\b", following)
    )


def _open(text: str, pieces: list[str], use: _Use) -> None:
    """Make a block of a macro's use."""
    start = _first_statement(text, use)
    bracket, end = use.bracket, use.end
    if not text[start:end].strip():
        return
    pieces[bracket.name_at : start] = blank(text[bracket.name_at : start])
    last = without_comments(text[start:end]).rstrip()[-1:]
    ended = last in (";", "}") or bool(bracket.shells)
    behind = re.compile(r"\s*;").match(text, end + 1)
    if not ended and behind:  # `RUN(int n = 4; k<<<1, n>>>(a));`
        pieces[end], end = ";", behind.end() - 1
    braces = ended or behind
    pieces[bracket.at] = "{" if braces else " "
    pieces[end] = "}" if braces else ";"
    for comma in bracket.commas:
        if comma >= start and text[:comma].rstrip()[-1:] == "}":
            pieces[comma] = ";"
    for shell in bracket.shells:
        pieces[shell] = " "
        closed = text.rfind(")", shell, end)
        if closed > shell:
            pieces[closed] = " "
    if re.compile(r"\s*;\s*else\b").match(text, end + 1):
        pieces[text.index(";", end + 1)] = " "


def _first_statement(text: str, use: _Use) -> int:
    """Where the statements begin: behind the arguments that are none."""
    bracket = use.bracket
    starts = [bracket.at + 1, *(comma + 1 for comma in bracket.commas)]
    ends = [*bracket.commas, use.end]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        argument = text[start:end]
        holds = any(start <= at < end for at in bracket.statements)
        if holds or (_BEGINS.search(argument) and not _TYPES.match(argument)):
            while number and _closes_more(text[starts[number] : end]):
                number -= 1  # the comma stands in `f<float, 4>(a);`
            return starts[number]
    return use.end


def _closes_more(text: str) -> bool:
    """Whether a text has more ends of template lists than beginnings."""
    plain = _NO_ANGLES.sub("", text)
    return plain.count(">") > plain.count("<")


def _end(text: str, pieces: list[str], at: int) -> None:
    """Put a semicolon into the blanks behind a use, where there is a place for it."""
    while at < len(text) and text[at].isspace():
        if text[at] != "\n":
            pieces[at] = ";"
            return
        at += 1
