"""Where the members of structs come from: `config.block`, `p->n`, `make(n).grid.x`, `this->rows`.

An expression is followed, step by step, to the one that gave it its value: through variables,
parameters, what calls return and write, and the lists and constructors that make a struct.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.calls.frames import frame_of
from perflint.frontend.source.host.calls.lambdas import returned
from perflint.frontend.source.host.calls.outputs import written, written_by_calls
from perflint.frontend.source.host.calls.results import enter, return_words, takes
from perflint.frontend.source.host.objects.getters import entered_getter, method_call
from perflint.frontend.source.host.objects.makers import given
from perflint.frontend.source.host.objects.object_methods import (
    METHOD,
    left_as_made,
    left_by_own,
    own_field,
    own_member,
    set_by_method,
)
from perflint.frontend.source.host.objects.stored_elements import stored_member
from perflint.frontend.source.host.objects.structs import (
    declares_constructor,
    fields_named,
    fields_of,
    is_number,
    struct_of,
)
from perflint.frontend.source.host.objects.tables import row_of
from perflint.frontend.source.host.values.range_loops import row_in_turn
from perflint.frontend.source.language.body_writes import POINTEE
from perflint.frontend.source.language.c_types import ELEMENTS, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import (
    Token,
    bare,
    closing,
    closing_angle,
    spell,
    tokenize,
)
from perflint.frontend.source.language.trees import argument_texts, inner

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_STEPS = 24
#: What stands between two numbers; `*` and `&` may stand before a pointer or a variable.
_OPERATORS = frozenset(["+", "-", "/", "%", "<<", ">>", "|", "^"])
_CONSTANT = pattern(
    r"(?:std :: )?(?:integral_constant < [^<>,]+ ,|bool_constant <|Int <) ([^<>,]+) >"
    r" ?(?:\{ ?\}|\( ?\))"
)


@dataclass(frozen=True, eq=False)
class Origin:
    """An expression, where it is written, and which member of it is meant."""

    text: str
    place: Environment
    path: tuple[str, ...] = ()
    kind: str = ""  #: the type of the struct, where its members are listed without one


def traced(text: str, place: Environment) -> Origin | None:
    """What gave an expression its value, as far as that can be followed; None if it cannot be."""
    found = _parsed(text, place)
    for _ in range(_STEPS):
        following = _step(found)
        if following is None:
            return None
        if following is found:
            return found
        found = following
    return None


def way_of(text: str, place: Environment) -> Iterator[Origin]:
    """The expressions that `traced` goes through, the last one where it ends or the way is lost."""
    found: Origin | None = _parsed(text, place)
    for _ in range(_STEPS):
        if found is None:
            return
        yield found
        following = _step(found)
        if following is found:
            return
        found = following


def followed(text: str, place: Environment) -> Origin:
    """As `traced`, but where the way is lost: then the last expression on it.

    References are followed, too: what is written through them is written to what they are of.
    """
    found = _parsed(text, place)
    for _ in range(_STEPS):
        following = _step(found)
        if following is None or following is found:
            following = _referred(found)
        if following is None:
            return found
        found = following
    return found


def _referred(origin: Origin) -> Origin | None:
    """What a local reference, `Level &l = levels[i]`, is of."""
    body = origin.place.body()
    declaration = body.visible(origin.text, origin.place.at) if body is not None else None
    if body is None or declaration is None or declaration.known or declaration.value is None:
        return None
    if len(body.writes(origin.text, declaration)) > 1:
        return None
    if (same := body.named_by(declaration, origin.place.at)) is not None:
        return replace(origin, text=same)
    there = origin.place.moved(declaration.start)
    return _parsed(there.definition_text(declaration), there, origin.path)


def member_value(place: Environment, text: str) -> Value | None:
    """The number that `p->n`, `config.block.x` or `make(n).size` is worth."""
    session = place.session
    key = ("member", text, place.key, session.mode)
    if key not in session.answers and session.refuses(key):
        return None

    def find() -> Value | None:
        with session.look_up(key) as allowed:
            return _value(traced(text, place)) if allowed else None

    return session.remembered(key, find, place.outer is None)


def _value(found: Origin | None) -> Value | None:
    if found is None:
        return None
    if not found.path:
        return fold(_single(found.text), found.place)
    if len(found.path) == 1 and found.path[0] in "xyzw":
        if not found.kind and found.text.isidentifier():
            known = found.place.declared_words(found.text)[0] or fold(found.text, found.place)
            if not known:  # a grid or vector itself, of a class out of sight, and no number
                return None
        parts = found.place.components(found.text, found.kind or "dim3")
        index = "xyzw".index(found.path[0])
        return parts[index][1] if parts is not None and index < len(parts) else None
    return None


def _single(text: str) -> str:
    parts = argument_texts(text) if text.startswith("{") else None
    return parts[0] if parts is not None and len(parts) == 1 else text


def _parsed(text: str, place: Environment, path: Sequence[str] = (), kind: str = "") -> Origin:
    """`(*a).b.c` as the expression `a` and the members `b`, `c` of it."""
    tokens = bare(tokenize(text))
    found = list(path)
    while True:
        while tokens and tokens[0].text in ("*", "&") and _is_unary(tokens):
            tokens = bare(tokens[1:])
        if len(tokens) > 1 and tokens[0].text == "new":
            made = tokens[-1].text in (")", "}")
            tokens = tokens[1:] if made else tokenize(f"{spell(tokens[1:])}()")
        if len(tokens) > 2 and tokens[-2].text in (".", "->") and tokens[-1].kind == "name":
            found.insert(0, tokens[-1].text)
            tokens = bare(tokens[:-2])
        elif len(tokens) > 2 and [t.text for t in tokens[:2]] == ["std", "::"]:
            if tokens[2].text in ("move", "ref", "cref", "forward"):
                start = next((i for i, t in enumerate(tokens) if t.text == "("), len(tokens))
                if closing(tokens, start) == len(tokens) - 1 and start < len(tokens):
                    tokens = bare(tokens[start:])
                    continue
            break
        else:
            break
    return Origin(spell(tokens), place, tuple(found), kind)


def _of_value(text: str, place: Environment, path: Sequence[str] = (), kind: str = "") -> Origin:
    """As `_parsed`, of what was given: `4 * o.cells` is computed, no member of an object."""
    if not path and _is_operation(text):
        return Origin(text, place, (), kind)
    return _parsed(text, place, path, kind)


def _is_operation(text: str) -> bool:
    """Whether an expression computes something, outside of all brackets: `1 << s.scale`."""
    depth, before = 0, ""
    for token in tokenize(text):
        depth += (token.text in "([{") - (token.text in ")]}")
        is_binary = token.text in "*&" and (before[-1:].isalnum() or before in ("]", ")", "_"))
        if depth == 0 and (token.text in _OPERATORS or is_binary):
            return True
        before = token.text
    return False


def _is_unary(tokens: Sequence[Token]) -> bool:
    """Whether `*` or `&` in front stands before all of an expression: a name with members."""
    rest = tokens[1:]
    depth = 0
    for token in rest:
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.kind == "mark" and token.text not in ")]}.->::*&":
            return False
    return bool(rest)


def _step(origin: Origin) -> Origin | None:
    """One step back; the same origin where there is none, None where the way is lost."""
    tokens = tokenize(origin.text)
    if len(tokens) == 1 and tokens[0].kind == "name":
        return _of_name(origin)
    if origin.text == "this":
        return origin
    constant = _CONSTANT.fullmatch(origin.text)
    if constant is not None and origin.path in (("value",), ()):
        return _of_value(constant[1], origin.place)
    if made := made_struct(tokens, origin.place):
        return _of_made(replace(origin, kind=made[0]), made[1]) if origin.path else origin
    if origin.path and origin.kind and _is_list(origin.text):
        return origin if origin.kind in ELEMENTS else _of_made(origin, origin.text)
    if tokens and tokens[-1].text in "])" and (row := row_of(tokens, origin.place)) is not None:
        return _of_value(row[0], row[1], origin.path, row[2])
    if origin.path and tokens and tokens[-1].text == "]":
        stored = stored_member(origin.place, origin.text, origin.path[0])
        if stored is not None:
            return _of_value(*stored, origin.path[1:])
    if called := called_as(tokens):
        return _of_call(origin, *called)
    if called := method_call(tokens):
        return _left(origin, entered_getter(origin.place, *called))
    return origin


def _of_name(origin: Origin) -> Origin | None:
    place, name = origin.place, origin.text
    while place.outer is not None and not place.is_local(name):
        place = place.outer
    if name == "this" and origin.path:
        return _of_own(origin)
    body, function = place.body(), place.function
    if body is None or function is None or not place.is_local(name):
        return _of_global(origin if place is origin.place else replace(origin, place=place))
    declaration = body.visible(name, place.at)
    member = ".".join(origin.path) or None
    definition = place.reaching(name, member, written_by_calls(place, name))
    if definition is None and (row := row_in_turn(place, name)) is not None:
        return _of_value(row[0], row[1], origin.path, row[2])
    if definition is None:  # folding follows steps and loops
        return None if origin.path else origin
    if definition is PARAMETER:
        passed = place.argument(function, function.position(name))
        return None if passed is None else _of_value(*passed, origin.path)
    if definition.call is not None:
        output = written(place, definition)
        if output is None:
            return None
        part = definition.member if definition.position != METHOD else None
        steps = tuple(part.split(".")) if part is not None and part != POINTEE else ()
        if origin.path[: len(steps)] != steps:
            return None  # a part of what is asked for was written
        path = origin.path[len(steps) :]
        path = (POINTEE,) if output[2] and not path else path
        return Origin(output[0], output[1], path)
    if (same := body.named_by(definition, place.at)) is not None:
        return replace(origin, text=same, place=place)
    there = place.moved(definition.start)
    text = place.definition_text(definition)
    if definition.member is not None:
        steps = () if definition.member == POINTEE else tuple(definition.member.split("."))
        if steps and origin.path[: len(steps)] != steps:
            return None  # a part of what is asked for was written
        rest = origin.path[len(steps) :] if steps else _without_pointee(origin.path)
        return _of_value(text, there, rest, "dim3" if rest else "")
    if origin.path == (POINTEE,):
        return _of_value(text, there)
    kind = declaration.type if declaration is not None else ""
    if definition.value is None:
        return _of_default(origin, kind, there)
    if kind == "dim3" and not origin.path:
        return Origin(text, there, (), kind)
    kind = "" if kind == "auto" else kind
    if origin.path and kind and _is_list(text):
        return Origin(text, there, origin.path, kind)
    return _of_value(text, there, origin.path, kind)


def _is_list(text: str) -> bool:
    """Whether a text is all in brackets: `{1, 2}`, `(a)`, and no cast `(T *)a`."""
    tokens = tokenize(text)
    return tokens[:1] != [] and tokens[0].text in "{(" and closing(tokens, 0) == len(tokens) - 1


def _without_pointee(path: tuple[str, ...]) -> tuple[str, ...]:
    return path[1:] if path[:1] == (POINTEE,) else path


def _of_call(origin: Origin, name: str, texts: Sequence[str]) -> Origin | None:
    """What a call returns."""
    values = [fold(text, origin.place) for text in texts]
    found = returned(origin.place, name, texts, values)
    if found is not None:
        return _of_value(found[0], found[1], origin.path, found[2])
    entered = enter(origin.place, name, texts, values)
    if entered is None and (called := method_call(tokenize(origin.text))):
        entered = entered_getter(origin.place, *called)
    return _left(origin, entered)


def _left(origin: Origin, entered: Environment | None) -> Origin | None:
    """What the function that is entered returns."""
    if entered is None:
        return origin
    with origin.place.session.look_up(("returned", entered.key)) as allowed:
        left = exit_of(entered) if allowed else None
    if left is None or left.value is None:
        return None
    kind = return_words(entered.function)
    text = entered.file.source.text_of(left.value)
    kind = "" if kind == "auto" else kind
    if not origin.path and is_number(kind, entered):
        return origin  # converting it is folding's matter
    return _of_value(text, entered.moved(left.at), origin.path, kind)


def called_as(tokens: Sequence[Token]) -> tuple[str, list[str]] | None:
    """(name, arguments) of `f<T>(a, b)` and `object.f(a)`."""
    start = next((i for i, t in enumerate(tokens) if t.text == "("), None)
    if not start or closing(tokens, start) != len(tokens) - 1:
        return None
    texts = argument_texts(spell(tokens[start:])) or []
    head = [t.text for t in tokens[:start]]
    marks = [i for i, word in enumerate(head) if word in (".", "->")]
    name = head[marks[-1] + 1 :] if marks else head
    return ("".join(name), texts) if name and tokens[0].kind == "name" else None


def made_struct(tokens: Sequence[Token], place: Environment) -> tuple[str, str] | None:
    """(type, list) of `Config{g, b}` and `Config<T>(g, b)`, if a struct of that name is known."""
    if not tokens or tokens[0].kind != "name":
        return None
    at = 1
    while at + 1 < len(tokens) and tokens[at].text == "::":
        at += 2
    name = tokens[at - 1].text
    if at < len(tokens) and tokens[at].text == "<":
        end = closing_angle(tokens, at)
        at = len(tokens) if end is None else end + 1
    is_list = at < len(tokens) and tokens[at].text in ("{", "(")
    if not is_list or closing(tokens, at) != len(tokens) - 1:
        return None
    if name not in ("pair", "tuple", "make_pair", "make_tuple") and struct_of(name, place) is None:
        return None
    return name, spell(tokens[at:])


def _of_made(origin: Origin, listed: str) -> Origin | None:
    """The member of a struct that a list or a constructor's arguments make."""
    name = origin.kind.split("<")[0].strip().rsplit("::", 1)[-1].strip()
    field, rest = origin.path[0], origin.path[1:]
    texts = argument_texts(listed) or []
    if name in ("pair", "tuple", "make_pair", "make_tuple"):
        at = {"first": 0, "second": 1}.get(field, -1)
        return _of_value(texts[at], origin.place, rest) if 0 <= at < len(texts) else None
    if name in ("dim3", "uint3", "int3") or len(texts) == 1 == len(tokenize(texts[0])):
        if name in ("dim3", "uint3", "int3"):
            return replace(origin, text=listed if listed != "()" else "(1)", kind="dim3")
        copied = origin.place.declared_type(texts[0])
        if copied in (name, origin.kind):
            return _of_value(texts[0], origin.place, origin.path)
    found = struct_of(name, origin.place)
    if found is None:
        return None
    for text in texts:
        words = tokenize(text)
        if [t.text for t in words[:3]] == [".", field, "="]:
            return _of_value(spell(words[3:]), origin.place, rest, "dim3" if rest else "")
    node, inside = found
    constructors = inside.session.project.constructors(name, inside.file)
    if constructors and not listed.startswith("{}"):
        return _constructed(origin, name, texts, listed)
    if declares_constructor(node, inside):
        return None
    fields = fields_of(node, inside)
    index = next((i for i, f in enumerate(fields) if f[0] == field), None)
    if index is None or any(t.startswith(".") for t in texts):
        default = fields[index][2] if index is not None else None
        return None if default is None else _of_value(default, inside, rest)
    if index < len(texts):
        return _of_value(texts[index], origin.place, rest, fields[index][1])
    default = fields[index][2]
    if default is not None:
        return _of_value(default, inside, rest, fields[index][1])
    return _of_value("1" if fields[index][1] == "dim3" else "0", inside, ())


