"""Which values of host code are roots: of what type, and what the source says of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.frontend.source.host.objects import image_matrices
from perflint.frontend.source.host.objects.containers import element_type
from perflint.frontend.source.host.objects.image_matrices import channels_of, of_matrix
from perflint.frontend.source.host.objects.object_methods import own_field
from perflint.frontend.source.host.objects.passed_objects import of_argument
from perflint.frontend.source.host.objects.structs import struct_of
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.options.defaults import default_value
from perflint.frontend.source.host.options.keyed_options import keyed_option
from perflint.frontend.source.host.options.option_tables import default_of, flag
from perflint.frontend.source.host.values import type_names
from perflint.frontend.source.host.values.aliases import elsewhere_named
from perflint.frontend.source.host.values.device_properties import (
    AS_FIRST,
    FIRST,
    WHY,
    element_of,
    property_of,
)
from perflint.frontend.source.host.values.runtime_answers import answered_in
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import declarator_of, type_words
from perflint.frontend.source.language.lookup import Hidden, type_of_words
from perflint.frontend.source.language.reaching_definitions import is_of_range
from perflint.frontend.source.language.terms import Unknown
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.user_files import words

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: Functions that read a number from text, or count, by what they return.
_RETURNS: dict[str, CType] = {
    **program_arguments.READERS,
    **dict.fromkeys(("size", "length", "strlen", "numel", "nbytes", "count"), c_types.ULONG),
}
#: Functions of <math.h>: `atanf` returns a float, `atan` a double.
_MATH = pattern(
    r"(?:a?(?:sin|cos|tan)h?|atan2|exp2?|expm1|log(?:2|10|1p)?|pow|sqrt|cbrt|hypot|fabs|fmod|fmin"
    r"|fmax|ceil|floor|round|trunc|erfc?)(f?)"
)
#: Functions that give something else each time: of another file, or the next of the same.
CONSUMES = pattern(
    r"(?:std::)?(?:ftello?|feof|f?get[cs]|getline|s?rand\w*|\w*[Rr]ead\w*|\w*[Ss]canf?)"
)
#: Functions that return pointers, or what has some: of PyTorch's tensors and of containers.
_POINTERS = words(
    """
    data_ptr mutable_data_ptr const_data_ptr data raw_pointer_cast accessor packed_accessor
    packed_accessor32 packed_accessor64 begin end c_str
    """
)
#: A member by its path, the variable first; no axis of a `dim3`, which is set as a whole.
MEMBER = pattern(r"(\w+)(?:(?:\.|->)\w+)*(?:\.|->)(?![xyzw]\Z)\w+")
#: What an `auto` variable is set to that is a pointer: a cast, an address, what `new` makes.
_POINTER = pattern(
    r"(?:reinterpret|static|const)_cast<[^<>]*\*(?:const)?>|\((?:const)?[\w:]+\*\)|&\w|new\b"
    r"|[\w.>-]+(?:\.|->)(?:\w+_)?data(?:_ptr)?(?:<[\w:]+>)?\(\)$"
)
_FIRST_NAME = pattern(r"\w+")
_FIRST = pattern(r"(?:this\s*->\s*)?(\w+)\s*(?:\.|->|\[)")
#: What a function that is not in sight is taken to return, where its name says it.
_SAID = {"float": c_types.FLOAT, "double": c_types.DOUBLE}
_ASSUMED_TYPE = "of an assumed type"
#: Why a variable's default is not what it is for certain.
CHANGED = "which the program may change"
_ENUMERATORS = 64  #: of one type that are looked at


def root_variable(place: Environment, name: str, member: str | None) -> Value | None:
    """The root that a variable, or its member or element, is; None for what is no number."""
    if name in ("argv", "nullptr", "NULL") or (name.isupper() and not _is_declared(place, name)):
        return None  # a macro or constant of a header that is not in sight
    if member is None and (known := flag(name, place.session.project.neighbours(name))):
        held = fold(known[1], place)
        default = c_types.convert(held, known[0]) if held is not None else None
        told = default.number if default is not None and default.term is None else None
        return place.session.roots.root(("flag", name), name, known[0], known[2], told)
    if member is not None and (found := of_matrix(place, f"{name}.{member}")) is not None:
        return found
    kind = type_of(place, name, member)
    if kind is None:
        return None
    written = name if member is None else f"{name}{member if member[0] == '[' else '.' + member}"
    told, why = property_of(place, place.declared_words(name)[0], member), WHY
    named = told is None and member is not None and member[0] != "["
    if named and (same := elsewhere_named(place, written)) is not None:
        is_denied = place.denied(name, member, c_types.plain(same.number), default=True)
        same = doubted(place, written, same) if is_denied else same
        return None if same is None else _as(same, kind)
    if told is None and (answer := answered_in(place, written)) is not None:
        told, why = answer.number, answer.why
    if told is not None:
        key = ("told", place.identity(name), member)
        return place.session.roots.root(key, written, kind, _place(place, place.at), told, why=why)
    said = default_value(place, name, member, kind)
    default = None if said is None else said.value
    changed = CHANGED if place.denied(name, member, default, default=True) else ""
    if default is not None and default.term is not None:
        return _as(default, kind)
    return place.session.roots.root(
        (place.identity(name), member),
        written,
        kind,
        _place(place, place.at),
        None if default is None else default.number,
        () if member else _enumerators(place, name),
        why=changed,
        told="" if said is None else said.told,
        picked=_is_of_range(place, name),
    )


def _is_of_range(place: Environment, name: str) -> bool:
    """Whether a variable is that of a range-based loop."""
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    return declaration is not None and is_of_range(declaration)


def doubted(place: Environment, written: str, found: Value) -> Value | None:
    """A member, or what a method returns, as the source has it, while the run left it open.

    What is invented for it anyway stays so.
    """
    if place.session.invention is None:  # nothing is ever asked for here
        return None if found.term is None else found
    roots = place.session.roots
    if found.term is not None:
        known = list(roots.roots.values())
        used = [known[each] for each in found.term.roots]
        if any(root.default is None or root.why or root.told for root in used):
            return found
        if isinstance(found.term, Unknown) and used[0].default != found.number:
            return found
    if not place.inventing:
        return None
    name = _FIRST_NAME.match(written)[0]  # type: ignore[index]
    key, where = ("doubted", place.identity(name), written), _place(place, place.at)
    return roots.root(key, written, found.type, where, found.number, why=CHANGED)


def root_expression(place: Environment, hidden: Hidden) -> Value | None:
    """The root that an expression is, which cannot be read; None for what is no number."""
    if (found := of_matrix(place, hidden.text)) is not None:
        return found
    if (found := keyed_option(place, hidden.text)) is not None:
        return found
    kind: CType | None = c_types.UNSEEN
    told, why = element_of(place, hidden.text), WHY
    if told is None and (told := channels_of(place, hidden.text)) is not None:
        why = image_matrices.WHY
    pointed = hidden.base if told is None and hidden.text.strip("( )").startswith("*") else ""
    if pointed and (answer := answered_in(place, f"*{pointed}")) is not None:
        told, why = answer.number, answer.why
    if hidden.called == "sizeof":
        named, size = (_owner(place), None, hidden.text), type_names.ASSUMED.size
        where = _place(place, place.at)
        return place.session.roots.root(
            named, hidden.text, c_types.ULONG, where, size, why=_ASSUMED_TYPE
        )
    if hidden.called and (told_there := of_argument(place, hidden.text)) is not None:
        return told_there
    if (hidden.called or hidden.subscripts) and _is_of_its_object(place, hidden.text):
        return None  # the root is what was asked of the object: `x.dim(1)` is not `x.dim(2)`
    if hidden.called:
        kind = _returned(place, hidden.called)
    elif hidden.base:
        words, depth = place.declared_words(hidden.base)
        if hidden.fields:
            for member in hidden.fields[:-1]:
                words = _member_words(place, words, member)
            kind = member_type(place, words, hidden.fields[-1], hidden.subscripts)
            if told is None and not hidden.subscripts:
                told = property_of(place, words, hidden.fields[-1])
        elif words:
            kind = type_of_words(words.split(), place) if depth <= hidden.depth else None
    if kind is None and told is None:
        return None
    of_member = kind is not None and told is None and hidden.fields and not hidden.subscripts
    if kind is not None and of_member and (same := elsewhere_named(place, hidden.text)):
        return _as(same, kind)
    owner = _owner(place)
    call = place.frame_key if CONSUMES.fullmatch(hidden.called) else None
    key = (owner, call, "".join(hidden.text.split()))
    files = place.file.family
    if kind is None or told is not None:
        return place.session.roots.root(
            key, hidden.text, c_types.INT, _place(place, place.at), told, why=why
        )
    if hidden.called in FIRST:
        return place.session.roots.root(
            key, hidden.text, kind, _place(place, place.at), 0, why=AS_FIRST
        )
    default = default_of(hidden.called, hidden.text, files, kind) if hidden.called else None
    return place.session.roots.root(key, hidden.text, kind, _place(place, place.at), default)


def _is_of_its_object(place: Environment, text: str) -> bool:
    """Whether an expression begins with a member, in a method that was called on a known object."""
    named = _FIRST.match(text)
    return named is not None and own_field(place, named[1]) is not None


def _as(value: Value, kind: CType) -> Value | None:
    """A value as what it is declared as; as what it is where that is not in sight."""
    return value if kind is c_types.UNSEEN else c_types.convert(value, kind)


def _owner(place: Environment) -> int:
    """What tells the function around a place from others."""
    return place.function.node.id if place.function is not None else id(place.file)


def _place(place: Environment, at: int) -> Span:
    line = place.file.source.line_at(at)
    return Span(place.file.path, line, 1, line, 2)


def _is_declared(place: Environment, name: str) -> bool:
    return bool(place.declared_words(name)[0])


def type_of(place: Environment, name: str, member: str | None) -> CType | None:
    """The scalar type of a variable, a struct's member or an array's element."""
    words, depth = place.declared_words(name)
    if not words:
        function = place.function
        parameter = function.template_parameter(name) if function is not None else None
        if parameter is None or parameter.is_type or member is not None:
            return None
        return type_of_words(parameter.type.split(), place)
    if member is None:
        if depth:
            return None
        if words == "auto":
            return None if _is_set_to_pointer(place, name) else c_types.INT
        kind = type_of_words(words.split(), place)
        if kind is None and _enumerators(place, name):
            return c_types.INT
        return kind
    if member.startswith("["):
        of = element_type(words)
        return type_of_words((of or words).split(), place) if depth == (not of) else None
    element = c_types.ELEMENTS.get(words)
    return element if element is not None else member_type(place, words, member)


def member_type(place: Environment, words: str, member: str, subscripts: int = 0) -> CType | None:
    """The type of a struct's member or its element; an int's where the struct is not in sight."""
    found = struct_of(_class_of(words), place)
    if found is None:
        return c_types.UNSEEN
    declared = _declared_member(found, member)
    if declared is None:
        return None
    of = element_type(declared[0]) if subscripts else ""
    if declared[1] + bool(of) != subscripts:
        return None
    return type_of_words((of or declared[0]).split(), place)


def _member_words(place: Environment, words: str, member: str) -> str:
    """The type's words of a struct's member that is a struct, or leads to some; "" if unknown."""
    found = struct_of(_class_of(words), place)
    declared = _declared_member(found, member) if found is not None else None
    return declared[0] if declared is not None else ""


def _class_of(words: str) -> str:
    return words.rsplit(" ", 1)[-1].rsplit("::", 1)[-1]


def _declared_member(struct: tuple[Node, Environment], member: str) -> tuple[str, int] | None:
    """The type's words of a member, and how many pointers or extents deep it is."""
    source, body = struct[1].file.source, struct[0].child_by_field_name("body")
    for field in children_of(body):
        kind = field.child_by_field_name("type")
        for declarator in field.children_by_field_name("declarator"):
            found, pointers, _, extents = declarator_of(declarator)
            if found is not None and kind is not None and source.text_of(found) == member:
                return type_words(source.text_of(kind)), pointers + len(extents)
    return None


