"""How many bytes the host allocated for a pointer that a kernel gets."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.frontend.source.host.calls.frames import texts_of
from perflint.frontend.source.host.calls.results import enter, text_left
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ULONG, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import Token, closing, closing_angle, spell, tokenize
from perflint.frontend.source.project.files import File

#: Allocation functions of the CUDA runtime and driver that take (address of pointer, bytes, …).
ALLOCATORS = (
    *("cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"),
    *("cuMemAlloc", "cuMemAllocManaged"),
)
_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_DEPTH_LIMIT = 8


def allocation_of(text: str, environment: Environment, depth: int = 0) -> Value | None:
    """Bytes behind a pointer expression, or None where its allocation is not found and folded."""
    tokens = without_casts(tokenize(text))
    if not tokens or depth > _DEPTH_LIMIT:
        return None
    path = spell(tokens)
    if tokens[-1].text == ")":
        owned = _owned(tokens, environment)
        return _returned(tokens, environment, depth) if owned is None else owned
    if any(t.kind != "name" and t.text not in (".", "->") for t in tokens):
        return None
    place = environment
    while place.outer is not None and not place.is_local(tokens[0].text):
        place = place.outer
    if not place.is_local(tokens[0].text):
        return _global_allocation(path, place)
    found = _local_allocation(path, tokens[0].text, place)
    if found is not None:
        call, _ = found
        return allocated_bytes(call, place.file, place)
    if (made := _left_by_call(path, tokens[0].text, place)) is not None:
        return made
    if (owned := _owned(tokens, place)) is not None:
        return owned
    if len(tokens) > 1:
        return _through_member(path, place, depth)
    return _through_alias(path, place, depth)


def is_null(text: str, place: Environment, depth: int = 0) -> bool:
    """Whether a pointer is null: a local that nothing else sets, or what a caller passes."""
    tokens = without_casts(tokenize(text))
    words = [t.text for t in tokens]
    if depth and (words in (["nullptr"], ["NULL"]) or (words == ["0"])):
        return True
    while place.outer is not None and words and not place.is_local(words[0]):
        place = place.outer
    function = place.function
    if len(tokens) != 1 or depth > _DEPTH_LIMIT or function is None or not place.is_local(words[0]):
        return False
    definition = place.reaching(words[0])
    if definition is PARAMETER:
        position = function.position(words[0])
        found = place.argument(function, position)
        is_pointer = function.parameters[position].pointers > 0
        return is_pointer and found is not None and is_null(*found, depth + 1)
    if definition is None or definition.value is None:
        return False
    there = place.moved(definition.start)
    return is_null(place.definition_text(definition), there, depth + 1)


def without_casts(tokens: list[Token]) -> list[Token]:
    """Strip parentheses and casts around an expression."""
    while len(tokens) > 2:
        if tokens[0].text in _CASTS and tokens[1].text == "<":
            end = closing_angle(tokens, 1)
            if end is None or end + 1 >= len(tokens):
                return tokens
            tokens = tokens[end + 1 :]
            continue
        end = closing(tokens, 0) if tokens[0].text == "(" else None
        if end is None:
            return tokens
        if end == len(tokens) - 1:
            tokens = tokens[1:-1]
        elif tokens[end - 1].text == "*":
            tokens = tokens[end + 1 :]
        else:
            return tokens
    return tokens


def calls_for(path: str, file: File) -> Sequence[Call]:
    """The allocations of a pointer in a file, each read once."""
    known: dict[str, list[Call]] | None = file.__dict__.get("_allocations")
    if known is None:
        known = file.__dict__["_allocations"] = {}
        for allocator in ALLOCATORS:
            for call in file.declarations.calls.get(allocator, ()):
                if (target := _target(call, file)) is not None:
                    known.setdefault(target, []).append(call)
    return known.get(path, ())


def _target(call: Call, file: File) -> str | None:
    """`p` of `cudaMalloc((void **)&p, bytes)`; `*p` where what p points to is set."""
    if len(call.arguments) < 2:
        return None
    tokens = without_casts(tokenize(file.source.text_of(call.arguments[0])))
    if tokens and tokens[0].text == "&":
        return spell(tokens[1:])
    return f"*{tokens[0].text}" if len(tokens) == 1 and tokens[0].kind == "name" else None


def allocated_bytes(call: Call, file: File, environment: Environment) -> Value | None:
    """Bytes that a call of an allocation function asks for."""
    at, function = call.node.start_byte, environment.function
    here = file is environment.file and function is not None and _is_in(function, at)
    there = environment.moved(at) if here else environment.elsewhere(file, at)  # of this very call
    value = fold(file.source.text_of(call.arguments[1]), there)
    size = c_types.convert(value, ULONG) if value is not None and value.number > 0 else None
    return c_types.unwrapped(size)


def _is_in(function: Function, at: int) -> bool:
    return function.node.start_byte <= at < function.node.end_byte


def _local_allocation(path: str, name: str, place: Environment) -> tuple[Call, int] | None:
    """The allocation in the same function that every path to the place has passed last."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return None
    declaration = body.visible(name, place.at)
    calls = [
        call
        for call in calls_for(path, place.file)
        if function.node.start_byte <= call.node.start_byte < place.at
        and body.visible(name, call.node.start_byte) is declaration
    ]
    if not calls:
        return None
    last = max(calls, key=lambda c: c.node.start_byte)
    texts = {place.file.source.text_of(c.arguments[1]) for c in calls}
    around = body.enclosing(place.at)
    if len(texts) > 1 and not set(body.enclosing(last.node.start_byte)) <= set(around):
        return None
    return last, last.node.start_byte


