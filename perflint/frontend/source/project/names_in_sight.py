"""What names mean that are declared out of functions: variables, enumerators, types, kernels."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition, type_words
from perflint.frontend.source.language.lookup import Names, type_of_words
from perflint.frontend.source.language.struct_layout import struct_layout
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.files_in_sight import FilesInSight

if TYPE_CHECKING:
    from tree_sitter import Node


class NamesInSight(FilesInSight):
    """Names out of functions, as they are looked up from a file."""

    @cached_property
    def _known(self) -> dict[Hashable, object]:
        """What was found, by question."""
        return {}

    @cached_property
    def _type_names(self) -> dict[int, frozenset[str]]:
        """By file."""
        return {}

    @cached_property
    def _enumerations(self) -> dict[tuple[str, int], tuple[str, str] | None]:
        """By name and file."""
        return {}

    def kernels(self, name: str, near: File) -> list[Function]:
        """The definitions of a kernel, in the file's family or else anywhere near."""
        for files in (near.family, self.neighbours(name)):
            found = [
                function
                for file in files
                for function in file.declarations.by_name.get(name, ())
                if "__global__" in function.qualifiers
            ]
            if found:
                return found
        return []

    def global_variable(
        self, name: str, near: File, place: Sequence[str] = (), written: bool = False
    ) -> tuple[File, Definition] | None:
        """A variable at file or class scope whose value never changes (or any, if `written`).

        `name` may be qualified; `place` names the namespaces and classes around its use.
        """
        key = ("variable", name, id(near), tuple(place), written)
        if key not in self._known:
            self._known[key] = self._global_variable(name, near, place, written)
        return self._known[key]  # type: ignore[return-value]

    def _global_variable(
        self, name: str, near: File, place: Sequence[str], written: bool
    ) -> tuple[File, Definition] | None:
        *qualifier, last = name.split("::")
        for file in near.family:
            found = [
                d
                for d in file.variables.get(last, ())
                if _is_visible(file, d.start, qualifier, place)
            ]
            nearest = max((_rank(file, d.start, place) for d in found), default=0)
            found = [d for d in found if _rank(file, d.start, place) == nearest]
            with_value = [
                d for d in found if d.value is not None or (d.type == "dim3" and not d.elsewhere)
            ] or found
            if len(with_value) > 1:
                return None
            if with_value:
                file, definition = self._defined(file, with_value[0], last, written)
                if (
                    written
                    or definition.constant
                    or not self.writes.is_written(last, definition, file)
                ):
                    return file, definition
                return None
        return None

    def _defined(
        self, file: File, definition: Definition, name: str, written: bool
    ) -> tuple[File, Definition]:
        """What another place of the program defines: of `extern const int n;`, or of a static
        member of a class, which is `int Config::n = 4;` there.

        Of what may be written to (`written`) it may have no value.
        """
        if definition.value is not None or (definition.type == "dim3" and not definition.elsewhere):
            return file, definition
        scopes = file.declarations.scopes_at(definition.start)
        spelled = f"{scopes[-1].name}::{name}" if scopes and scopes[-1].is_class else name
        all_ = [
            (other, d)
            for other in self.neighbours(name)
            for d in other.variables.get(name, ())
            if _is_visible(other, d.start, (), ())
            and other.source.slice(d.start, d.start + len(spelled.encode())).startswith(spelled)
        ]
        found = [(other, d) for other, d in all_ if d.value is not None]
        if not found and written and definition.elsewhere and spelled == name:
            found = [(other, d) for other, d in all_ if not d.elsewhere and not d.static]
        if len(found) != 1:
            return file, definition
        other, one = found[0]  # whose qualified name counts as a pointer's
        return other, one if spelled == name else replace(
            one, pointers=definition.pointers, static=definition.static
        )

    def enumerator(
        self, name: str, near: File, place: Sequence[str] = ()
    ) -> tuple[File, str, int, int] | None:
        """(file, text of the last explicit value before it, steps after that, its offset)."""
        key = ("enumerator", name, id(near), tuple(place))
        if key not in self._known:
            self._known[key] = self._enumerator(name, near, place)
        return self._known[key]  # type: ignore[return-value]

    def _enumerator(
        self, name: str, near: File, place: Sequence[str]
    ) -> tuple[File, str, int, int] | None:
        *qualifier, last = name.split("::")
        for file in near.family:
            nodes = [
                n
                for n in file.declarations.enumerators.get(last, ())
                if _is_visible(file, n.start_byte, qualifier, place)
            ]
            if len(nodes) > 1:
                return None
            if not nodes:
                continue
            node: Node | None = nodes[0]
            offset = 0
            while node is not None:
                value = node.child_by_field_name("value") if node.type == "enumerator" else None
                if value is not None:
                    return file, file.source.text_of(value), offset, value.start_byte
                node = node.prev_named_sibling
                offset += node is not None and node.type == "enumerator"
            return file, "", offset, nodes[0].start_byte
        return None

    def enumeration(self, name: str, near: File) -> tuple[str, str] | None:
        """An enumeration's qualified name, and the type that its source says it is of, or ""."""
        key = name, id(near)
        if key not in self._enumerations:
            self._enumerations[key] = self._enumeration(name, near)
        return self._enumerations[key]

    def _enumeration(self, name: str, near: File) -> tuple[str, str] | None:
        for file in near.family:
            for scope in file.declarations.scopes:
                if scope.kind == "enum" and scope.name == name:
                    around = file.declarations.scopes_at(scope.start)
                    head = file.source.slice(scope.start, scope.end).partition("{")[0]
                    base = re.search(r"(?<!:):(?!:)(.*)", head, re.DOTALL)
                    whole = "::".join((*(s.name for s in around), name))
                    return whole, base[1].strip() if base else ""
            for node in file.declarations.typedefs.get(name, ()):
                target = node.child_by_field_name("type")
                if target is not None and target.type == "enum_specifier":
                    return name, ""
        return None

    def type_names(self, near: File) -> frozenset[str]:
        """The typedefs, aliases and structs in sight of a file."""
        if id(near) not in self._type_names:
            known = (file.declarations for file in near.family)
            self._type_names[id(near)] = frozenset(
                n for d in known for n in (*d.typedefs, *d.structs)
            )
        return self._type_names[id(near)]

    def type(self, name: str, names: Names, near: File) -> CType | None:
        """A typedef, alias or struct by name."""
        for file in near.family:
            declarations, source = file.declarations, file.source
            if name in declarations.typedefs:
                nodes = declarations.typedefs[name]
                node = nodes[0]
                if len({" ".join(source.text_of(n).split()) for n in nodes}) > 1:
                    return None
                target = node.child_by_field_name("type")
                declarator = node.child_by_field_name("declarator")
                text = source.text_of(target) if target is not None else ""
                is_array = declarator is not None and declarator.type == "array_declarator"
                if target is None or is_array:
                    return None
                if "*" in text or (declarator is not None and "pointer" in declarator.type):
                    return c_types.POINTER
                if target.type == "struct_specifier":
                    return struct_layout(source, target, names)
                words = type_words(text).split()
                return None if words == [name] else type_of_words(words, names)
            if name in declarations.structs:
                return struct_layout(source, declarations.structs[name], names)
        return None


def _is_visible(file: File, at: int, qualifier: Sequence[str], place: Sequence[str]) -> bool:
    """Whether a name declared at an offset is meant by `qualifier::name`, used inside `place`."""
    scopes = file.declarations.scopes_at(at)
    if qualifier:
        wanted = list(qualifier)
        named_all = [s.name for s in scopes]
        unscoped = [s.name for s in scopes if s.kind != "enum"]
        return wanted in (named_all[-len(wanted) :], unscoped[-len(wanted) :])
    return all(s.name in place for s in scopes if s.is_class)


def _rank(file: File, at: int, place: Sequence[str]) -> int:
    """How near what stands at an offset is to a place: that of the innermost class or namespace
    around both is nearest, what has none around it is further, and another namespace's furthest."""
    scopes = [s.name for s in file.declarations.scopes_at(at) if s.kind != "enum" and s.name]
    if not scopes:
        return -1
    return place.index(scopes[-1]) if scopes[-1] in place else -2
