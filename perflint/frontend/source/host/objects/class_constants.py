"""Constants of a class: `Traits::kThreads`, where `using Traits = Config<128, float>`.

The members of a class template are read with its arguments in place of its parameters; what the
class does not have is looked for in its bases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import template_parameters, type_words
from perflint.frontend.source.language.lookup import Declared, Names, type_of_words
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.tokens import (
    Token,
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
)
from perflint.frontend.source.language.trees import argument_texts
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


def class_constant(name: str, place: Environment) -> Value | None:
    """The value of `Class::member`; None if the class or the value is not known."""
    from perflint.frontend.source.host.calls.instances import (
        resolve,  # it looks names up in environments
    )

    head, _, member = name.rpartition("::")
    with place.session.look_up(("class constant", id(place.file), place.at, name)) as allowed:
        resolved = resolve(head, place) if allowed and head else None
        instance = _instance(resolved, place) if resolved else None
        return instance.constant(member) if instance is not None else None


def own_constant(name: str, place: Environment) -> Value | None:
    """The value of a member of the specialization around a place; None where none is.

    Each specialization has members of its own, which have the same names.
    """
    written = _specialization_around(place)
    if not written:
        return None
    wanted = "".join(written.split())
    for file in place.file.family:
        for text, node in file.declarations.structs.items():
            if "".join(text.split()) == wanted:
                return _Instance(written, file, node, (), place).constant(name)
    return None


def _specialization_around(place: Environment) -> str:
    """`Table<T, Kind::Map>` in one of its methods, wherever that stands; "" for a plain class."""
    source, function = place.file.source, place.function
    if function is None or not function.method:
        return ""
    node = function.name_node.parent
    while node is not None and node.type == "qualified_identifier":
        scope = node.child_by_field_name("scope")
        if scope is not None and scope.type == "template_type":
            return source.text_of(scope)
        node = node.parent
    while node is not None:
        name = node.child_by_field_name("name")
        if node.type in ("struct_specifier", "class_specifier") and name is not None:
            return source.text_of(name) if name.type == "template_type" else ""
        node = node.parent
    return ""


def _instance(text: str, place: Environment) -> _Instance | None:
    """The class that `Config<128, float>` names, with arguments that mean the same everywhere."""
    tokens = [t for t in tokenize(text) if t.text not in ("typename", "struct", "class")]
    if (alias := _alias_in(tokens, place)) is not None:
        return _instance(alias[1], alias[0].place)
    angle = next((at for at, t in enumerate(tokens) if t.text == "<"), len(tokens))
    end = closing_angle(tokens, angle) if angle < len(tokens) else angle
    if not angle or end is None or end < len(tokens) - 1:
        return None
    inside = inside_angles(tokens, angle, end) if angle < len(tokens) else []
    given = [spell(part) for part in split(inside, angles=True)]
    name = tokens[angle - 1].text
    for file in place.file.family:
        node = file.declarations.structs.get(name)
        special = {n: s for n, s in file.declarations.structs.items() if _is_special(n, name)}
        wanted = "".join("".join(part.split()) + "," for part in given)
        for written, other in special.items():
            if "".join(written.split()).partition("<")[2][:-1] + "," == wanted:
                return _Instance(text, file, other, (), place)
        if any(_may_fit(file, written, s, given) for written, s in special.items()):
            return None  # which of its specializations is meant?
        if node is not None:
            return _Instance(text, file, node, given, place)
    return None


def _alias_in(tokens: Sequence[Token], place: Environment) -> tuple[_Instance, str] | None:
    """The class, and what its alias stands for, of `Policy<float>::Tile`; None where it is none."""
    if len(tokens) < 3 or tokens[-2].text != "::" or tokens[-1].kind != "name":
        return None
    with place.session.look_up(("alias of", spell(tokens), place.key)) as allowed:
        outer = _instance(spell(tokens[:-2]), place) if allowed else None
        written = outer.alias(tokens[-1].text) if outer is not None else None
    return None if outer is None or written is None else (outer, written)


def _is_special(name: str, template: str) -> bool:
    return name.startswith((f"{template}<", f"{template} <"))


def _may_fit(file: File, written: str, node: Node, given: Sequence[str]) -> bool:
    """Whether a specialization may be meant by these arguments, which are not its own ones."""
    head = node.parent
    if head is None or head.type != "template_declaration":
        return True
    free = {p.name for p in template_parameters(file.source, head)}
    tokens = tokenize(written)
    patterns = split(inside_angles(tokens, 1, len(tokens) - 1), angles=True)
    if len(patterns) != len(given):
        return True
    for pattern, text in zip(patterns, given, strict=True):
        words = [t.text for t in pattern]
        if free.isdisjoint(words) and "".join(words) != "".join(text.split()):
            return False
        if words[-1:] == ["*"] and not text.rstrip().endswith("*"):
            return False
    return True


class _Instance(Names):
    """The names inside of a class, its template's parameters replaced."""

    def __init__(
        self, text: str, file: File, node: Node, given: Sequence[str], place: Environment
    ) -> None:
        self._text, self._file, self._node = text, file, node
        self._place = place.elsewhere(file, node.start_byte)
        head = node.parent
        is_template = head is not None and head.type == "template_declaration"
        self._arguments: dict[str, str] = {}
        for at, parameter in enumerate(
            template_parameters(file.source, head) if is_template else ()
        ):
            default = parameter.default
            if at < len(given):
                self._arguments[parameter.name] = given[at]
            elif default is not None:
                self._arguments[parameter.name] = self._replaced(default)

    @property
    def macros(self) -> Mapping[str, Macro]:
        return self._place.macros

    def variable(self, name: str) -> Value | None:
        if name in self._arguments:
            return fold(self._arguments[name], self._place)
        head, _, member = name.rpartition("::")
        if head:
            named = self._type_text(head)
            instance = _instance(named, self._place) if named is not None else None
            return self._place.variable(name) if instance is None else instance.constant(member)
        value = self.constant(name)
        return self._place.variable(name) if value is None else value

    def type(self, name: str) -> CType | None:
        named = self._type_text(name)
        if named is None:
            return self._place.type(name)
        if "*" in named:
            return c_types.POINTER
        return type_of_words(type_words(named).split(), self._place)

    def call(
        self, name: str, texts: Sequence[str], arguments: Sequence[Value | None]
    ) -> Value | None:
        return self._place.call(name, texts, arguments)

    def path(self, text: str) -> Value | None:
        return self._place.path(text)

    def declared(self, name: str) -> Declared | None:
        return self._place.declared(name)

    def constant(self, name: str) -> Value | None:
        """The value of a member."""
        with self._place.session.look_up(("constant of", self._text, name)) as allowed:
            if not allowed:
                return None
            own = [*self._members(name)]
            if own:
                return own[0] if len(own) == 1 else None
            for base in self._bases():
                instance = _instance(base, self._place)
                value = instance.constant(name) if instance is not None else None
                if value is not None:
                    return value
            return None

    @property
    def place(self) -> Environment:
        """Where the class is declared."""
        return self._place

    def alias(self, name: str) -> str | None:
        """What an alias of the class, `using Tile = Rows<4>`, stands for."""
        return self._type_text(name)

    def _members(self, name: str) -> Iterator[Value | None]:
        """What each definition of a member in the class says."""
        source = self._file.source
        for definition in self._file.variables.get(name, ()):
            if not self._holds(definition.start) or definition.value is None:
                continue
            text = source.text_of(definition.value)
            parts = argument_texts(text) if text.startswith("{") else [text]
            kind = type_of_words(definition.type.split(), self)
            value = fold(parts[0], self) if parts is not None and len(parts) == 1 else None
            yield c_types.convert(value, kind) if kind and definition.constant else None
        for node in self._file.declarations.enumerators.get(name, ()):
            if self._holds(node.start_byte):
                written = node.child_by_field_name("value")
                yield fold(source.text_of(written), self) if written is not None else None

    def _bases(self) -> Iterator[str]:
        for clause in self._node.named_children:
            if clause.type == "base_class_clause":
                for base in clause.named_children:
                    if base.type in ("type_identifier", "template_type", "qualified_identifier"):
                        text = self._file.source.text_of(base)
                        yield self._type_text(text) or self._replaced(text)

    def _type_text(self, name: str) -> str | None:
        """What a parameter or an alias of the class stands for."""
        if name in self._arguments:
            return self._arguments[name]
        for node in self._file.declarations.typedefs.get(name, ()):
            target = node.child_by_field_name("type")
            if self._holds(node.start_byte) and target is not None:
                return self._replaced(self._file.source.text_of(target))
        return None

    def _replaced(self, text: str) -> str:
        """A text with arguments instead of parameters."""
        tokens = tokenize(text)
        return spell(
            [
                t._replace(text=self._arguments[t.text])
                if t.text in self._arguments and (not at or tokens[at - 1].text not in ("::", "."))
                else t
                for at, t in enumerate(tokens)
            ]
        )

    def _holds(self, offset: int) -> bool:
        return self._node.start_byte < offset < self._node.end_byte