def _is_set_to_pointer(place: Environment, name: str) -> bool:
    """Whether an `auto` variable is set to a pointer: `auto p = reinterpret_cast<half *>(q)`."""
    found = place.initialiser(name)
    text = "" if found is None else "".join(found[0].split())
    return _POINTER.match(text) is not None


def _returned(place: Environment, called: str) -> CType | None:
    """What a function returns; None for a pointer or a class."""
    last = re.split(r"::|\.|->", called.partition("<")[0])[-1].strip()
    if last in _POINTERS:
        return None
    if last in _RETURNS:
        return _RETURNS[last]
    math = _MATH.fullmatch(last)
    for file in place.file.family:
        declarations = file.declarations
        known = [*declarations.by_name.get(last, ()), *declarations.prototypes.get(last, ())]
        for function in known:
            kind = function.node.child_by_field_name("type")
            declarator = function.node.child_by_field_name("declarator")
            if kind is None or (declarator is not None and "pointer" in declarator.type):
                return None
            words = type_words(function.source.text_of(kind)).split()
            return type_of_words(words, place) or (c_types.INT if words == ["auto"] else None)
    if math is not None:
        return c_types.FLOAT if math[1] else c_types.DOUBLE
    said = next((kind for word, kind in _SAID.items() if word in last.lower()), None)
    return said or c_types.UNSEEN  # `getOptionFloat`


