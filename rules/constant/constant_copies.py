"""The edits that move an array to constant memory: the variable, its uses, and the copy to it.

Only where the host's function fills the array once and does nothing else with it than pass it to
kernels: the same bytes are copied to the variable there.
"""

from __future__ import annotations

from dataclasses import replace

from perflint.base.constructs import Constructs, FunctionSource, HostCopy, contains, within
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.array_uses import uses_of
from perflint.rules.protocol import Edit, Kernel, OtherLaunch
from perflint.rules.shared_declarations import element_size

_QUALIFIERS = pattern(r"\b(?:const|__restrict__|__restrict|restrict)\b|\*")


def constant_copy(kernel: Kernel, index: int) -> tuple[tuple[Edit, ...], OtherLaunch]:
    """The edits for what a parameter points to, and what the launch finds then; () for none."""
    constructs, function = kernel.own_constructs, kernel.function
    if constructs is None or function is None or function.template:
        return (), OtherLaunch()
    parameter, size = function.parameters[index], _size(kernel, index)
    of = " ".join(_QUALIFIERS.sub(" ", parameter.type).split())
    each, copy = element_size(of), _copy(kernel, constructs, function, index)
    if not each or not size or size % each or copy is None or parameter.type.count("*") != 1:
        return (), OtherLaunch()
    name, variable = parameter.name, f"constant_{parameter.name}"
    uses = uses_of(constructs, function, name)
    declared = any(d.name == name for d in within(constructs.declarations, function.body))
    if not uses or declared or any(n.text == variable for n in constructs.names):
        return (), OtherLaunch()
    edits = (
        Edit(_begin(function.span), f"__constant__ {of} {variable}[{size // each}];\n\n"),
        *(Edit(_name(use.span, len(name)), variable) for use in uses),
        _filled(copy, variable),
    )
    return tuple(dict.fromkeys(edits)), OtherLaunch(copied=((variable, index),))


def _size(kernel: Kernel, index: int) -> int:
    """Bytes of the array that every launch passes; 0 where they differ or one is not known."""
    sizes = {launch.allocations.get(index, 0) for launch in kernel.launches}
    return sizes.pop() if len(sizes) == 1 else 0


def _copy(
    kernel: Kernel, constructs: Constructs, function: FunctionSource, index: int
) -> HostCopy | None:
    """The one copy to the array that all launches, each in sight, pass for a parameter."""
    known = {launch.span for launch in kernel.launches}
    launches = [launch for launch in constructs.launches if launch.span in known]
    if len(launches) != len(known) or function.mentions != 1 + len(launches):
        return None
    arrays = {x.arguments[index].text if index < len(x.arguments) else "" for x in launches}
    if len(arrays) != 1:
        return None
    [array] = arrays
    copies = [copy for copy in constructs.copies if copy.array == array]
    copies = [c for c in copies if all(contains(c.inside, launch.span) for launch in launches)]
    return copies[0] if len(copies) == 1 else None


def _filled(copy: HostCopy, variable: str) -> Edit:
    """The copy to the variable, in a line behind that to the array."""
    at = copy.statement
    behind = replace(at, line=at.end_line, column=at.end_column)
    text = f"cudaMemcpyToSymbol({variable}, {copy.source}, {copy.size});"
    return Edit(behind, f"\n{' ' * (at.column - 1)}{text}")


def _begin(span: Span) -> Span:
    return replace(span, end_line=span.line, end_column=span.column)


def _name(span: Span, length: int) -> Span:
    return replace(span, end_line=span.line, end_column=span.column + length)
