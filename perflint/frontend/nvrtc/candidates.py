"""Template arguments that specialisations in sight name, for kernels that no launch names any for.

`template <int Strategy> struct Score;` with `template <> struct Score<LRU> { … }`: a kernel that
hands its parameter on to `Score` compiles with `LRU`, and with no number that is made up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

from tree_sitter import Node

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.nvrtc import syntax
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.language.tokens import (
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
    without_comments,
)
from perflint.frontend.source.launches.kernel_launches import BUILTIN

_WORD = pattern(r"[A-Za-z_]\w*")
_HEAD = re.compile(rb"\b(?:struct|class)\s+(?:\w+::)*(\w+)\s*<")
#: What means the same wherever it stands.
_PLAIN = pattern(r"-?\d\w*|true|false|float|double|half|__half|(?:unsigned )?(?:int|char|short)")
#: What in a class's body is no member.
_NO_MEMBERS = ("comment", "static_assert_declaration")
#: Ways to choose specialisations for one kernel that are tried.
_MOST = 3
#: What an argument is taken to be where nothing says what it is.
_MADE_UP = ("float", "16", "true")


@dataclass(frozen=True)
class Chosen:
    """An argument, and the namespace in which it is written."""

    text: str
    scope: str = ""


@dataclass(frozen=True)
class _Specialisation:
    scope: str  #: the namespaces around it
    arguments: tuple[str | None, ...]  #: None: it takes anything, or anything of a kind


@dataclass(frozen=True)
class _ClassTemplate:
    specialisations: tuple[_Specialisation, ...] = ()
    declared: bool = False  #: it is no more than declared for anything else


class Candidates:
    """What the class templates of a compilation are specialised for."""

    def __init__(self, codes: Mapping[Path, bytes], facts: Mapping[Path, SourceFacts]) -> None:
        self._codes, self._facts = codes, facts
        self._templates: dict[str, _ClassTemplate] = {}

    def of(self, kernel: SourceKernel, declared: bool) -> Sequence[Mapping[int, Chosen]]:
        """Ways to choose the kernel's arguments, by position, so that what they are handed to has
        members. None are for templates that have some for anything; and with `declared`, none for
        those that are defined without any.
        """
        names = [p.name for p in kernel.template_parameters]
        ways: list[dict[int, Chosen]] = [{}]
        for name, given in self._handed(kernel, frozenset(names)):
            template = self._template(name)
            if declared and not template.declared:
                continue
            options = [
                {names.index(g): Chosen(a, s.scope) for g, a in pairs if a is not None}
                for s in sorted(template.specialisations, key=partial(_unlike, given, names))
                if (pairs := _paired(given, s.arguments, names)) is not None
            ]
            merged = (_merged(way, option) for way in ways for option in options if option)
            found = {frozenset(way.items()): way for way in merged if way is not None}
            ways = [*found.values()][:_MOST] or ways
        return [way for way in ways if way]

    def _handed(
        self, kernel: SourceKernel, names: frozenset[str]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The specialised templates that get a parameter of the kernel's, and all they get."""
        facts = self._facts.get(kernel.span.path)
        if facts is None or not names or not self._specialised:
            return
        lines = facts.lines[kernel.span.line - 1 : kernel.span.end_line]
        tokens = tokenize(without_comments("\n".join(lines)))
        told = set()
        for at, (token, after) in enumerate(pairwise(tokens)):
            if after.text != "<" or token.text not in self._specialised:
                continue
            end = closing_angle(tokens, at + 1)
            inside = inside_angles(tokens, at + 1, end) if end is not None else []
            given = tuple(spell(part) for part in split(inside, angles=True))
            if not names.isdisjoint(given) and (token.text, given) not in told:
                told.add((token.text, given))
                yield token.text, given

    @cached_property
    def _specialised(self) -> frozenset[str]:
        """The names of templates that may be specialised."""
        return frozenset(
            m[1].decode("latin-1") for code in self._codes.values() for m in _HEAD.finditer(code)
        )

    def _template(self, name: str) -> _ClassTemplate:
        """A class template; without specialisations if it has members for whatever it is given."""
        if name not in self._templates:
            word = re.compile(rb"\b(?:struct|class)\s+(?:\w+::)*" + name.encode() + rb"\b")
            files = [syntax.parse(code) for code in self._codes.values() if word.search(code)]
            found = [each for root in files for each in _definitions(root, name)]
            special = tuple(each for each in found if isinstance(each, _Specialisation))
            primary = {each for each in found if isinstance(each, str)}
            lacks = "declared" in primary or "empty" in primary  # else it is a library's
            self._templates[name] = (
                _ClassTemplate(special, primary == {"declared"})
                if lacks and "defined" not in primary
                else _ClassTemplate()
            )
        return self._templates[name]


