"""Device memory that an object owns: `Buffer<float> x(n)`, whose constructor calls cudaMalloc.

`x`, `x.get()` and `x.ptr` are what the constructor allocated, or one method that is called on the
object later, as long as nothing else in sight may set the pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.frames import frame_of, texts_of
from perflint.frontend.source.host.calls.results import takes
from perflint.frontend.source.host.objects.buffer_classes import (
    BufferClass,
    class_of,
    handed_out,
    is_pointer,
)
from perflint.frontend.source.host.objects.buffer_uses import uses_of
from perflint.frontend.source.host.objects.makers import is_handed_on, own_writes
from perflint.frontend.source.host.objects.members import is_nothing
from perflint.frontend.source.host.objects.object_methods import methods_named, writes_of_call
from perflint.frontend.source.host.objects.structs import is_number
from perflint.frontend.source.host.values.allocations import allocated_bytes, calls_for
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import Token, bare, spell, tokenize
from perflint.frontend.source.language.trees import argument_texts
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarators import Parameter, Region

_DEEPEST = 6  #: references to one object, and methods of one that call each other


def owned_allocation(tokens: Sequence[Token], place: Environment, depth: int = 0) -> Value | None:
    """Bytes behind `x`, `x.p` or `x.get()` of an object that owns them; None if not known."""
    words = [t.text for t in tokens]
    if depth > _DEEPEST or not words or not words[0].isidentifier():
        return None
    while place.outer is not None and not place.is_local(words[0]):
        place = place.outer
    name, body, function = words[0], place.body(), place.function
    if body is None or function is None or not place.is_local(name):
        return None
    declaration = body.visible(name, place.at)
    if declaration is None:
        return _of_parameter(words, place, depth)
    class_ = class_of(declaration, place)
    member = _member_meant(words[1:], class_) if class_ is not None else None
    if class_ is None or member is None or not is_pointer(class_, member):
        return None
    uses = uses_of(name, declaration, place, class_, member)
    if not uses.harmless or len(uses.setting) > 1:
        return None
    there = place.moved(declaration.start)
    made = _constructor(class_, declaration, there)
    if not uses.setting:
        return None if made is None else _allocated(made, class_, member, 0)
    call = uses.setting[0]
    at = call.node.start_byte
    if at > place.at or body.enclosing(at) != body.enclosing(declaration.start):
        return None  # it may not have been called, or may be called again
    if made is not None and not _is_left_alone(made, member):
        return None
    if made is None and not _is_made_plainly(class_, declaration, there):
        return None
    entered = _method(class_, call, place.moved(at), name)
    return None if entered is None else _allocated(entered, class_, member, 0)


def _member_meant(rest: Sequence[str], class_: BufferClass) -> str | None:
    """The member that an expression behind an object's name stands for."""
    if not rest:
        return handed_out(class_, "")
    if len(rest) == 2 and rest[0] == ".":
        return rest[1]
    if len(rest) == 4 and rest[0] == "." and list(rest[2:]) == ["(", ")"]:
        return handed_out(class_, rest[1])
    return None


def _of_parameter(words: Sequence[str], place: Environment, depth: int) -> Value | None:
    """As the caller's object, which a function gets by reference and does nothing to."""
    function = place.function
    if function is None or place.reaching(words[0]) is not PARAMETER:
        return None
    parameter = function.parameters[function.position(words[0])]
    if "&" not in parameter.written or parameter.pointers:
        return None
    given = place.argument(function, function.position(words[0]))
    passed = tokenize(given[0]) if given is not None else []
    if given is None or len(passed) != 1:
        return None
    return owned_allocation([*passed, *tokenize(" ".join(words[1:]))], given[1], depth + 1)


# --- constructors ---------------------------------------------------------------------------------


def _constructor(
    class_: BufferClass, declaration: Definition, place: Environment
) -> Environment | None:
    """The inside of the constructor that a declaration calls; None if several may be meant."""
    texts = _arguments(class_, declaration, place)
    return None if texts is None else _entered(class_, texts, place)


