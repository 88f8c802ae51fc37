"""Edits that make arguments of a kernel template parameters, at its definition and its launches.

Only where all of its name's uses are in its own file: the definition, and launches with one value.
The argument stays in its place without a name, so that every launch passes what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from perflint.base.constructs import Constructs, LaunchSource
from perflint.base.patterns import pattern
from perflint.rules.protocol import Edit, Kernel

_WORD = pattern(r"[A-Za-z_]\w*")
_INTEGER = pattern(r"(?:const )?((?:unsigned|signed|int|long|short|u?int\d+_t|size_t|uint| )+)")


def template_edits(kernel: Kernel, values: Mapping[int, int]) -> tuple[Edit, ...]:
    """The edits for some parameters and their values; none where the kernel is used otherwise."""
    function, constructs = kernel.function, kernel.own_constructs
    if function is None or constructs is None or function.template or not values:
        return ()
    launches = _launches(kernel, constructs)
    if not launches or function.mentions != 1 + len(launches):
        return ()
    types = {}
    for index in values:
        found = _INTEGER.fullmatch(function.parameters[index].type)
        if found is None:
            return ()
        types[index] = found[1].strip()
    named = ", ".join(f"{t} {function.parameters[index].name}" for index, t in types.items())
    begin = replace(function.span, end_line=function.span.line, end_column=function.span.column)
    passed = [tuple(_passed(constructs, each, i, value) for i, value in values.items())
              for each in launches]  # fmt: skip
    return (
        Edit(begin, f"template <{named}> "),
        *(Edit(function.parameters[index].span, types[index]) for index in values),
        *(
            Edit(each.callee_span, f"{each.callee}<{', '.join(texts)}>")
            for each, texts in zip(launches, passed, strict=True)
        ),
    )


def _launches(kernel: Kernel, constructs: Constructs) -> list[LaunchSource]:
    """The launches of a kernel as its file writes them; none where one is elsewhere."""
    assert kernel.function is not None
    name = kernel.function.name
    mine = [each for each in constructs.launches if each.callee == name]
    spans = {launch.span for launch in kernel.launches}
    return mine if spans == {each.span for each in mine} else []


def _passed(constructs: Constructs, launch: LaunchSource, index: int, value: int) -> str:
    """An argument as a template's: as written, if that is a constant, else its value."""
    text = launch.arguments[index].text if index < len(launch.arguments) else ""
    constants = {m.name for m in (*constructs.macros, *constructs.constants)}
    is_constant = bool(text) and not set(_WORD.findall(text)) - constants
    return text if is_constant and ">" not in text else str(value)
