"""Parameters of lambdas, and what the calls of a lambda give them.

A lambda is called where it stands, through the variable that holds it, or by the function in sight
that it is passed to. Each call is a choice of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.structs import is_number, struct_of
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.declarations import Call, call_of
from perflint.frontend.source.language.declarators import Parameter, parameter_of
from perflint.frontend.source.language.tokens import spell, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: How the type of a lambda is called here, by where it stands: none has a name in C++.
_TYPE = pattern(r"lambda_(\d+)_\d+")
#: Why nothing can be compiled for one.
NO_NAME = "has no name outside of its function"
_PARAMETERS = ("parameter_declaration", "optional_parameter_declaration")
Source = tuple[str, "Environment"]


def lambda_type(text: str, place: Environment) -> str | None:
    """A name for the type of the lambda that is written at a place; None if none is."""
    written = "".join(text.split())
    source = place.file.source
    nodes = place.file.declarations.lambdas
    alike = [n for n in nodes if "".join(source.text_of(n).split()) == written]
    after = [n for n in alike if n.start_byte >= place.at]
    if not alike:
        return None
    node = after[0] if after else alike[-1]
    return f"lambda_{source.line_at(node.start_byte)}_{node.start_point[1] + 1}"


def unnamed(arguments: Iterable[str | None]) -> str:
    """Why nothing can be compiled for template arguments; "" unless a lambda's type is of them."""
    lines = [line for a in arguments if a is not None for line in _TYPE.findall(a)]
    if not lines:
        return ""
    return f"the type of the lambda in line {lines[0]} {NO_NAME}"


def lambda_parameter(place: Environment, name: str) -> tuple[Node, int, Parameter] | None:
    """(lambda, position, parameter) if a name is a parameter of a lambda around a place."""
    body = place.body()
    if body is None:
        return None
    declared = body.visible(name, place.at)
    for region in reversed(body.enclosing(place.at)):
        if region.kind != "lambda":
            continue
        if declared is not None and declared.start >= region.start:
            return None
        declarator = region.node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        nodes = [c for c in children_of(listed) if c.type in _PARAMETERS]
        for position, node in enumerate(nodes):
            parameter = parameter_of(place.file.source, node)
            if parameter.name == name:
                return region.node, position, parameter
    return None


def lambda_argument(place: Environment, name: str) -> list[Source] | None:
    """What calls give a lambda's parameter, under the session's choice; [] where none is in sight.

    None if the name is no parameter of a lambda. Raises UndecidedError where there are several.
    """
    found = lambda_parameter(place, name)
    if found is None:
        return None
    node, position, parameter = found
    calls = _calls(node, place)
    index = place.session.choose(("lambda", node.id), len(calls))
    if index is None:
        return []
    call, there = calls[index]
    if position < len(call.arguments):
        return [(there.file.source.text_of(call.arguments[position]), there)]
    return [] if parameter.default is None else [(parameter.default, place)]


def _calls(node: Node, place: Environment) -> list[tuple[Call, Environment]]:
    """The calls of a lambda that are in sight, each where it stands."""
    parent: Node | None = node.parent
    child: Node = node
    while parent is not None and parent.type == "parenthesized_expression":
        child, parent = parent, parent.parent
    if parent is None:
        return []
    if parent.type == "call_expression" and parent.child_by_field_name("function") == child:
        arguments = tuple(children_of(parent.child_by_field_name("arguments")))
        call = Call("", place.file.source, parent, node, arguments, None)
        return [(call, place.moved(parent.start_byte))]
    if parent.type == "init_declarator":
        declarator = parent.child_by_field_name("declarator")
        if declarator is None or declarator.type != "identifier":
            return []
        return _of_variable(place.file.source.text_of(declarator), place, parent.start_byte)
    if parent.type == "argument_list" and parent.parent is not None:
        return _of_taker(parent.parent, child, place)
    return []


