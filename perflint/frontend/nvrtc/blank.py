"""Take the host code out of a source without moving anything else.

What goes is overwritten with spaces; newlines, `#if`s and `#define`s stay. So every line keeps
its length and its number, and the compiler's `.loc` lines and columns are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.text_lines import spaces_for
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.conditionals import behind_branches
from perflint.frontend.nvrtc.specifiers import for_parser, with_specifiers
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.tokens import LAUNCH
from perflint.frontend.source.language.trees import function_declarator

_GLOBAL = pattern(rb"\b__global__\b")
_QUALIFIER = pattern(rb"\b__(?:global|device)__\b")
_LAUNCH = pattern(LAUNCH.encode())
_COMMENT = pattern(rb"//(?:\\\r?\n|[^\n])*|/\*.*?\*/", re.DOTALL)
_COMMENT_OR_STRING = pattern(_COMMENT.pattern + rb'|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_KEPT_DIRECTIVE = pattern(rb"[ \t]*#[ \t]*(?:if|ifdef|ifndef|el\w+|endif|define|undef)\b")
#: What stays though a cut begins with it: an `#endif` would be left alone.
_CONDITIONAL = pattern(rb"[ \t]*#[ \t]*(?:if|ifdef|ifndef|el\w+|endif)\b")
_DIRECTIVE = pattern(rb"[ \t]*#[ \t]*(?!error\b)\w+")
#: What may be a header's name, and not merely a string.
_INCLUDED = pattern(rb'"[\w./+-]+"\Z')
_DEVICE_LAMBDA = pattern(rb"\]\s*(?:\([^()]*\)\s*)?__(?:host|device)__[^{};]*\{")
_TYPE_HEAD = pattern(rb"\s*(?:typedef\s+)?(?:struct|class|union|enum)\b")
#: Words, with what a type's name has between them.
_BEGIN = pattern(rb"\s*(?!(?:public|private|protected)\b)[A-Za-z_][\w:*&<>, \t]*")
_INSTANTIATES = pattern(rb"\btemplate\b(?!\s*<)")  #: `template void f<int>(int);`


#: What only host code can use: declarations that mention it go before they cost a round.
_HOST_TYPES = pattern(
    rb"\bstd::(?:w?string|vector|map|set|list|deque|queue|stack|multi\w+|unordered_\w+|[io]?f?stream"
    rb"|[io]?stringstream|function|unique_ptr|shared_ptr|thread|mutex|atomic|chrono|exception"
    rb"|runtime_error|initializer_list|mt19937\w*|random_device|\w+_distribution"
    rb"|c(?:in|out|err)|endl|ostream|istream|iostream|multimap)\b"
    rb"|\b(?:cublas|cudnn|cusparse|cusolver|nccl|cufft|curand)[A-Z]\w*\b|\bFILE\s*\*"
)

#: Those of them that our header has, so that classes with such members are laid out as they are.
_STOOD_IN_FOR = pattern(
    rb"\bstd::(?:w?string|vector|list|deque|queue|stack|(?:unordered_)?(?:multi)?(?:map|set)|function"
    rb"|unique_ptr|shared_ptr|thread|mutex)\s*;"
)

_HOST_ONLY = pattern(rb"\b__host__\b")


@dataclass(frozen=True)
class Cut:
    """A stretch to blank: bytes `start` to `end` of the source."""

    start: int
    end: int
    name: str  #: the function's, "" for other things
    left: tuple[bytes, ...] = ()  #: tokens that remain in its place


#: What remains of a method's body, and of one that is not to be replaced by another function's.
DECLARED = (b";",)
DELETED = (b"=", b"delete", b";")


def device_macros(macros: Mapping[bytes, bytes]) -> frozenset[bytes]:
    """The macros that expand to `__global__` or `__device__`, directly or through others."""
    found = {name for name, body in macros.items() if _QUALIFIER.search(body)}
    while True:
        more = {
            name
            for name, body in macros.items()
            if name not in found and found & set(re.findall(rb"\w+", body))
        }
        # A macro that only launches or calls something would drag every user of it along.
        more = {name for name in more if not _LAUNCH.search(macros[name])}
        if not more:
            return frozenset(found)
        found |= more


def host_marks(macros: Mapping[bytes, bytes]) -> frozenset[bytes]:
    """The macros that say of a function that only the host has it."""
    return frozenset(
        name
        for name, body in macros.items()
        if _HOST_ONLY.search(body) and not _QUALIFIER.search(body)
    )


def global_macros(macros: Mapping[bytes, bytes]) -> frozenset[bytes]:
    """The macros that expand to `__global__`, but to no whole function."""
    found = {n for n, body in macros.items() if _GLOBAL.search(body) and b"{" not in body}
    more = {n for n, body in macros.items() if found & set(re.findall(rb"\w+", body))}
    return frozenset(found | {n for n in more if b"{" not in macros[n]})


def mentions_device(text: bytes, macros: frozenset[bytes]) -> bool:
    """Does a declaration's head say that it is device code?"""
    text = _COMMENT.sub(b" ", text)
    if _QUALIFIER.search(text):
        return True
    return bool(macros) and not macros.isdisjoint(re.findall(rb"\w+", text))