def _paired(
    given: Sequence[str], arguments: Sequence[str | None], names: Collection[str]
) -> list[tuple[str, str | None]] | None:
    """What a specialisation asks of each parameter; None if it is for another number or type."""
    if len(given) > len(arguments):
        return None
    pairs = list(zip(given, arguments, strict=False))
    if any(a is not None and g != a and g not in names and _PLAIN.fullmatch(g) for g, a in pairs):
        return None
    return [(g, a) for g, a in pairs if g in names]


def _unlike(given: Sequence[str], names: Collection[str], each: _Specialisation) -> tuple[int, int]:
    """How much of a specialisation differs from what is given, and from what would be made up."""
    pairs = [(g, a) for g, a in zip(given, each.arguments, strict=False) if a is not None]
    return (
        sum(g not in names and g != a for g, a in pairs),
        sum(g in names and a not in _MADE_UP for g, a in pairs),
    )


def _merged(way: Mapping[int, Chosen], other: Mapping[int, Chosen]) -> dict[int, Chosen] | None:
    """Both ways together; None where they choose otherwise."""
    if any(way.get(at, chosen) != chosen for at, chosen in other.items()):
        return None
    return {**way, **other}


def _definitions(
    node: Node, name: str, scopes: tuple[str, ...] = ()
) -> Iterator[_Specialisation | str]:
    """The specialisations of a class template below a node, and for each time that it is declared
    itself whether it is `declared`, `empty` or `defined` there.
    """
    for child in node.children:
        if child.type == "namespace_definition":
            of = child.child_by_field_name("name")
            inner = (*scopes, syntax.text_of(of)) if of is not None else scopes
            yield from _definitions(child, name, inner)
        elif child.type in syntax.CONTAINERS:
            yield from _definitions(child, name, scopes)
        elif child.type == "template_declaration":
            yield from _definition(child, name, scopes)


def _definition(node: Node, name: str, scopes: tuple[str, ...]) -> Iterator[_Specialisation | str]:
    inner = syntax.templated(node)
    declared = inner.child_by_field_name("type") if inner.type == "declaration" else inner
    if declared is None or declared.type not in syntax.CLASSES:
        return
    body, called = declared.child_by_field_name("body"), declared.child_by_field_name("name")
    while called is not None and called.type == "qualified_identifier":
        called = called.child_by_field_name("name")
    if called is None:
        return
    if called.type != "template_type":
        if syntax.text_of(called) == name:
            based = any(c.type == "base_class_clause" for c in declared.children)
            members = body is not None and any(
                c.type not in _NO_MEMBERS for c in body.named_children
            )
            yield "defined" if based or members else "declared" if body is None else "empty"
        return
    if body is None:
        return
    of, given = called.child_by_field_name("name"), called.child_by_field_name("arguments")
    if of is None or given is None or syntax.text_of(of) != name:
        return
    head = node.child_by_field_name("parameters")
    own = set(_WORD.findall(syntax.text_of(head))) - BUILTIN if head is not None else set()
    texts = [syntax.text_of(c) for c in given.named_children if c.type != "comment"]
    arguments = (" ".join(t.split()) if own.isdisjoint(_WORD.findall(t)) else None for t in texts)
    yield _Specialisation("::".join(scopes), tuple(arguments))
