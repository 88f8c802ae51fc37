"""Which sources cannot be of one program: those that define one thing twice.

A linker refuses two functions of one signature, `main` among them, and no program may hold two
different classes of one name (C++20, [basic.def.odr]). A folder of samples is full of such files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.declarations import Declarations, Function, declarations_of
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.tokens import without_comments
from perflint.frontend.source.language.trees import Source
from perflint.frontend.source.project.own_tests import without_tests

if TYPE_CHECKING:
    from tree_sitter import Node

#: Endings of what is compiled by itself; what is included may stand in many.
COMPILED = frozenset({".cu", ".c", ".cc", ".cpp", ".cxx"})
#: Programs that come to one launch and are told apart.
MOST_PROGRAMS = 3
_OWN = pattern(r"\b(?:static|inline|constexpr|__device__|__inline__|__forceinline__)\b")
_MAIN = pattern(r"^(?:int|void|auto)\s+main\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_KINDS = kinds(namespace="namespace_definition")
#: Names that are looked for at once.
_NAMES = 500


def may_be_linked(one: Path, text: str, other: Path, others: str) -> bool:
    """Whether two files can be of one program, by what each of them defines.

    Both arms of a conditional of the preprocessor count.
    """
    if one.suffix not in COMPILED or other.suffix not in COMPILED:
        return True
    mine = _defined(one, text)
    if ("main", "") in mine and has_main(others):
        return False  # most of a folder of samples, none of which needs to be parsed
    names = sorted({name for name, _ in mine})[:_NAMES]
    if not names or not re.search(rf"\b(?:{'|'.join(map(re.escape, names))})\b", others):
        return True
    theirs = _defined(other, others)
    return not any(
        key in theirs and (body is None or theirs[key] != body) for key, body in mine.items()
    )


def chosen_main(paths: Sequence[Path]) -> Path | None:
    """The source, of those with a `main`, whose program is meant: the only one, or `main.cpp`.

    Tests count only where there is nothing else.
    """
    paths = without_tests(paths)
    named = [path for path in paths if path.stem == "main"] if len(paths) > 1 else paths
    return named[0] if len(named) == 1 else None


@lru_cache(maxsize=512)
def has_main(text: str) -> bool:
    """Whether a file defines `main`, written as nearly everybody writes it."""
    return bool(_MAIN.search(text) and _MAIN.search(without_comments(text)))


@lru_cache(maxsize=512)
def _defined(path: Path, text: str) -> dict[tuple[str, str], str | None]:
    """What a file defines for the whole program, by its name and kind: of a class also its body."""
    source = Source(path, text, frozenset())
    found = declarations_of(source)
    unnamed: list[Node] = []
    if "namespace" in text:
        spaces = nodes_of(source.tree.root_node, _KINDS).get("namespace", ())
        unnamed = [n for n in spaces if n.child_by_field_name("name") is None]

    def is_hidden(node: Node) -> bool:
        return any(n.start_byte < node.start_byte < n.end_byte for n in unnamed)

    kept: dict[tuple[str, str], str | None] = {}
    for function in found.functions:
        if not is_hidden(function.node):
            kept |= _linked(function, found)
    for name, node in found.structs.items():
        if not is_hidden(node):
            kept[name, "class"] = "".join(source.text_of(node).split())
    return kept


def _linked(function: Function, found: Declarations) -> dict[tuple[str, str], None]:
    body = function.body
    if body is None or function.template or function.method:
        return {}
    if any(scope.is_class for scope in found.scopes_at(function.node.start_byte)):
        return {}
    head = function.source.slice(function.node.start_byte, body.start_byte)
    if _OWN.search(head):
        return {}
    if function.name == "main":
        return {("main", ""): None}
    types = ",".join("".join(p.written.split()) + "*" * p.pointers for p in function.parameters)
    return {(function.name, f"{function.qualified}({types})"): None}
