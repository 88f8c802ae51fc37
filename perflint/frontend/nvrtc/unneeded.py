"""Which declarations of the host's no device code needs: they go before the first call.

A class with a `std::vector`, a global map, an alias of either: each costs the compiler a round to
refuse, and what refers to it the next. Wanted is every name in device code, in what launches give
as template arguments, and in whatever is no plain declaration; then the names in the declarations
of those, and so on. What declares none of the wanted names cannot take part in what a kernel
computes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.text_lines import spaces_for
from perflint.frontend.directives import substituted
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.blank import Cut, blank, mentions_device
from perflint.frontend.nvrtc.conditionals import behind_branches
from perflint.frontend.nvrtc.host_macros import TypeMacro, body_tree, uses
from perflint.frontend.nvrtc.references import references
from perflint.frontend.nvrtc.specifiers import for_parser, with_specifiers
from perflint.frontend.source.language.trees import function_declarator

_WORD = pattern(rb"[A-Za-z_]\w*")
_NO_CODE = pattern(rb"//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_DIRECTIVE = pattern(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
#: Template arguments, which nest; what stands behind the last `>` is a member.
_GIVEN = pattern(r"<.*>", re.DOTALL)
_DEFINE = pattern(rb"[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(([^()]*)\))?")
#: Words that a macro joins, and where.
_JOINED = pattern(rb"\w+(?:\s*##\s*\w+)+")
_JOIN = pattern(rb"\s*##\s*")
#: Memory that only device code has.
_DEVICE_MEMORY = pattern(rb"\b__(?:constant|shared|managed|grid_constant)__\b")
#: What declares names, and does nothing else.
_PLAIN = frozenset(
    {
        *syntax.CLASSES, "enum_specifier", "alias_declaration", "type_definition", "declaration",
        "template_instantiation", "namespace_alias_definition", "concept_definition",
        "using_declaration",
    }
)  # fmt: skip
#: Nodes whose first name is what they declare.
_NAMED = frozenset({*syntax.CLASSES, "enum_specifier", "alias_declaration"})


@dataclass(frozen=True)
class _Piece:
    """A declaration that may go, or a macro, which stays but whose words count where it is used."""

    cut: Cut | None
    declares: frozenset[bytes]
    words: frozenset[bytes]
    joins: tuple[bytes, ...] = ()  #: patterns of the names that a macro makes of what it is given


@dataclass(frozen=True)
class _Parts:
    """A file by its pieces."""

    pieces: tuple[_Piece, ...]
    rest: frozenset[bytes]  #: the words in all that is no piece


@dataclass(frozen=True)
class Text:
    """A file as it was written, and what is cut of it already."""

    code: bytes
    cuts: tuple[Cut, ...]
    macros: frozenset[bytes]  #: that expand to `__device__` and the like
    specifiers: frozenset[bytes]
    types: tuple[TypeMacro, ...] = ()  #: that it mentions


def unneeded(
    texts: Mapping[Path, Text], wanted: Iterable[bytes], hosts: Collection[Path] = ()
) -> Mapping[Path, tuple[Cut, ...]]:
    """What to cut of each file. `wanted` are names that are needed whatever the files say.

    `hosts`: headers of the host's. If there are any, nothing is wanted for their own sake, nor for
    a statement outside of functions, and a name that a function declares for itself wants nothing
    outside of it.
    """
    parts = {
        path: _parts(t.code, t.cuts, t.macros, t.specifiers, t.types, bool(hosts))
        for path, t in texts.items()
    }
    by_name: dict[bytes, list[_Piece]] = {}
    for each in parts.values():
        for piece in each.pieces:
            for name in piece.declares:
                by_name.setdefault(name, []).append(piece)
    declared = b"\n".join(sorted(by_name))
    needed = set(wanted).union(*(each.rest for path, each in parts.items() if path not in hosts))
    todo, joined = list(needed), dict[bytes, tuple[bytes, ...]]()
    while todo:
        for piece in by_name.pop(todo.pop(), ()):
            for join in piece.joins:
                joined |= _made_of(join, declared)
            more = piece.words - needed
            needed |= more
            todo += more
        if not todo:
            todo += [n for n, words in joined.items() if n not in needed and needed >= {*words}]
            needed.update(todo)
    return {
        path: tuple(
            p.cut for p in each.pieces if p.cut is not None and p.declares.isdisjoint(needed)
        )
        for path, each in parts.items()
    }


@lru_cache(maxsize=1024)
def _parts(
    code: bytes,
    cuts: tuple[Cut, ...],
    macros: frozenset[bytes],
    specifiers: frozenset[bytes],
    types: tuple[TypeMacro, ...],
    exact: bool,
) -> _Parts:
    made = uses(code, frozenset(t.name for t in types))
    root = syntax.parse(for_parser(blank(code, made), specifiers))
    left = _NO_CODE.sub(lambda m: spaces_for(m[0]), blank(code, cuts))
    by_name = {t.name: t for t in types}
    pieces = [_use(cut, left, by_name) for cut in made]
    spans = [(c.start, c.end) for c in made]
    calls = tuple(_calls(root, left, macros)) if exact else ()
    pieces += [_Piece(cut, frozenset(), frozenset()) for cut in calls]
    spans += [(cut.start, cut.end) for cut in calls]
    words = references(root, left) if exact else lambda text, start: _words(text)
    shown = blank(left, (*made, *calls))
    for start, end, names in _plain_spans(root, code, shown, macros, specifiers):
        pieces.append(_Piece(Cut(start, end, ""), names, words(left[start:end], start)))
        spans.append((start, end))
    rest = blank(left, tuple(Cut(start, end, "") for start, end in spans))
    directives = (m[0] for m in _DIRECTIVE.finditer(left))
    pieces += [
        _Piece(None, frozenset({define[1]}), _words(text), tuple(_joins(define, text)))
        for text in directives
        if (define := _DEFINE.match(text))
    ]
    return _Parts(tuple(pieces), words(_DIRECTIVE.sub(lambda m: spaces_for(m[0]), rest), 0))


def _joins(define: re.Match[bytes], text: bytes) -> Iterator[bytes]:
    """Patterns of the names, each of a line, that a macro makes by `##` of what it is given."""
    parameters = _words(define[2] or b"")
    for match in _JOINED.finditer(text, define.end()) if b"##" in text else ():
        parts = _JOIN.split(match[0])
        if not parameters.isdisjoint(parts):
            yield rb"^%s$" % b"".join(rb"(\w+)" if p in parameters else p for p in parts)


def _made_of(join: bytes, declared: bytes) -> dict[bytes, tuple[bytes, ...]]:
    """The names, of those a line each, that a macro makes, and of what."""
    found = re.compile(join, re.MULTILINE).finditer(declared)
    return {match[0]: match.groups() for match in found}


def _calls(node: Node, left: bytes, macros: frozenset[bytes]) -> Iterator[Cut]:
    """What stands at the level of namespaces and declares nothing: `REGISTER(half);`."""
    for child in node.children:
        if child.type in syntax.CONTAINERS:
            yield from _calls(child, left, macros)
        elif _is_call(child):
            cut = Cut(child.start_byte, child.end_byte, "")
            text = left[cut.start : cut.end]
            if _is_whole(text) and not mentions_device(text, macros):
                yield cut


def _is_whole(text: bytes) -> bool:
    """Is it a whole one, and not the rest of something that the parser did not understand?

    Behind an `#if` in the midst of a declaration stands `|| b`, and behind its `#endif` `>;`.
    """
    balanced = text.count(b"(") == text.count(b")") and text.count(b"{") == text.count(b"}")
    return balanced and _WORD.match(text.lstrip()) is not None


def _is_call(node: Node) -> bool:
    """A call, or what the parser takes for a function or variable of a macro's type.

    `;` and `name;` end a class, and `noexcept {}` is a body, whose heads it did not understand.
    """
    if node.type == "declaration":  # `REGISTER(float);`
        declarator = node.child_by_field_name("declarator")
        return declarator is not None and declarator.type == "parenthesized_declarator"
    if node.type == "ERROR":  # `REGISTER(kCUDA, float)`, and those that follow it without a `;`
        return {c.type for c in node.children} <= {"function_declarator", "call_expression"}
    return node.type == "expression_statement" and any(
        c.type not in {"compound_literal_expression", "identifier", "comment"}
        for c in node.named_children
    )


def _use(cut: Cut, left: bytes, types: Mapping[bytes, TypeMacro]) -> _Piece:
    """A use of a macro of types: it declares what the macro's body does, or what it is given."""
    name, _, given = left[cut.start : cut.end].partition(b"(")
    macro = types.get(name.strip())
    if macro is None:  # cut already
        return _Piece(cut, frozenset(), frozenset())
    body = macro.body
    if b"##" in body:  # `struct has_##name`
        arguments = given.rstrip(b"); \t\r\n").split(b",")
        body = substituted(body, macro.parameters, map(bytes.strip, arguments))
    declares = _made_by(body)
    if not declares.isdisjoint(macro.parameters):
        declares |= _words(given)
    return _Piece(cut, declares, _words(given) | _words(body))


