"""The template arguments a kernel is launched with: written, folded, or deduced from arguments.

A name that only the host function knows (its template parameters, constants and aliases) is
replaced by what it stands for there, so that a compiler understands the result anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.lambdas import lambda_parameter, lambda_type
from perflint.frontend.source.host.calls.launch_syntax import template_list
from perflint.frontend.source.host.objects.class_templates import (
    class_argument,
    is_class_parameter,
    is_class_variable,
    is_enclosing_parameter,
)
from perflint.frontend.source.host.objects.member_types import POINTER, member_of, member_type
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.model import TemplateParameter
from perflint.frontend.source.language.tokens import (
    Token,
    bare,
    closing,
    closing_angle,
    inside_angles,
    spell,
    tokenize,
)
from perflint.frontend.source.language.type_patterns import bound

_DEPTH = 8
_FORWARD = pattern(r"(?:std::)?(?:forward<.*>|move)\((\w+)\)")
#: A type as text and how many pointers deep it is: `float **` is (`float`, 2).
WrittenType = tuple[str, int]


def instance(
    written: Sequence[str],
    kernel: Function | None,
    arguments: Sequence[str],
    place: Environment,
    named: Environment | None = None,
) -> tuple[str | None, ...]:
    """The template arguments, as a compiler outside the function needs them, but for defaults.

    `kernel` is the template, None where it is not in sight; `named` is where the written ones
    stand, if that is another place than the launch. None stands for one not known.
    """
    known = [resolve(text, named or place) for text in written]
    if kernel is None:
        return tuple(known)
    for index, parameter in enumerate(kernel.template[: len(known)]):
        known[index] = _as_enumerator(known[index], parameter, place)
    found = deduce(kernel, arguments, place)
    for parameter in kernel.template[len(known) :]:
        if "..." in parameter.written:
            known += _pack(kernel, arguments, place)
        elif parameter.name not in found and parameter.optional:
            break
        else:
            known.append(found.get(parameter.name))
    return tuple(known)


def _as_enumerator(
    value: str | None, parameter: TemplateParameter, place: Environment
) -> str | None:
    """`2` for a parameter of an enumeration's type as `(Mode)2`: no number is converted to one."""
    if value is None or parameter.is_type or re.fullmatch(r"-?\d+", value) is None:
        return value
    words = parameter.type.replace("::", " ").split()
    named = place.session.project.enumeration(words[-1], place.file) if words else None
    return value if named is None else f"({named[0]}){value}"


def _pack(kernel: Function, arguments: Sequence[str], place: Environment) -> Sequence[str | None]:
    """The types that a kernel's parameter pack takes from what is passed for it."""
    count = len(kernel.parameters) - 1
    if not kernel.parameters or "..." not in kernel.parameters[-1].written:
        return ()
    types: list[str | None] = []
    for text, there in unpacked(arguments[count:], place):
        found = type_of(text, there)
        types.append(None if found is None else found[0] + "*" * found[1])
    return types


def unpacked(
    arguments: Iterable[str], place: Environment, depth: int = 0
) -> list[tuple[str, Environment]]:
    """Arguments with where they stand, `rest...` replaced by what the caller passes for it."""
    result = []
    for text in arguments:
        function = place.function
        name = _FORWARD.sub(r"\1", "".join(text.split()).removesuffix("..."))
        last = function.parameters[-1:] if function is not None else ()
        if not text.rstrip().endswith("...") or not last or last[0].name != name:
            result.append((text, place))
            continue
        given = place.passed(function) if function is not None else None
        if given is None or given.arguments is None or function is None or depth > _DEPTH:
            return [("?", place)]
        rest = given.arguments[len(function.parameters) - 1 :]
        result += unpacked(rest, given.place, depth + 1)
    return result


def complete(arguments: tuple[str | None, ...]) -> tuple[str, ...] | None:
    """The arguments if all of them are known."""
    known = tuple(a for a in arguments if a is not None)
    return known if len(known) == len(arguments) else None


