"""Names at one place of the host code: locals, parameters, globals, constants, types.

A question whose answer depends on who calls the function, or on which element of a constant table
is meant, is a *choice*: every alternative really happens, so each gives a launch of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property

from perflint.frontend.source.host.calls import entrances
from perflint.frontend.source.host.calls.frames import Frame, Passed
from perflint.frontend.source.host.calls.lambdas import lambda_argument
from perflint.frontend.source.host.calls.outputs import written_by_calls
from perflint.frontend.source.host.calls.results import call_value
from perflint.frontend.source.host.execution.told import (
    denied,
    is_in_doubt,
    spelled_member,
    told,
    told_apart,
    told_expression,
)
from perflint.frontend.source.host.objects import vector_lists
from perflint.frontend.source.host.objects.class_templates import argument_of_object
from perflint.frontend.source.host.objects.containers import length
from perflint.frontend.source.host.objects.getters import got
from perflint.frontend.source.host.objects.maps import mapped
from perflint.frontend.source.host.objects.object_methods import of_object, own_field
from perflint.frontend.source.host.objects.origins import member_value
from perflint.frontend.source.host.objects.stored_elements import stored
from perflint.frontend.source.host.objects.tensors import size_of_list, tensor_value
from perflint.frontend.source.host.options import program_arguments, run_settings
from perflint.frontend.source.host.options.keyed_options import keyed_condition
from perflint.frontend.source.host.values import conditions, local_values, outer_values, type_names
from perflint.frontend.source.host.values.choices import Session, UndecidedError
from perflint.frontend.source.host.values.dispatch import alternatives_at
from perflint.frontend.source.host.values.global_writes import is_set_here
from perflint.frontend.source.host.values.host_values import (
    MAKERS,
    chosen_element,
    components,
    element_by_turn,
    table_element,
)
from perflint.frontend.source.host.values.loop_counters import counter_value
from perflint.frontend.source.host.values.loops import value_in
from perflint.frontend.source.host.values.range_loops import in_turn
from perflint.frontend.source.host.values.roots import (
    MEMBER,
    doubted,
    root_expression,
    root_variable,
)
from perflint.frontend.source.host.values.runtime_status import status_of_call
from perflint.frontend.source.host.values.statement_macros import inside_macro
from perflint.frontend.source.language.c_types import ELEMENTS, CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition, Parameter, Region
from perflint.frontend.source.language.lookup import Declared, Hidden, Names, type_of_words
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.model import TemplateParameter
from perflint.frontend.source.language.reaching_definitions import PARAMETER, Body, is_of_range
from perflint.frontend.source.language.tokens import closing, spell, split, tokenize
from perflint.frontend.source.project.callers import Entrance
from perflint.frontend.source.project.files import File

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
        self.bound = bound or {}  #: values given to parameters
        self.function: Function | None = file.declarations.function_at(at)
        #: the call through which evaluation came into the function; None: whoever calls it
        self.frame = frame if frame is not None and frame.function is self.function else None

    @cached_property
    def macros(self) -> Mapping[str, Macro]:
        return self.file.macros_at(self.at)

    def moved(self, at: int) -> Environment:
        """The names at another place of the same file."""
        return Environment(self.session, self.file, at, self.outer, frame=self.frame)

    def under(self, session: Session) -> Environment:
        """The names at the same place, in another session."""
        outer = None if self.outer is None else self.outer.under(session)
        return Environment(session, self.file, self.at, outer, self.bound)

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
        bound = tuple((n, v, v and v.term) for n, v in self.bound.items())
        return (id(self.file), self.at, self.frame_key, bound)

    def body(self) -> Body | None:
        """The enclosing function's definitions."""
        return None if self.function is None else self.file.body(self.function)

    def elsewhere(
        self, file: File, at: int, bound: Mapping[str, Value] | None = None
    ) -> Environment:
        """The names at a place of any file, in the same session."""
        return Environment(self.session, file, at, bound=bound)

    def at_call(self, file: File, at: int, outer: tuple[File, int] | None) -> Environment:
        """As `elsewhere`, in what a macro expands to that is used at `outer`."""
        around = None if outer is None else self.elsewhere(*outer)
        return Environment(self.session, file, at, around)

    @cached_property
    def place(self) -> tuple[str, ...]:
        """The namespaces and classes whose names are in sight, the nearest last: bases, too."""
        scopes = self.file.declarations.scopes_at(self.at)
        plain = {s.name for s in scopes if not s.is_class}  # of which nothing is derived
        lineage = self.session.project.lineage
        lineages = ((name,) if name in plain else lineage(name) for name in self.around)
        above = dict.fromkeys(c for line in lineages for c in reversed(line))
        return (*(c for c in above if c not in self.around), *self.around)

    @cached_property
    def around(self) -> tuple[str, ...]:
        """The namespaces and classes around the place, by name."""
        around = [s.name for s in self.file.declarations.scopes_at(self.at)]
        written = self.function.qualified.split("::")[:-1] if self.function is not None else []
        return (*around, *written)

    def variable(self, name: str) -> Value | None:
        if name in self.bound:
            return self.bound[name]
        return self._as_run(lambda: self.lookup(name, None), name)

    def _as_run(
        self, find: Callable[[], Value | None], name: str, member: str | None = None
    ) -> Value | None:
        """A value as the source gives it, or as the program's run read it, where that tells."""
        owner = self.function.node.id if self.function is not None else None
        if member is None and self.session.is_unset(owner, name):
            return root_variable(self, name, None) if self.inventing else None
        try:
            found = find()
        except UndecidedError:
            if (known := told(self, name, member)) is not None:
                return known
            raise
        if found is None or found.term is not None or self.denied(name, member, found):
            then = told_apart(self, name, member)
            if then is not None:
                return then
        if self.denied(name, member, found):
            return root_variable(self, name, member) if self.inventing else None
        written = spelled_member(name, member)
        if found is not None and self._leaves_open(written):
            return doubted(self, written, found)
        if found is not None and found.term is None and self.frame is not None:
            return found  # of this call
        known = told(self, name, member, found)
        return found if known is None else known

    def denied(
        self, name: str, member: str | None, found: Value | None, default: bool = False
    ) -> bool:
        """Whether the run of the program was here, and had no such value."""
        return denied(self, spelled_member(name, member), found, default)

    def member(self, name: str, field: str) -> Value | None:
        if (key := f"{name}.{field}") in self.bound:
            return self.bound[key]
        return self._as_run(lambda: self._member(name, field, key), name, field)

    def _member(self, name: str, field: str, key: str) -> Value | None:
        named = not field.startswith("[") and self.declared_words(name)[0] != "dim3"
        if self.inventing and named and (said := member_value(self, key)) is not None:
            return said  # before anything is invented
        found = self.lookup(name, field)
        return member_value(self, key) if found is None and named else found

    def path(self, text: str) -> Value | None:
        return self._where_run(text, member_value(self, text), self._leaves_open(text))

    def _where_run(self, text: str, found: Value | None, is_open: bool) -> Value | None:
        """What the source gives an expression, or what it was in the program's run."""
        if denied(self, text, found):
            return None
        if found is not None and is_open:
            return doubted(self, text, found)
        known = told_expression(self, text)
        same = known is None or (found is not None and found.number == known.number)
        return found if same else known

    def lookup(self, name: str, member: str | None) -> Value | None:
        owner = self.function.node.id if self.function is not None else None
        key = (id(self.file), owner, self.at, name, member, self.frame_key, self.session.mode)
        if key not in self.session.answers and self.session.refuses(key):
            return None
        alone = self.outer is not None or bool(self.bound)
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
        if (inside := inside_macro(self, name)) is not None:
            return inside.lookup(name, member)
        if body is not None and function is not None:
            if self.is_local(name):
                more = written_by_calls(self, name)
                value = self._local(name, member, more)
                if value is None and more and self.inventing:
                    kept = self._local(name, member, ())
                    return kept if kept is not None and kept.term is not None else None
                return value
            if parameter := function.template_parameter(name):
                return None if member else self._template_value(function, parameter)
            if member is None and (of_class := argument_of_object(name, self)) is not None:
                return fold(*of_class)
            given = lambda_argument(self, name)
            if given is not None:
                return local_values.of_lambda(self, given, name, member)
            if own_field(self, name) is not None:
                own = member_value(self, f"this.{name}.{member}" if member else f"this.{name}")
                return of_object(self, name) if own is None and not member else own
            if is_set_here(self, name, member):
                value = self._local(name, member, written_by_calls(self, name))
                if value is not None:
                    return value
        return outer_values.global_value(self, name, member)

    def _local(self, name: str, member: str | None, more: Sequence[Definition]) -> Value | None:
        """The value of a variable of the function around the place; `more` are writes of calls."""
        body, function = self.body(), self.function
        assert body is not None and function is not None
        outer = not self.is_local(name)
        last = body.last(name, self.at, member, self._decides, more, outer)
        definition = last if isinstance(last, Definition) and last.known else None
        pinned = self.session.pinned((function.node.id, name, _identity(definition)))
        if pinned is not None and member is None:
            return pinned
        if definition is None:
            if isinstance(last, Definition) and is_of_range(last):
                return in_turn(self, name, member)
            value = None if member or more else self._counter(name)
            value = local_values.changed(self, name, member, last) if value is None else value
            if value is None and not (member or more):
                value = self._in_turn(name)
            return local_values.merged(self, name, member, last) if value is None else value
        if definition.call is not None:
            return local_values.output(self, definition, member)
        if definition is PARAMETER:
            return entrances.parameter_value(self, function, name, member)
        if (same := body.named_by(definition, self.at)) is not None:
            return self.member(same, member) if member else self.variable(same)
        if (path := body.path_named_by(definition, self.at)) is not None:
            return self.path(f"{path}.{member}" if member else path)
        return local_values.value_of(self, name, definition, member, body.visible(name, self.at))

    def _in_turn(self, name: str) -> Value | None:
        """The value of a variable that the loop around the place changes with its counter."""
        with self.session.reading():
            return value_in(self, name)

    def _counter(self, name: str) -> Value | None:
        """The value of a loop's counter, of which turns are only counted where they are known."""
        with self.session.reading():
            return counter_value(self, name)

    def pointee(self, name: str) -> Value | None:
        """The value of `*name`, a parameter of the function around the place."""
        return local_values.pointee(self, name)

    def reaching(
        self, name: str, member: str | None = None, more: Sequence[Definition] = ()
    ) -> Definition | None:
        """The definition of a local variable that holds here; see reaching.Body."""
        body = self.body()
        return None if body is None else body.reaching(name, self.at, member, self.is_taken, more)

    def is_taken(self, region: Region) -> bool | None:
        """Whether a branch is taken on the way to a place."""
        return conditions.is_taken(self, region)

    def _decides(self, region: Region) -> bool | None:
        """As `is_taken`, for a number: None where it is a formula of both arms."""
        return conditions.decides(self, region)

    def is_chosen(self, condition: str) -> bool:
        """Whether it is chosen in this session that a condition holds, or not."""
        return self.session.is_chosen(self._owner, condition)

    def holds(self, condition: str) -> bool | None:
        """Whether a condition holds; one that is out of sight is a choice."""
        return conditions.holds(self, condition)

    def branch(self, condition: str, clamped: bool = False) -> bool | None:
        if clamped and not self.session.asking:
            return None
        if (given := keyed_condition(self, condition)) is not None:
            return given
        self.session.ask(condition, self)
        return self.session.branch(self._owner, condition, self.frame is not None)

    def presume(self, condition: str, holds: bool) -> None:
        """What stands around a launch: while values are invented it is not chosen otherwise."""
        self.session.presume(self._owner, condition, holds)

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
        known = told_expression(self, hidden.text)
        if known is not None or not self.inventing:
            return known
        found = root_expression(self, hidden)
        is_open = self._leaves_open(hidden.text) or (
            hidden.called and is_in_doubt(self, hidden.text)
        )
        return doubted(self, hidden.text, found) if found is not None and is_open else found

    def _leaves_open(self, text: str) -> bool:
        """Whether the program's run read a member here, and did not follow what value it had."""
        return MEMBER.fullmatch(text) is not None and is_in_doubt(self, text)

    def chosen(self, condition: str) -> bool | None:
        if (given := keyed_condition(self, condition)) is not None:
            return given
        self.session.ask(condition, self)
        return self.session.chosen(self._owner, condition)

    def bounded(self, condition: str) -> bool | None:
        return self.branch(condition) if self.session.bounding else None

    def definition_text(self, definition: Definition) -> str:
        """The value as written: an expression or a bracketed list; `()` where there is none."""
        if definition.value is None:
            return "()"
        text = self.file.source.text_of(definition.value)
        # rows begin at multiples of 512 bytes on every GPU to date (textures ask for no more)
        return f"(({text}) + 511) / 512 * 512" if definition.pitch else text

    def components(self, text: str, kind: str = "dim3") -> list[tuple[str, Value | None]] | None:
        """The members of a dim3-like expression; see shapes.components."""
        return components(self, text, kind)

    def is_aggregate(self, name: str) -> bool:
        """Whether a name is a dim3 or a CUDA vector."""
        kind, definition = self.declared_words(name)[0], self.declaration(name)[1]
        if kind == "auto" and definition is not None:
            first = tokenize(self.definition_text(definition))[:1]
            return bool(first) and first[0].text in MAKERS
        return kind in ELEMENTS

    def written_components(self, text: str) -> tuple[str, ...]:
        """The members of an aggregate as it, or a variable's declaration, lists them; or ()."""
        _, definition = self.declaration(text) if text.isidentifier() else ("", None)
        if definition is not None and definition.value is not None:
            text = self.definition_text(definition)
        tokens = tokenize(text)
        tokens = tokens[1:] if tokens and tokens[0].text in MAKERS else tokens
        if len(tokens) < 2 or tokens[0].text not in ("(", "{"):
            return ()
        if closing(tokens, 0) != len(tokens) - 1:
            return ()  # `(n + 63) / 64`
        return tuple(spell(part) for part in split(tokens[1:-1]))

    def declared_type(self, name: str) -> str:
        """A variable's declared type as words; "" where it is not in sight."""
        return self.declaration(name)[0]

    def declaration(self, name: str) -> tuple[str, Definition | None]:
        """A variable's declared type, and its declaration where it is not a parameter."""
        return type_names.declaration(self, name)

    def declared_words(self, name: str) -> tuple[str, int]:
        """A variable's type as words, and how many pointers or extents deep it is."""
        return type_names.declared_words(self, name)

    def initialiser(self, name: str) -> tuple[str, Environment] | None:
        """What an `auto` variable is set from, and where."""
        definition = self.declaration(name)[1]
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
        return type_names.local_alias(self, name)

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
        return entrances.caller_of(self, function)

    def parameter_type(self, parameter: Parameter) -> CType | None:
        """A parameter's scalar type."""
        return type_of_words(parameter.type.split(), self)

    def argument(self, function: Function, position: int) -> tuple[str, Environment] | None:
        """What the caller passes for a parameter, and where; its default where it passes none."""
        return entrances.argument_of(self, function, position)

    def passed(self, function: Function) -> Passed | None:
        """What the function is given in this session, and where that is written."""
        return entrances.passed_to(self, function)

    def template_argument(self, function: Function, name: str) -> tuple[str, Environment] | None:
        """What the caller gives for a template parameter of a function, and where."""
        return entrances.template_argument_of(self, function, name)

    def _template_value(self, function: Function, parameter: TemplateParameter) -> Value | None:
        if parameter.is_type:
            return None
        found = self.template_argument(function, parameter.name)
        return None if found is None else fold(found[0], found[1])

    def constructed(
        self, name: str, file: File, member: Definition
    ) -> tuple[Environment, Definition] | None:
        """What a constructor gives a data member, and where; None if none names it."""
        return outer_values.constructed(self, name, file, member)

    def element(self, name: str, value: Value | None, index: str) -> Value | None:
        if value is not None and value.term is not None:
            if value.term.turns:  # now one element, now another
                return element_by_turn(self, name, value)
            return chosen_element(self, name, index)
        found = size_of_list(self, name, value)
        found = mapped(self, name, value, index) if found is None else found
        found = stored(self, name, value) if found is None else found
        found = vector_lists.element_of(self, name, value) if found is None else found
        return table_element(self, name, value, index) if found is None else found

    def listed(self, text: str, value: Value | None) -> Value | None:
        return vector_lists.element_of(self, text, value)

    def identity(self, name: str) -> object:
        """What tells one local variable from all others; a parameter's is the caller's."""
        return entrances.identity_of(self, name)

    def call(
        self, name: str, texts: Sequence[str], arguments: Sequence[Value | None]
    ) -> Value | None:
        if "." in name or "->" in name:
            found = tensor_value(self, name, texts)
            if name.endswith(".at") and len(texts) == 1:
                found = mapped(self, name.removesuffix(".at"), fold(texts[0], self), texts[0])
            found = length(self, name) if found is None and not texts else found
            found = vector_lists.asked(self, name, list(texts)) if found is None else found
            found = run_settings.asked(self, name, list(texts)) if found is None else found
            return self._returned(name, got(self, name, texts), texts) if found is None else found
        if name.rpartition("::")[2] == "accumulate":
            return vector_lists.accumulated(self, list(texts))
        told = program_arguments.call(self, name, texts)
        if told is None:
            told = call_value(self, name, texts, arguments)
            told = self._returned(name, told, texts) if self._is_own_method(name) else told
        return status_of_call(name, self.file.family) if told is None else told

    def _returned(self, name: str, found: Value | None, texts: Sequence[str]) -> Value | None:
        """What a method returns that only asks its object, whose fields the run may know better."""
        if found is None or texts:
            return found
        text = f"{name}()"
        return self._where_run(text, found, is_in_doubt(self, text))

    def _is_own_method(self, name: str) -> bool:
        """Whether a call by name, inside a method, is one of a method of the same object."""
        if self.function is None or not self.function.method:
            return False
        known = (
            f.declarations.by_name.get(name, ()) for f in self.session.project.neighbours(name)
        )
        return any(each.method for found in known for each in found)

    def type(self, name: str) -> CType | None:
        """The scalar type of a name; None where it is none in sight."""
        return type_names.type_named(self, name)

    def assumes_type(self, name: str) -> bool:
        return type_names.assumes(self, name)

    def declared(self, name: str) -> Declared | None:
        """What a variable is declared as; None where that is not in sight."""
        return type_names.declared_as(self, name)


def _identity(definition: Definition | None) -> object:
    return None if definition is None else definition.start
