"""`perflint dev facts`: what `suspect` sees of a kernel before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.api import Kernel, KernelNameError, LoadError, load
from perflint.base import architectures
from perflint.base.user_error import UserError
from perflint.grammar.model import Location
from perflint.why.target import parse

UNKNOWN = "?"


def page(target: str, arch: str) -> str:
    """The facts of the kernels of FILE, or of FILE:KERNEL. Raises UserError."""
    place = parse(target)
    if place.line is not None:
        raise UserError(f"{target}: name a kernel instead of a line: FILE:KERNEL")
    try:
        arch = architectures.named(arch)
        kernels = load(place.path, arch=arch)
        chosen = [kernels[place.kernel]] if place.kernel else list(kernels.values())
    except (LoadError, KernelNameError, architectures.UnknownArchitectureError) as error:
        raise UserError(str(error)) from error
    return "\n".join(_kernel(each, arch) for each in chosen)


def _kernel(kernel: Kernel, arch: str) -> str:
    try:
        facts = analyse(*kernel.compiled(arch))
    except AnalysisError as error:
        raise UserError(f"{kernel.name}: {error}") from error
    return "".join(f"{line}\n" for line in _lines(kernel, facts))


def _lines(kernel: Kernel, facts: KernelFacts) -> Iterator[str]:
    yield f"kernel {kernel.name}, {len(facts.kernel.instructions)} instructions"
    for index, parameter in enumerate(kernel.parameters):
        pointer = ", written" if index in facts.written_parameters else ""
        yield f"  parameter {index}: {parameter.type} {parameter.name}{pointer}"
    for site in facts.sites:
        yield from _site(site)
    for loop in facts.loops:
        at = f"line {_line(loop.location)}, pcs {min(loop.pcs)} to {max(loop.pcs)}"
        yield f"  loop at {at}, depth {loop.depth}" + _data(loop.data_dependent)
        yield f"    last     {_polynomial(loop.last)}"
    for branch in facts.branches:
        kind = "uniform" if branch.uniform else "divergent"
        yield f"  {kind} branch at line {_line(branch.location)}, pc {branch.pc}" + _data(
            branch.data_dependent
        )
        yield f"    if       {_polynomial(branch.condition)}"
    if facts.doubles:
        yield f"  doubles at pcs {_list(tuple(use.pc for use in facts.doubles))}"


def _site(site: AccessSite) -> Iterator[str]:
    what = f"{site.identity}, {site.size} bytes, pcs {_list(site.pcs)}"
    yield f"  {site.kind} at line {_line(site.location)}: {what}"
    yield f"    address  {_polynomial(site.address)}, {site.uniformity}"
    strides = ", ".join(f"{axis} {_polynomial(by)}" for axis, by in site.strides.items())
    yield f"    strides  {strides}"
    if site.guards:
        yield f"    guards   {'; '.join(map(_polynomial, site.guards))}"
    if site.loop_depth:
        yield f"    loops    {site.loop_depth}"
    data = [
        text
        for text, holds in (
            ("its address is loaded", site.loaded_address),
            ("data decide whether it is reached", site.data_dependent),
        )
        if holds
    ]
    if data:
        yield f"    data     {', '.join(data)}"


def _polynomial(value: Polynomial | None) -> str:
    return UNKNOWN if value is None else str(value)


def _line(location: Location | None) -> str:
    return UNKNOWN if location is None else str(location.line)


def _data(depends: bool) -> str:
    return ", data decide it" if depends else ""


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
