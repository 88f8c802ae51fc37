"""How a run makes what variables hold: by type, from lists, constructors and copies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution.char_arrays import text_of
from perflint.frontend.source.host.execution.classes import Named, class_of, named
from perflint.frontend.source.host.execution.run_state import Alias, Frame, Lambda, Reference
from perflint.frontend.source.host.execution.streams import STREAMS, Streams
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    MOST_ELEMENTS,
    Array,
    Callee,
    Record,
    Table,
    as_kind,
    copied,
    decayed,
    pointer_to,
)
from perflint.frontend.source.host.values.evaluator import PLACES, TEXT
from perflint.frontend.source.language.c_types import ELEMENTS, CType
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.choices import Session
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project

_LISTS = ("argument_list", "initializer_list", "parameter_list")
_MADE = 64  #: objects that a container of a size makes


class Objects(Streams):
    """What is no class in sight; `Instances` has those."""

    def __init__(self, words: Sequence[str], project: Project, session: Session) -> None:
        super().__init__(words)
        self.project, self.session = project, session
        self._kinds: dict[tuple[str, int], CType | None] = {}

    @abstractmethod
    def _instance(self, type_: Named, given: Sequence[Node], frame: Frame, form: str) -> Any:
        """An object of a class."""

    @abstractmethod
    def _invoke(
        self,
        found: tuple[File, Function],
        given: Sequence[Node],
        frame: Frame,
        this: Record | None,
        template: Sequence[Node] = (),
    ) -> Any:
        """Run a function or method."""

    def _kind(self, written: str, place: Environment) -> CType | None:
        """The number's type that is written, if it is one."""
        key = (written, id(place.file))
        if key not in self._kinds:
            self.session.steps = 0
            words = named(written).name.split() if "<" not in written else []
            found = type_of_words(words, place) if words else None
            is_number = found is not None and found.kind in ("int", "float")
            self._kinds[key] = found if is_number else None
        return self._kinds[key]

    def _made(
        self,
        written: str,
        pointers: int,
        extents: Sequence[Node | None],
        value: Node | None,
        frame: Frame,
    ) -> Any:
        """What a variable or member that is declared so holds."""
        listed = parts_of(value) if value is not None and value.type in _LISTS else None
        if extents:
            return self._elements(written, pointers, extents, value, frame)
        if pointers:
            only = value if listed is None else listed[0] if len(listed) == 1 else None
            return UNKNOWN if only is None else decayed(self.value(only, frame))
        if value is None:
            return self._construct(written, (), frame, "")
        if listed is None:
            return self._construct(written, (value,), frame, "=")
        return self._construct(written, listed, frame, "{" if "init" in value.type else "(")

    def _elements(
        self,
        written: str,
        pointers: int,
        extents: Sequence[Node | None],
        value: Node | None,
        frame: Frame,
    ) -> Any:
        is_list = value is not None and value.type == _LISTS[1]
        listed = children_of(value) if is_list else []
        size = self.value(extents[0], frame) if extents[0] is not None else len(listed)
        text = self.value(value, frame) if value is not None and not listed else UNKNOWN
        kind = self._kind(written, frame.place)
        is_buffer = not pointers and kind is not None and kind.size == 1 and isinstance(size, int)
        if isinstance(text, str) and not (is_buffer and len(text) < size <= MOST_ELEMENTS):
            return text
        result = Array(size, 0 if is_list and kind is not None else UNKNOWN, written, fixed=True)
        result.number, result.decays = None if pointers else kind, True
        for index, each in enumerate(listed[:MOST_ELEMENTS]):
            result[index] = self._made(written, pointers, extents[1:], each, frame)
        if isinstance(text, str):
            for index, letter in enumerate(text):
                result[index] = ord(letter)
            result.default = 0
        nested = kind is None or len(extents) > 1
        if not listed and nested and not pointers and isinstance(size, int):
            for index in range(min(size, _MADE) if size <= _MADE else 0):
                result[index] = self._made(written, pointers, extents[1:], None, frame)
        return result

    def _construct(self, written: str, given: Sequence[Node], frame: Frame, form: str) -> Any:
        """An object of a type: by `(`, `{`, `=` or without anything."""
        kind = self._kind(written, frame.place)
        if kind is not None:
            if not given:
                return UNKNOWN if form in ("", "=") else 0
            return as_kind(self.value(given[0], frame), kind)
        type_ = named(written)
        one = given[0] if len(given) == 1 else None
        if one is not None and one.type not in ("initializer_list", "initializer_pair"):
            value = self.value(one, frame)
            if TEXT.search(type_.name):
                value = text_of(value)
            if type_.name == "auto" or self._is_one(type_, value):
                return self._as(type_, value, frame)
            if type_.is_array and form == "(":
                return self._sized(type_, value, frame)
            if type_.name in ELEMENTS and not isinstance(value, Reference):
                return self._vector(type_.name, [value])
            if type_.holds:
                return value
            if isinstance(value, Array) and type_.is_array:
                return copied(value)
        if type_.name in STREAMS:
            return self.stream(type_.name, [self.value(each, frame) for each in given])
        if TEXT.search(type_.name):
            return "" if not given else UNKNOWN
        if type_.name in ELEMENTS:
            return self._vector(type_.name, [self.value(each, frame) for each in given])
        if type_.is_array:
            return self._container(type_, given, frame, form)
        if type_.is_table:
            return self._table(type_, given, frame)
        if type_.holds:
            return None if not given else UNKNOWN
        if type_.name == "pair":
            result = Record("pair", None)
            parts = [self.value(each, frame) for each in given]
            for member, value in zip(("first", "second"), parts, strict=False):
                result[member] = copied(value)
            return result
        return self._instance(type_, given, frame, form)

    def _is_one(self, type_: Named, value: Any) -> bool:
        """Whether a value is one of a type already, or is copied as it is."""
        if isinstance(value, Record):
            return type_.name in self.project.lineage(value.class_)
        if isinstance(value, (Array, Table, list)):
            return type_.is_array or type_.is_table
        if isinstance(value, str):
            return TEXT.search(type_.name) is not None
        return isinstance(value, (Reference, Lambda, Callee)) or value is None

    def _as(self, type_: Named, value: Any, frame: Frame) -> Any:
        """A value that is copied into a variable of a type."""
        if type_.name in ELEMENTS and isinstance(value, (int, float)):
            return self._vector(type_.name, [value])
        made = copied(value)
        if isinstance(made, Record) and type_.name in self.project.lineage(made.class_)[1:]:
            made.class_ = type_.name  # only the base's part is copied
        return made

    def _vector(self, name: str, parts: Sequence[Any]) -> Record:
        """A dim3, or another vector of CUDA's."""
        result = Record(name, None)
        count = 3 if name == "dim3" else int(name[-1])
        missing = 1 if name == "dim3" else 0 if parts else UNKNOWN
        result.kinds = dict.fromkeys("xyzw"[:count], ELEMENTS[name])
        for axis, value in zip("xyzw"[:count], (*parts, *[missing] * count), strict=False):
            result[axis] = value
        return result

    def _sized(self, type_: Named, size: Any, frame: Frame) -> Array:
        """`std::vector<T> v(size)`."""
        element = type_.arguments[0] if type_.arguments else ""
        kind = self._kind(element, frame.place)
        result = Array(size if isinstance(size, int) else UNKNOWN, UNKNOWN, element)
        if kind is not None:
            result.default, result.number = 0, kind
        elif isinstance(size, int) and size <= _MADE and "*" not in element:
            for index in range(size):
                result[index] = self._construct(element, (), frame, "(")
        return result

    def _container(self, type_: Named, given: Sequence[Node], frame: Frame, form: str) -> Any:
        element = type_.arguments[0] if type_.arguments else ""
        fixed = type_.name == "array"
        if fixed or form in ("{", "=") or not given:
            listed = given
            if fixed and len(given) == 1 and given[0].type == "initializer_list":
                listed = children_of(given[0])
            size: Any = len(listed)
            if fixed:
                self.session.steps = 0
                found = fold(type_.arguments[1], frame.place) if len(type_.arguments) > 1 else None
                size = UNKNOWN if found is None else int(found.number)
            result = Array(size, 0 if fixed and listed else UNKNOWN, element, fixed)
            result.number = self._kind(element, frame.place)
            for index, each in enumerate(listed):
                result[index] = self._element(element, each, frame)
            if fixed and not listed and isinstance(size, int) and size <= _MADE:
                for index in range(size):
                    result[index] = self._construct(element, (), frame, "")
            return result
        first = self.value(given[0], frame)
        if isinstance(first, list):
            return list(first)
        if isinstance(first, Reference):  # from one iterator to another
            return Array(UNKNOWN, UNKNOWN, element)
        result = self._sized(type_, first, frame)
        result.default = copied(self.value(given[1], frame)) if len(given) > 1 else result.default
        if isinstance(result.default, dict):
            for index in result.items_in_order() or ():
                result[index] = copied(result.default)
            result.default = UNKNOWN
        return result

    def _element(self, written: str, node: Node, frame: Frame) -> Any:
        """An element of a container's list."""
        if node.type == "initializer_list" or not written:
            return self._made(written, 0, (), node, frame)
        return self._construct(written, (node,), frame, "=")

    def _table(self, type_: Named, given: Sequence[Node], frame: Frame) -> Table:
        result = Table()
        to = type_.arguments[1] if len(type_.arguments) > 1 else ""
        is_known = TEXT.search(to) or self._kind(to, frame.place) is not None
        if is_known or class_of(named(to).name, frame.place) is not None:
            result.fresh = self._construct(to, (), frame, "(")
        for each in given:
            pair = children_of(each) if each.type == "initializer_list" else []
            key = self.value(pair[0], frame) if len(pair) == 2 else UNKNOWN
            if not isinstance(key, (int, str)) or len(type_.arguments) < 2:
                result.lost = True
                continue
            result[key] = self._element(type_.arguments[1], pair[1], frame)
        return result

    def _given(self, written: str, value: Any, frame: Frame, there: Environment) -> Any:
        """A value that is passed for a parameter or member of a type."""
        kind = self._kind(written, there)
        if kind is not None:
            return as_kind(value, kind) if isinstance(value, (int, float)) else UNKNOWN
        type_ = named(written)
        return self._as(type_, text_of(value) if TEXT.search(type_.name) else value, frame)

    def _new_expression(self, node: Node, frame: Frame) -> Any:
        written = frame.place.file.source.text_of(node.child_by_field_name("type"))  # type: ignore[arg-type]
        length = node.child_by_field_name("declarator")
        if length is not None:
            size = self.value(length.child_by_field_name("length"), frame)
            return Reference(Array(size, UNKNOWN, written, fixed=True), 0)
        given = node.child_by_field_name("arguments")
        form = "{" if given is not None and "init" in given.type else "("
        return pointer_to(self._construct(written, children_of(given), frame, form))

    def _compound_literal_expression(self, node: Node, frame: Frame) -> Any:
        written = frame.place.file.source.text_of(node.child_by_field_name("type"))  # type: ignore[arg-type]
        return self._construct(written, children_of(node.child_by_field_name("value")), frame, "{")

    def _initializer_list(self, node: Node, frame: Frame) -> Any:
        parts = children_of(node)
        if any(each.type == "initializer_pair" for each in parts):
            return UNKNOWN
        result = Array(len(parts), UNKNOWN, "", fixed=True)
        for index, each in enumerate(parts):
            result[index] = copied(self.value(each, frame))
        return result

    def _alias_of(self, value: Node, frame: Frame) -> Any:
        """What a reference holds: another name of a place, else the value itself."""
        listed = parts_of(value) if value.type in _LISTS else [value]
        only = listed[0] if len(listed) == 1 else value
        alias = self._alias(only, frame) if only.type in PLACES else None
        return alias if isinstance(alias, Alias) else self.value(only, frame)


def parts_of(listed: Node) -> list[Node]:
    """The expressions of a list, which may read as a function's parameters: `Solver s(options)`."""
    parts = children_of(listed)
    if listed.type != "parameter_list":
        return parts
    is_product = [each.child_by_field_name("declarator") is not None for each in parts]
    types = [each.child_by_field_name("type") for each in parts]
    return [e if p or t is None else t for e, p, t in zip(parts, is_product, types, strict=True)]