@lru_cache(maxsize=512)
def host_cuts(
    text: bytes,
    macros: frozenset[bytes] = frozenset(),
    keep: frozenset[str] = frozenset(),
    specifiers: frozenset[bytes] = frozenset(),
) -> tuple[Cut, ...]:
    """The host functions of a source: definitions, prototypes, and methods' bodies.

    `macros` are those that expand to `__device__` and the like, `specifiers` those that say no more
    than such words do; functions named in `keep` stay.
    """
    root = syntax.parse(for_parser(text, specifiers))
    code = _Code(text, macros, specifiers)
    cuts = [_whole(c, code) for c in _cuts(root, code, False) if c.name not in keep]
    if _INSTANTIATES.search(text):
        cuts += _instantiation_cuts(root, frozenset(c.name for c in cuts))
    return tuple(sorted(cuts, key=lambda c: c.start))


def _whole(cut: Cut, code: _Code) -> Cut:
    """A cut with what stands before it in its line, if that is the begin of its declaration.

    The parser takes `API vec *CALL make();` apart where it does not know what `CALL` is.
    """
    cut = replace(cut, end=behind_branches(code.text, cut.start, cut.end))
    line = code.text.rfind(b"\n", 0, cut.start) + 1
    before = code.text[line : cut.start]
    if cut.left or not _BEGIN.fullmatch(before) or mentions_device(before, code.macros):
        return cut
    return replace(cut, start=line + len(before) - len(before.lstrip()))


_EXPLICIT = kinds(instantiation="template_instantiation")


def _instantiation_cuts(root: Node, names: frozenset[str]) -> Iterator[Cut]:
    """`template void f<int>(int);` of a function that is cut itself."""
    if names:
        for node in nodes_of(root, _EXPLICIT).get("instantiation", ()):
            name = re.sub(r"<.*", "", syntax.function_name(node), flags=re.DOTALL)
            if name and name in names:
                yield Cut(node.start_byte, node.end_byte, "")


@dataclass(frozen=True)
class _Code:
    """A text that is being cut."""

    text: bytes
    macros: frozenset[bytes]  #: that expand to `__device__` and the like
    specifiers: frozenset[bytes]  #: which the parser did not see

    def start(self, node: Node) -> int:
        """Where a declaration begins, the specifiers included that the parser did not see."""
        return with_specifiers(self.text, node.start_byte, self.specifiers)


def _cuts(node: Node, code: _Code, in_class: bool) -> Iterator[Cut]:
    for child in node.children:
        if child.type == "compound_statement" and not in_class:
            yield from _defined_by_macro(child, code)
        elif child.type == "linkage_specification" and not in_class:
            yield from _linkage_cuts(child, code)
        elif child.type in syntax.CONTAINERS or child.type == "ERROR":
            yield from _cuts(child, code, in_class)
        else:
            yield from _declaration_cuts(child, code, in_class)


