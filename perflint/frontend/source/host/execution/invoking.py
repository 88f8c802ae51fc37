"""Calls of functions in sight: which one is meant, what it is given, and what it answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.calls.results import takes
from perflint.frontend.source.host.execution.classes import (
    class_of,
    methods,
    named,
    once,
)
from perflint.frontend.source.host.execution.effects import ALL, Effects, lose_by
from perflint.frontend.source.host.execution.library import PLACES, Library
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    Frame,
    Lambda,
    Reference,
    ReturnedError,
    StoppedError,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Call,
    Callee,
    Cells,
    Record,
    as_kind,
    copied,
    decayed,
    lose,
)
from perflint.frontend.source.host.objects.structs import fields
from perflint.frontend.source.host.values.evaluator import TEXT
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.c_types import CType
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File

_OBJECTS = (*PLACES, "pointer_expression", "this")  #: what may be an object, and does nothing


class Invoking(Library):
    """Calls of functions in sight; `Calls` has the others."""

    _muted = 0  #: where what is read is not noted

    @abstractmethod
    def _saw(self, node: Node, value: Any, frame: Frame) -> None:
        """Keep what an expression is worth."""

    @abstractmethod
    def _type_of(self, node: Node | None, frame: Frame) -> CType | None:
        """The number's type that C gives an expression; None where that cannot be told."""

    @abstractmethod
    def _saw_fields(self, node: Node, value: Any, frame: Frame) -> None:
        """Keep what the fields of an expression's structure are worth."""

    @abstractmethod
    def _saw_element(self, node: Node, value: Any, frame: Frame) -> None:
        """Keep what an element of a table is worth, by its indices."""

    @abstractmethod
    def _begins_launch(self) -> None:
        """Keep what is read from now on, until a launch is made."""

    @abstractmethod
    def _launched(self, node: Node, frame: Frame) -> None:
        """Keep that a launch is made."""

    @abstractmethod
    def _left_out(self) -> None:
        """Keep that something is not followed that may launch whatever there is."""

    @abstractmethod
    def _pass_over(self, node: Node, frame: Frame) -> None:
        """Keep that statements are not followed, which may launch something."""

    @abstractmethod
    def _pass_by(self, functions: Iterable[tuple[File, Function]]) -> None:
        """Keep the same of what some functions do."""

    def _functions(
        self, scopes: Sequence[str], name: str, count: int, frame: Frame
    ) -> tuple[list[tuple[File, Function]], Record | None] | None:
        """The functions that a call may mean, and the object whose method it is."""
        this = self._object_of(frame)
        if this is not None and (not scopes or scopes[-1] in self.project.lineage(this.class_)):
            class_ = scopes[-1] if scopes else this.class_
            if found := methods(self.project, class_, name, count, this.file):
                return found, this
        if scopes and (found := methods(self.project, scopes[-1], name, count, frame.place.file)):
            return found, None
        own = frame.place.file
        for files in ([own], own.family, self.project.neighbours(name)):
            all_ = [
                (file, function)
                for file in files
                for function in file.declarations.by_name.get(name, ())
                if function.body is not None
                and not function.method
                and (not function.on_device or "__host__" in function.qualifiers)
            ]
            if found := once([f for f in all_ if takes(self.project, f[1], count)]):
                exact = [f for f in found if len(f[1].parameters) == count]
                plain = [f for f in exact or found if not f[1].template]
                return (plain or exact or found), None
        return None

    def _taking(
        self, found: list[tuple[File, Function]], arguments: Sequence[Node], frame: Frame
    ) -> list[tuple[File, Function]]:
        """Overloads without those that take what is given no way: objects, text, or numbers."""
        self._muted += 1
        given = [self.value(a, frame) if _is_plain(a) else UNKNOWN for a in arguments]
        self._muted -= 1
        kept = list(found)
        for position, value in enumerate(given):
            while isinstance(value, Alias):
                value = value.get()
            at = value
            while isinstance(at, Reference):
                at = at.get()
            class_ = at.class_ if isinstance(at, Record) else _made_by(arguments[position], frame)
            if class_:
                lineage = self.project.lineage(class_)
                kept = [
                    each for each in kept
                    if self._takes_object(each[1].parameters[position].type, lineage, frame)
                ]  # fmt: skip
            elif isinstance(value, (str, int, float)):
                kept = [each for each in kept if self._takes_plain(each, position, value, frame)]
        return kept or found

    def _takes_object(self, written: str, lineage: Sequence[str], frame: Frame) -> bool:
        """Whether a parameter may get an object of a class: no number does, nor another class."""
        name = named(written).name
        if name in lineage:
            return True
        return class_of(name, frame.place) is None and self._kind(written, frame.place) is None

    def _fitting(
        self, makers: Sequence[tuple[File, Function]], given: Sequence[Node], frame: Frame
    ) -> list[tuple[File, Function]]:
        found = super()._fitting(makers, given, frame)
        return self._taking(found, given, frame) if len(found) > 1 else found

    def _takes_plain(
        self, of: tuple[File, Function], position: int, value: str | float, frame: Frame
    ) -> bool:
        """Whether a parameter may get a text or a number. Text is no number, and no pointer is."""
        parameter = of[1].parameters[position]
        name = named(parameter.type).name
        if isinstance(value, str):
            if parameter.pointers:
                return name in ("char", "void", "auto")
            place = frame.place.elsewhere(of[0], of[1].node.start_byte)
            return self._kind(parameter.type, place) is None
        return not (TEXT.search(name) or (parameter.pointers and value != 0))

    def _object_of(self, frame: Frame) -> Record | None:
        at: Frame | None = frame
        while at is not None:
            if isinstance(at, Call) and at.this is not None:
                return at.this
            at = at.around
        return None

    def _invoke(
        self,
        found: tuple[File, Function],
        given: Sequence[Node],
        frame: Frame,
        this: Record | None,
        template: Sequence[Node] = (),
    ) -> Any:
        file, function = found
        there = frame.place.elsewhere(file, function.node.start_byte)
        held = Cells()
        for position, named_ in enumerate(function.template):
            if not named_.is_type:
                value = self.value(template[position], frame) if position < len(template) else None
                held[named_.name] = UNKNOWN if value is None else value
        for name, value in this.bound.items() if this is not None else ():
            held[name] = value
        handed: list[Any] = []
        for position, parameter in enumerate(function.parameters):
            value = self._passed(parameter, function, position, given, frame, there)
            kind = None if parameter.pointers else self._kind(parameter.type, there)
            if isinstance(value, Alias):
                held.declare(parameter.name, None, value)
            else:
                held.declare(parameter.name, kind, value)
            if parameter.reference or parameter.pointers:
                handed.append(value)
        inside = Call(there, held, None, this)
        if this is not None and function.constructs:
            self._initialise(function, this, inside)
        body = function.body
        if body is None:
            return None
        effects = self.summaries.of(file, function, frame.place)
        handed += [this] if this is not None else []
        result = self._ran(body, inside, handed, effects)
        declarator = function.node.child_by_field_name("declarator")
        is_reference = declarator is not None and declarator.type == "reference_declarator"
        type_ = function.node.child_by_field_name("type")
        if type_ is not None and declarator is not None and declarator.type[:4] == "func":
            result = as_kind(result, self._kind(function.source.text_of(type_), there))
        return result if is_reference else copied(result)

    def _passed(
        self,
        parameter: Any,
        function: Function,
        position: int,
        given: Sequence[Node],
        frame: Frame,
        there: Environment,
    ) -> Any:
        if position >= len(given):
            default = self.project.default(function, position)
            if default is None:
                return UNKNOWN
            file = default[1] or there.file
            place = frame.place.elsewhere(file, default[2])
            self.session.steps = 0
            found = fold(default[0], place)
            return UNKNOWN if found is None or found.term is not None else found.number
        node = given[position]
        if node.type == "initializer_list":
            return self._construct(parameter.type, children_of(node), frame, "{")
        if "&" in parameter.written and node.type in PLACES and not parameter.pointers:
            alias = self._alias(node, frame)
            if isinstance(alias, Alias) and not self._is_prototype(alias, node, frame):
                self._saw(node, alias.get(), frame)
                return alias
        value = self.value(node, frame)
        if parameter.pointers or "&" in parameter.written:
            return decayed(value) if parameter.pointers else value
        return self._given(parameter.type, value, frame, there) if parameter.type else value

    def _is_prototype(self, place: Alias, node: Node, frame: Frame) -> bool:
        """Whether what a macro declares, which reads as a variable, is a function in sight."""
        unset = place.within is self.globals and place.get() is UNKNOWN
        return unset and isinstance(self.value(node, frame), Callee)

    def _initialise(self, function: Function, this: Record, inside: Call) -> None:
        """A constructor's list."""
        for name, value in function.initialisers.items():
            head = named(name).name
            if head == this.class_ or head in self.project.lineage(this.class_)[1:]:
                found = methods(self.project, head, head, len(children_of(value)), this.file)
                if len(found) == 1:
                    self._invoke(found[0], children_of(value), inside, this)
                continue
            this[name] = self._member_made(this, name, value, inside)

    def _member_made(self, this: Record, name: str, value: Node, inside: Call) -> Any:
        for class_ in self.project.lineage(this.class_):
            found = class_of(class_, inside.place)
            for field in fields(found[0], found[1].file.source) if found is not None else ():
                if field.name == name:
                    if field.reference:
                        return self._alias_of(value, inside)
                    there = Call(inside.place, inside.held, None, inside.this)
                    return self._made(field.type, field.pointers, field.extents, value, there)
        listed = children_of(value)
        return self.value(listed[0], inside) if len(listed) == 1 else UNKNOWN

    def _ran(self, body: Node, frame: Call, handed: Sequence[Any], effects: Effects = ALL) -> Any:
        """Run a body; what it may have left out is not known afterwards."""
        if self._deep >= 24:
            raise StoppedError
        self._deep += 1
        before, self.unsure = self.unsure, False
        earlier, self._late = self._late, {}
        result: Any = None
        try:
            with self.in_doubt(before):
                self.run(body, frame)
        except ReturnedError as returned:
            result = returned.value
        finally:
            self._deep -= 1
            unsure, self.unsure = self.unsure, before
            late, self._late = self._late, earlier | self._late
        if unsure:
            lose_by(effects, handed)
            lose(late.values())
            return UNKNOWN
        return result

    def _entered(self, body: Node, frame: Frame) -> Any:
        if body.type != "compound_statement":
            return self.value(body, frame)
        inside = Call(frame.place, frame.held, frame.around, None)
        return self._ran(body, inside, ())

    def _bound(self, node: Node, arguments: Sequence[Node], frame: Frame) -> dict[str, Any]:
        held = Cells()
        source = frame.place.file.source
        declarator = node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        types = {}  #: of parameters that are passed by value
        for parameter in children_of(listed) if listed is not None else ():
            name, type_ = (parameter.child_by_field_name(f) for f in ("declarator", "type"))
            if name is not None and type_ is not None and name.type == "identifier":
                types[source.text_of(name)] = source.text_of(type_)
        for text, value in super()._bound(node, arguments, frame).items():
            written = types.get(text)
            if written is None:
                held[text] = value
            else:
                kind = self._kind(written, frame.place)
                held.declare(text, kind, self._given(written, value, frame, frame.place))
        return held

    def _called(self, node: Node, held: dict[str, Any], frame: Frame) -> Any:
        found = super()._called(node, held, frame)
        declarator = node.child_by_field_name("declarator")
        for each in children_of(declarator) if declarator is not None else ():
            if each.type == "trailing_return_type":
                written = frame.place.file.source.text_of(each).removeprefix("->").strip()
                found = as_kind(found, self._kind(written, frame.place))
        return found

    def _lambda_expression(self, node: Node, frame: Frame) -> Any:
        """A lambda: what it takes by value is as it was where the lambda stands."""
        source = frame.place.file.source
        kept, names = Cells(), list[str]()
        for each in children_of(node.child_by_field_name("captures")):
            text, before = source.text_of(each), each.prev_sibling
            is_reference = before is not None and before.type == "&"
            if each.type == "lambda_capture_initializer":
                left, right = (each.child_by_field_name(f) for f in ("left", "right"))
                value = UNKNOWN if is_reference else copied(self.value(right, frame))
                kept[source.text_of(left) if left is not None else ""] = value
            elif text == "=":
                at: Frame | None = frame
                while at is not None:
                    names += at.held
                    at = at.around
            elif is_reference:
                names = [n for n in names if n != text]
            elif each.type == "identifier":
                names.append(text)
        for name in names:
            held = frame.find(name).held
            value = held.get(name, UNKNOWN)
            if isinstance(value, Alias) and value.within is not self.globals:
                value = value.get()
            kind = held.kinds.get(name) if isinstance(held, Cells) else None
            kept.declare(name, kind, copied(value))
        return Lambda(node, Call(frame.place, kept, frame) if kept else frame)


def _made_by(argument: Node, frame: Frame) -> str:
    """The class in sight whose constructor an argument calls: `Shape(100, 2)`; "" of others."""
    function = argument.child_by_field_name("function")
    if argument.type != "call_expression" or function is None:
        return ""
    name = named(frame.place.file.source.text_of(function)).name
    return name if class_of(name, frame.place) is not None else ""


def _is_plain(argument: Node) -> bool:
    """Whether an argument is read without doing anything."""
    return argument.type in _OBJECTS or argument.type.endswith("_literal")