def _enumerators(place: Environment, name: str) -> tuple[int, ...]:
    """The values of a variable's type, where that is an enumeration in sight."""
    words = place.declared_words(name)[0].removeprefix("enum ").removeprefix("class ")
    last = words.rsplit("::", 1)[-1]
    for file in place.file.family:
        for scope in file.declarations.scopes:
            if scope.kind != "enum" or scope.name != last:
                continue
            inside = [
                (node.start_byte, written)
                for written, nodes in file.declarations.enumerators.items()
                for node in nodes
                if scope.start <= node.start_byte < scope.end
            ]
            values = [_enumerator(place, written) for _, written in sorted(inside)[:_ENUMERATORS]]
            return tuple(dict.fromkeys(v for v in values if v is not None))
        for node in file.declarations.typedefs.get(last, ()):
            inner = node.child_by_field_name("type")
            if inner is not None and inner.type == "enum_specifier":
                found = children_of(inner.child_by_field_name("body"))
                names = [c.child_by_field_name("name") for c in found if c.type == "enumerator"]
                texts = [file.source.text_of(n) for n in names if n is not None][:_ENUMERATORS]
                values = [_enumerator(place, written) for written in texts]
                return tuple(dict.fromkeys(v for v in values if v is not None))
    return ()


def _enumerator(place: Environment, name: str) -> int | None:
    with place.session.reading():
        value = place.variable(name)
    return None if value is None else int(value.number)