def deduce(
    function: Function,
    arguments: Iterable[str],
    place: Environment,
    only: str | None = None,
    depth: int = 0,
) -> dict[str, str]:
    """Template type parameters by matching `T *` against the type of what is passed.

    With `only`, from the parameters whose types name that one. `depth` counts how many types were
    asked for on the way here: a function that is called with what its own caller passes asks again.
    """
    types = {p.name for p in function.template if p.is_type}
    names = {p.name for p in function.template}
    found: dict[str, str] = {}
    passed_texts = unpacked(arguments, place, depth)
    for parameter, (text, there) in zip(function.parameters, passed_texts, strict=False):
        wanted = tokenize(parameter.type)
        mentioned = {t.text for t in wanted}
        if names.isdisjoint(mentioned) or (only is not None and only not in mentioned):
            continue
        passed = type_of(text, there, depth)
        if passed is None or passed[1] < parameter.pointers:
            continue
        if parameter.type in types:
            spelled = passed[0] + "*" * (passed[1] - parameter.pointers)
            found.setdefault(parameter.type, spelled)
        elif passed[1] == parameter.pointers:
            for name, word in bound(wanted, tokenize(passed[0]), names).items():
                found.setdefault(name, word)
    return found


def type_of(text: str, place: Environment, depth: int = 0) -> WrittenType | None:
    """The type of an argument expression; None where it is not plain."""
    tokens = list(bare(tokenize(text)))
    if not tokens or depth > _DEPTH:
        return None
    end = closing(tokens, 0) if tokens[0].text == "(" else None
    if end is not None and tokens[end - 1].text == "*":
        return _written_type(tokens[1:end], place, depth)
    if tokens[0].text in ("static_cast", "reinterpret_cast"):
        between = tokens[2 : len(tokens) - len(without_casts(tokens))]
        ends = [i for i, t in enumerate(between) if t.text == ">"]
        return _written_type(between[: ends[-1]], place, depth) if ends else None
    if tokens[0].text == "[":
        made_here = lambda_type(text, place)
        return None if made_here is None else (made_here, 0)
    if tokens[0].text == "&":
        inner = type_of(spell(tokens[1:]), place, depth + 1)
        return None if inner is None else (inner[0], inner[1] + 1)
    if [t.text for t in tokens[-2:]] == ["{", "}"]:
        return _written_type(tokens[:-2], place, depth)
    if (made := _constructed(tokens, place, depth)) is not None:
        return made
    if (tensor := _tensor_pointer(tokens, place, depth)) is not None:
        return tensor
    is_call = len(tokens) > 2 and tokens[1].text == "(" and closing(tokens, 1) == len(tokens) - 1
    if is_call and (tokens[0].text in _SCALARS or place.names_type(tokens[0].text)):  # `U(x)`
        return _written_type(tokens[:1], place, depth)
    declared = _declared(tokens[0].text, place, depth) if tokens[0].kind == "name" else None
    if declared is not None and len(tokens) > 1:
        end = closing(tokens, 1)
        if tokens[1].text == "[" and end == len(tokens) - 1:
            return (declared[0], declared[1] - 1) if declared[1] else None
        declared = declared if declared[1] and tokens[1].text in ("+", "-") else None
    if declared is not None:
        return declared
    value = fold(spell(tokens), place)
    if value is not None and value.type.kind != "opaque":
        return value.type.name, 0
    return _of_member(tokens, place, depth)


def _of_member(tokens: Sequence[Token], place: Environment, depth: int) -> WrittenType | None:
    """The type of `in.data()`, by the class of `in`, and of `raw_pointer_cast(in.data())`."""
    start = next((i for i, t in enumerate(tokens) if t.text == "("), 0)
    if start and tokens[start - 1].text == "raw_pointer_cast":
        pointer = type_of(spell(tokens[start:]), place, depth + 1)
        if pointer is None or pointer[1] or not pointer[0].startswith(f"{POINTER}<"):
            return pointer
        return _written_type(tokenize(f"{pointer[0][len(POINTER) + 1 : -1]} *"), place, depth)
    found = member_of(tokens)
    owner = None if found is None else type_of(found[0], place, depth + 1)
    if found is None or owner is None:
        return None
    kind = member_type(owner[0], *found[1:], place)
    return None if kind is None else _written_type(kind, place, depth)