def _arguments(
    class_: BufferClass, declaration: Definition, place: Environment
) -> list[str] | None:
    """What a declaration gives the constructor: `x(n)`, `x{n}`, `x = Buffer<float>(n)`."""
    value, source = declaration.value, place.file.source
    if value is None:
        return []
    if value.type == "call_expression":
        made, listed = (value.child_by_field_name(f) for f in ("function", "arguments"))
        name = source.text_of(made).split("<")[0] if made is not None else ""
        if listed is None or name.rsplit("::", 1)[-1].strip() != class_.name:
            return None
        return argument_texts(source.text_of(listed))
    return argument_texts(source.text_of(value))


def _entered(
    class_: BufferClass, texts: Sequence[str], place: Environment, near: File | None = None
) -> Environment | None:
    project = place.session.project
    fitting = [
        (file, function)
        for file, function in project.constructors(class_.name, near or class_.file)
        if takes(project, function, len(texts))
    ]
    if len(fitting) > 1:
        kinds = [_kind(text, place) for text in texts]
        fitting = [m for m in fitting if _fits(m, kinds, place)] if None not in kinds else []
    if len(fitting) != 1 or _templates(fitting[0][1], class_):
        return None
    file, function = fitting[0]
    of = (class_.name, class_.arguments)
    return place.inside(file, function, frame_of(function, texts, (), place, of=of))


def _templates(function: Function, class_: BufferClass) -> bool:
    """Whether a constructor is a template itself: within its class, where it has a head."""
    return bool(function.template) and class_.node.start_byte <= function.node.start_byte


def _kind(text: str, place: Environment) -> str | None:
    """What tells overloads apart: "" for a number, else the class of a variable."""
    tokens = bare(tokenize(text))
    if len(tokens) == 1 and place.is_local(tokens[0].text):
        words, pointers = place.declared_words(tokens[0].text)
        if pointers or not words:
            return None
        if words != "auto" and not is_number(words, place):
            return _plain(words)
    return "" if fold(text, place) is not None else None


def _fits(maker: tuple[File, Function], kinds: Sequence[str | None], place: Environment) -> bool:
    file, function = maker
    there = place.elsewhere(file, function.node.start_byte)
    pairs = zip(kinds, function.parameters, strict=False)
    return all(_is_of(kind, parameter, there) for kind, parameter in pairs)


def _is_of(kind: str | None, parameter: Parameter, there: Environment) -> bool:
    if kind:
        return not parameter.pointers and _plain(parameter.type) == kind
    found = there.parameter_type(parameter)
    return found is not None and found.kind != "opaque" and not parameter.pointers


def _plain(kind: str) -> str:
    return kind.split("<")[0].strip().rsplit("::", 1)[-1].strip()


def _is_made_plainly(class_: BufferClass, declaration: Definition, place: Environment) -> bool:
    """Whether no constructor is called: a struct of which none is declared, made of nothing."""
    none = not place.session.project.constructors(class_.name, class_.file)
    return none and _arguments(class_, declaration, place) == []


# --- what a constructor or a method allocates -----------------------------------------------------


def _allocated(entered: Environment, class_: BufferClass, member: str, depth: int) -> Value | None:
    """Bytes that a function of the object leaves behind its pointer: the one thing that sets it."""
    function, body = entered.function, entered.body()
    if function is None or body is None or depth > _DEEPEST:
        return None
    file = entered.file
    calls = _allocating(function, file, member)
    writes = _own_writes(entered, member)
    lasting = [d for d in writes if not _says_nothing(d, entered)]
    others = [c for c in _own_calls(entered, class_, member) if c not in calls]
    delegated = function.initialisers.get(class_.name) if function.constructs else None
    if len(calls) + len(lasting) + len(others) + (delegated is not None) != 1:
        return None
    if not calls and is_handed_on(entered.session.project, body, member, file):
        return None
    if delegated is not None:
        texts = argument_texts(file.source.text_of(delegated)) or []
        made = _entered(class_, texts, entered.moved(delegated.start_byte), file)
        return None if made is None else _allocated(made, class_, member, depth + 1)
    at = (calls or others)[0].node.start_byte if calls or others else lasting[0].start
    there = entered.moved(at)
    if not _is_always(at, there):
        return None
    if any(d.start > at for d in writes):
        return None  # `p = nullptr` behind it
    if calls:
        return allocated_bytes(calls[0], file, there)
    if lasting:
        from perflint.frontend.source.host.values.allocations import allocation_of

        if not lasting[0].known or lasting[0].value is None:
            return None
        return allocation_of(there.definition_text(lasting[0]), there, depth + 1)
    made = _method(class_, others[0], there, "this")
    return None if made is None else _allocated(made, class_, member, depth + 1)


