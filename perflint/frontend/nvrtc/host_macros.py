"""Macros that stand for whole declarations: `DECLARE(float)`, which instantiates a host function.

Those of functions go with the host's code, those of types where no device code names them; both
before anything is parsed: without a semicolon behind it, such a use is to a parser the beginning of
whatever follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.directives import macro_parameters
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.blank import Cut, mentions_device
from perflint.frontend.nvrtc.specifiers import closing

_WORD = pattern(rb"[A-Za-z_]\w*")
_CONTINUED = pattern(rb"\\\r?\n")
_DIRECTIVE = pattern(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
_USE = pattern(rb"[ \t]*([A-Za-z_]\w*)[ \t]*\(")
_USE_AT_LINE = pattern(rb"^" + _USE.pattern, re.MULTILINE)
_END = pattern(rb"[ \t]*;?")
#: The rest of a function that was begun before: `auto size() const RETURNS(n)`.
_REST = pattern(rb"\s*(?:\\\r?\n\s*)*(?:noexcept\b|->|requires\b|override\b|final\b)")
#: What the body of a macro of functions is made of, and what that of types may have, too.
_HOST = frozenset({syntax.FUNCTION, "template_instantiation", "comment"})
_TYPES = _HOST | {
    *(*syntax.CLASSES, "enum_specifier", "alias_declaration", "type_definition", "declaration")
}
#: What the body of a macro of types has: a class, an enumeration, an alias.
_OF_TYPES = pattern(rb"\{|\busing\b|\btypedef\b")
#: Bytes of a macro's body that are looked at; what is longer is no list of instantiations.
_LARGEST = 16 << 10


def host_macros(
    definitions: Mapping[bytes, bytes], device: frozenset[bytes], kernels: Collection[str]
) -> frozenset[bytes]:
    """The macros that expand to definitions or instantiations of host functions, and nothing else.

    `device` are the macros that expand to `__device__` and the like; what names one of the
    `kernels` may instantiate it.
    """
    names = {name.encode() for name in kernels}
    found: set[bytes] = set()
    others: dict[bytes, bytes] = {}
    for name, body in definitions.items():
        if b"(" not in body or len(body) > _LARGEST or name in device:
            continue
        if mentions_device(body, device) or b"constexpr" in body or _REST.match(body):
            continue
        if b"{" not in body and b"template" not in body:
            others[name] = body
        elif names.isdisjoint(_WORD.findall(body)) and _is_made_of(body, _HOST):
            found.add(name)
    while more := {n for n, b in others.items() if n not in found and _are_uses(b, found)}:
        found |= more
    return frozenset(found)


@dataclass(frozen=True)
class TypeMacro:
    """A macro that expands to declarations of the host's types."""

    name: bytes
    body: bytes
    parameters: tuple[bytes, ...]


def type_macros(
    texts: Iterable[bytes],
    definitions: Mapping[bytes, bytes],
    device: frozenset[bytes],
    host: Collection[bytes],
) -> tuple[TypeMacro, ...]:
    """The macros that expand to declarations of the host's types, and to nothing else."""
    names = [
        name
        for name, body in definitions.items()
        if _OF_TYPES.search(body)
        and len(body) <= _LARGEST
        and name not in device
        and name not in host
        and not mentions_device(body, device)
        and _is_made_of(body, _TYPES)
    ]
    given = {n: p for text in texts for n, p in macro_parameters(text).items()} if names else {}
    return tuple(TypeMacro(n, definitions[n], given[n]) for n in sorted(names) if n in given)


def _is_made_of(body: bytes, kinds: Collection[str]) -> bool:
    return all(
        node.text == b";" or (node.type in kinds and not _is_misread(node))
        for node in map(syntax.templated, body_tree(body).children)
    )


def _is_misread(node: Node) -> bool:
    """Is there what the parser does not understand, but for what a function does?

    Other macros, more often than not: `switch (type) { CASES(float) default: break; }`.
    """
    if not node.has_error:
        return False
    body = node.child_by_field_name("body") if node.type == syntax.FUNCTION else None
    return body is None or any(c.has_error for c in node.children if c != body)


def body_tree(body: bytes) -> Node:
    """The tree of a macro's replacement; its user may give the semicolon."""
    return syntax.parse(_CONTINUED.sub(b"\n", body).replace(b"##", b"_") + b"\n;")


def _are_uses(body: bytes, found: Collection[bytes]) -> bool:
    """Is a macro's body a row of uses of such macros?"""
    text = _CONTINUED.sub(b"\n", body).strip()
    end = 0
    while end < len(text):
        match = _USE.match(text, end)
        after = closing(text, match.end()) if match is not None and match[1] in found else None
        if after is None:
            return False
        end = len(text) - len(text[after:].lstrip(b" \t\r\n;"))
    return True


@lru_cache(maxsize=512)
def uses(code: bytes, names: frozenset[bytes]) -> tuple[Cut, ...]:
    """Where these macros are used at the beginning of a line."""
    if not names or not any(name in code for name in names):
        return ()
    directives = [m.span() for m in _DIRECTIVE.finditer(code)]
    found: list[Cut] = []
    for match in _USE_AT_LINE.finditer(code):
        if match[1] not in names or any(s <= match.start(1) < e for s, e in directives):
            continue
        if (end := closing(code, match.end())) is not None:
            end_of_use = _END.match(code, end)
            found.append(Cut(match.start(1), end_of_use.end() if end_of_use else end, ""))
    return tuple(found)