def _constructed(tokens: Sequence[Token], place: Environment, depth: int) -> WrittenType | None:
    """The type of `Functor<float>(…)`, whose name is a class template's, and of `(T) x`."""
    if tokens[0].text == "(" and (end := closing(tokens, 0)) is not None and end < len(tokens) - 1:
        is_cast = tokens[end + 1].kind != "mark" or tokens[end + 1].text == "("
        return _written_type(tokens[1:end], place, depth) if is_cast else None
    start = next((i for i, t in enumerate(tokens) if t.text in ("<", "(", "{")), 0)
    if not start or tokens[start - 1].kind != "name":
        return None
    end = closing_angle(tokens, start) if tokens[start].text == "<" else start - 1
    if end is None or closing(tokens, end + 1) != len(tokens) - 1:
        return None
    if tokens[end + 1].text not in ("(", "{"):
        return None
    library = tokens[start].text == "<" and tokens[0].text in _LIBRARIES
    if not library and not place.is_declared_type(tokens[start - 1].text):
        return None
    return _written_type(tokens[: end + 1], place, depth)


def _tensor_pointer(tokens: Sequence[Token], place: Environment, depth: int) -> WrittenType | None:
    """The type of `tensor.data_ptr<T>()` and `tensor.packed_accessor32<T, 2>()`, after PyTorch.

    Also of `image.ptr<T>()`, by the method's own declaration.
    """
    open_brackets = start = 0
    for index, token in enumerate(tokens):
        open_brackets += (token.text in "([{") - (token.text in ")]}")
        if open_brackets == 0 and token.text in (".", "->"):
            start = index + 1
    name = tokens[start].text if start and start < len(tokens) else ""
    if [t.text for t in tokens[start + 1 : start + 2]] != ["<"]:
        return None  # a member of that name
    is_pointer = name in _POINTERS or (name not in _ACCESSORS and _gives_pointer(name, place))
    if not is_pointer and name not in _ACCESSORS:
        return None
    end = closing_angle(tokens, start + 1)
    if end is None:
        return None
    if is_pointer:
        found = _written_type(inside_angles(tokens, start + 1, end), place, depth)
        return None if found is None else (found[0], found[1] + 1)
    listed = resolve(spell(tokens[start + 1 : end + 1]), place, depth + 1)
    return None if listed is None else (f"{_ACCESSORS[name]}{listed}", 0)


def _gives_pointer(name: str, place: Environment) -> bool:
    """Whether methods in sight of a name are all `template <typename T> T *name(…)`."""
    found = [
        function
        for file in place.session.project.neighbours(name)
        for function in file.declarations.by_name.get(name, ())
        if function.method and function.template
    ]
    return bool(found) and all(_returns_pointer_to_first(each) for each in found)


def _returns_pointer_to_first(function: Function) -> bool:
    kind, declarator = (function.node.child_by_field_name(f) for f in ("type", "declarator"))
    if kind is None or declarator is None or declarator.type != "pointer_declarator":
        return False
    return function.source.text_of(kind) == function.template[0].name


#: Member functions of PyTorch's tensors that give a pointer to their elements, or an accessor.
_POINTERS = ("data_ptr", "const_data_ptr", "mutable_data_ptr", "data")
_ACCESSORS = {
    "packed_accessor": "PackedTensorAccessor",
    "packed_accessor32": "PackedTensorAccessor32",
    "packed_accessor64": "PackedTensorAccessor64",
    "generic_packed_accessor": "GenericPackedTensorAccessor",
}
#: Namespaces whose class templates are in no file of the user's: `thrust::plus<float>()`.
_LIBRARIES = ("std", "cuda", "thrust", "cub")
_SCALARS = ("float", "double", "int", "bool", "unsigned", "long", "int64_t", "int32_t", "size_t")


def _declared(name: str, place: Environment, depth: int) -> WrittenType | None:
    words, pointers = place.declared_words(name)
    if words == "auto":
        value = place.initialiser(name)
        return None if value is None else type_of(*value, depth + 1)
    if not words:
        return None
    found = _written_type(tokenize(words), place, depth)
    return None if found is None else (found[0], found[1] + pointers)


def _written_type(tokens: Sequence[Token], place: Environment, depth: int) -> WrittenType | None:
    kept = [t for t in tokens if t.text not in ("const", "volatile", "struct", "typename")]
    pointers = 0
    while kept and kept[-1].text == "*":
        kept, pointers = kept[:-1], pointers + 1
    resolved = resolve(spell(kept), place, depth + 1) if kept else None
    if resolved is None:
        return None
    base = resolved.rstrip("* ")
    return base, pointers + resolved[len(base) :].count("*")