def _constructed(
    origin: Origin, name: str, texts: Sequence[str], listed: str = ""
) -> Origin | None:
    """The member that a constructor sets: in its list, in its body, or by its default."""
    field, rest = origin.path[0], origin.path[1:]
    entered = _of_list(origin.place, name, listed) or enter(origin.place, f"{name}::{name}", texts)
    if entered is None:
        return None
    found = given(entered, field)
    if found is None:
        default = next((f[2] for f in fields_named(name, entered) if f[0] == field), None)
        return None if default is None else _of_value(default, entered, rest)
    there, definition = found
    if definition.value is None or not definition.known:
        return None
    text = there.definition_text(definition)
    kind = next((f[1] for f in fields_named(name, entered) if f[0] == field), "")
    if kind == "dim3":
        return Origin(text, there, rest, kind)
    if kind and is_number(kind, entered) and _is_operation(inner(text)):
        return Origin(f"({kind})({text})", there, rest)  # as initialising it converts it
    return _of_value(inner(text), there, rest, kind)


def _of_list(place: Environment, name: str, listed: str) -> Environment | None:
    """The inside of the constructor that a list in braces as such is given to; C++ prefers it."""
    if not listed.startswith("{"):
        return None
    for file, function in place.session.project.constructors(name, place.file):
        first = function.parameters[0].type if function.parameters else ""
        if "initializer_list" in first and takes(place.session.project, function, 1):
            return place.inside(file, function, frame_of(function, [listed], (), place))
    return None


