"""What host expressions are worth where a look-up does not tell.

Elements of constant tables, calls of small functions, the members of dim3s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.results import return_words
from perflint.frontend.source.host.objects.structs import is_number
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, UINT, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import Token, closing, spell, split, tokenize
from perflint.frontend.source.language.trees import argument_texts, children_of

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_NAMED = pattern(r"(?:\w+::)*[A-Za-z_]\w*")


# --- elements of constant arrays ------------------------------------------------------------------


def table_element(
    place: Environment, name: str, index: Value | None, variable: str
) -> Value | None:
    """`name[index]` of an array that nothing writes to; `variable` is an index that is one.

    Raises UndecidedError where the index is not known: each element is an alternative, and the
    same variable means the same alternative in every array.
    """
    if index is not None:
        element = place.member(name, f"[{int(index.number)}]")
        if element is not None:
            return element
    found = _table(place, name)
    if found is None:
        return None
    count = len(children_of(found[0].value))
    if index is None:
        position = place.session.choose(_chosen_by(place, found, variable), count)
    else:
        position = int(index.number)
    return None if position is None else _at(found, position)


def chosen_element(place: Environment, name: str, variable: str) -> Value | None:
    """As `table_element`, of an index that hangs on roots, if an element is chosen."""
    found = _table(place, name)
    if found is None:
        return None
    key = _chosen_by(place, found, variable)
    position = place.session.choices.get(key)
    place.session.note("choice", key, position)
    return None if position is None else _at(found, position)


def element_by_turn(place: Environment, name: str, index: Value) -> Value | None:
    """As `table_element`, of an index that is another in each turn of a loop, as a formula."""
    found = _table(place, name)
    if found is None:
        return None
    items = [_at(found, k) for k in range(len(children_of(found[0].value)))]
    known = [item for item in items if item is not None]
    return None if len(known) < len(items) else c_types.element(index, known)


def _chosen_by(place: Environment, table: tuple[Definition, Environment], variable: str) -> object:
    own = (id(table[1].file), table[0].start)
    return ("element", place.identity(variable) if variable else own)


def _at(table: tuple[Definition, Environment], position: int) -> Value | None:
    definition, there = table
    items = children_of(definition.value)
    if not 0 <= position < len(items):
        return None
    value = fold(there.file.source.text_of(items[position]), there)
    target = type_of_words(definition.type.split(), there)
    return None if target is None else c_types.convert(value, target)


def _table(place: Environment, name: str) -> tuple[Definition, Environment] | None:
    """The initialised array that a name stands for, if nothing writes to it."""
    body = place.body()
    local = body.visible(name, place.at) if body is not None else None
    if body is not None and (local is not None or name in body.parameters):
        if local is None or (not local.constant and _may_change(place, body, local)):
            return None
        definition, there = local, place.moved(local.start)
    elif place.outer is not None:
        return _table(place.outer, name)
    else:
        found = place.session.project.global_variable(name, place.file, place.place)
        if found is None:
            return None
        definition, there = found[1], place.elsewhere(found[0], found[1].start)
    value = definition.value
    is_list = value is not None and value.type == "initializer_list"
    if not is_list or len(definition.extents) != 1 or definition.pointers:
        return None
    return definition, there


def _may_change(place: Environment, body: Body, declaration: Definition) -> bool:
    if len(body.writes(declaration.name, declaration)) > 1:
        return True
    source = place.file.source
    arguments = (a for c in body.calls for a in children_of(c.child_by_field_name("arguments")))
    return any(a.type == "identifier" and source.text_of(a) == declaration.name for a in arguments)


# --- members of dim3s -----------------------------------------------------------------------------

AXES = ("x", "y", "z", "w")
MAKERS = {
    "dim3",
    *(f"make_{kind}{n}" for kind in ("int", "uint", "float", "double") for n in (2, 3, 4)),
}


def components(
    place: Environment, text: str, kind: str = "dim3"
) -> list[tuple[str, Value | None]] | None:
    """The members of an expression, each as written and folded; None if it has none.

    `kind` is the type wanted. A single number is a dim3's x. Missing members are 1, as dim3's
    constructor has it (CUDA C++ Programming Guide, dim3).
    """
    try:
        tokens = expand(tokenize(text), place.macros)
    except ExpansionError:
        return None
    while len(tokens) > 2 and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
        if len(split(tokens[1:-1])) > 1:
            break
        tokens = tokens[1:-1]
    if (arm := _arm(place, tokens)) is not None:
        return components(place, spell(arm), kind)
    written = spell(tokens)
    head = tokens[0].text if tokens else ""
    arguments = None
    if head in MAKERS and len(tokens) > 2 and closing(tokens, 1) == len(tokens) - 1:
        arguments = argument_texts(spell(tokens[1:]))
    elif head in ("(", "{"):
        arguments = argument_texts(written)
    if arguments is not None:
        copied = components(place, arguments[0], "") if len(arguments) == 1 else None
        if copied is not None:
            return copied
        missing = "1" if "dim3" in (kind, head) else "0"
        texts = [*arguments, *[missing] * (3 - len(arguments))]
        return [(t, fold(t, place)) for t in texts]
    named = "".join(t.text for t in tokens)
    if _NAMED.fullmatch(named) and place.is_aggregate(named):
        parts = [(f"{named}.{axis}", place.member(named, axis)) for axis in AXES[:3]]
        if place.declared_type(named) or any(value is not None for _, value in parts):
            return parts
    of_path = len(tokens) > 2 and tokens[-2].text in (".", "->") and tokens[-1].text not in AXES
    if of_path or (tokens and tokens[-1].text == "]" and place.is_aggregate(tokens[0].text)):
        parts = _by_axis(place, written)
        if any(value is not None for _, value in parts):
            return parts
    if (made := _made_elsewhere(place, tokens, written)) is not None:
        return made
    if _of_getter(place, tokens):
        return _by_axis(place, written)
    if kind == "dim3" and tokens:
        return [(written, fold(written, place)), *[("1", Value(1, UINT))] * 2]
    return None


def _by_axis(place: Environment, written: str) -> list[tuple[str, Value | None]]:
    return [(f"{written}.{axis}", place.path(f"{written}.{axis}")) for axis in AXES[:3]]


def _of_getter(place: Environment, tokens: Sequence[Token]) -> bool:
    """Whether it is a method's call that returns a dim3: one of its object, set axis by axis."""
    from perflint.frontend.source.host.objects.getters import entered_getter, method_call

    call = method_call(tokens)
    entered = entered_getter(place, *call) if call is not None else None
    return entered is not None and "dim3" in return_words(entered.function).split()


def _arm(place: Environment, tokens: Sequence[Token]) -> Sequence[Token] | None:
    """The arm that `n > 8 ? dim3(n, 2) : dim3(n, 4)` takes; None for anything else."""
    parts = split(tokens, "?")
    arms = split(parts[1], ":") if len(parts) == 2 else []
    if len(arms) != 2 or not all(any(t.text in MAKERS for t in arm) for arm in arms):
        return None
    holds = place.holds(spell(parts[0]))
    return None if holds is None else arms[0] if holds else arms[1]


def _made_elsewhere(
    place: Environment, tokens: Sequence[Token], written: str
) -> list[tuple[str, Value | None]] | None:
    """As `components`, for a dim3 that a call returns or a member is set from."""
    from perflint.frontend.source.host.objects.origins import traced  # it looks components up here

    if not tokens or tokens[0].kind != "name" or tokens[0].text in ELEMENTS:
        return None
    if is_number(place.declared_words(written)[0], place):
        return None
    with place.session.look_up(("made", written, place.key)) as allowed:
        found = traced(written, place) if allowed else None
        if found is None or found.path or (found.text == written and found.place is place):
            return None
        if is_number(found.kind, found.place):
            return None
        parts = components(found.place, found.text, found.kind or "dim3")
    return parts