def _defined_by_macro(body: Node, code: _Code) -> Iterator[Cut]:
    """`TEST_CASE("name") { … }`: to a parser a call, and a block behind it."""
    call = body.prev_sibling
    if call is None or call.type != "expression_statement" or call.named_child_count != 1:
        return
    if call.named_children[0].type != "call_expression" or (call.text or b"").endswith(b";"):
        return
    head = code.text[code.start(call) : body.start_byte]
    if not mentions_device(head, code.macros) and _only_lambdas(head + (body.text or b"")):
        yield Cut(code.start(call), body.end_byte, "")


def _linkage_cuts(node: Node, code: _Code) -> Iterator[Cut]:
    """`extern "C" { … }`, or `extern "C"` before one declaration, which goes with it."""
    body = node.child_by_field_name("body")
    if body is not None and body.type == "declaration_list":
        yield from _cuts(body, code, False)
    elif body is not None:
        for cut in _declaration_cuts(body, code, False):
            yield Cut(code.start(node), node.end_byte, cut.name)


def _declaration_cuts(outer: Node, code: _Code, in_class: bool) -> Iterator[Cut]:
    node = syntax.templated(outer)
    if in_class and (friend := _friend(outer)) is not None:
        node = friend
    if node.type == syntax.FUNCTION:
        if _is_host_function(outer, node, code):
            body = node.child_by_field_name("body")
            head = code.text[code.start(outer) : (body or node).start_byte]
            yield from _function_cut(code.start(outer), outer, node, in_class, head)
    elif node.type in syntax.CLASSES:
        body = node.child_by_field_name("body")
        if body is not None:
            yield from _cuts(body, code, True)
    elif _is_host_declaration(outer, node, code, in_class):
        yield Cut(code.start(outer), outer.end_byte, syntax.function_name(node))
    elif node.type in {"declaration", "type_definition", "field_declaration"}:
        for child in node.children:
            if child.type in syntax.CLASSES:
                body = child.child_by_field_name("body")
                if body is not None:
                    yield from _cuts(body, code, True)


def _friend(outer: Node) -> Node | None:
    """The function that a class defines as its friend, which is no member of it."""
    inner = outer.named_children[-1] if outer.type == "template_declaration" else outer
    found = inner.named_children[:1] if inner.type == "friend_declaration" else []
    return next((c for c in found if c.type == syntax.FUNCTION), None)


def _is_host_function(outer: Node, node: Node, code: _Code) -> bool:
    body = node.child_by_field_name("body")
    head = code.text[code.start(outer) : (body or node).start_byte]
    if body is None and not code.text[node.start_byte : node.end_byte].strip():
        return False
    if mentions_device(head, code.macros) or b"constexpr" in head:
        return False
    if function_declarator(node) is None and _TYPE_HEAD.match(head):
        return False  # `struct __align__(16) X { … }` parses as a function
    return _only_lambdas(code.text[code.start(outer) : outer.end_byte])


def _only_lambdas(text: bytes) -> bool:
    """Whether all device code in what looks like a host function is lambdas.

    Else it is a tree gone wrong.
    """
    whole = _COMMENT_OR_STRING.sub(b" ", text)
    inside = len(_QUALIFIER.findall(whole))
    return inside == 0 or inside <= len(_DEVICE_LAMBDA.findall(whole)) * 2


