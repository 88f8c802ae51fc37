"""What calls do in a run: functions and methods in sight are run, of others is known what they may
write."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.calls.results import takes
from perflint.frontend.source.host.execution import (
    containers,
    named_flags,
    sample_options,
    text_functions,
)
from perflint.frontend.source.host.execution.classes import (
    class_of,
    is_const,
    methods,
    named,
    once,
    only_reads,
)
from perflint.frontend.source.host.execution.effect_summaries import READING
from perflint.frontend.source.host.execution.effects import ALL, Effects, lose_by
from perflint.frontend.source.host.execution.library import PLACES, Library
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    EndedError,
    Frame,
    Lambda,
    Reference,
    ReturnedError,
    StoppedError,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Call,
    Callee,
    Cells,
    Record,
    Table,
    as_kind,
    copied,
    lose,
    pointer_to,
)
from perflint.frontend.source.host.objects.structs import fields
from perflint.frontend.source.host.values.evaluator import TEXT
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.streams import Stream
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.command_lines import number

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.c_types import CType
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File

ENDS = ("exit", "abort", "_exit", "terminate", "usage", "quick_exit", "MPI_Abort")
_CASTS = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
_OBJECTS = (*PLACES, "pointer_expression", "this")  #: what may be an object, and does nothing
#: What declares an option by its names and its variable, as CLI11 has it.
_OPTIONS = ("add_option", "add_flag")
_MAKERS = ("make_unique", "make_shared")
#: From there on launches go into a graph, whose own launches make them.
_CAPTURES = "cudaStreamBeginCapture"


class Calls(Library):
    """Calls; `Run` has the statements."""

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

    def _call_expression(self, node: Node, frame: Frame) -> Any:
        function = node.child_by_field_name("function")
        arguments = children_of(node.child_by_field_name("arguments"))
        if function is None:
            return UNKNOWN
        source = frame.place.file.source
        launched = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
        if launched is not None:
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
        if last in ENDS:
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
            return value
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
            if not is_made and on.kind and (name == "emplace_back" or one is UNKNOWN):
                form = "(" if name == "emplace_back" else "="
                given = arguments
                if len(arguments) == 1 and arguments[0].type == "initializer_list":
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


def _template_of(function: Node) -> list[Node]:
    while function is not None and function.type == "qualified_identifier":
        inner = function.child_by_field_name("name")
        if inner is None:
            break
        function = inner
    listed = function.child_by_field_name("arguments")
    return children_of(listed) if listed is not None else []