def _returned(tokens: list[Token], place: Environment, depth: int) -> Value | None:
    """The allocation that a function returns: `upload(h)`."""
    from perflint.frontend.source.host.objects.origins import (
        called_as,  # it looks allocations up here
    )

    called = called_as(tokens)
    entered = enter(place, *called) if called is not None else None
    if entered is None:
        return None
    with place.session.look_up(("allocation", entered.key)) as allowed:
        left = text_left(entered) if allowed else None
        return None if left is None else allocation_of(*left, depth + 1)


def _left_by_call(path: str, name: str, place: Environment) -> Value | None:
    """The allocation that a function leaves in a pointer of its caller's: `upload(&d, h)`."""
    body = place.body()
    if body is None or path != name or place.reaching(name) is PARAMETER:
        return None
    calls = [g for g in body.given.get(name, ()) if g.address and g.call.node.start_byte < place.at]
    if not calls:
        return None
    last = max(calls, key=lambda each: each.call.node.start_byte)
    there = place.moved(last.call.node.start_byte)
    entered = enter(there, last.call.name, texts_of(last.call, place.file))
    function = entered.function if entered is not None else None
    if entered is None or function is None or last.position >= len(function.parameters):
        return None
    parameter = function.parameters[last.position].name
    inside = entered.moved(function.node.end_byte - 1)
    found = _local_allocation(f"*{parameter}", parameter, inside)
    return None if found is None else allocated_bytes(found[0], entered.file, inside)


def _owned(tokens: list[Token], place: Environment) -> Value | None:
    """The allocation of an object that owns it: `x`, `x.p`, `x.get()`."""
    from perflint.frontend.source.host.objects.buffers import (
        owned_allocation,  # it looks allocations up here
    )

    return owned_allocation(tokens, place)


def _through_alias(name: str, place: Environment, depth: int) -> Value | None:
    body, function = place.body(), place.function
    if body is None or function is None:
        return None
    definition = place.reaching(name)
    if definition is None:
        return None
    if definition is PARAMETER:
        found = place.argument(function, function.position(name))
        return None if found is None else allocation_of(found[0], found[1], depth + 1)
    if definition.value is None:
        return None
    there = place.moved(definition.start)
    return allocation_of(place.definition_text(definition), there, depth + 1)


def _through_member(path: str, place: Environment, depth: int) -> Value | None:
    """The allocation of the pointer that a member of a struct was set from."""
    from perflint.frontend.source.host.objects.origins import (
        followed,  # it looks allocations up here
    )

    found = followed(path, place)
    if found.path or found.text == path:
        return None
    return allocation_of(found.text, found.place, depth + 1)


def _global_allocation(path: str, place: Environment) -> Value | None:
    """The one allocation of a global pointer, wherever it stands."""
    name = tokenize(path)[0].text
    found = [
        (call, file)
        for file in place.session.project.neighbours(name)
        if name in file.source.text
        for call in calls_for(path, file)
        if not place.elsewhere(file, call.node.start_byte).is_local(name)
    ]
    if len(found) != 1:
        return None
    return allocated_bytes(*found[0], place)