def _of_variable(name: str, place: Environment, start: int) -> list[tuple[Call, Environment]]:
    """The calls, in the function around a place, of the variable that is declared at a start."""
    body = place.body()
    result = []
    for node in body.calls if body is not None else ():
        call = call_of(place.file.source, node)
        if body is None or call is None or call.name != name:
            continue
        declared = body.visible(name, node.start_byte)
        if declared is not None and declared.start == start:
            result.append((call, place.moved(node.start_byte)))
    for given in body.given.get(name, ()) if body is not None else ():
        at = given.call.node.start_byte
        declared = body.visible(name, at) if body is not None else None
        if declared is not None and declared.start == start:
            result += _of_taker(given.call.node, given.call.arguments[given.position], place)
    return result


def _of_taker(node: Node, child: Node, place: Environment) -> list[tuple[Call, Environment]]:
    """The calls that a function makes of a lambda that it is given."""
    from perflint.frontend.source.host.calls.frames import texts_of
    from perflint.frontend.source.host.calls.results import enter

    call = call_of(place.file.source, node)
    position = next((i for i, a in enumerate(call.arguments) if a == child), -1) if call else -1
    if call is None or position < 0:
        return []
    template = ", ".join(place.file.source.text_of(n) for n in call.template or ())
    name = f"{call.name}<{template}>" if template else call.name
    with place.session.look_up(("taker", node.id, place.frame_key)) as allowed:
        there = place.moved(node.start_byte)
        entered = enter(there, name, texts_of(call, place.file)) if allowed else None
    if entered is None or entered.function is None:
        return []
    if position >= len(entered.function.parameters):
        return []
    taken = entered.function.parameters[position].name
    body = entered.body()
    result = []
    for each in body.calls if body is not None else ():
        inner = call_of(entered.file.source, each)
        if inner is not None and inner.name == taken:
            result.append((inner, entered.moved(each.start_byte)))
    return result


def returned(
    place: Environment, name: str, texts: Sequence[str], values: Sequence[Value | None]
) -> tuple[str, Environment, str] | None:
    """What a call of a local lambda returns: as written, where, and of what type if that is said.

    `auto blocks = [&](int n) { return (n + 63) / 64; };`, whose only `return` ends it. Parameters
    that are given no number, but a struct's name, stand for that: `n.x / tile.x`.
    """
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    node = declaration.value if declaration is not None else None
    if body is None or declaration is None or node is None or node.type != "lambda_expression":
        return None
    if len(body.writes(name, declaration)) > 1:
        return None
    statements = children_of(node.child_by_field_name("body"))
    last = statements[-1] if statements else None
    if last is None or last.type != "return_statement" or not children_of(last):
        return None
    if any(_returns(each) for each in statements[:-1]):
        return None
    declarator = node.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    parameters = [parameter_of(place.file.source, c) for c in children_of(listed)]
    if len(parameters) != len(values):
        return None
    result = children_of(last)[0]
    bound = {p.name: v for p, v in zip(parameters, values, strict=True) if p.name}
    head = place.file.source.text_of(declarator) if declarator is not None else ""
    kind = head.rpartition("->")[2].strip() if "->" in head else ""
    written = place.file.source.text_of(result)
    named = {
        p.name: text
        for p, text in zip(parameters, texts, strict=True)
        if p.name and text.isidentifier() and _is_struct(place, text)
    }
    if not named:
        return written, place.knowing(result.start_byte, bound), kind
    words = [t._replace(text=named.get(t.text, t.text)) for t in tokenize(written)]
    return spell(words), place.knowing(place.at, bound), kind


def _returns(node: Node) -> bool:
    return node.type == "return_statement" or any(map(_returns, node.named_children))


def _is_struct(place: Environment, name: str) -> bool:
    """Whether an argument is a struct, of which members are taken."""
    words, depth = place.declared_words(name)
    if place.is_aggregate(name):
        return True
    return not depth and not is_number(words, place) and struct_of(words, place) is not None