def _made_by(body: bytes) -> frozenset[bytes]:
    """The names that a macro's replacement declares."""
    inner = (syntax.templated(child) for child in body_tree(body).children)
    return frozenset(name for node in inner for name in _declared(node))


def _plain_spans(
    node: Node,
    code: bytes,
    left: bytes,
    macros: frozenset[bytes],
    specifiers: frozenset[bytes],
) -> Iterator[tuple[int, int, frozenset[bytes]]]:
    """(start, end, the names declared) of the plain declarations at the level of namespaces."""
    for child in node.children:
        if child.type in syntax.CONTAINERS:
            body = child.child_by_field_name("body")
            if child.type != "linkage_specification" or _is_list(body):  # else one with its head
                yield from _plain_spans(child, code, left, macros, specifiers)
            continue
        inner = syntax.templated(child)
        if inner.type not in _PLAIN and inner.type != syntax.FUNCTION:
            continue
        if child.has_error and not _is_closed(child, inner, left):
            continue
        start = with_specifiers(code, child.start_byte, specifiers)
        end = behind_branches(code, start, child.end_byte)
        text = left[start:end]
        if not text.strip() or mentions_device(text, macros) or _DEVICE_MEMORY.search(text):
            continue
        if names := frozenset(_declared(inner)):
            if left[end : end + 1] == b";":
                end += 1
            yield start, end, names


