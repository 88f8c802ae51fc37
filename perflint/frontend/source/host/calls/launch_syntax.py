"""Launches as written: `<<<…>>>`, inside macros, and through the runtime's functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.language.declarations import call_of
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.tokens import (
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
)
from perflint.frontend.source.language.trees import Source, children_of
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.macro_calls import expanded_uses

if TYPE_CHECKING:
    from tree_sitter import Node


LAUNCH_LIMIT = 1_000  #: launches read from one file


UNKNOWN = "?"  #: an argument that is not in sight


_COOPERATIVE = "cudaLaunchCooperativeKernel"
_RUNTIME = ("cudaLaunchKernel", _COOPERATIVE)


_EXTENSIBLE = ("cudaLaunchKernelEx", "cudaLaunchKernelExC")


#: HIP's way to write a launch, which code for both GPUs keeps: kernel, configuration, arguments.
_HIP = "hipLaunchKernelGGL"


_FUNCTIONS = (*_RUNTIME, *_EXTENSIBLE, _HIP)


_LAUNCHES = ("<<<", *_FUNCTIONS)


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch as written, before anything is folded."""

    node: Node  #: what is evaluated from
    span: Span
    function: str
    callee: str  #: `k`, `ns::k<float, 4>`, `&k`
    configuration: tuple[str, ...]  #: grid, block, shared, stream
    arguments: tuple[str, ...]
    file: File
    outer: tuple[File, int] | None = None  #: where the macro that holds it is used
    cooperative: bool = False  #: all its blocks are on the GPU at once


def launches_in(file: File) -> list[Launch]:
    """Every launch in a file, in text order."""
    found = [*_own_launches(file), *_macro_launches(file), *_margin_launches(file)]
    return sorted(found, key=lambda launch: (launch.span.line, launch.span.column))


def _own_launches(file: File) -> list[Launch]:
    """The launches that a file's own text holds, in either form."""
    calls = file.declarations.calls
    called = (_runtime_launch(file, c.node, n) for n in _FUNCTIONS for c in calls.get(n, ()))
    return [*_written_launches(file), *(launch for launch in called if launch is not None)]


def _written_launches(file: File) -> list[Launch]:
    source = file.source
    result = []
    for configuration in file.declarations.launches[:LAUNCH_LIMIT]:
        node = configuration.parent
        callee = node.child_by_field_name("function") if node is not None else None
        arguments = node.child_by_field_name("arguments") if node is not None else None
        if node is None or callee is None or arguments is None:
            continue
        function = file.declarations.function_at(node.start_byte)
        result.append(
            Launch(
                node,
                source.span(callee, arguments),
                function.name if function is not None else "",
                source.text_of(callee),
                _configuration(file, configuration),
                _texts(source, arguments),
                file,
            )
        )
    return result


def _configuration(file: File, node: Node) -> tuple[str, ...]:
    """What stands in `<<<…>>>`; `#define SHAPE blocks, threads` is two of them."""
    macros = file.macros_at(node.start_byte)
    result: list[str] = []
    for text in _texts(file.source, node):
        macro = macros.get(text)
        plain = macro is not None and macro.known and macro.parameters is None
        try:
            parts = split(expand(tokenize(text), macros)) if plain else []
        except ExpansionError:
            parts = []
        result += map(spell, parts) if len(parts) > 1 else [text]
    return tuple(result)


def _texts(source: Source, node: Node) -> tuple[str, ...]:
    """The arguments as written; "?" ends them where nobody knows which one comes next."""
    result = []
    for child in children_of(node):
        if child.is_error or child.type.startswith("preproc"):
            result.append(UNKNOWN)
            break
        result.append(source.text_of(child))
    return tuple(result)


