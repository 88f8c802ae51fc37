"""Objects of classes that are in sight: by constructors, lists of members, and defaults."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution.classes import Named, class_of, methods, named
from perflint.frontend.source.host.execution.objects import Objects
from perflint.frontend.source.host.execution.run_state import Frame
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Call,
    Cells,
    Record,
    decayed,
)
from perflint.frontend.source.host.objects.structs import fields
from perflint.frontend.source.language.c_types import LLONG, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.tokens import tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File

_LISTS = ("argument_list", "initializer_list", "parameter_list")


class Instances(Objects):
    """Objects of classes."""

    unnamed: dict[str, tuple[Node, Environment]]  #: structures without a name, by one that is ours

    def _instance(self, type_: Named, given: Sequence[Node], frame: Frame, form: str) -> Any:
        """An object of a class, made by its constructor or a list of its members."""
        found = self.unnamed.get(type_.name) or class_of(type_.name, frame.place)
        if found is None or _shares_bytes(found[0]):
            for each in given:
                self.value(each, frame)
            return UNKNOWN
        node, there = found
        own = node.child_by_field_name("name")
        name = type_.name if own is None else named(there.file.source.text_of(own)).name
        result = Record(name, there.file)
        self._bind(result, node, type_, frame, there)
        makers = methods(self.project, result.class_, result.class_, len(given), there.file)
        makers = [m for m in makers if m[1].constructs == result.class_]
        makers = self._fitting(makers, given, frame)
        if form == "{" and given and (of_list := self._of_list(result, there)) is not None:
            makers, given = [of_list], [given[0].parent or given[0]]
        if len(makers) == 1:
            named_ = {named(n).name for n in makers[0][1].initialisers}
            self._fill(result, node, there, None, named_)
            self._invoke(makers[0], given, frame, result)
            return result
        listed = given if form == "{" and not makers else ()
        self._fill(result, node, there, (listed, frame) if listed else None)
        if given and not listed:  # by a constructor that is not in sight, or one of several
            for member in result:
                dict.__setitem__(result, member, UNKNOWN)
        return result

    def _of_list(self, made: Record, there: Environment) -> tuple[File, Function] | None:
        """The constructor that takes a list of any length."""
        found = methods(self.project, made.class_, made.class_, 1, there.file)
        lists = [
            (file, f) for file, f in found
            if f.parameters and named(f.parameters[0].type).name == "initializer_list"
        ]  # fmt: skip
        return lists[0] if len(lists) == 1 else None

    def _fitting(
        self, makers: Sequence[tuple[File, Function]], given: Sequence[Node], frame: Frame
    ) -> list[tuple[File, Function]]:
        """Constructors without those that only copy, where there are others."""
        return [m for m in makers if not _copies(m[1])]

    def _as(self, type_: Named, value: Any, frame: Frame) -> Any:
        made = super()._as(type_, value, frame)
        if isinstance(made, Record):
            makers = methods(self.project, made.class_, made.class_, 1, made.file)
            if any(_copies(m[1]) and m[1].constructs == made.class_ for m in makers):
                for member in made:  # whatever the program's own copying makes of them
                    dict.__setitem__(made, member, UNKNOWN)
        return made

    def _bind(
        self, made: Record, node: Node, type_: Named, frame: Frame, there: Environment
    ) -> None:
        """The numbers among a class template's arguments."""
        parent = node.parent
        listed = parent.child_by_field_name("parameters") if parent is not None else None
        if parent is None or parent.type != "template_declaration" or listed is None:
            return
        for position, parameter in enumerate(children_of(listed)):
            named_ = parameter.child_by_field_name("declarator")
            if "type_parameter" in parameter.type or named_ is None:
                continue
            name = there.file.source.text_of(named_)
            text = type_.arguments[position] if position < len(type_.arguments) else ""
            default = parameter.child_by_field_name("default_value")
            text = text or (there.file.source.text_of(default) if default is not None else "")
            self.session.steps = 0
            found = fold(text, _knowing(text, frame)) if text else None
            made.bound[name] = UNKNOWN if found is None else found.number

    def _fill(
        self,
        made: Record,
        node: Node,
        there: Environment,
        given: tuple[Sequence[Node], Frame] | None,
        called: Collection[str] = (),
    ) -> None:
        """Give members what a list has for them, else their defaults; those of bases, too.

        `called`: bases whose constructors the object's own one names.
        """
        source = there.file.source
        for base in self.project.bases(made.class_ if node is None else _name(node, source)):
            above = class_of(base, there)
            if above is not None:
                self._fill(made, above[0], above[1], None)
                makers = methods(self.project, base, base, 0, made.file)
                if base not in called and len(makers) == 1 and makers[0][1].constructs:
                    self._invoke(makers[0], (), Call(above[1], Cells(), None, made), made)
        listed, frame = given if given is not None else ((), None)
        by_name = {
            source_text(each, frame): each for each in listed if each.type == "initializer_pair"
        }
        inside = Call(there, Cells(), None, made)
        inside.held.update(made.bound)
        for position, field in enumerate(fields(node, source)):
            kind = self._kind(field.type, there)
            if kind is not None and not field.pointers and not field.extents:
                made.kinds[field.name] = kind
                made.constants |= {field.name} if field.constant else set()
            value: Node | None = field.default
            where: Frame = inside
            if field.reference and frame is None:
                made[field.name] = UNKNOWN
                continue
            if frame is not None and not by_name and position < len(listed):
                value, where = listed[position], frame
            elif frame is not None and f".{field.name}" in by_name:
                value = by_name[f".{field.name}"].child_by_field_name("value")
                where = frame
            if value is None and given is not None and kind is not None and not field.pointers:
                made[field.name] = 0 if not field.extents else UNKNOWN
                continue
            if where is frame and value is not None:
                written = field.type
                if field.reference:
                    made[field.name] = self._alias_of(value, where)
                    continue
                made[field.name] = self._made_for(written, field.pointers, field.extents, value,
                                                  where, there)  # fmt: skip
            else:
                made[field.name] = self._made(
                    field.type, field.pointers, field.extents, value, inside
                )

    def _made_for(
        self,
        written: str,
        pointers: int,
        extents: Sequence[Node | None],
        value: Node,
        frame: Frame,
        there: Environment,
    ) -> Any:
        """A member whose type is written elsewhere than its value."""
        if value.type in _LISTS or extents:
            return self._made(written, pointers, extents, value, frame)
        found = self.value(value, frame)
        if pointers:
            return decayed(found)
        return self._given(written, found, frame, there)


