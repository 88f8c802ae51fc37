"""What classes in sight are made of, as a run asks: fields, methods, constructors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.results import takes
from perflint.frontend.source.host.objects.structs import struct_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project

_WORDS = pattern(
    r"\b(?:const|constexpr|static|inline|mutable|volatile|struct|class|typename|thread_local)\b"
)
_SIZED = ("vector", "deque", "list", "array", "valarray", "initializer_list", "span")
_TABLES = ("map", "unordered_map", "multimap")
_HELD = ("unique_ptr", "shared_ptr", "optional", "reference_wrapper")


@dataclass(frozen=True)
class Named:
    """A type as written: `std::vector<Plan>` is `vector` of `Plan`."""

    name: str
    arguments: tuple[str, ...] = ()

    @property
    def is_array(self) -> bool:
        return self.name in _SIZED

    @property
    def is_table(self) -> bool:
        return self.name in _TABLES

    @property
    def holds(self) -> bool:
        return self.name in _HELD


@lru_cache(maxsize=4096)
def named(written: str) -> Named:
    """A type's name, without qualifiers and namespaces, and its template's arguments."""
    text = _WORDS.sub(" ", written).replace("&", " ").strip()
    head, sign, rest = text.partition("<")
    name = head.rsplit("::", 1)[-1].strip()
    if not sign:
        return Named(" ".join(head.replace("std::", "").split()) if " " in name else name)
    inside = rest[: rest.rfind(">")] if ">" in rest else rest
    return Named(name, tuple(part.strip() for part in _split(inside)))


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [p for p in parts if p.strip()]


def class_of(name: str, place: Environment) -> tuple[Node, Environment] | None:
    """A class by name, with its body, and where it is declared."""
    found = struct_of(name, place) if name.isidentifier() else None
    if found is None or found[0].child_by_field_name("body") is None:
        return None
    return found


def methods(
    project: Project, class_: str, name: str, count: int, near: File | None
) -> list[tuple[File, Function]]:
    """The methods that a call on an object of a class may mean, those of the nearest class."""
    for each in project.lineage(class_):
        found = [
            (file, function)
            for file in project.neighbours(name)
            for function in file.declarations.by_name.get(name, ())
            if function.body is not None and function.qualified.split("::")[-2:-1] == [each]
        ]
        if near is not None and len(found) > 1:
            kin = [m for m in found if any(f.path == near.path for f in m[0].family)]
            found = kin or found
        fitting = once([m for m in found if takes(project, m[1], count)])
        if found:
            return fitting
    return []


def once(found: list[tuple[File, Function]]) -> list[tuple[File, Function]]:
    """Functions, each of a place of the source once: files that several include are read again."""
    kept: dict[object, tuple[File, Function]] = {}
    for file, function in found:
        kept.setdefault((file.path, function.node.start_byte), (file, function))
    return list(kept.values())


def is_const(function: Function) -> bool:
    """Whether a method says that it writes nothing to its object."""
    declarator = function.node.child_by_field_name("declarator")
    text = function.source.text_of(declarator) if declarator is not None else ""
    return re.search(r"\)\s*(?:noexcept\s*)?const\b", text) is not None


def only_reads(found: Sequence[tuple[File, Function]], position: int) -> bool:
    """Whether functions take an argument by value, or as something constant."""
    for _, function in found:
        if position >= len(function.parameters):
            return False
        parameter = function.parameters[position]
        if parameter.reference or (parameter.pointers and "const" not in parameter.written):
            return False
    return True