def _is_host_declaration(outer: Node, node: Node, code: _Code, in_class: bool) -> bool:
    """A function's prototype, or a variable, method or `using` of what only the host has."""
    if node.type == "using_declaration":
        text = code.text[code.start(outer) : outer.end_byte]
        return bool(_HOST_TYPES.search(text)) and not _STOOD_IN_FOR.search(text)
    if node.type == "static_assert_declaration":  # it makes no code, and may ask what we lack
        return True
    if node.type not in {"declaration", "field_declaration"}:
        return False
    whole = code.text[code.start(outer) : outer.end_byte]
    if mentions_device(whole, code.macros) or b"__constant__" in whole or b"constexpr" in whole:
        return False
    if in_class:  # a field stays: without it the class would have another layout
        return function_declarator(node) is not None and bool(
            _HOST_TYPES.search(whole) or _HOST_ONLY.search(whole)
        )
    if any(c.type in syntax.CLASSES for c in node.children):
        return False
    return _is_prototype(node) or bool(_HOST_TYPES.search(whole))


def _function_cut(
    start: int, outer: Node, node: Node, in_class: bool, head: bytes
) -> Iterator[Cut]:
    name = syntax.function_name(node)
    body = node.child_by_field_name("body")
    if not in_class or _HOST_TYPES.search(head) or _HOST_ONLY.search(head):
        yield Cut(start, outer.end_byte, name)
    elif body is not None and body.type == "compound_statement":
        initialisers = [c for c in node.children if c.type == "field_initializer_list"]
        start = initialisers[0].start_byte if initialisers else body.start_byte
        yield Cut(start, body.end_byte, name, DECLARED)


def _is_prototype(node: Node) -> bool:
    """`int f(int);`, but neither `dim3 g(1, 2);` (an init_declarator) nor a friend."""
    declarators = node.children_by_field_name("declarator")
    return (
        len(declarators) == 1
        and not _is_deduction_guide(node)
        and not any(c.type == "using" for c in node.children)
        and function_declarator(node) is not None
        and declarators[0].type != "init_declarator"
    )


def _is_deduction_guide(node: Node) -> bool:
    """`pair(T, U) -> pair<T, U>;`, by which a class's template arguments are found."""
    declarator = function_declarator(node)
    return (
        node.child_by_field_name("type") is None
        and declarator is not None
        and any(c.type == "trailing_return_type" for c in declarator.children)
    )


#: What stands before the condition of an `#if`.
_OF_CONDITION = pattern(rb"[ \t]*#[ \t]*(?:el)?if[ \t]+\Z")


@lru_cache(maxsize=256)
def blank(text: bytes, cuts: tuple[Cut, ...]) -> bytes:
    """The text without the cuts; an `#if` without its condition is off. Lines keep their length."""
    for cut in sorted(cuts, key=lambda c: c.start, reverse=True):
        filled = fill(text[cut.start : cut.end])
        if cut.left:
            filled = _with(cut.left, filled)
        line = text.rfind(b"\n", 0, cut.start) + 1
        if filled[:1] == b" " and _OF_CONDITION.match(text, line, cut.start):
            filled = b"0" + filled[1:]
        text = text[: cut.start] + filled + text[cut.end :]
    return text


def _with(tokens: tuple[bytes, ...], filled: bytes) -> bytes:
    """Blanked text that begins with these tokens; where they have no room, with `;`."""
    room = len(filled) - len(filled.lstrip())
    text, at = filled, 0
    for token in tokens:
        at = filled.find(b" " * len(token), at, room)
        if at < 0:
            return _with(DECLARED, filled) if tokens != DECLARED else filled
        text = text[:at] + token + text[at + len(token) :]
        at += len(token)
    return text


#: A linkage of one declaration, before conditionals that have one in each branch.
_LINKAGE = pattern(rb'\bextern\s*"C(?:\+\+)?"')
_NO_DECLARATION = pattern(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|(?<=\n)[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*)*", re.DOTALL
)


def without_loose_linkage(code: bytes, blanked: bytes) -> bytes:
    """What is left of a text without each `extern "C"` whose declaration is gone."""
    loose = []
    for match in _LINKAGE.finditer(blanked) if b"extern" in blanked else ():
        behind = _NO_DECLARATION.match(code, match.end())
        at = match.end() if behind is None else behind.end()
        if code[at : at + 1].strip() and not blanked[at : at + 1].strip():
            loose.append(Cut(match.start(), match.end(), ""))
    return blank(blanked, tuple(loose))


