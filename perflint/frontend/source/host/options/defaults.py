"""What the source gives a variable where nobody asks for another value.

`int n = 1024;` before the program's arguments are read, `struct Options { int n = 1024; }`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.outputs import written_by_calls
from perflint.frontend.source.host.objects.makers import own_writes
from perflint.frontend.source.host.objects.members import (
    is_always_set,
    is_nothing,
    writes_to_member,
)
from perflint.frontend.source.host.objects.struct_fields import listed_field
from perflint.frontend.source.host.options import (
    named_options,
    option_loops,
    program_arguments,
    run_settings,
)
from perflint.frontend.source.host.options.named_options import Said
from perflint.frontend.source.host.values.device_properties import words
from perflint.frontend.source.host.values.global_writes import setters
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.language.body_writes import COPIED_FROM
from perflint.frontend.source.language.c_types import ELEMENTS, CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import concerns
from perflint.frontend.source.language.trees import inner
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: What a program is told by whoever starts it: `n = atoi(argv[1])`, `case 'n': n = atoi(optarg)`.
_FROM_OUTSIDE = pattern(r"\b(?:argv|argc|optarg|optind|getopt\w*|getenv|\w*CmdLine\w*)\b")
#: Elements that one warp has.
HANDFUL = 32


def default_value(place: Environment, name: str, member: str | None, kind: CType) -> Said | None:
    """The value that a variable of type `kind` has unless the program's arguments say otherwise.

    Also its value in the first turn of a loop around the place that changes it behind the place;
    but not the handful that a search starts with, whose later turns have what the device counted.
    """
    owner = place.function.node.id if place.function is not None else None
    if member is None and place.session.is_unset(owner, name):
        return None
    if (said := _said(place, name, member, kind)) is not None:
        return said
    found = _before_options(place, name, member)
    if found is not None and found.number <= HANDFUL and _is_counted(place, name):
        return None
    if found is None and member is not None:
        if (said := _of_the_constructor(place, name, member, kind)) is not None:
            return said
        found = _of_the_struct(place, name, member)
    return None if found is None else Said("", found)


def _said(place: Environment, name: str, member: str | None, kind: CType) -> Said | None:
    """What an option by name sets a variable to, where the program is run with that option."""
    body = place.body()
    written: list[tuple[File, Definition]] = []
    if body is not None and place.is_local(name):
        writes = body.writes(name, body.visible(name, place.at))
        written = [(place.file, d) for d in writes if d.start < place.at and concerns(d, member)]
    else:
        written = _writes(place, name, member)
    if member is not None:
        words = place.declared_words(name)[0].removeprefix("struct ").rsplit("::", 1)[-1]
        written = [*writes_to_member(place, member, words), *written]
    for file, definition in reversed(written):
        there = place.elsewhere(file, definition.start)
        if (said := named_options.said(there, definition, member, kind)) is not None and said.told:
            return said
    return None


def _is_counted(place: Environment, name: str) -> bool:
    """Whether a loop around a place copies a variable from the device behind the place."""
    body = place.body()
    if body is None:
        return False
    loops = [r for r in body.enclosing(place.at) if r.kind == "loop"]
    copies = (
        given.call.node.start_byte
        for given in body.given.get(name, ())
        if given.address and given.position == 0 and COPIED_FROM.get(given.call.name) == 1
    )
    return any(place.at < at < loop.end for at in copies for loop in loops)


def _before_options(place: Environment, name: str, member: str | None) -> Value | None:
    """What the function around a place gives a variable before it reads options into it."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return None
    if member is None and not place.is_local(name):
        return _initial(place, name)
    declaration = body.visible(name, place.at)
    kind = declaration.type if declaration is not None else place.declared_words(name)[0]
    if declaration is None and member is None:
        return None
    if declaration is not None and function.name != "main" and body.asks_of_itself(declaration):
        return None  # an earlier call may have left something else
    if member is not None and kind in ELEMENTS and _is_filled(place, name, member):
        return None
    around, lines = body.enclosing(place.at), program_arguments.runs_of(place)
    earlier = [
        d
        for d in body.writes(name, declaration)
        if d.start < place.at and (member is None or d.member in (None, member))
    ]
    for definition in reversed(earlier):
        inside = [r for r in body.enclosing(definition.start) if r not in around]
        if not inside and definition.known and definition.value is not None:
            there, text = place.moved(definition.start), place.definition_text(definition)
            if member == definition.member:
                return fold(inner(text) if member is None else text, there)
            if kind not in ELEMENTS:
                return listed_field(there, kind, definition.value, member or "")
            parts = there.components(text, kind) or []
            return dict(zip(AXES, (value for _, value in parts), strict=False)).get(member or "")
        branches = all(r.kind in ("then", "else") for r in inside)
        if branches and any(place.is_taken(r) is False for r in inside):
            continue
        if branches and named_options.is_option(place.moved(definition.start), definition, member):
            continue
        over = any(program_arguments.is_over_options(place, r) for r in inside)
        if not over and not _is_from_outside(place, definition):
            return None
        if lines and lines[0].arguments:
            return None  # the words are known, and what they make of it is not
    if declaration is not None or all(p.name != name for p in function.parameters):
        return None
    passed = place.argument(function, function.position(name))
    given = passed[0].lstrip("& ") if passed is not None else ""
    return passed[1].member(given, member or "") if passed and given.isidentifier() else None


