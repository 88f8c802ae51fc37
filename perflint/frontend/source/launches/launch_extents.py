"""Where the extents of a launch are written: in the launch, or in the `dim3` that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perflint.base.constructs import Fragment, LaunchSource
from perflint.frontend.source.host.calls.launch_syntax import LAUNCH_LIMIT
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.language.declarators import Definition
    from perflint.frontend.source.language.reaching_definitions import Body

_AXES = ("x", "y", "z")


def launch_sources(file: File) -> Iterator[LaunchSource]:
    """The launches that a file's own text holds, in text order, with what is to be edited."""
    source = file.source
    for configuration in file.declarations.launches[:LAUNCH_LIMIT]:
        node = configuration.parent
        callee = node.child_by_field_name("function") if node is not None else None
        arguments = node.child_by_field_name("arguments") if node is not None else None
        given = children_of(configuration)
        if node is None or callee is None or arguments is None or len(given) < 2:
            continue
        function = file.declarations.function_at(node.start_byte)
        extents = [_extents(file, function, each) for each in given[:2]]
        grid, block = (tuple(_meaning(file, function, e) for e in each) for each in extents)
        yield LaunchSource(
            source.text_of(callee),
            source.span(callee, arguments),
            source.span(callee),
            tuple(_fragment(file, each) for each in given),
            grid,
            block,
            source.text_of(given[1]) if given[1].type == "identifier" else "",
            tuple(_fragment(file, each) for each in children_of(arguments)),
            "" if block else _or_told(file, function, given[1]),
            tuple(source.span(_number(file, function, each) or each) for each in extents[1]),
        )


def _fragment(file: File, node: Node) -> Fragment:
    return Fragment(" ".join(file.source.text_of(node).split()), file.source.span(node))


def _extents(file: File, function: Function | None, node: Node) -> tuple[Node, ...]:
    """The extents of a grid or block; () where they are not each written at one place."""
    if (listed := _listed(file, node)) is not None:
        return tuple(listed)
    if node.type != "identifier" or function is None:
        return ()
    body, name = file.body(function), file.source.text_of(node)
    declared = body.visible(name, node.start_byte)
    if declared is None or declared.type.split()[-1:] != ["dim3"]:
        found = _meaning(file, function, node)
        one = declared is None or declared.value is not None or found.text != name
        return (node,) if one else ()
    writes = body.writes(name, declared)
    wholes = [w for w in writes if w.member is None and w.value is not None]
    members = [w for w in writes if w.member is not None]
    if len(wholes) > 1 or any(not w.known or w.step or w.call for w in writes):
        return ()
    extents = dict(enumerate(_listed(file, wholes[0].value) or ()) if wholes else ())  # type: ignore[arg-type]
    for axis, letter in enumerate(_AXES):
        own = [w for w in members if w.member == letter]
        if len(own) > 1 or (own and own[0].value is None):
            return ()
        if own and own[0].value is not None:
            extents[axis] = own[0].value
    count = next((axis for axis in range(3) if axis not in extents), 3)
    return tuple(extents[axis] for axis in range(count))


def _meaning(file: File, function: Function | None, node: Node) -> Fragment:
    """An extent; for a local number with one value, that value where the number is used."""
    written = _fragment(file, node)
    value = _number(file, function, node)
    return written if value is None else Fragment(_fragment(file, value).text, written.span)


def _number(file: File, function: Function | None, node: Node) -> Node | None:
    """What a local number has as its one value; None for anything else."""
    name = file.source.text_of(node)
    if function is None or not name.isidentifier():
        return None
    body = file.body(function)
    declared = body.visible(name, node.start_byte)
    writes = _written(body, name, declared) if declared is not None else []
    if len(writes) != 1 or not writes[0].known or writes[0].step:
        return None
    return writes[0].value


def _written(body: Body, name: str, declared: Definition) -> list[Definition]:
    """What gives a variable values: not its declaration, where that gives it none."""
    return [w for w in body.writes(name, declared) if w is not declared or w.value is not None]


def _or_told(file: File, function: Function | None, node: Node) -> str:
    """The name of what a variable is, unless a call gives it another value; "" for all else."""
    name = file.source.text_of(node)
    if node.type != "identifier" or function is None:
        return ""
    body = file.body(function)
    declared = body.visible(name, node.start_byte)
    writes = _written(body, name, declared) if declared is not None else []
    values = [w.value for w in writes if w.value is not None and w.known and not w.step]
    told = [w for w in writes if w.value is None and w.step is None]
    if len(values) != 1 or len(values) + len(told) != len(writes):
        return ""
    return file.source.text_of(values[0]) if values[0].type == "identifier" else ""


def _listed(file: File, node: Node) -> Sequence[Node] | None:
    """What stands in `dim3(a, b)`, `{a, b}` or `(a, b)`, names too; None for anything else."""
    if node.type in ("argument_list", "initializer_list", "parameter_list"):
        return children_of(node)
    if node.type == "number_literal":
        return (node,)
    called = node.child_by_field_name("function")
    if called is not None and file.source.text_of(called) == "dim3":
        return children_of(node.child_by_field_name("arguments"))
    return None