def resolve(text: str, place: Environment, depth: int = 0, hidden: str | None = None) -> str | None:
    """A template argument without names of the host function's own; None if one is not known.

    `hidden` is an alias being replaced: `using Traits = Traits<T>` names another one inside.
    """
    key = ("resolved", text, place.key, depth, hidden, place.session.mode)
    alone = place.outer is not None
    return place.session.remembered(key, lambda: _resolved(text, place, depth, hidden), not alone)


def _resolved(text: str, place: Environment, depth: int, hidden: str | None) -> str | None:
    tokens = tokenize(text)
    if depth > _DEPTH or not tokens:
        return None
    if len(tokens) == 1 and tokens[0].text in ("true", "false"):
        return text
    if len(tokens) == 1 and (given := place.dispatched(text)) in ("true", "false"):
        return given
    # A class may have the name of an enumerator of a scoped enumeration.
    is_type = place.is_template_type(tokens[0].text) or place.is_declared_type(text)
    value = None if is_type else fold(text, place)
    if value is not None and value.type.kind != "opaque":
        if value.type == c_types.BOOL:
            return "true" if value.number else "false"
        return str(value.number)
    if len(tokens) == 1 and text not in place.macros:
        return _resolve_name(text, place, depth)
    if not {t.text for t in tokens}.isdisjoint(place.macros):
        try:
            tokens = list(expand(tokens, place.macros))
        except ExpansionError:
            return None
    tokens = _without_decltype(tokens, place, depth)
    if any(t.text in (".", "->") for t in tokens):
        return None  # a member of a variable, which means nothing elsewhere
    parts: list[str] = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        part: str | None = token.text
        if token.kind == "name" and token.text != hidden and before not in ("::", ".", "->"):
            part = _resolve_name(token.text, place, depth)
        if part is None:
            return None
        parts.append(part)
    return template_list(parts)


def _without_decltype(tokens: Sequence[Token], place: Environment, depth: int) -> list[Token]:
    """`decltype(load)` as the type of `load`, where that is plain; a compiler knows others."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        end = closing(tokens, index + 1) if tokens[index].text == "decltype" else None
        found = None if end is None else type_of(spell(tokens[index + 2 : end]), place, depth + 1)
        if end is not None and found is not None:
            result += tokenize(found[0] + "*" * found[1])
            index = end
        else:
            result.append(tokens[index])
        index += 1
    return result


def _resolve_name(name: str, place: Environment, depth: int) -> str | None:
    if place.outer is not None and not place.is_local(name):
        return _resolve_name(name, place.outer, depth)
    function = place.function
    if function is not None and any(p.name == name for p in function.template):
        # What a call leaves out is deduced before a default counts.
        given = deduced(name, function, place, depth) or place.template_argument(function, name)
        given = given or class_argument(name, place)
        return None if given is None else resolve(*given, depth + 1)
    text = place.dispatched(name)
    if text is not None:
        return text if text == name else resolve(text, place, depth + 1)
    alias = place.local_alias(name)
    if alias is not None:
        return resolve(*alias, depth + 1, name)
    if place.is_local(name) or lambda_parameter(place, name) is not None:
        value = fold(name, place)
        return None if value is None else str(value.number)
    if is_class_parameter(name, place):
        of_class = class_argument(name, place)
        return None if of_class is None else resolve(*of_class, depth + 1)
    if name in _PYTORCH and not place.is_declared_type(name):
        return f"at::{name}"  # the function is `using namespace at`
    if is_class_variable(name, place) or is_enclosing_parameter(name, place):
        value = fold(name, place)
        return None if value is None else str(value.number)
    return name


#: Types of PyTorch's that functions with `using namespace at` name without it.
_PYTORCH = ("acc_type", "opmath_type", "Half", "BFloat16")


def deduced(
    name: str, function: Function, place: Environment, depth: int = 0
) -> tuple[str, Environment] | None:
    """A host template's type parameter, from what its caller passes."""
    given = place.passed(function)
    position = next(i for i, p in enumerate(function.template) if p.name == name)
    if given is None or given.arguments is None or position < len(given.template):
        return None
    # A function that is called with what its own parameters are would be asked again.
    with place.session.look_up(("deduced", function.node.id, name, place.frame_key)) as allowed:
        if not allowed:
            return None
        found = deduce(function, given.arguments, given.place, name, depth + 1).get(name)
    return None if found is None else (found, given.place)