def emptied(text: bytes) -> bytes:
    """A file without anything but its directives."""
    return fill(b"\n" + text, _DIRECTIVE)[1:]


def fill(piece: bytes, directive: re.Pattern[bytes] = _KEPT_DIRECTIVE) -> bytes:
    """Spaces in place of everything but newlines and the directives that must stay balanced."""
    piece = _COMMENT_OR_STRING.sub(
        lambda m: m[0] if _INCLUDED.match(m[0]) else spaces_for(m[0]), piece
    )
    lines, continued = piece.split(b"\n"), False
    for index, line in enumerate(lines):
        kept = continued or (directive if index > 0 else _CONDITIONAL).match(line)
        continued = bool(kept) and line.rstrip().endswith(b"\\")
        if not kept:
            lines[index] = spaces_for(line)
    return b"\n".join(lines)


#: `#define UNROLL #pragma unroll`.
_PRAGMA_MACRO = pattern(
    rb"^([ \t]*#[ \t]*define[ \t]+\w+[ \t]+)#[ \t]*pragma[ \t]+([^\r\n\"\\]*?)[ \t]*(?=\r?$)",
    re.MULTILINE,
)


def with_pragmas(text: bytes) -> bytes:
    """Macros that expand to a directive with the operator in its place.

    nvcc compiles the text that a preprocessor leaves, and reads such a line as the directive;
    NVRTC does both at once, and does not.
    """
    return _PRAGMA_MACRO.sub(rb'\1_Pragma("\2")', text)


#: `const __restrict__ Name x[8]`: before the name of a type, and what it says of is an array.
_LOOSE_RESTRICT = pattern(
    rb"\b__restrict__(?=\s+(?!(?:un)?signed\b|(?:float|double|int|long|short|char|bool|const)\b)"
    rb"[A-Za-z_]\w*(?:::\w+)*\s+\w+\s*\[)"
)


def without_loose_restrict(text: bytes) -> bytes:
    """The text without each `__restrict__` before a type's name, which nvcc takes and NVRTC not.

    It says nothing there: it stands before the element's type, which is no pointer.
    """
    if b"__restrict__" not in text:
        return text
    return _LOOSE_RESTRICT.sub(lambda m: spaces_for(m[0]), text)


#: `template <class T> __device__ struct Row {`: of a class it says nothing.
_QUALIFIED_CLASS = pattern(
    rb">\s*((?:__(?:device|host)__\s*)+)(?=(?:struct|class)\s+\w+\s*(?:\{|;|:(?!:)))"
)


def without_qualified_classes(text: bytes) -> bytes:
    """The text without what says where a class template runs, which nvcc takes and NVRTC not."""
    if b"__device__" not in text and b"__host__" not in text:
        return text
    for match in _QUALIFIED_CLASS.finditer(text):
        text = text[: match.start(1)] + spaces_for(match[1]) + text[match.end(1) :]
    return text


def with_constants(text: bytes) -> bytes:
    """`const float` and `const double` variables outside functions as `constexpr`.

    Only for what stands before such a word is the text's layout the same; nothing that executes
    stands behind one.
    """
    words = list(_constant_words(syntax.parse(text)))
    for start, end in reversed(words):
        text = text[:start] + b"constexpr" + text[end:]
    return text


def _constant_words(node: Node) -> Iterator[tuple[int, int]]:
    for child in node.children:
        if child.type in syntax.CONTAINERS and child.type != "field_declaration_list":
            yield from _constant_words(child)
        elif child.type == "declaration":
            kind = child.child_by_field_name("type")
            words = [c for c in child.children if c.type == "type_qualifier" and c.text == b"const"]
            valued = any(c.type == "init_declarator" for c in child.children)
            plain = not any(c.type == "type_qualifier" and c not in words for c in child.children)
            if (
                kind is not None
                and kind.text in {b"float", b"double"}
                and words
                and valued
                and plain
            ):
                yield words[0].start_byte, words[0].end_byte