def _is_filled(place: Environment, name: str, member: str) -> bool:
    """Whether a call before a place may write a grid or another vector, which reads no options.

    What it is declared with is no default then, but what such a call replaces.
    """
    return any(
        written.start < place.at
        and written.call is not None
        and concerns(written, member)
        and not _reads_option(place.moved(written.start))
        for written in written_by_calls(place, name)
    )


def _initial(place: Environment, name: str) -> Value | None:
    """What a variable out of functions starts with, and an option changes: `int n = 1024;`."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None or found[1].value is None or found[1].pointers or found[1].extents:
        return None
    lines = program_arguments.runs_of(place)
    if (
        lines
        and lines[0].arguments
        and any(
            program_arguments.is_an_option(place.elsewhere(file, d.start))
            for file, d in _writes(place, name)
        )
    ):
        return None  # the words are known, and what they make of it is not
    scopes = found[0].declarations.scopes_at(found[1].start)
    class_ = scopes[-1].name if scopes and scopes[-1].is_class else ""
    return _started(place, name, *found, class_)


def _of_the_constructor(place: Environment, name: str, member: str, kind: CType) -> Said | None:
    """What a constructor gives a member before, and in, its loop over the program's options."""
    words = place.declared_words(name)[0].removeprefix("struct ").rsplit("::", 1)[-1]
    makers = place.session.project.makers(words, place.file)
    if len(makers) != 1:
        return None
    file, maker = makers[0]
    body = file.body(maker)
    for definition in reversed(own_writes(body, member)):
        there = place.elsewhere(file, definition.start)
        inside = body.enclosing(definition.start)
        loop = next((r for r in inside if option_loops.goes_over_options(there, r)), None)
        if loop is None:
            known = not inside and definition.known and definition.value is not None
            text, seen = inner(there.definition_text(definition)), len(place.session.notes)
            first = fold(text, there) if known else None
            if first is None or first.term is not None:
                return None if first is None else Said("", first)
            if any(kind == "entered" for kind, _, _ in place.session.notes[seen:]):
                return None  # what one object was made with is no default of another
            return Said("", first)
        if option_loops.is_told(there, loop):
            told, value = option_loops.written(there, member, loop, kind)
            if told:
                return Said(run_settings.told(there), value)
    return None


def _of_the_struct(place: Environment, name: str, member: str) -> Value | None:
    """What a struct starts a member with, and options change: `struct { int n = 1024; }`."""
    words = place.declared_words(name)[0].removeprefix("struct ").rsplit("::", 1)[-1]
    for file in place.file.family:
        for definition in file.variables.get(member, ()):
            scopes = file.declarations.scopes_at(definition.start)
            if not scopes or not scopes[-1].is_class or scopes[-1].name != words:
                continue
            if definition.value is None or definition.pointers or definition.extents:
                return None
            return _started(place, member, file, definition, words)
    return None


def _started(
    place: Environment, name: str, file: File, definition: Definition, class_: str = ""
) -> Value | None:
    """What a variable out of functions starts with, unless it is always set to something else."""
    there = place.elsewhere(file, definition.start)
    text = there.definition_text(definition)
    if is_always_set(place, name, class_):
        return None
    with place.session.reading():
        value = fold(inner(text), there)
    plain = value is not None and value.term is None and is_nothing(str(value.number))
    unset = (is_nothing(text) or plain) and not _is_only_switched(place, name)
    return None if unset else value


def _writes(
    place: Environment, name: str, member: str | None = None
) -> list[tuple[File, Definition]]:
    """Where functions set a variable that is out of them, or a member of it."""
    return [
        (file, definition)
        for function, file in setters(place, name, member)
        for definition in file.body(function).definitions.get(name, ())
        if not definition.declares and concerns(definition, member)
    ]


def _is_only_switched(place: Environment, name: str) -> bool:
    """Whether nothing but options set a variable out of functions, each to a value of its own."""
    writes = [place.elsewhere(file, d.start) for file, d in _writes(place, name)]
    return bool(writes) and all(
        program_arguments.is_an_option(there) and not _reads_option(there) for there in writes
    )


def _is_from_outside(place: Environment, definition: Definition) -> bool:
    """Whether a variable is changed there to what the program was told."""
    return _reads_option(place.moved(definition.start))


def _reads_option(place: Environment) -> bool:
    """Whether the statement at a place reads what the program was told."""
    source = place.file.source
    node = source.tree.root_node.descendant_for_byte_range(place.at, place.at)
    while node is not None and not node.type.endswith(("statement", "declaration")):
        node = node.parent
    if node is None:
        return False
    text = source.text_of(node)
    return _FROM_OUTSIDE.search(text) is not None or not words(text).isdisjoint(
        program_arguments.told_as_text(place)
    )