def _allocating(function: Function, file: File, member: str) -> list[Call]:
    """The calls of a function of the object that allocate what its pointer points to."""
    start, end = function.node.start_byte, function.node.end_byte
    calls = (c for path in (member, f"this -> {member}") for c in calls_for(path, file))
    return [c for c in calls if start <= c.node.start_byte < end]


def _own_writes(place: Environment, member: str) -> list[Definition]:
    """What a function of the object writes to its pointer, other than by allocating."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return []
    calls = [c.node for c in _allocating(function, place.file, member)]
    return [
        d
        for d in own_writes(body, member)
        if not any(c.start_byte <= d.start < c.end_byte for c in calls)
    ]


def _says_nothing(written: Definition, place: Environment) -> bool:
    """Whether a write only says that nothing is allocated yet: `p = nullptr`."""
    known = written.known and written.value is not None
    return known and is_nothing(place.definition_text(written))


def _own_calls(place: Environment, class_: BufferClass, member: str) -> list[Call]:
    """The calls of methods of the same object that may set its pointer."""
    body, project = place.body(), place.session.project
    if body is None:
        return []
    own = {call.node.id for call, path in body.receivers.get("this", ()) if not path}
    calls = [c for c in body.named_calls if not c.through_object or c.node.id in own]
    return [c for c in calls if member in writes_of_call(project, class_.name, c)]


def _method(class_: BufferClass, call: Call, place: Environment, on: str) -> Environment | None:
    """The inside of the one method that a call on an object means."""
    project, texts = place.session.project, texts_of(call, place.file)
    found = [
        m
        for m in methods_named(project, class_.name, call.name)
        if takes(project, m[1], len(texts))
    ]
    if len(found) != 1 or _templates(found[0][1], class_):
        return None
    file, function = found[0]
    of = (class_.name, class_.arguments)
    if on == "this" and place.frame is not None:
        of = place.frame.of or of
    return place.inside(file, function, frame_of(function, texts, (), place, on=on, of=of))


def _is_left_alone(made: Environment, member: str) -> bool:
    """Whether a constructor leaves a pointer unset or null."""
    function, body = made.function, made.body()
    if function is None or body is None or function.initialisers.get(function.constructs):
        return False
    listed = function.initialisers.get(member)
    text = made.file.source.text_of(listed) if listed is not None else "nullptr"
    project, class_ = made.session.project, function.constructs
    touching = any(member in writes_of_call(project, class_, c) for c in body.named_calls)
    if touching or _allocating(function, made.file, member):
        return False
    written = all(_says_nothing(d, made) for d in _own_writes(made, member))
    return written and is_nothing(text.strip("(){} "))


def _is_always(at: int, place: Environment) -> bool:
    """Whether a function of the object comes to a place, and only once."""
    body = place.body()
    if body is None:
        return False
    around = body.enclosing(at)
    left = [r for r in body.regions if r.leaves and r.end <= at]
    return all(_holds(r, place) is True for r in around) and not any(
        _holds(r, place) is not False for r in left if "return" in place.file.source.text_of(r.node)
    )


def _holds(region: Region, place: Environment) -> bool | None:
    """Whether a branch is taken, by numbers alone."""
    condition = region.node.child_by_field_name("condition")
    if region.kind not in ("then", "else") or condition is None:
        return None
    text = spell(bare(tokenize(place.file.source.text_of(condition))))
    value = fold(text, place.moved(region.start))
    if value is None or value.term is not None:
        return None
    return bool(value.number) == (region.kind == "then")