def _of_default(origin: Origin, kind: str, there: Environment) -> Origin | None:
    """A member of `Config c;`: what a constructor without arguments or a default gives it."""
    if kind == "dim3":
        return replace(origin, text="dim3(1)", place=there, kind=kind) if origin.path else None
    name = kind.split("<")[0].strip().rsplit("::", 1)[-1].strip()
    found = struct_of(name, there) if origin.path else None
    if found is None:
        return None
    if there.session.project.constructors(name, there.file):
        return _constructed(replace(origin, place=there), name, ())
    if declares_constructor(*found):
        return None
    fields = fields_named(name, there)
    declared = next((f for f in fields if f[0] == origin.path[0]), None)
    if declared is None:
        return None
    if declared[2] is not None:
        return _of_value(declared[2], there, origin.path[1:], declared[1])
    if declared[1] == "dim3":  # its constructor makes it (1, 1, 1)
        return Origin("dim3(1)", there, origin.path[1:], "dim3")
    rest = replace(origin, path=origin.path[1:])
    return _of_default(rest, declared[1], there) if rest.path else None


def _of_own(origin: Origin) -> Origin | None:
    """`this->n`: the member `n` of the object."""
    name, rest = origin.path[0], origin.path[1:]
    return _of_global(replace(origin, text=name, path=rest), own=True)


