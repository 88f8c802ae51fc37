"""What a vector holds: `shape_[1]`, `x.shape().size()`, behind `Tensor x({n, c, h, w})`.

A vector, or an object's member that is one, is followed to the list that made it, through
constructors, functions and what they return. What any function changes of it by another way is not
read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.containers import MADE, changes_of, elements
from perflint.frontend.source.host.objects.object_methods import own_field
from perflint.frontend.source.host.objects.origins import Origin, way_of
from perflint.frontend.source.host.objects.resizing import CHANGES
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region, declarator_of
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.language.trees import argument_texts, children_of

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

Listed = list[tuple[str, "Environment"]]
#: Methods that give one of a vector's elements, and which.
_ENDS = {"front": 0, "back": -1}
_MOST = 16  #: elements of one that are multiplied or added up


def listed(place: Environment, text: str) -> Listed | None:
    """The elements of a vector as written, and where; None where they are not all known."""
    with place.session.look_up(("listed", text, place.key)) as allowed:
        return _listed(place, text) if allowed else None


def _listed(place: Environment, text: str) -> Listed | None:
    origin: Origin | None = None
    for origin in way_of(text, place):
        if origin.path[:-1]:
            continue
        there, name = origin.place, origin.path[0] if origin.path else origin.text
        if not name.isidentifier():
            continue
        body = there.body()
        if not origin.path and body is not None and there.is_local(name):
            declared = body.visible(name, there.at)
            if declared is not None and (declared.extents or declared.pointers):
                return None  # an array, which functions may write
            if changes_of(there, body, name):
                found = elements(there, name)
                plain = [each for each in found if each is not None]
                return plain if plain and len(plain) == len(found) else None
        elif _is_changed(there, name) or _is_of_any(there, name):
            return None
    if origin is None or origin.path:
        return None
    written = MADE.sub("", "".join(origin.text.split()), count=1) and MADE.sub("", origin.text)
    texts = argument_texts(spell(bare(tokenize(written)))) if "{" in written else None
    if texts is None or not written.strip().strip("(").startswith("{") or len(texts) > _MOST:
        return None
    return [(each, origin.place) for each in texts]


def _is_of_any(place: Environment, name: str) -> bool:
    """Whether a name is a member of an object that is not known; another has its own."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None:
        return False
    scopes = found[0].declarations.scopes_at(found[1].start)
    return bool(scopes) and scopes[-1].is_class and own_field(place, name) is None


def _is_changed(place: Environment, member: str) -> bool:
    """Whether a method changes a vector of its object's, other than by setting it as a whole."""
    for file in place.session.project.neighbours(member):
        for function in file.functions_naming(member):
            body = file.body(function)
            called = (call.name for call, path in body.receivers.get(member, ()) if not path)
            if any(name in CHANGES for name in called):
                return True
            written = [*body.definitions.get(member, ()), *body.own.get(member, ())]
            if any(d.element for d in written) and not function.constructs:
                return True
    return False


def element_of(place: Environment, text: str, index: Value | None) -> Value | None:
    """The value of `text[index]`."""
    if index is None or index.term is not None or not isinstance(index.number, int):
        return None
    return _at(listed(place, text), index.number)


def _at(found: Listed | None, index: int) -> Value | None:
    if found is None or not -len(found) <= index < len(found):
        return None
    return fold(*found[index])


def asked(place: Environment, name: str, texts: list[str]) -> Value | None:
    """The value of `v.size()`, `v.at(i)`, `v.back()` and `v.empty()`; None for other calls."""
    of, _, method = name.replace("->", ".").rpartition(".")
    if method == "at" and len(texts) == 1:
        return element_of(place, of, fold(texts[0], place))
    if texts or method not in ("size", "empty", *_ENDS):
        return None
    found = listed(place, of)
    if found is None or method in _ENDS:
        return _at(found, _ENDS.get(method, 0))
    if method == "empty":
        return Value(int(not found), c_types.BOOL)
    return Value(len(found), c_types.ULONG)


def behind(place: Environment, name: str, region: Region) -> Value | None:
    """What `for (int d : shape) n *= d;` leaves in a variable; None for any other loop."""
    node, source = region.node, place.file.source
    variable = declarator_of(node.child_by_field_name("declarator"))[0]
    body, right = node.child_by_field_name("body"), node.child_by_field_name("right")
    while body is not None and body.type in ("compound_statement", "expression_statement"):
        inside = children_of(body)
        body = inside[0] if len(inside) == 1 else None
    if body is None or variable is None or right is None or body.type != "assignment_expression":
        return None
    left, added = (body.child_by_field_name(f) for f in ("left", "right"))
    sign = body.child_by_field_name("operator")
    if left is None or added is None or sign is None or sign.type not in ("*=", "+="):
        return None
    found = listed(place.moved(node.start_byte), source.text_of(right))
    result = place.moved(node.start_byte - 1).variable(name)
    if found is None or result is None or source.text_of(left) != name:
        return None
    kind = result.type
    for each in found:
        there = place.knowing(added.start_byte, {source.text_of(variable): fold(*each)})
        result = c_types.binary(sign.type[0], result, fold(source.text_of(added), there))
        result = c_types.convert(result, kind)
    return result


def accumulated(place: Environment, texts: list[str]) -> Value | None:
    """The value of `std::accumulate(v.begin(), v.end(), 1, std::multiplies<int>())`."""
    ends = [text.replace(" ", "") for text in texts[:2]]
    of = ends[0].removesuffix(".cbegin()").removesuffix(".begin()")
    if len(texts) not in (3, 4) or ends[0] == of or ends[1] not in (f"{of}.end()", f"{of}.cend()"):
        return None
    times = len(texts) == 4
    found, result = listed(place, of), fold(texts[2], place)
    if found is None or (times and "multiplies" not in texts[3]):
        return None
    kind = result.type if result is not None else None
    for each in found:
        result = c_types.binary("*" if times else "+", result, fold(*each))
    return None if kind is None else c_types.convert(result, kind)
