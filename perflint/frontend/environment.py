"""Names at one place of the host code: locals, parameters, globals, constants, types.

A question whose answer depends on who calls the function, or on which element of a constant table
is meant, is a *choice*: every alternative really happens, so each gives a launch of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perflint.frontend import arithmetic
from perflint.frontend.arithmetic import ELEMENTS, UINT, CType, Value
from perflint.frontend.declarations import Function, Parameter, TemplateParameter, type_words
from perflint.frontend.expressions import Declared, fold, type_of_words
from perflint.frontend.macros import ExpansionError, Macro, expand
from perflint.frontend.project import Entrance, File, Project
from perflint.frontend.reaching import PARAMETER, Body, Definition
from perflint.frontend.tokens import closing, spell, split, tokenize
from perflint.frontend.trees import argument_texts, named

if TYPE_CHECKING:
    pass

#: Look-ups one launch may cost; real ones need some dozens.
STEP_LIMIT = 3_000
DEPTH_LIMIT = 24
_AXES = ("x", "y", "z", "w")
_MAKERS = {"dim3", "make_uint3", "make_int3", "make_uint2", "make_int2", "make_uint4", "make_int4"}


class UndecidedError(Exception):
    """The answer needs a choice among several alternatives that all really happen."""

    def __init__(self, key: object, count: int) -> None:
        super().__init__(key, count)
        self.key, self.count = key, count


@dataclass
class Session:
    """One evaluation under one set of choices."""

    project: Project
    choices: Mapping[object, int] = field(default_factory=dict)
    pins: dict[tuple[object, str, object], Value] = field(default_factory=dict)
    memo: dict[tuple[object, ...], Value | None] = field(default_factory=dict)
    entered: dict[int, Entrance] = field(default_factory=dict)  #: the calls that values came from
    running: set[object] = field(default_factory=set)
    steps: int = 0

    def choose(self, key: object, count: int) -> int | None:
        """Which of `count` alternatives holds in this session; None if there are none.

        Raises UndecidedError where there are several and none is chosen yet.
        """
        if key in self.choices:
            return self.choices[key]
        if count > 1:
            raise UndecidedError(key, count)
        return 0 if count == 1 else None

    def enter(self, key: object) -> bool:
        """Whether a look-up may start: not one already running, and within the limits."""
        self.steps += 1
        if key in self.running or len(self.running) > DEPTH_LIMIT or self.steps > STEP_LIMIT:
            return False
        self.running.add(key)
        return True


class Environment:
    """The names in sight at a byte offset of a file. Implements expressions.Names."""

    def __init__(
        self, session: Session, file: File, at: int, outer: Environment | None = None
    ) -> None:
        self.session = session
        self.file = file
        self.at = at
        self.outer = outer  #: for the expansion of a macro: the place where it is used
        self.function: Function | None = file.declarations.function_at(at)

    @property
    def macros(self) -> Mapping[str, Macro]:
        return self.file.macros_at(self.at)

    def moved(self, at: int) -> Environment:
        """The names at another place of the same file."""
        return Environment(self.session, self.file, at, self.outer)

    def body(self) -> Body | None:
        """The enclosing function's definitions."""
        return None if self.function is None else self.file.body(self.function)

    def variable(self, name: str) -> Value | None:
        return self._lookup(name, None)

    def member(self, name: str, field: str) -> Value | None:
        return self._lookup(name, field)

    def _lookup(self, name: str, member: str | None) -> Value | None:
        owner = self.function.node.id if self.function is not None else None
        key = (id(self.file), owner, self.at, name, member)
        if key in self.session.memo:
            return self.session.memo[key]
        if not self.session.enter(key):
            return None
        try:
            value = self._find(name, member)
        finally:
            self.session.running.discard(key)
        self.session.memo[key] = value
        return value

    def _find(self, name: str, member: str | None) -> Value | None:
        body, function = self.body(), self.function
        if body is not None and function is not None:
            if body.visible(name, self.at) is not None or name in body.parameters:
                definition = body.reaching(name, self.at, member)
                pinned = self.session.pins.get((function.node.id, name, _identity(definition)))
                if pinned is not None and member is None:
                    return pinned
                if definition is None or self._is_handed_out(body, name):
                    return None
                if definition is PARAMETER:
                    return self._parameter(function, name, member)
                return self._value_of(name, definition, member, body.visible(name, self.at))
            parameter = next((p for p in function.template if p.name == name), None)
            if parameter is not None:
                return None if member else self._template_value(function, parameter)
        return self._global(name, member)

    def _is_handed_out(self, body: Body, name: str) -> bool:
        """Whether a function that takes it by reference may have changed a variable."""
        declaration = body.visible(name, self.at)
        if declaration is not None and declaration.constant:
            return False
        project = self.session.project
        return any(
            project.takes_reference(function, position, self.file)
            for function, position in body.passed.get(name, ())
        )

    def _value_of(
        self,
        name: str,
        definition: Definition,
        member: str | None,
        declaration: Definition | None,
    ) -> Value | None:
        """The value that a definition gives a variable, or a parameter (no declaration)."""
        there = self.moved(definition.start)
        kind = declaration.type if declaration is not None else self._declaration(name)[0]
        if declaration is not None and (declaration.pointers or declaration.extents):
            return None
        if member is not None:
            element = ELEMENTS.get(kind) or (UINT if kind == "auto" else None)
            if definition.member is not None:
                value = fold(there.definition_text(definition), there)
                return value if element is None else arithmetic.convert(value, element)
            if element is None or (definition.value is None and kind != "dim3"):
                return None
            parts = there.components(self.definition_text(definition), kind)
            index = _AXES.index(member) if member in _AXES else 9
            if parts is None or index >= len(parts):
                return None
            return arithmetic.convert(parts[index][1], element)
        if definition.value is None:
            return None
        value = fold(_inner(self.definition_text(definition)), there)
        if kind == "auto":
            return value
        target = type_of_words(kind.split(), self)
        return None if target is None else arithmetic.convert(value, target)

    def definition_text(self, definition: Definition) -> str:
        """The value as written: an expression or a bracketed list; `()` where there is none."""
        if definition.value is None:
            return "()"
        return self.file.source.text_of(definition.value)

    def components(self, text: str, kind: str = "dim3") -> list[tuple[str, Value | None]] | None:
        """The members of a dim3-like expression, each as written and folded; None if it is none.

        A single number is a dim3's x. Missing members are 1, as dim3's constructor has it.
        """
        try:
            tokens = expand(tokenize(text), self.macros)
        except ExpansionError:
            return None
        while len(tokens) > 2 and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
            if len(split(tokens[1:-1])) > 1:
                break
            tokens = tokens[1:-1]
        written = spell(tokens)
        head = tokens[0].text if tokens else ""
        arguments = None
        if head in _MAKERS and len(tokens) > 2 and closing(tokens, 1) == len(tokens) - 1:
            arguments = argument_texts(spell(tokens[1:]))
        elif head in ("(", "{"):
            arguments = argument_texts(written)
        if arguments is not None:
            missing = "1" if "dim3" in (kind, head) else "0"
            texts = [*arguments, *[missing] * (3 - len(arguments))]
            return [(t, fold(t, self)) for t in texts]
        if len(tokens) == 1 and tokens[0].kind == "name" and self.is_aggregate(head):
            return [(f"{head}.{axis}", self.member(head, axis)) for axis in _AXES[:3]]
        if len(tokens) == 3 and tokens[1].text == "." and tokens[2].text not in _AXES:
            return self._member_components(head, tokens[2].text)
        if kind == "dim3" and tokens:
            return [(written, fold(written, self)), *[("1", Value(1, UINT))] * 2]
        return None

    def _member_components(self, name: str, member: str) -> list[tuple[str, Value | None]] | None:
        """As `components`, for a dim3 in a struct: `config.blockDim = dim3(32, 8)`."""
        body = self.body()
        found = body.reaching(name, self.at, member) if body is not None else None
        if found is None or found.member != member:
            return None
        return self.moved(found.start).components(self.definition_text(found))

    def is_aggregate(self, name: str) -> bool:
        """Whether a name is a dim3 or a CUDA vector."""
        kind, definition = self._declaration(name)
        if kind == "auto" and definition is not None:
            first = tokenize(self.definition_text(definition))[:1]
            return bool(first) and first[0].text in _MAKERS
        return kind in ELEMENTS

    def _declaration(self, name: str) -> tuple[str, Definition | None]:
        """A variable's declared type, and its declaration where it is not a parameter."""
        body, function = self.body(), self.function
        if body is not None and function is not None:
            local = body.visible(name, self.at)
            if local is not None:
                return local.type, local
            parameter = next((p for p in function.parameters if p.name == name), None)
            if parameter is not None:
                return parameter.type, None
        if self.outer is not None:
            return self.outer._declaration(name)
        found = self.session.project.global_variable(name, self.file)
        return (found[1].type, found[1]) if found is not None else ("", None)

    def caller(self, function: Function) -> Entrance | None:
        """How the function is entered in this session."""
        sites = self.session.project.callers(function)
        index = self.session.choose(("caller", function.node.id), len(sites))
        if index is None or not sites:
            return None
        self.session.entered[function.node.id] = sites[index]
        return sites[index]

    def _parameter(self, function: Function, name: str, member: str | None) -> Value | None:
        position = next(i for i, p in enumerate(function.parameters) if p.name == name)
        parameter = function.parameters[position]
        found = self.argument(function, position)
        if found is None or (parameter.pointers and member is None):
            return None
        text, there = found
        if member is not None:
            element = ELEMENTS.get(parameter.type)
            parts = there.components(text, parameter.type)
            if element is None or parts is None or member not in _AXES[: len(parts)]:
                return None
            return arithmetic.convert(parts[_AXES.index(member)][1], element)
        target = self._parameter_type(parameter)
        value = fold(text, there)
        return value if target is None else arithmetic.convert(value, target)

    def _parameter_type(self, parameter: Parameter) -> CType | None:
        return type_of_words(parameter.type.split(), self)

    def argument(self, function: Function, position: int) -> tuple[str, Environment] | None:
        """What the caller passes for a parameter, and where; its default where it passes none."""
        parameter = function.parameters[position]
        site = self.caller(function)
        if site is None:
            alone = not self.session.project.callers(function)
            if alone and parameter.default is not None:
                return parameter.default, self.moved(function.node.start_byte)
            return None
        if site.call is None:
            return None
        if position < len(site.call.arguments):
            text = site.file.source.text_of(site.call.arguments[position])
            return text, Environment(self.session, site.file, site.call.node.start_byte)
        if parameter.default is not None:
            return parameter.default, self.moved(function.node.start_byte)
        return None

    def template_argument(self, function: Function, name: str) -> tuple[str, Environment] | None:
        """What the caller gives for a template parameter of a function, and where."""
        position = next((i for i, p in enumerate(function.template) if p.name == name), None)
        if position is None:
            return None
        site = self.caller(function)
        if site is not None and site.template is not None and position < len(site.template):
            given = site.template[position]
            there = Environment(self.session, site.file, given.start_byte)
            return site.file.source.text_of(given), there
        default = function.template[position].default
        return None if default is None else (default, self.moved(function.node.start_byte))

    def _template_value(self, function: Function, parameter: TemplateParameter) -> Value | None:
        if parameter.is_type:
            return None
        found = self.template_argument(function, parameter.name)
        return None if found is None else fold(found[0], found[1])

    def _global(self, name: str, member: str | None) -> Value | None:
        if self.outer is not None:
            return self.outer._lookup(name, member)
        last = name.rsplit("::", 1)[-1]
        project = self.session.project
        enumerator = project.enumerator(last, self.file)
        if enumerator is not None and member is None:
            file, text, offset = enumerator
            value = fold(text, Environment(self.session, file, file.end)) if text else None
            start = value if text else Value(0, arithmetic.INT)
            return arithmetic.binary("+", start, Value(offset, arithmetic.INT))
        found = project.global_variable(last, self.file)
        if found is None:
            return None
        file, definition = found
        there = Environment(self.session, file, definition.start)
        return there._value_of(last, definition, member, definition)

    def element(self, name: str, index: Value | None) -> Value | None:
        found = self._table(name)
        if found is None:
            return None
        definition, there = found
        items = named(definition.value)
        if index is not None:
            position = int(index.number)
        else:
            chosen = self.session.choose(("element", definition.start, name), len(items))
            if chosen is None:
                return None
            position = chosen
        if not 0 <= position < len(items):
            return None
        value = fold(there.file.source.text_of(items[position]), there)
        target = type_of_words(definition.type.split(), self)
        return None if target is None else arithmetic.convert(value, target)

    def _table(self, name: str) -> tuple[Definition, Environment] | None:
        """The initialised array that a name stands for, if nothing writes to it."""
        body = self.body()
        local = body.visible(name, self.at) if body is not None else None
        if body is not None and (local is not None or name in body.parameters):
            if local is None or (not local.constant and self._may_change(body, name, local)):
                return None
            definition, there = local, self.moved(local.start)
        elif self.outer is not None:
            return self.outer._table(name)
        else:
            found = self.session.project.global_variable(name, self.file)
            if found is None:
                return None
            definition = found[1]
            there = Environment(self.session, found[0], definition.start)
        value = definition.value
        is_list = value is not None and value.type == "initializer_list"
        if not is_list or len(definition.extents) != 1 or definition.pointers:
            return None
        return definition, there

    def _may_change(self, body: Body, name: str, declaration: Definition) -> bool:
        if len(body.writes(name, declaration)) > 1:
            return True
        source = self.file.source
        arguments = (a for c in body.calls for a in named(c.child_by_field_name("arguments")))
        return any(a.type == "identifier" and source.text_of(a) == name for a in arguments)

    def call(self, name: str, arguments: Sequence[Value | None]) -> Value | None:
        """The value of a function that is one `return`, for known arguments."""
        function = self.session.project.inline_function(name, len(arguments), self.file)
        if function is None or None in arguments:
            return None
        file, definition, text, at = function
        key = ("call", id(file), definition.node.id, tuple(arguments))
        if not self.session.enter(key):
            return None
        try:
            bound = {}
            for parameter, value in zip(definition.parameters, arguments, strict=True):
                target = self._parameter_type(parameter)
                is_template = any(t.name == parameter.type for t in definition.template)
                if (target is None and not is_template) or parameter.pointers:
                    return None
                converted = arithmetic.convert(value, target) if target is not None else value
                if converted is None:
                    return None
                bound[parameter.name] = converted
            value = fold(text, _Bound(self.session, file, at, bound))
        finally:
            self.session.running.discard(key)
        kind = definition.node.child_by_field_name("type")
        words = type_words(definition.source.text_of(kind)) if kind is not None else ""
        target = type_of_words(words.split(), self)
        if target is None:
            deduced = {"auto", *(t.name for t in definition.template)}
            return value if words in deduced else None
        return arithmetic.convert(value, target)

    def type(self, name: str) -> CType | None:
        function = self.function
        macro = self.macros.get(name)
        if macro is not None and macro.known and macro.parameters is None:
            words = [t.text for t in macro.body]
            return None if not words or words == [name] else type_of_words(words, self)
        parameter = None
        if function is not None:
            parameter = next((p for p in function.template if p.name == name and p.is_type), None)
        if function is None or parameter is None:
            if self.outer is not None:
                return self.outer.type(name)
            return self._named_type(name)
        if not self.session.enter(("type", function.node.id, name)):
            return None
        try:
            found = self.template_argument(function, name)
            if found is None:
                return None
            if "*" in found[0]:
                return arithmetic.POINTER
            return type_of_words(type_words(found[0]).split(), found[1])
        finally:
            self.session.running.discard(("type", function.node.id, name))

    def _named_type(self, name: str) -> CType | None:
        if not self.session.enter(("named type", name)):
            return None
        try:
            return self.session.project.type(name, self, self.file)
        finally:
            self.session.running.discard(("named type", name))

    def declared(self, name: str) -> Declared | None:
        body, function = self.body(), self.function
        definition = body.visible(name, self.at) if body is not None else None
        there: Environment = self
        if definition is None and function is not None:
            parameter = next((p for p in function.parameters if p.name == name), None)
            if parameter is not None:
                return Declared(self._parameter_type(parameter), parameter.pointers)
        if definition is None and self.outer is not None:
            return self.outer.declared(name)
        if definition is None:
            found = self.session.project.global_variable(name, self.file, written=True)
            if found is None:
                return None
            definition = found[1]
            there = Environment(self.session, found[0], definition.start)
        extents = []
        for node in definition.extents:
            value = None if node is None else fold(there.file.source.text_of(node), there)
            extents.append(None if value is None else int(value.number))
        kind = type_of_words(definition.type.split(), there)
        return Declared(kind, definition.pointers, tuple(extents))


class _Bound(Environment):
    """A function's body with its parameters bound to values."""

    def __init__(self, session: Session, file: File, at: int, values: Mapping[str, Value]) -> None:
        super().__init__(session, file, at)
        self._values = values

    def variable(self, name: str) -> Value | None:
        return self._values[name] if name in self._values else super().variable(name)


def _identity(definition: Definition | None) -> object:
    return None if definition is None else definition.start


def _inner(text: str) -> str:
    """`(5)` and `{5}` as in `int n(5)`: the one value inside."""
    parts = argument_texts(text) if text.startswith("{") else None
    return parts[0] if parts is not None and len(parts) == 1 else text