def _is_closed(child: Node, inner: Node, left: bytes) -> bool:
    """Does a class end where the parser says, which did not understand all of it?

    In `template class A<int>;` it misses what is declared.
    """
    text = left[child.start_byte : child.end_byte]
    if inner.type == "template_instantiation":
        return any(c.type in syntax.CLASSES for c in inner.children)
    return inner.type in syntax.CLASSES and text.count(b"{") == text.count(b"}")


def _is_list(body: Node | None) -> bool:
    return body is not None and body.type == "declaration_list"


def _declared(node: Node) -> Iterator[bytes]:
    """The names that a declaration brings into its namespace, and for members their class's."""
    if node.type in _NAMED or node.type in {"namespace_alias_definition", "concept_definition"}:
        name = node.child_by_field_name("name")
        if name is not None and name.type == "template_type":  # the template that it specialises
            name = name.child_by_field_name("name")
        yield from _names(name)
    if node.type == "enum_specifier":
        yield from _enumerators(node)
    elif node.type == syntax.FUNCTION:
        yield from _function(node)
    elif node.type == "template_instantiation":
        yield from _instantiated(node)
    elif node.type == "using_declaration":  # not `using namespace`
        if not any(c.type == "namespace" for c in node.children):
            yield from _WORD.findall(node.text or b"")[-1:]
    elif node.type in {"declaration", "type_definition"}:
        kind = node.child_by_field_name("type")
        if kind is not None and (kind.type in syntax.CLASSES or kind.type == "enum_specifier"):
            yield from _declared(kind)
        for declarator in node.children_by_field_name("declarator"):
            yield from _names(_declarator(declarator))


def _instantiated(node: Node) -> Iterator[bytes]:
    """The function or the class of `template void f<int>(float);`, without what it is given."""
    if function_declarator(node) is not None:
        yield from _words(_GIVEN.sub("", syntax.function_name(node)).encode())
    else:
        classes = [c for c in node.children if c.type in syntax.CLASSES]
        for name in (c.child_by_field_name("name") for c in classes):
            yield from _WORD.findall((name.text or b"").partition(b"<")[0] if name else b"")


def _function(node: Node) -> Iterator[bytes]:
    """What calls a function: its name, for an operator the types of its operands."""
    name = syntax.function_name(node)
    if "operator" in name:
        declarator = function_declarator(node)
        yield from _names(
            declarator.child_by_field_name("parameters") if declarator is not None else None
        )
    else:
        yield from _words(name.encode())


def _declarator(node: Node) -> Node:
    """Without the value that it is given."""
    while node.type in {"init_declarator", "array_declarator", "function_declarator"}:
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    return node


def _enumerators(node: Node) -> Iterator[bytes]:
    body = node.child_by_field_name("body")
    for each in body.children if body is not None else ():
        if each.type == "enumerator":
            yield from _names(each.child_by_field_name("name"))
        elif each.type.startswith("preproc"):
            yield from _words(each.text or b"")


def _names(node: Node | None) -> Iterable[bytes]:
    return () if node is None else _words(node.text or b"")


def _words(text: bytes) -> frozenset[bytes]:
    return frozenset(_WORD.findall(text))


def words_of(texts: Iterable[str]) -> Collection[bytes]:
    """The names in expressions, as `wanted` takes them."""
    return _words(" ".join(texts).encode())
