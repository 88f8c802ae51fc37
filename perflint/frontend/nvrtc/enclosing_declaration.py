"""The declaration that a compiler's message points into."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.blank import mentions_device
from perflint.frontend.nvrtc.specifiers import (
    begins_with_scope,
    for_parser,
    with_specifiers,
)
from perflint.frontend.source.language.trees import error_lines, function_declarator

_GLOBAL = pattern(rb"\b__global__\b")
_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
#: Lines that begin a top-level declaration, by the usual layout. Only for source that
#: tree-sitter could not make declarations of, as after a missing brace.
_TOP = pattern(
    rb"^(?:template\b|extern\b|static\b|inline\b|__global__\b|__device__\b|__host__\b|void\b|int\b"
    rb"|float\b|double\b|struct\b|class\b|typedef\b|using\b|namespace\b|\#)",
    re.MULTILINE,
)


#: A macro's use on lines of its own, behind which no body and no operator follows.
_MACRO_USE = pattern(
    rb"[ \t]*([A-Z_][A-Z0-9_]*)[ \t]*\([^(){};]*\)[ \t]*(?=\r?\n\s*(?:[\w#}/]|\Z))"
)
_BRACE = pattern(rb"[{};]")
_SCOPE = pattern(rb'(?:\bnamespace\b[\s\w:]*|\bextern\s*"[^"\n]*"\s*)\Z')
_NO_CODE = pattern(
    _COMMENT.pattern + rb"|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*|'\\?[{}\"]'", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Declaration:
    """A declaration of a source."""

    kind: str  #: `directive`, `host`, `type`, `device` or `kernel`: in this order they may go
    name: str
    start: int  #: bytes
    end: int
    line: int  #: 1-based
    end_line: int
    broken: tuple[int, ...] = ()  #: lines at which the source parser saw a syntax error in it
    body: int = 0  #: where a function's body begins, or what it initialises before; 0: it has none

    @property
    def own_name(self) -> str:
        """Its name without the scopes around it."""
        return self.name.split("::")[-1]

    def overlaps(self, span: Span) -> bool:
        """Whether they share a line of the file."""
        return self.line <= span.end_line and span.line <= self.end_line


RANK = {"directive": 0, "host": 1, "type": 2, "device": 3, "kernel": 4}


def enclosing(
    code: bytes,
    line: int,
    column: int,
    macros: frozenset[bytes] = frozenset(),
    globals_: frozenset[bytes] = frozenset(),
    specifiers: frozenset[bytes] = frozenset(),
) -> Declaration | None:
    """The smallest declaration around a position: a member before its class.

    `macros` expand to `__device__` and the like, `globals_` to `__global__`, `specifiers` to no
    more than that. None if there is nothing at that line.
    """
    lines = code.split(b"\n")
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return None
    if (use := _macro_use(code, line, macros | globals_ | specifiers)) is not None:
        return use
    text = lines[line - 1]
    if begins_with_scope(text, specifiers):
        return None  # what it opens or closes is not this line's alone
    first = len(text) - len(text.lstrip())
    point = (line - 1, max(first, min(column - 1, len(text.rstrip()) - 1)))
    candidate = _declaration_node(_path(for_parser(code, specifiers), point))
    if candidate is None or candidate.type == "ERROR" or candidate.type in syntax.CONTAINERS:
        return _by_layout(code, line)
    start = with_specifiers(code, candidate.start_byte, specifiers)
    return _declaration(candidate, start, code, macros, globals_)


def _macro_use(code: bytes, line: int, others: frozenset[bytes]) -> Declaration | None:
    """`REGISTER(768, float)` without a semicolon, of the host's: at the margin or in a namespace.

    A parser takes it for the beginning of what follows. `others` are macros that say something of
    what follows.
    """
    start = sum(len(text) + 1 for text in code.split(b"\n", line - 1)[: line - 1])
    match = _MACRO_USE.match(code, start)
    if match is None or match[1] in others:
        return None
    if match.start(1) > start and not in_namespaces(code[:start]):
        return None
    name = match[1].decode("latin-1")
    last = line + match[0].count(b"\n")
    return Declaration("host", name, match.start(1), match.end(), line, last)


def in_namespaces(before: bytes) -> bool:
    """Whether the braces that are open at the end of a text are those of namespaces, none else."""
    opened: list[bool] = []
    start = 0
    code = _NO_CODE.sub(b" ", before)
    for match in _BRACE.finditer(code):
        if match[0] == b"{":
            opened.append(_SCOPE.search(code[start : match.start()]) is not None)
        elif match[0] == b"}" and opened:
            opened.pop()
        start = match.end()
    return all(opened)


def _path(code: bytes, point: tuple[int, int]) -> list[Node]:
    """The nodes around a position from the root in; Node.parent would search all of them again."""
    cursor = syntax.parse(code).walk()
    path: list[Node] = []
    while len(path) < _DEPTH:
        node = cursor.node
        assert node is not None
        path.append(node)
        if cursor.goto_first_child_for_point(point) is None:
            break
        assert cursor.node is not None
        if cursor.node.start_point > point:
            break
    return path


def _declaration_node(path: list[Node]) -> Node | None:
    for index in range(len(path) - 1, 0, -1):
        node, parent = path[index], path[index - 1]
        if node.type in {"preproc_def", "preproc_function_def", "preproc_include", "preproc_call"}:
            return node
        if parent.type in syntax.CONTAINERS and node.type not in {"{", "}"}:
            if parent.type == "linkage_specification" and node.type != "declaration_list":
                return parent
            if parent.type != "field_declaration_list" or _removable(node):
                return node
        if parent.type == "ERROR" and (index == 1 or path[index - 2].type in _TOP_LEVEL):
            return parent
    return None


#: How deep a position is followed into the tree; declarations lie above.
_DEPTH = 1_000
_TOP_LEVEL = frozenset({"translation_unit", "declaration_list"})


def _removable(member: Node) -> bool:
    """May a class lose this member and keep its layout? Methods, aliases, static members."""
    if member.type in {
        syntax.FUNCTION, "template_declaration", "alias_declaration", "type_definition",
        "using_declaration", "friend_declaration", "access_specifier", "static_assert_declaration",
        "declaration",
    }:  # fmt: skip
        return True
    if function_declarator(member) is not None:
        return True
    return any(syntax.text_of(c) == "static" for c in member.children)


#: A declaration may have hundreds of messages, and is looked through once.
_error_lines = lru_cache(maxsize=64)(error_lines)


def _declaration(
    node: Node, start: int, code: bytes, macros: frozenset[bytes], globals_: frozenset[bytes]
) -> Declaration:
    inner = syntax.templated(node)
    if inner.type == "linkage_specification":
        inner = syntax.templated(inner.child_by_field_name("body") or inner)
    body = inner.child_by_field_name("body")
    head = code[start : (body or node).start_byte] or code[start : node.end_byte]
    if node.type.startswith("preproc"):
        kind = "directive"
    elif inner.type in syntax.CLASSES or inner.type in {
        "type_definition", "alias_declaration", "enum_specifier",
    }:  # fmt: skip
        kind = "type"
    elif _GLOBAL.search(head) or not globals_.isdisjoint(re.findall(rb"\w+", head)):
        kind = "kernel"
    elif mentions_device(head, macros) or re.search(rb"__(?:constant|shared|managed)__", head):
        kind = "device"
    else:
        kind = "host"
    end = node.end_byte
    if code[end : end + 1] == b";":
        end += 1
    if node.type == "compound_statement":  # its head stands before an `#endif`, say
        start = _head(code, start)
    return Declaration(
        kind,
        syntax.function_name(inner) or _type_name(inner),
        start,
        end,
        code.count(b"\n", 0, start) + 1,
        node.end_point[0] + 1,
        _error_lines(node),
        _body(inner) if node.type != "compound_statement" else 0,
    )


def _body(function: Node) -> int:
    """Where what a function does begins; 0 if that is not to be seen."""
    body = function.child_by_field_name("body")
    if function.type != syntax.FUNCTION or body is None or body.type != "compound_statement":
        return 0
    first = (c for c in function.children if c.type == "field_initializer_list")
    return next(first, body).start_byte


def _head(code: bytes, body: int) -> int:
    """Where the declaration begins whose body stands here: after what ends the one before."""
    before = _COMMENT.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), code[:body])
    start = max(before.rfind(b";"), before.rfind(b"}")) + 1
    return start + len(before[start:]) - len(before[start:].lstrip())


def _type_name(node: Node) -> str:
    name = node.child_by_field_name("name")
    return syntax.text_of(name) if name is not None else ""


def _by_layout(code: bytes, line: int) -> Declaration | None:
    """The declaration around a line, by lines that begin at the margin."""
    starts = [m.start() for m in _TOP.finditer(code)]
    offset = sum(len(text) + 1 for text in code.split(b"\n")[: line - 1])
    end_of_line = code.find(b"\n", offset)
    before = [s for s in starts if s <= offset]
    if not before:
        return None
    start = before[-1]
    after = [s for s in starts if s > max(offset, start)]
    end = after[0] if after else len(code)
    if end_of_line >= 0:
        end = max(end, end_of_line)
    text = code[start:end]
    kind = "kernel" if _GLOBAL.search(text) else "device" if b"__device__" in text else "host"
    if text.lstrip().startswith(b"#"):
        kind = "directive"
    name = re.search(rb"(\w+)\s*\(", re.sub(rb"__launch_bounds__\s*\([^)]*\)", b"", text))
    first = code.count(b"\n", 0, start) + 1
    return Declaration(
        kind,
        name[1].decode("latin-1") if name else "",
        start,
        end,
        first,
        code.count(b"\n", 0, end) + 1,
        (line,),
    )