def _of_called_on(origin: Origin, field: Definition) -> Origin | None:
    """A member in a method: what that has written to it, or what the object had before the call."""
    place, frame = origin.place, origin.place.frame
    if frame is None or frame.on is None:
        return None
    definition = own_member(place, origin.text, ".".join(origin.path) or None)
    if definition is None:
        return _parsed(frame.on, frame.passed.place, (origin.text, *origin.path))
    if definition.call is not None:
        left = left_by_own(place, definition)
        return None if left is None else _parsed("this", left, (origin.text, *origin.path))
    if not definition.known or definition.value is None:
        return None
    there, text = place.moved(definition.start), place.definition_text(definition)
    if definition.member is not None:
        return _of_value(text, there)
    kind = "" if field.pointers or field.extents else field.type
    if kind == "dim3":
        return Origin(text, there, origin.path, kind)
    if kind and is_number(kind, place):
        text = f"({kind})({text})"  # as the assignment converts it
    return _of_value(text, there, origin.path, kind)


def _of_global(origin: Origin, own: bool = False) -> Origin | None:
    """A variable at file or class scope: its initialiser, or the one write that sets it."""
    from perflint.frontend.source.host.objects.members import setting_of

    if origin.path and (set_by := set_by_method(origin.place, origin.text, origin.path)):
        return None if set_by.inside is None else _parsed("this", set_by.inside, origin.path)
    if (field := own_field(origin.place, origin.text)) is not None:
        return _of_called_on(origin, field)
    found = setting_of(origin.place, origin.text)
    if found is None and (kind := left_as_made(origin.place, origin.text, origin.path)):
        return _of_default(origin, kind, origin.place)
    if found is None:
        return origin if not own else None
    text, there, kind = found
    if kind == "dim3":
        return Origin(text, there, origin.path, kind)
    return _of_value(text, there, origin.path, kind)
