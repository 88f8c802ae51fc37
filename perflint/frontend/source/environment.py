"""Names at one place of the host code: locals, parameters, globals, constants, types.

A question whose answer depends on who calls the function, or on which element of a constant table
is meant, is a *choice*: every alternative really happens, so each gives a launch of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property

from perflint.frontend.source import c_types, program_arguments
from perflint.frontend.source.c_types import ELEMENTS, UINT, CType, Value
from perflint.frontend.source.calls import call_value
from perflint.frontend.source.choices import DEPTH_LIMIT, Session
from perflint.frontend.source.class_constants import class_constant
from perflint.frontend.source.constant_folding import fold, select
from perflint.frontend.source.containers import length
from perflint.frontend.source.declarations import Function
from perflint.frontend.source.declarators import Definition, Parameter, Region, type_words
from perflint.frontend.source.device_properties import WHY, answered, words
from perflint.frontend.source.dispatch import alternatives_at
from perflint.frontend.source.files import File
from perflint.frontend.source.frames import Frame, Passed, texts_of
from perflint.frontend.source.host_values import (
    AXES,
    MAKERS,
    components,
    counter_value,
    table_element,
)
from perflint.frontend.source.invention import Invention
from perflint.frontend.source.lambdas import lambda_argument, lambda_parameter
from perflint.frontend.source.lookup import Declared, Hidden, Names, type_of_words
from perflint.frontend.source.loops import value_behind, value_in
from perflint.frontend.source.macros import Macro
from perflint.frontend.source.makers import made
from perflint.frontend.source.members import setting_of
from perflint.frontend.source.model import TemplateParameter
from perflint.frontend.source.objects import member_value
from perflint.frontend.source.outputs import pitch, written, written_by_calls
from perflint.frontend.source.project import Entrance
from perflint.frontend.source.reaching_definitions import PARAMETER, POINTEE, Body
from perflint.frontend.source.roots import root_expression, root_variable
from perflint.frontend.source.runtime_status import status, status_of_call
from perflint.frontend.source.statements import step_text
from perflint.frontend.source.struct_fields import listed_field
from perflint.frontend.source.terms import Root
from perflint.frontend.source.tokens import bare, spell, split, tokenize
from perflint.frontend.source.trees import children_of, inner

#: Types of 16 bits that no constant has: only their size is of use.
_TWO_BYTES = ("Half", "BFloat16", "__half", "half", "__nv_bfloat16", "nv_bfloat16")


class Environment(Names):
    """The names in sight at a byte offset of a file."""

    def __init__(
        self,
        session: Session,
        file: File,
        at: int,
        outer: Environment | None = None,
        bound: Mapping[str, Value | None] | None = None,
        frame: Frame | None = None,
    ) -> None:
        self.session = session
        self.file = file
        self.at = at
        self.outer = outer  #: for the expansion of a macro: the place where it is used
        self._bound = bound or {}  #: values given to parameters
        self.function: Function | None = file.declarations.function_at(at)
        #: the call through which evaluation came into the function; None: whoever calls it
        self.frame = frame if frame is not None and frame.function is self.function else None

    @property
    def macros(self) -> Mapping[str, Macro]:
        return self.file.macros_at(self.at)

    def moved(self, at: int) -> Environment:
        """The names at another place of the same file."""
        return Environment(self.session, self.file, at, self.outer, frame=self.frame)

    def knowing(self, at: int, bound: Mapping[str, Value | None]) -> Environment:
        """The names at another place of the same file, where some variables' values are given."""
        return Environment(self.session, self.file, at, self.outer, bound, self.frame)

    def inside(self, file: File, function: Function, frame: Frame) -> Environment:
        """The names at the start of a function that is called, with what the call gives it."""
        return Environment(self.session, file, function.node.start_byte, frame=frame)

    @property
    def frame_key(self) -> object:
        """What tells one call of the function around the place from another."""
        return self.frame.key if self.frame is not None else None

    @property
    def key(self) -> object:
        """Equal for two places at which every name has the same value."""
        bound = tuple((n, v, v and v.term) for n, v in self._bound.items())
        return (id(self.file), self.at, self.frame_key, bound)

    def body(self) -> Body | None:
        """The enclosing function's definitions."""
        return None if self.function is None else self.file.body(self.function)

    def elsewhere(
        self, file: File, at: int, bound: Mapping[str, Value] | None = None
    ) -> Environment:
        """The names at a place of any file, in the same session."""
        return Environment(self.session, file, at, bound=bound)

    @cached_property
    def place(self) -> tuple[str, ...]:
        """The namespaces and classes whose names are in sight, the nearest last: bases, too."""
        lineages = (self.session.project.lineage(name) for name in self.around)
        above = dict.fromkeys(c for line in lineages for c in reversed(line))
        return (*(c for c in above if c not in self.around), *self.around)

    @cached_property
    def around(self) -> tuple[str, ...]:
        """The namespaces and classes around the place, by name."""
        around = [s.name for s in self.file.declarations.scopes_at(self.at)]
        written = self.function.qualified.split("::")[:-1] if self.function is not None else []
        return (*around, *written)

    def variable(self, name: str) -> Value | None:
        return self._bound[name] if name in self._bound else self._lookup(name, None)

    def member(self, name: str, field: str) -> Value | None:
        if (key := f"{name}.{field}") in self._bound:
            return self._bound[key]
        found = self._lookup(name, field)
        if found is None and not field.startswith("[") and self._declaration(name)[0] != "dim3":
            found = member_value(self, f"{name}.{field}")
        return found

    def path(self, text: str) -> Value | None:
        return member_value(self, text)

    def _lookup(self, name: str, member: str | None) -> Value | None:
        owner = self.function.node.id if self.function is not None else None
        key = (id(self.file), owner, self.at, name, member, self.frame_key, self.session.mode)
        if key not in self.session.answers and self.session.refuses(key):
            return None
        alone = self.outer is not None or bool(self._bound)
        return self.session.remembered(key, lambda: self._looked_up(key, name, member), not alone)

    def _looked_up(self, key: object, name: str, member: str | None) -> Value | None:
        with self.session.look_up(key) as allowed:
            if not allowed:
                return None
            value = self._find(name, member)
            if value is None and self.inventing:
                value = root_variable(self, name, member)
            return value

    def _find(self, name: str, member: str | None) -> Value | None:
        body, function = self.body(), self.function
        text = None if member or "::" in name or self.is_local(name) else self.dispatched(name)
        if text is not None:
            return fold(text, self)
        if body is not None and function is not None:
            if self.is_local(name):
                more = written_by_calls(self, name)
                last = body.last(name, self.at, member, self._is_taken, more)
                definition = last if isinstance(last, Definition) and last.known else None
                pinned = self.session.pinned((function.node.id, name, _identity(definition)))
                if pinned is not None and member is None:
                    return pinned
                if definition is None:
                    value = None if member or more else self._counter(name)
                    value = self._changed(name, member, last) if value is None else value
                    if value is None and not (member or more):
                        value = self._in_turn(name)
                    return self._merged(name, member, last) if value is None else value
                if definition.call is not None:
                    return self._output(definition, member)
                if definition is PARAMETER:
                    return self._parameter(function, name, member)
                return self._value_of(name, definition, member, body.visible(name, self.at))
            if parameter := function.template_parameter(name):
                return None if member else self._template_value(function, parameter)
            given = lambda_argument(self, name)
            if given is not None:
                return self._of_lambda(given, name, member)
        return self._global(name, member)

    def _changed(
        self, name: str, member: str | None, found: Definition | Region | None
    ) -> Value | None:
        """The value of a variable that a step or a loop before the place has changed."""
        if isinstance(found, Region):
            return value_behind(self, name if member is None else f"{name}.{member}", found)
        if found is None or found.step is None or found.member != member:
            return None
        kind = self._declaration(name)[0]
        target = ELEMENTS.get(kind) if member else type_of_words(kind.split(), self)
        if target is None:
            return None
        with self.session.look_up(("step", found.start, self.frame_key)) as allowed:
            there = self.moved(found.start)
            value = fold(step_text(found.step, self), there) if allowed else None
        return c_types.convert(value, target)

    def _merged(
        self, name: str, member: str | None, last: Definition | Region | None
    ) -> Value | None:
        """The value of a variable that one arm of a branch before the place sets, as a formula.

        What decides the branch is not known, but is computed of roots.
        """
        body = self.body()
        if not self.inventing or last is not None or body is None:
            return None
        branch = body.branch_behind(name, self.at, member)
        condition = branch.child_by_field_name("condition") if branch is not None else None
        if branch is None or condition is None:
            return None
        text = spell(bare(tokenize(self.file.source.text_of(condition))))
        holds = fold(text, self.moved(condition.start_byte))
        if holds is None or holds.term is None or holds.term.turns:
            return None
        arms = [branch.child_by_field_name(f) for f in ("consequence", "alternative")]
        ends = [branch.start_byte if arm is None else arm.end_byte - 1 for arm in arms]
        one, other = (self.moved(end)._lookup(name, member) for end in ends)
        return None if one is None or other is None else select(holds, one, other)

    def _in_turn(self, name: str) -> Value | None:
        """The value of a variable that the loop around the place changes with its counter."""
        with self.session.reading():
            return value_in(self, name)

    def _counter(self, name: str) -> Value | None:
        """The value of a loop's counter, of which turns are only counted where they are known."""
        with self.session.reading():
            return counter_value(self, name)

    def _of_lambda(
        self, given: list[tuple[str, Environment]], name: str, member: str | None
    ) -> Value | None:
        """The value of a lambda's parameter, or of a member of it, that one call gives it."""
        if not given:
            return None
        text, there = given[0]
        kind = self._declaration(name)[0]
        if member is not None and kind in ELEMENTS and member in AXES:
            parts = there.components(text, kind)
            index = AXES.index(member)
            return parts[index][1] if parts is not None and index < len(parts) else None
        if member is not None:
            return member_value(there, f"{text}.{member}")
        value = fold(text, there)
        target = type_of_words(kind.split(), self)
        return c_types.convert(value, target) if target is not None else value

    def _output(self, definition: Definition, member: str | None) -> Value | None:
        """What a call leaves in a variable, or in a member of it."""
        if (expression := pitch(self, definition)) is not None:
            return c_types.convert(fold(expression, self.moved(definition.start)), c_types.ULONG)
        found = written(self, definition)
        if found is None:
            return None
        name, there, pointer = found
        if member is None and pointer:
            return there.pointee(name)
        return there.variable(name) if member is None else there.member(name, member)

    def pointee(self, name: str) -> Value | None:
        """The value of `*name`, a parameter of the function around the place."""
        definition = self.reaching(name, POINTEE)
        function = self.function
        if definition is None or function is None:
            return None
        kind = self.parameter_type(function.parameters[function.position(name)])
        if definition is PARAMETER:
            passed = self.argument(function, function.position(name))
            if passed is None or not passed[0].startswith("&"):
                return None
            return fold(passed[0][1:], passed[1])
        if definition.member != POINTEE or kind is None:
            return None
        return c_types.convert(
            fold(self.definition_text(definition), self.moved(definition.start)), kind
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
        if member is not None and member.startswith("["):
            return self._element_of(definition, member, declaration)
        if declaration is not None and (declaration.pointers or declaration.extents):
            return None
        if member is not None:
            element = ELEMENTS.get(kind) or (UINT if kind == "auto" else None)
            if definition.member is not None:
                value = fold(there.definition_text(definition), there)
                return value if element is None else c_types.convert(value, element)
            if element is None:
                return listed_field(there, kind, definition.value, member)
            if definition.value is None and kind != "dim3":
                return None
            parts = there.components(self.definition_text(definition), kind)
            index = AXES.index(member) if member in AXES else 9
            if parts is None or index >= len(parts):
                return None
            return c_types.convert(parts[index][1], element)
        if definition.value is None:
            return None
        value = fold(inner(self.definition_text(definition)), there)
        if kind == "auto":
            return value
        target = type_of_words(kind.split(), self)
        return None if target is None else c_types.convert(value, target)

    def _element_of(
        self, definition: Definition, member: str, declaration: Definition | None
    ) -> Value | None:
        """The value that a definition gives the element `member` of an array."""
        if declaration is None or declaration.pointers or len(declaration.extents) != 1:
            return None
        there = self.moved(definition.start)
        value: Value | None = None
        if definition.member is not None:
            value = fold(there.definition_text(definition), there)
        elif definition.value is not None and definition.value.type == "initializer_list":
            items, position = children_of(definition.value), int(member[1:-1])
            if position < len(items):
                value = fold(self.file.source.text_of(items[position]), there)
            elif declaration.extents:
                value = Value(0, c_types.INT)  # what a list leaves out is zero
        target = type_of_words(declaration.type.split(), self)
        return None if target is None else c_types.convert(value, target)

    def reaching(
        self, name: str, member: str | None = None, more: Sequence[Definition] = ()
    ) -> Definition | None:
        """The definition of a local variable that holds here; see reaching.Body."""
        body = self.body()
        return None if body is None else body.reaching(name, self.at, member, self._is_taken, more)

    def _is_taken(self, region: Region) -> bool | None:
        condition = region.node.child_by_field_name("condition")
        if condition is None:
            return None
        text = self.file.source.text_of(condition).strip()
        holds = self.moved(condition.start_byte).holds(text)
        return None if holds is None else holds == (region.kind == "then")

    def holds(self, condition: str) -> bool | None:
        """Whether a condition holds; one that is out of sight is a choice."""
        text = spell(bare(tokenize(condition)))
        with self.session.reading():
            value = fold(text, self)
        if value is not None and value.term is not None and value.term.turns:
            return None  # now this, now that
        if value is None and (told := self._answered(text)) is not None:
            self.session.note("runs", f"`{text}` is {str(told).lower()}, {WHY}")
            return told
        return self.branch(text) if value is None else bool(value.number)

    def _answered(self, condition: str) -> bool | None:
        """Whether a condition holds that hangs on nothing but what the GPU is asked."""
        function, session, body = self.function, self.session, self.body()
        if function is None or body is None or not session.answering:
            return None
        if not answered(body, function.source.text_of(function.node)) & words(condition):
            return None
        alone = self.outer is not None or bool(self._bound)
        key = ("answer", condition, self.key)
        return session.remembered(key, lambda: self._answer(condition), not alone)

    def _answer(self, condition: str) -> bool | None:
        session, invention = self.session, Invention()
        fresh = Session(session.project, session.choices, invention=invention, answering=False)
        there = Environment(fresh, self.file, self.at, self.outer, self._bound)
        told = _answer(fold(condition, there), tuple(invention.roots.values()))
        for kind, key, value in fresh.notes:
            if kind == "choice":
                session.note(kind, key, value)
            session.cuts += kind == "asks"
        return told

    def branch(self, condition: str, clamped: bool = False) -> bool | None:
        if clamped and not self.session.asking:
            return None
        self.session.asked.append((condition, self))
        return self.session.branch(self._owner, condition, self.frame is not None)

    @property
    def _owner(self) -> object:
        """Whose conditions are asked about: a function's, or those of one call of it."""
        if self.frame is not None:
            return self.frame_key
        return self.function.node.id if self.function is not None else id(self.file)

    @property
    def inventing(self) -> bool:
        return self.session.inventing

    def reading(self) -> AbstractContextManager[None]:
        return self.session.reading()

    def unreadable(self, hidden: Hidden) -> Value | None:
        return root_expression(self, hidden) if self.inventing else None

    def chosen(self, condition: str) -> bool | None:
        self.session.asked.append((condition, self))
        return self.session.chosen(self._owner, condition)

    def bounded(self, condition: str) -> bool | None:
        return self.branch(condition) if self.session.bounding else None

    def definition_text(self, definition: Definition) -> str:
        """The value as written: an expression or a bracketed list; `()` where there is none."""
        if definition.value is None:
            return "()"
        return self.file.source.text_of(definition.value)

    def components(self, text: str, kind: str = "dim3") -> list[tuple[str, Value | None]] | None:
        """The members of a dim3-like expression; see shapes.components."""
        return components(self, text, kind)

    def is_aggregate(self, name: str) -> bool:
        """Whether a name is a dim3 or a CUDA vector."""
        kind, definition = self._declaration(name)
        if kind == "auto" and definition is not None:
            first = tokenize(self.definition_text(definition))[:1]
            return bool(first) and first[0].text in MAKERS
        return kind in ELEMENTS

    def written_components(self, text: str) -> tuple[str, ...]:
        """The members of an aggregate as it, or a variable's declaration, lists them; or ()."""
        _, definition = self._declaration(text) if text.isidentifier() else ("", None)
        if definition is not None and definition.value is not None:
            text = self.definition_text(definition)
        tokens = tokenize(text)
        tokens = tokens[1:] if tokens and tokens[0].text in MAKERS else tokens
        if len(tokens) < 2 or tokens[0].text not in ("(", "{"):
            return ()
        return tuple(spell(part) for part in split(tokens[1:-1]))

    def declared_type(self, name: str) -> str:
        """A variable's declared type as words; "" where it is not in sight."""
        return self._declaration(name)[0]

    def _declaration(self, name: str) -> tuple[str, Definition | None]:
        """A variable's declared type, and its declaration where it is not a parameter."""
        body, function = self.body(), self.function
        if body is not None and function is not None:
            local = body.visible(name, self.at)
            if local is not None:
                return local.type, local
            if inner := lambda_parameter(self, name):
                return inner[2].type, None
            if parameter := function.parameter(name):
                return parameter.type, None
        if self.outer is not None:
            return self.outer._declaration(name)
        found = self.session.project.global_variable(name, self.file, self.place)
        return (found[1].type, found[1]) if found is not None else ("", None)

    def declared_words(self, name: str) -> tuple[str, int]:
        """A variable's type as words, and how many pointers or extents deep it is."""
        function = self.function
        kind, definition = self._declaration(name)
        if definition is not None:
            return kind, definition.pointers + len(definition.extents)
        parameter = function.parameter(name) if function is not None else None
        if not kind and parameter is None:  # a member that is written: its type stays
            found = self.session.project.global_variable(name, self.file, self.place, written=True)
            if found is not None:
                return found[1].type, found[1].pointers + len(found[1].extents)
        return kind, parameter.pointers if parameter is not None else 0

    def initialiser(self, name: str) -> tuple[str, Environment] | None:
        """What an `auto` variable is set from, and where."""
        definition = self._declaration(name)[1]
        if definition is None or definition.value is None:
            return None
        with self.session.look_up(("auto", name)) as allowed:
            there = self.moved(definition.start)
            return (self.definition_text(definition), there) if allowed else None

    def names_type(self, name: str) -> bool:
        """Whether a name is a type of the function's: a template parameter or an alias in it."""
        return self.is_template_type(name) or self.local_alias(name) is not None

    def is_declared_type(self, name: str) -> bool:
        """Whether a file of the program declares a type of this name."""
        known = (file.declarations for file in self.file.family)
        return any(name in d.structs or name in d.typedefs for d in known)

    def is_local(self, name: str) -> bool:
        """Whether a name is a variable or parameter of the function around the place."""
        body = self.body()
        return body is not None and (
            body.visible(name, self.at) is not None or name in body.parameters
        )

    def is_template_type(self, name: str) -> bool:
        """Whether a name is a type parameter of the function around the place."""
        function = self.function
        return function is not None and any(p.is_type and p.name == name for p in function.template)

    def local_alias(self, name: str) -> tuple[str, Environment] | None:
        """What an alias inside a function or class stands for, and where it is declared."""
        for file in self.file.family:
            for node in file.declarations.typedefs.get(name, ()):
                around = file.declarations.function_at(node.start_byte)
                scopes = file.declarations.scopes_at(node.start_byte)
                own = around is not None and around is self.function
                if not own and not any(s.is_class and s.name in self.place for s in scopes):
                    continue
                target = node.child_by_field_name("type")
                if target is not None:
                    there = Environment(self.session, file, node.start_byte)
                    return file.source.text_of(target), there
        return None

    def dispatched(self, name: str) -> str | None:
        """What a dispatch macro around the place declares a name to be."""
        start = self.function.node.start_byte if self.function is not None else 0
        found = alternatives_at(self.file, start, self.at)
        if not any(name in names for names in found):
            return None
        index = self.session.choose(found.key, len(found))
        if index is None:
            return None
        if index >= found.first:
            self.session.note("spare", None)
        return found[index].get(name)

    def caller(self, function: Function) -> Entrance | None:
        """How the function is entered in this session."""
        sites = self.session.project.callers(function)
        index = self.session.choose(("caller", function.node.id), len(sites))
        if index is None or not sites:
            return None
        self.session.note("entered", function.node.id, sites[index])
        # Of explicit instantiations for types, one is like the other.
        if _names_types(sites[index]) and any(map(_names_types, sites[:index])):
            self.session.note("spare", None)
        return sites[index]

    def _parameter(self, function: Function, name: str, member: str | None) -> Value | None:
        position = function.position(name)
        parameter = function.parameters[position]
        if name == "argc" or (function.name == "main" and not position):
            return program_arguments.count(self, name)
        found = self.argument(function, position)
        if found is None or (parameter.pointers and member is None):
            return None
        text, there = found
        if member is not None and member.startswith("["):
            return there.member(text, member) if text.isidentifier() else None
        if member is not None:
            element = ELEMENTS.get(parameter.type)
            parts = there.components(text, parameter.type)
            if element is None or parts is None or member not in AXES[: len(parts)]:
                return None
            return c_types.convert(parts[AXES.index(member)][1], element)
        target = self.parameter_type(parameter)
        value = fold(text, there)
        return value if target is None else c_types.convert(value, target)

    def parameter_type(self, parameter: Parameter) -> CType | None:
        """A parameter's scalar type."""
        return type_of_words(parameter.type.split(), self)

    def argument(self, function: Function, position: int) -> tuple[str, Environment] | None:
        """What the caller passes for a parameter, and where; its default where it passes none."""
        parameter = function.parameters[position]
        given = self.passed(function)
        if given is None:
            alone = not self.session.project.callers(function)
            if alone and parameter.default is not None:
                return parameter.default, self.moved(function.node.start_byte)
            return None
        if given.arguments is None:
            return None
        if position < len(given.arguments):
            return given.arguments[position], given.place
        if parameter.default is not None:
            return parameter.default, self.moved(function.node.start_byte)
        return None

    def passed(self, function: Function) -> Passed | None:
        """What the function is given in this session, and where that is written."""
        if self.frame is not None and self.frame.function is function:
            return self.frame.passed
        site = self.caller(function)
        if site is None:
            return None
        template = tuple(site.file.source.text_of(n) for n in site.template or ())
        if site.call is not None:
            there = Environment(self.session, site.file, site.call.node.start_byte)
            return Passed(texts_of(site.call, site.file), template, there)
        at = site.template[0].start_byte if site.template else 0
        return Passed(None, template, Environment(self.session, site.file, at))

    def template_argument(self, function: Function, name: str) -> tuple[str, Environment] | None:
        """What the caller gives for a template parameter of a function, and where."""
        parameter = function.template_parameter(name)
        if parameter is None:
            return None
        position = function.template.index(parameter)
        given = self.passed(function)
        if given is not None and position < len(given.template):
            return given.template[position], given.place
        default = parameter.default
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
        if last != name and member is None:  # an alias may be called as the template it names
            value = class_constant(name, self)
            if value is not None:
                return value
        project = self.session.project
        enumerator = project.enumerator(name, self.file, self.place)
        if enumerator is not None and member is None:
            file, text, offset, _ = enumerator
            value = fold(text, Environment(self.session, file, enumerator[3])) if text else None
            start = value if text else Value(0, c_types.INT)
            return c_types.binary("+", start, Value(offset, c_types.INT))
        found = project.global_variable(name, self.file, self.place)
        if found is None:
            set_once = self._set_once(name, member)
            return status(name) if set_once is None and member is None else set_once
        file, definition = found
        there = Environment(self.session, file, definition.start)
        constructed = self.constructed(last, file, definition)
        if constructed is not None:
            there, definition = constructed
        return there._value_of(last, definition, member, found[1])

    def _set_once(self, name: str, member: str | None) -> Value | None:
        """The value of a variable out of functions that one place in the program writes."""
        with self.session.look_up(("set", name, self.place)) as allowed:
            found = setting_of(self, name) if allowed else None
            if found is None:
                return None
            text, there, kind = found
            if member is not None:
                return member_value(there, f"{text}.{member}") if kind != "dim3" else None
            target = type_of_words(kind.split(), there)
            return None if target is None else c_types.convert(fold(inner(text), there), target)

    def constructed(
        self, name: str, file: File, member: Definition
    ) -> tuple[Environment, Definition] | None:
        """What a constructor gives a data member, and where; None if none names it."""
        scopes = file.declarations.scopes_at(member.start)
        if not scopes or not scopes[-1].is_class:
            return None
        return made(self, name, scopes[-1].name, file)

    def element(self, name: str, value: Value | None, index: str) -> Value | None:
        return table_element(self, name, value, index)

    def identity(self, name: str) -> object:
        """What tells one local variable from all others; a parameter's is the caller's."""
        place: Environment = self
        for _ in range(DEPTH_LIMIT):
            body, function = place.body(), place.function
            if body is None or function is None:
                break
            declaration = body.visible(name, place.at)
            if declaration is not None:
                return (function.node.id, declaration.start)
            if name not in body.parameters:
                break
            found = place.argument(function, function.position(name))
            if found is None or not found[0].isidentifier():
                return (function.node.id, name)
            name, place = found
        return name

    def call(
        self, name: str, texts: Sequence[str], arguments: Sequence[Value | None]
    ) -> Value | None:
        if "." in name:
            return length(self, name)
        told = program_arguments.call(self, name, texts)
        told = call_value(self, name, texts, arguments) if told is None else told
        return status_of_call(name, self.file.family) if told is None else told

    def type(self, name: str) -> CType | None:
        function = self.function
        macro = self.macros.get(name)
        if macro is not None and macro.known and macro.parameters is None:
            words = [t.text for t in macro.body]
            return None if not words or words == [name] else type_of_words(words, self)
        if function is None or not self.is_template_type(name):
            if self.outer is not None:
                return self.outer.type(name)
            text = self.dispatched(name)
            if text is not None and text != name:
                return c_types.POINTER if "*" in text else type_of_words(text.split(), self)
            return self._named_type(name)
        from perflint.frontend.source.instances import deduced  # it looks names up here

        with self.session.look_up(("type", function.node.id, name)) as allowed:
            if not allowed:
                return None
            found = deduced(name, function, self) or self.template_argument(function, name)
            if found is None:
                return None
            if "*" in found[0]:
                return c_types.POINTER
            return type_of_words(type_words(found[0]).split(), found[1])

    def _named_type(self, name: str) -> CType | None:
        if name.rsplit("::", 1)[-1] in _TWO_BYTES:
            return CType(name, "opaque", 2)
        if name not in self.session.project.type_names(self.file):
            plain = self.session.project.enumeration(name.rsplit("::", 1)[-1], self.file)
            return c_types.INT if plain is not None and not plain[1] else None
        with self.session.look_up(("named type", name)) as allowed:
            return self.session.project.type(name, self, self.file) if allowed else None

    def declared(self, name: str) -> Declared | None:
        body, function = self.body(), self.function
        definition = body.visible(name, self.at) if body is not None else None
        there: Environment = self
        parameter = function.parameter(name) if function is not None else None
        if definition is None and parameter is not None:
            return Declared(self.parameter_type(parameter), parameter.pointers)
        if definition is None and self.outer is not None:
            return self.outer.declared(name)
        if definition is None:
            found = self.session.project.global_variable(name, self.file, self.place, written=True)
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


def _answer(value: Value | None, roots: Sequence[Root]) -> bool | None:
    """The truth of a condition that is computed of nothing but what the GPU answers."""
    if value is None or value.term is None or value.term.turns:
        return None
    return bool(value.number) if all(roots[r].why for r in value.term.roots) else None


def _names_types(site: Entrance) -> bool:
    given = site.template or ()
    return site.call is None and all(n.type == "type_descriptor" for n in given)


def _identity(definition: Definition | None) -> object:
    return None if definition is None else definition.start
