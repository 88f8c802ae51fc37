"""What calls do in a run: functions and methods in sight are run, of others is known what they may
write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution import (
    containers,
    named_flags,
    sample_options,
    text_functions,
)
from perflint.frontend.source.host.execution.classes import (
    is_const,
    methods,
    named,
    only_reads,
)
from perflint.frontend.source.host.execution.effect_summaries import READING
from perflint.frontend.source.host.execution.effects import ALL, lose_by
from perflint.frontend.source.host.execution.invoking import Invoking
from perflint.frontend.source.host.execution.library import PLACES
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    EndedError,
    Frame,
    Lambda,
    Reference,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Call,
    Callee,
    Cells,
    Record,
    Table,
    copied,
    pointer_to,
)
from perflint.frontend.source.language.every_way import does_not_return
from perflint.frontend.source.language.streams import Stream
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.command_lines import number

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File

_CASTS = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
#: What declares an option by its names and its variable, as CLI11 has it.
_OPTIONS = ("add_option", "add_flag")
_MAKERS = ("make_unique", "make_shared")
#: From there on launches go into a graph, whose own launches make them.
_CAPTURES = "cudaStreamBeginCapture"


class Calls(Invoking):
    """Calls; `Run` has the statements."""

    def _call_expression(self, node: Node, frame: Frame) -> Any:
        function = node.child_by_field_name("function")
        arguments = children_of(node.child_by_field_name("arguments"))
        if function is None:
            return UNKNOWN
        source = frame.place.file.source
        launched = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
        if launched is not None:
            self._begins_launch()
            for each in children_of(launched):
                self._saw_element(each, self.value(each, frame), frame)
            for each in arguments:
                value = self.value(each, frame)
                self._saw_element(each, value, frame)
                if each.type in PLACES:  # what is made here is as it is written
                    self._saw_fields(each, value, frame)
            self._launched(node, frame)
            return UNKNOWN
        while function.type == "parenthesized_expression" and children_of(function):
            function = children_of(function)[0]
        if function.type == "field_expression":
            return self._method(function, arguments, frame)
        if function.type in ("subscript_expression", "pointer_expression"):
            return self._through(self.value(function, frame), arguments, frame, None)
        name = source.text_of(function)
        head, _, inside = name.partition("<")
        *scopes, last = head.strip().split("::")
        template = _template_of(function)
        if does_not_return(last):
            raise EndedError
        if function.type == "lambda_expression":
            return self._called(function, self._bound(function, arguments, frame), frame)
        if last in _CASTS and arguments:
            return self._as_cast(inside.strip().removesuffix(">").strip(), arguments[0], frame)
        if last in _MAKERS:
            return pointer_to(self._construct(inside[:-1], arguments, frame, "("))
        if last.startswith("getopt"):
            return self._option(arguments, frame)
        if last in sample_options.ASKING:
            return sample_options.asked(last, [self.value(each, frame) for each in arguments])
        if last.startswith(_CAPTURES):
            self._left_out()
        held = frame.find(name).held.get(name)
        held = held.get() if isinstance(held, Alias) else held
        if isinstance(held, Lambda):
            return self._called(held.node, self._bound(held.node, arguments, frame), held.frame)
        if isinstance(held, Record):  # by its class's operator
            return self._by_operator(held, arguments, frame)
        if isinstance(held, Callee):
            return self._through(held, arguments, frame, None)
        found = self._functions(scopes, last, len(arguments), frame)
        if found is not None and len(found[0]) > 1:
            found = self._taking(found[0], arguments, frame), found[1]
        if found is not None and len(found[0]) == 1:
            return self._invoke(found[0][0], arguments, frame, found[1], template)
        if found is not None and found[0]:
            return self._unseen(arguments, frame, found[1], found[0])
        self._handed_on(arguments, frame)
        return self._of_library(function, scopes, last, name, arguments, frame)

    def _method(self, function: Node, arguments: Sequence[Node], frame: Frame) -> Any:
        on = self.value(function.child_by_field_name("argument"), frame)
        field = function.child_by_field_name("field")
        text = frame.place.file.source.text_of(field) if field is not None else ""
        name = text.partition("<")[0]
        if name in _OPTIONS and self._declares(name, arguments, frame):
            return UNKNOWN
        if name == "default_val" and (declared := _declared(function, frame)) is not None:
            names, place = children_of(declared.child_by_field_name("arguments"))[:2]
            if named_flags.option(self.words, self.value(names, frame)) is None:
                self._put(place, self.value(arguments[0], frame) if arguments else UNKNOWN, frame)
            return UNKNOWN
        through = any(c.type == "->" for c in function.children)
        pointer = on if through and isinstance(on, Reference) else None
        if isinstance(on, Reference) and not through:
            if name in ("get", "value", "release"):
                return on
            if name == "reset":
                return UNKNOWN
        while isinstance(on, Reference):
            on = on.get()
        if isinstance(on, Record):
            found = methods(self.project, on.class_, name, len(arguments), on.file)
            if len(found) > 1:
                found = self._taking(found, arguments, frame)
            if len(found) == 1:
                return self._invoke(found[0], arguments, frame, on)
            if found:
                return self._unseen(arguments, frame, on, found)
            held = on.get(name)
            held = held.get() if isinstance(held, Alias) else held
            if isinstance(held, Record):
                return self._by_operator(held, arguments, frame)
            return self._through(held, arguments, frame, on)
        values = [self.value(each, frame) for each in arguments]
        self.stored += isinstance(on, (Array, Table, Stream, list)) and name not in READING
        if isinstance(on, Stream):
            return self.of_stream(on, name, values)
        if isinstance(on, Array):
            return self._of_array(on, name, arguments, values, frame)
        if isinstance(on, Table):
            return containers.of_table(on, name, values)
        if isinstance(on, str):
            after = text_functions.changed(on, name, values)
            if after is not None:
                if pointer is not None and isinstance(pointer.get(), str):
                    self._set(pointer, after, frame)
                else:
                    self._put(function.child_by_field_name("argument"), after, frame)
                return after
        if isinstance(on, (str, list)):
            return text_functions.method(on, name, values)
        files = self.project.neighbours(name)
        self._pass_by((f, m) for f in files for m in f.declarations.by_name.get(name, ()))
        self._written(arguments, values, frame, by_name=True)
        return UNKNOWN

    def _declares(self, name: str, arguments: Sequence[Node], frame: Frame) -> bool:
        """Whether a call declares an option with its variable, which is set if the words say so."""
        place = arguments[1] if len(arguments) > 1 else None
        names = self.value(arguments[0], frame) if place is not None else None
        if place is None or place.type not in PLACES or not isinstance(names, str):
            return False
        if not all(each.strip().startswith("-") for each in names.split(",")):
            return False
        word = named_flags.option(self.words, names)
        kind = self._type_of(place, frame)
        if word is not None:
            known = number(word, kind) if kind is not None else None
            value: Any = known.number if known is not None else UNKNOWN
            if isinstance(self.value(place, frame), str):
                value = word
            self._put(place, 1 if name == "add_flag" else value, frame)
        return True

    def _through(
        self, held: Any, arguments: Sequence[Node], frame: Frame, on: Record | None
    ) -> Any:
        """A call of what a variable or a member holds."""
        if isinstance(held, Lambda):
            return self._called(held.node, self._bound(held.node, arguments, frame), held.frame)
        if isinstance(held, Callee):
            *scopes, last = held.name.split("::")
            found = self._functions(scopes, last, len(arguments), Call(held.place, Cells()))
            if found is not None and len(found[0]) == 1:
                return self._invoke(found[0][0], arguments, frame, None)
        self._left_out()
        return self._unseen(arguments, frame, on)

    def _of_array(
        self, on: Array, name: str, arguments: Sequence[Node], values: Sequence[Any], frame: Frame
    ) -> Any:
        if name in ("push_back", "emplace_back") and isinstance(on.size, int):
            one = values[0] if len(values) == 1 else UNKNOWN
            is_made = isinstance(one, Record) and one.class_ == named(on.kind).name
            is_list = len(arguments) == 1 and arguments[0].type == "initializer_list"
            if not is_made and on.kind and (name == "emplace_back" or one is UNKNOWN or is_list):
                form = "(" if name == "emplace_back" else "="
                given = arguments
                if is_list:
                    given, form = children_of(arguments[0]), "{"
                one = self._construct(on.kind, given, frame, form)
            elif (kind := self._kind(on.kind, frame.place)) is not None:
                one = self._given(on.kind, one, frame, frame.place) if kind else one
            on[on.size] = copied(one)
            on.size += 1
            return on[on.size - 1]
        return containers.of_array(on, name, values)

    def _by_operator(self, on: Record, arguments: Sequence[Node], frame: Frame) -> Any:
        """A call of an object."""
        found = methods(self.project, on.class_, "operator()", len(arguments), on.file)
        return self._unseen(arguments, frame, on, found)

    def _unseen(
        self,
        arguments: Sequence[Node],
        frame: Frame,
        on: Record | None,
        among: Sequence[tuple[File, Function]] = (),
    ) -> Any:
        """A call of what is not in sight, or of one among several."""
        self._handed_on(arguments, frame)
        self._pass_by(among)
        values = [self.value(each, frame) for each in arguments]
        given = [
            pair
            for at, pair in enumerate(zip(arguments, values, strict=True))
            if not (among and only_reads(among, at))
        ]
        effects = self.summaries.of_all(among, frame.place) if among else ALL
        if effects.everything:
            self._written([a for a, _ in given], [v for _, v in given], frame, by_name=True)
        else:
            places = [self._place(a, frame) for a, _ in given if a.type in PLACES]
            lose_by(effects, [*(v for _, v in given), *(p for p in places if p is not None)])
        lose_by(effects, [on] if on is not None else [])
        return UNKNOWN

    def _handed_on(self, arguments: Sequence[Node], frame: Frame) -> None:
        """Functions that are given to what is not in sight, which may call them."""
        for each in arguments:
            name = frame.place.file.source.text_of(each)
            if each.type == "lambda_expression":
                self._pass_over(each, frame)
            elif each.type == "identifier" and name not in frame.find(name).held:
                files = self.project.neighbours(name)
                self._pass_by((f, m) for f in files for m in f.declarations.by_name.get(name, ()))

    def _has(self, on: Record, name: str, count: int) -> bool:
        return bool(methods(self.project, on.class_, name, count, on.file))

    def _operator_on(self, on: Any, name: str, frame: Frame) -> None:
        """An operator of a class in sight may write to its object, unless it says otherwise."""
        if isinstance(on, Record) and not self.is_const_call(name, on, 1):
            by = methods(self.project, on.class_, name, 1, on.file)
            lose_by(self.summaries.of_all(by, frame.place) if by else ALL, [on])

    def is_const_call(self, name: str, on: Record, count: int) -> bool:
        found = methods(self.project, on.class_, name, count, on.file)
        return bool(found) and all(is_const(f) for _, f in found)


def _declared(function: Node, frame: Frame) -> Node | None:
    """The call that declares the option of which a method further to the right says more."""
    call = function.child_by_field_name("argument")
    while call is not None and call.type == "call_expression":
        inner = call.child_by_field_name("function")
        field = inner.child_by_field_name("field") if inner is not None else None
        if inner is None or field is None:
            return None
        if frame.place.file.source.text_of(field) in _OPTIONS:
            given = children_of(call.child_by_field_name("arguments"))
            return call if len(given) > 1 and given[1].type in PLACES else None
        call = inner.child_by_field_name("argument")
    return None


def _template_of(function: Node) -> list[Node]:
    while function is not None and function.type == "qualified_identifier":
        inner = function.child_by_field_name("name")
        if inner is None:
            break
        function = inner
    listed = function.child_by_field_name("arguments")
    return children_of(listed) if listed is not None else []
