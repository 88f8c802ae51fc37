"""tree-sitter-cuda trees of prepared source text, and spans in lines and code points."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base import chance
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.frontend.source.language.macro_arguments import opened
from perflint.frontend.source.language.macro_comments import without_macro_comments
from perflint.frontend.source.language.macro_uses import (
    launching,
    those_that_use,
    whole_statements,
    without_types,
)
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.namespace_macros import Namespace, without_namespaces
from perflint.frontend.source.language.node_kinds import DEPTH_LIMIT
from perflint.frontend.source.language.preprocessor import Preprocessed, directives
from perflint.frontend.source.language.tokens import (
    Token,
    blank,
    closing,
    spell,
    split,
    tokenize,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

#: Larger files are tables or generated code; parsing them costs seconds and yields no launch.
SIZE_LIMIT = 2 << 20
#: Text whose brackets nest deeper is no program; error recovery in it takes minutes.
NESTING_LIMIT = 3_000
#: Characters between two separators of statements, declarations or arguments.
EXPRESSION_LIMIT = 100_000
#: Seconds of processor time after which the parser is told that the file ends; real files take
#: milliseconds.
TIME_LIMIT = 3.0
#: Children of an ERROR node from which on a text counts as no program at all.
ERROR_LIMIT = 10_000
_CHUNK = 1 << 14

_SEPARATOR = pattern(rb"[;{},#]")
_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACKET = pattern(rb"[()\[\]{}]")
_CONDITIONALS = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"}

# Attributes that the grammar does not know, or knows only in some places.
_WITH_ARGUMENTS = (
    *("__align__", "alignas", "__attribute__", "__declspec", "__cluster_dims__", "__maxnreg__"),
    "__block_size__",
)
_WITHOUT = ("CUDART_CB", "CUDAAPI", "WINAPI", "__grid_constant__", "__nv_pure__")
_ATTRIBUTES = pattern(rf"\b(?:(?:{'|'.join(_WITH_ARGUMENTS)})\s*(?=\()|(?:{'|'.join(_WITHOUT)})\b)")
#: The specifiers of a lambda, `[=] __device__ (int i) {…}`, by which the grammar sees no lambda.
LAMBDA_SPECIFIERS = r"(?<=\])(?:\s*__(?:host|device)__)+(?=\s*(?:[({\[]|mutable\b|->))"
_PARENTHESES = pattern(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
#: A macro of nothing but these words is blanked where it is used: `KERNEL void k(…)`.
_SPECIFIERS = {
    *("__global__", "__device__", "__host__", "__forceinline__", "__noinline__", "__inline__"),
    *("inline", "static", "extern", '"C"', "__inline", "__forceinline", "__constant__"),
    *("__restrict__", "__restrict"),
}


#: What a macro begins with that stands for a block: behind a function's head it is the body.
_BEGIN_BLOCKS = ("{", "if", "do", "for", "while", "switch", "try")
#: Behind a call, in a line of its own: `CHECK_LAUNCH`.
_ALONE = pattern(r"(\);[ \t]*(?://[^\n]*)?\n[ \t]+)([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?=[ \t]*\n)")
_DEEPEST = 4  #: macros that stand for macros for specifiers

#: Parsed files that are kept: ggml's CUDA alone is 200 with its headers, each read for all others.
KEPT = 256


class Source:
    """One file, parsed: the tree is of `text`, in which what is not live is blanked."""

    def __init__(
        self,
        path: Path,
        text: str,
        kernel_marks: frozenset[int],
        written: str | None = None,
        namespaces: tuple[Namespace, ...] = (),
    ) -> None:
        self.path = path
        self.text = text
        self.namespaces = namespaces  #: those that macros open
        #: the text with the macros that hold statements, which are blocks in `text`
        self.written = (text if written is None else written).encode("utf-8", "replace")
        self.kernel_marks = kernel_marks  #: lines on which a macro stood for `__global__`
        self.bytes = self.text.encode("utf-8", "replace")
        self.tree: Tree = parse(self.bytes)
        self._lines = self.bytes.split(b"\n")
        self.line_count = len(self._lines)
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._texts: dict[tuple[int, int], str] = {}

    def text_of(self, node: Node) -> str:
        """A node's text, comments left out."""
        place = node.start_byte, node.end_byte
        if (known := self._texts.get(place)) is None:
            known = self._texts[place] = without_comments(self.slice(*place))
        return known

    def written_at(self, node: Node) -> str:
        """As `text_of`, before macros were made readable for the parser."""
        text = self.written[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return without_comments(text)

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.bytes[start:end].decode("utf-8", "replace")

    def line_at(self, offset: int) -> int:
        """The 1-based line of a byte offset."""
        return bisect_right(self._starts, offset)

    def span(self, start: Node, end: Node | None = None) -> Span:
        """From the start of one node to the end of the same or another one."""
        last = end or start
        return Span(self.path, *self._at(start.start_point), *self._at(last.end_point))

    def line_span(self, node: Node) -> Span:
        """As `span`, but cut at the end of the first line."""
        line, column = self._at(node.start_point)
        if node.end_point[0] == node.start_point[0]:
            return Span(self.path, line, column, *self._at(node.end_point))
        row = node.start_point[0]
        width = len(without_comments(self._lines[row].decode("utf-8", "replace")).rstrip())
        return Span(self.path, line, column, line, max(column, width) + 1)

    def _at(self, point: tuple[int, int]) -> tuple[int, int]:
        row, column = point
        line = self._lines[row] if row < self.line_count else b""
        head = line[:column]
        return row + 1, (column if head.isascii() else len(head.decode("utf-8", "replace"))) + 1


def source_of(unit: Preprocessed) -> Source:
    """The parsed form of a preprocessed file."""
    return _source(unit.path, *_prepared(unit))


@lru_cache(maxsize=KEPT)
def _source(
    path: Path,
    text: str,
    kernel_marks: frozenset[int],
    written: str,
    namespaces: tuple[Namespace, ...],
) -> Source:
    """Headers and neighbours are read again for every file of a program."""
    return Source(path, text, kernel_marks, written, namespaces)


def too_complex(source: bytes) -> str:
    """What makes a text no program that is worth parsing: its nesting, an expression's length.

    "" if nothing does.
    """
    if sum(map(source.count, (b"(", b"[", b"{"))) > NESTING_LIMIT:
        depth = deepest = 0
        for bracket in _BRACKET.findall(source):
            depth += 1 if bracket in b"([{" else -1
            deepest = max(deepest, depth)
        if deepest > NESTING_LIMIT:
            return f"its brackets nest {deepest} deep; at most {NESTING_LIMIT} are read"
    if len(source) > EXPRESSION_LIMIT:
        longest = max(map(len, _SEPARATOR.split(source)))
        if longest > EXPRESSION_LIMIT:
            longest = max(map(len, _SEPARATOR.split(_COMMENT.sub(b"", source))))
        if longest > EXPRESSION_LIMIT:
            return (
                f"an expression in it has {longest} characters; at most {EXPRESSION_LIMIT} are read"
            )
    return ""


def _is_sane(source: bytes) -> bool:
    """Whether a text is small and flat enough to be a program, and not binary."""
    return len(source) <= SIZE_LIMIT and b"\0" not in source and not too_complex(source)


def parse(source: bytes) -> Tree:
    """A tree-sitter tree; error tolerant. Hostile text is cut off after TIME_LIMIT seconds.

    The text of the tree's nodes is best cut from `source`: `Node.text` reads it anew, piece by
    piece.
    """
    return _parse(source)[0]


def parse_whole(source: bytes) -> Tree:
    """As `parse`, for text that is parsed to its end; else the tree of no text.

    Its nodes have their `text`: they are taken over from the first tree, as after no edit.
    """
    from tree_sitter import Parser

    tree, whole = _parse(source)
    parser = Parser(_language())
    return parser.parse(without_macro_comments(source), tree) if whole else parser.parse(b"")


def _parse(source: bytes) -> tuple[Tree, bool]:
    """The tree, and whether it is of all the text."""
    from tree_sitter import Parser

    end = time.thread_time() + TIME_LIMIT
    size = len(source) if _is_sane(source) else 0
    whole = size == len(source)
    source = without_macro_comments(source) if whole else source

    def read(offset: int, point: object) -> bytes:
        nonlocal whole
        if tree is None and time.thread_time() > end:
            chance.spoil()
            whole = False
            return b""
        return source[offset : min(size, offset + _CHUNK)]

    parser = Parser(_language())
    tree: Tree | None = None  # a node asks `read` for its text later, until it has all of it
    tree = parser.parse(read)
    root = tree.root_node
    firsts = [root, *(c for i in range(min(root.child_count, 16)) if (c := root.child(i)))]
    if any(n.type == "ERROR" and n.child_count > ERROR_LIMIT for n in firsts):
        return parser.parse(b""), False
    return tree, whole


@lru_cache(maxsize=1)
def _language():  # type: ignore[no-untyped-def]
    import tree_sitter_cuda
    from tree_sitter import Language

    return Language(tree_sitter_cuda.language())


def spelled(node: Node, text: bytes, word: str) -> Iterator[Node]:
    """The nodes under a node that are just one word, in text order: for a word in a function."""
    name = word.encode("utf-8", "replace")
    at = text.find(name, node.start_byte, node.end_byte) if name else -1
    while at >= 0:
        end = at + len(name)
        found = node.descendant_for_byte_range(at, end)
        if found is not None and (found.start_byte, found.end_byte) == (at, end):
            yield found
        at = text.find(name, end, node.end_byte)


def children_of(node: Node | None) -> list[Node]:
    """The named children, comments left out."""
    return [] if node is None else [c for c in node.named_children if c.type != "comment"]


def function_declarator(node: Node) -> Node | None:
    """The declarator `f(…)` of a function definition or declaration, through `*`, `&`."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        inner = declarator.child_by_field_name("declarator")
        if inner is None:  # a reference_declarator names no field
            inner = next((c for c in declarator.children if "declarator" in c.type), None)
        declarator = inner
    return declarator


def error_lines(node: Node) -> tuple[int, ...]:
    """First and last lines of what the parser could not read, and where a token is missing."""
    lines = set()
    waiting = [(node, 0)]
    while waiting:
        each, depth = waiting.pop()
        if each.is_error or each.is_missing:
            lines |= {each.start_point[0] + 1, each.end_point[0] + 1}
        if each.has_error and depth < DEPTH_LIMIT:
            waiting += ((child, depth + 1) for child in each.children)
    return tuple(sorted(lines))


_Prepared = tuple[str, frozenset[int], str, tuple[Namespace, ...]]
_known: dict[Hashable, _Prepared] = {}


def _prepared(unit: Preprocessed) -> _Prepared:
    """As `_prepare`, once for all programs in which a file reads alike, as most headers do."""
    macros = frozenset(unit.used.items()), frozenset(unit.used_last)
    key = unit.text, tuple(unit.directives), tuple(unit.dead), macros
    if key not in _known:
        if len(_known) >= 2 * KEPT:
            del _known[next(iter(_known))]
        _known[key] = _prepare(unit)
    return _known[key]


def _prepare(unit: Preprocessed) -> _Prepared:
    """The text to parse, the lines on which a macro stood for `__global__`, the text as written,
    and the namespaces that macros open.

    Dead branches and all directives become spaces, except the conditionals that are undecided;
    so do attributes that the grammar does not know. Every position stays.
    """
    text = unit.text.replace("\r", " ")
    lines = text.split("\n")
    settled = set(unit.directives)
    kept: set[int] = set()
    for first, last, word, _ in directives(unit.text):
        if word not in _CONDITIONALS or first in settled:
            for index in range(first - 1, last):
                lines[index] = " " * len(lines[index])
        else:
            kept.update(range(first - 1, last))
    if "\\" in text:
        for index, line in enumerate(lines):
            if index not in kept and line.rstrip().endswith("\\"):
                lines[index] = _without_splice(line)
    for first, last in unit.dead:
        for index in range(first - 1, last):
            lines[index] = " " * len(lines[index])
    text = _without_attributes("\n".join(lines))
    text = _without_statements(text, unit)
    text, marks = _without_specifiers(text, unit)
    text = re.sub(LAMBDA_SPECIFIERS, lambda match: blank(match[0]), text)
    text, namespaces = without_namespaces(text, unit)
    direct = launching(unit)
    parsed = opened(text, direct, whole_statements(unit))
    return without_types(parsed, those_that_use(direct, unit)), marks, text, namespaces


def _without_splice(line: str) -> str:
    """Blank the backslash that joins a line to the next: the grammar takes it for a name."""
    head = line.rstrip()[:-1]
    return head + " " * (len(line) - len(head))


def _without_attributes(text: str) -> str:
    if not any(word in text for word in (*_WITH_ARGUMENTS, *_WITHOUT)):
        return text  # looked for one by one they are found ten times faster
    return _without_matches(text, _ATTRIBUTES)


def _without_statements(text: str, unit: Preprocessed) -> str:
    """A `;` in place of macros that stand for whole statements, where none follows.

    A row of them, `STEP STEP STEP`, is no statement to the grammar, which may understand nothing
    more of the file; and `CHECK` before a launch is the type of what it declares.
    """
    bodies = {n: m.body for n, m in unit.used_last.items() if m.known and m.parameters is None}
    lasts = {name: body[-1].text for name, body in bodies.items() if body}
    found = {name for name, last in lasts.items() if last == ";" and len(bodies[name]) > 2}
    blocks = {n for n, last in lasts.items() if last == "}" and _is_block(bodies[n])}
    while more := {name for name, last in lasts.items() if last in found} - found:
        found |= more
    text = _ALONE.sub(partial(_ended, unit=unit), text)
    alternatives = "|".join(map(re.escape, sorted(found | blocks)))
    if not alternatives:
        return text
    pieces, position = [], 0
    before = ""
    for match in re.finditer(rf"\b(?:{alternatives})\b(?!\s*;)", text):
        before = without_comments(text[position : match.start()]).rstrip() or before
        if before.endswith((";", "{", "}", *((")",) if match[0] in found else ()))):
            pieces += [text[position : match.start()], ";".ljust(len(match[0]))]
            position, before = match.end(), ";"
    return "".join((*pieces, text[position:]))


def _is_block(body: Sequence[Token]) -> bool:
    """Whether a macro stands for statements that end in a block, and for no list of values."""
    return body[0].text in _BEGIN_BLOCKS and any(t.text == ";" for t in body)


def _ended(match: re.Match[str], unit: Preprocessed) -> str:
    """A `;` in place of a word alone in its line, which no file in sight defines.

    It is left where a word stands behind it elsewhere: it may be a type's.
    """
    name = match[2]
    if name in unit.used_last or re.search(rf"\b{name}[ \t]+\w", unit.text):
        return match[0]
    return f"{match[1]}{';'.ljust(len(name))}"


def _without_calls(text: str, names: list[str]) -> str:
    """Blank the uses of function-like macros that expand to nothing."""
    alternatives = "|".join(map(re.escape, names))
    return _without_matches(text, re.compile(rf"\b(?:{alternatives})\s*(?=\()"))


def _without_matches(text: str, pattern: re.Pattern[str]) -> str:
    """Blank what a pattern matches and the parentheses behind it."""
    pieces, position = [], 0
    for match in pattern.finditer(text):
        if match.start() < position:
            continue
        parentheses = _PARENTHESES.match(text, match.end())
        end = parentheses.end() if parentheses else match.end()
        pieces += [text[position : match.start()], blank(text[match.start() : end])]
        position = end
    return "".join((*pieces, text[position:]))


def _without_specifiers(text: str, unit: Preprocessed) -> tuple[str, frozenset[int]]:
    """Blank the macros that stand for nothing but specifiers."""
    macros = {
        name: macro
        for name, macro in unit.named.items()
        if (macro.known or macro.parameters is None)
        and (macro.parameters is None or not macro.body)
        and _words_of(macro, unit) <= _SPECIFIERS | ({"void"} if macro.known else set())
    }
    heads = [
        name
        for name, macro in unit.named.items()
        if macro.known and macro.parameters and _is_kernel_head(macro)
    ]
    marks = _lines_with_calls(text, heads)
    if not macros:
        return text, frozenset(marks)
    calls = [name for name in sorted(macros) if macros[name].parameters is not None]
    if calls:
        text = _without_calls(text, calls)
    # One that an undecided #if defines is a specifier where a type or another one follows.
    words = (
        re.escape(n) if macros[n].known else rf"{n}(?=\s+\w)"
        for n in sorted(set(macros) - set(calls))
    )
    names = "|".join(words)
    pattern = re.compile(rf"\b(?:{names})\b" if names else r"(?!)")
    blanked = re.compile(rf"(?:\s|//[^\n]*|/\*.*?\*/|{pattern.pattern})*", re.DOTALL)

    def replacement(match: re.Match[str]) -> str:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith("#"):
            return match[0]
        words = _words_of(macros[match[0]], unit)
        if "__global__" in words:
            marks.add(text.count("\n", 0, match.start()) + 1)
            # What it says something of may begin on a line below.
            behind = blanked.match(text, match.end())
            marks.add(text.count("\n", 0, behind.end() if behind else match.end()) + 1)
        # A macro that brings the return type along leaves one behind, if it fits.
        return "void".ljust(len(match[0])) if "void" in words else " " * len(match[0])

    return pattern.sub(replacement, text), frozenset(marks)


def _words_of(macro: Macro, unit: Preprocessed, depth: int = 0) -> set[str]:
    """What a macro's body is made of, other macros for specifiers followed: `HOST DEVICE`."""
    words: set[str] = set()
    for word in (t.text for t in tokenize(_without_attributes(spell(macro.body)))):
        other = unit.final.get(word)
        follow = other is not None and other.parameters is None
        if other is None or not follow or word in _SPECIFIERS or depth > _DEEPEST:
            words.add(word)
        else:
            words |= _words_of(other, unit, depth + 1)
    return words


def _is_kernel_head(macro: Macro) -> bool:
    """Whether a macro expands to the head of a kernel, and to no body."""
    words = {t.text for t in macro.body}
    return "__global__" in words and "{" not in words


def _lines_with_calls(text: str, names: list[str]) -> set[int]:
    """The lines on which function-like macros are used."""
    if not names:
        return set()
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\s*\(")
    return {text.count("\n", 0, match.start()) + 1 for match in pattern.finditer(text)}


def argument_texts(text: str) -> list[str] | None:
    """`(a, b)` or `{a, b}` as its parts, or None if the text is not one bracketed list."""
    tokens = tokenize(text)
    if len(tokens) < 2 or tokens[0].text not in "({" or closing(tokens, 0) != len(tokens) - 1:
        return None
    return [spell(part) for part in split(tokens[1:-1])]


def inner(text: str) -> str:
    """`(5)` and `{5}` as in `int n(5)`: the one value inside."""
    parts = argument_texts(text) if text.startswith(("{", "(")) else None
    return parts[0] if parts is not None and len(parts) == 1 else text