def _knowing(text: str, frame: Frame) -> Environment:
    """The place of a call, with the whole numbers that its variables in a text hold."""
    names = {t.text for t in tokenize(text) if t.kind == "name"}
    held = {name: frame.find(name).held.get(name) for name in names}
    numbers = {n: Value(v, LLONG) for n, v in held.items() if isinstance(v, int)}
    return frame.place.knowing(frame.place.at, numbers) if numbers else frame.place


def _copies(maker: Function) -> bool:
    """Whether a constructor only copies another object of its class."""
    parameters = maker.parameters
    one = parameters[0] if len(parameters) == 1 else None
    return one is not None and "&" in one.written and maker.constructs in one.type.split()


def _shares_bytes(class_: Node) -> bool:
    """Whether members of a class lie over each other, or hold fewer bits than their types."""
    members = children_of(class_.child_by_field_name("body"))
    parts = [part for member in members for part in children_of(member)]
    return any(n.type in ("union_specifier", "bitfield_clause") for n in (class_, *parts))


def _name(node: Node, source: Any) -> str:
    found = node.child_by_field_name("name")
    return named(source.text_of(found)).name if found is not None else ""


def source_text(node: Node, frame: Frame | None) -> str:
    """The designator of `.n = 4`."""
    designator = node.child_by_field_name("designator")
    if frame is None or designator is None:
        return ""
    return frame.place.file.source.text_of(designator)