def _runtime_launch(file: File, node: Node, name: str) -> Launch | None:
    """`cudaLaunchKernel(k, grid, block, arguments, shared, stream)` and its newer form."""
    source = file.source
    call = call_of(source, node)
    function = file.declarations.function_at(node.start_byte)
    if call is None or function is None or len(call.arguments) < 2:
        return None
    texts = [source.text_of(a) for a in call.arguments]
    if name in _RUNTIME:
        if len(texts) < 4:
            return None
        values = _argument_array(file, texts[3], node.start_byte)
        callee, configuration = texts[0], (texts[1], texts[2], *texts[4:5])
    elif name == _HIP:
        callee, configuration = texts[0].removeprefix("HIP_KERNEL_NAME"), tuple(texts[1:4])
        values = tuple(texts[5:])
    else:
        config = spell(without_casts(tokenize(texts[0]))).removeprefix("& ")
        fields = ("gridDim", "blockDim", "dynamicSmemBytes")
        callee, configuration = texts[1], tuple(f"{config}.{f}" for f in fields)
        values = tuple(texts[2:]) if name == "cudaLaunchKernelEx" else (UNKNOWN,)
    span = source.span(node)
    cooperative = name == _COOPERATIVE
    return Launch(
        node, span, function.name, callee, configuration, values, file, cooperative=cooperative
    )


def _argument_array(file: File, text: str, at: int) -> tuple[str, ...]:
    """The arguments of `void *args[] = {&a, (void *)&b}`."""
    tokens = without_casts(tokenize(text))
    function = file.declarations.function_at(at)
    if len(tokens) != 1 or function is None:
        return (UNKNOWN,)
    definition = file.body(function).visible(tokens[0].text, at)
    if definition is None or definition.value is None:
        return (UNKNOWN,)
    if definition.value.type != "initializer_list":
        return (UNKNOWN,)
    result = []
    for item in children_of(definition.value):
        inner = without_casts(tokenize(file.source.text_of(item)))
        result.append(spell(inner[1:]) if inner and inner[0].text == "&" else UNKNOWN)
    return tuple(result)


def _macro_launches(file: File) -> list[Launch]:
    """Launches in the bodies of function-like macros, at the place where those are used."""
    result: list[Launch] = []
    for inner, call in expanded_uses(file, lambda m: any(t.text in _LAUNCHES for t in m.body)):
        at = call.node.start_byte
        function = file.declarations.function_at(at)
        caller = function.name if function is not None else ""
        span = file.source.span(call.node)
        result += (
            replace(launch, span=span, function=caller, outer=(file, at))
            for launch in _own_launches(inner)
        )
    return result


def _margin_launches(file: File) -> list[Launch]:
    """Launches in functions that macros used at the margin define, at the place of the use."""
    inner = file.expansion
    if inner is None or not any(word in inner.unit.text for word in _LAUNCHES):
        return []
    launches = _own_launches(inner)[:LAUNCH_LIMIT]
    return [replace(x, span=file.use_at(x.node.start_byte)) for x in launches]


@dataclass(frozen=True)
class KernelName:
    """How a launch names a kernel."""

    name: str  #: unqualified
    template: tuple[str, ...] | None = None  #: its template arguments; None if none are written
    path: str = ""  #: with the namespaces that are written: `ns::k`


def kernel_name(text: str) -> KernelName | None:
    """`ns::k<float, 4>` by its parts; None if the text names no function."""
    tokens = without_casts(tokenize(text))
    while tokens and tokens[0].text in ("&", "*", "::"):
        tokens = without_casts(tokens[1:])
    path: list[str] = []
    while len(tokens) > 2 and tokens[0].kind == "name" and tokens[1].text == "::":
        path.append(tokens[0].text)
        tokens = tokens[2:]
    if not tokens or tokens[0].kind != "name" or tokens[0].text in ("NULL", "nullptr"):
        return None
    name = "::".join((*path, tokens[0].text))
    if len(tokens) == 1:
        return KernelName(tokens[0].text, None, name)
    end = closing_angle(tokens, 1) if tokens[1].text == "<" else None
    if end is None or end != len(tokens) - 1:
        return None
    parts = split(inside_angles(tokens, 1, end), angles=True)
    given = tuple(template_list([t.text for t in p]) for p in parts if p)
    return KernelName(tokens[0].text, given, name)


def template_list(words: Sequence[str]) -> str:
    """The words of a template argument as text: `std::pair<int, 4>`."""
    text = re.sub(r" ?(::|[<>]) ?", r"\1", " ".join(words))
    return re.sub(r" ?, ?", ", ", text)
