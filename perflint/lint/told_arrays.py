"""Arrays whose numbers the program tells: the host sets them, and no kernel writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from perflint.analysis import analyse
from perflint.analysis.model import KernelFacts
from perflint.frontend.source.language.model import HostData, LaunchSite
from perflint.grammar.model import TYPE_SIZE
from perflint.lint.subject import Subject
from perflint.sim.launch import Buffer, Launch

#: The share of an allocation that counts as all of it.
_MOST = 0.9


def analysed(subject: Subject) -> tuple[KernelFacts, dict[int, HostData]]:
    """A kernel's facts, and what its arrays hold where that is the same at all of its launches.

    By parameter. Raises AnalysisError.
    """
    facts = analyse(subject.module, subject.kernel)
    if subject.specs or subject.recorded:
        return facts, {}
    found = told(facts, subject.launches)
    return (analyse(subject.module, subject.kernel, frozenset(found)) if found else facts), found


def told(facts: KernelFacts, launches: Sequence[LaunchSite]) -> dict[int, HostData]:
    """What arrays hold that a kernel reads and does not write, by parameter.

    Only those of which it matters: indices, offsets of rows and flags.
    """
    known = [_of_launch(facts, launch) for launch in launches]
    alike = reduce(_common, known) if known else {}
    used = {role.pointer for role in facts.data_roles}
    return {
        index: data
        for index, data in sorted(alike.items())
        if (index, 0) in used and index not in facts.written_parameters
    }


def without_told(launch: Launch) -> Launch:
    """The same launch with arrays that are all made up."""
    arguments = (replace(a, told=None) if isinstance(a, Buffer) else a for a in launch.arguments)
    return replace(launch, arguments=tuple(arguments))


def _of_launch(facts: KernelFacts, launch: LaunchSite) -> dict[int, HostData]:
    whole = len(launch.arguments) == len(facts.kernel.parameters)
    return {
        index: argument.data
        for index, argument in enumerate(launch.arguments if whole else ())
        if argument.data is not None
        and _fits(argument.data, facts.element_types.get((index, 0)))
        and _fills(argument.data, argument.allocation)
    }


def _common(one: Mapping[int, HostData], other: Mapping[int, HostData]) -> dict[int, HostData]:
    return {index: data for index, data in one.items() if other.get(index) == data}


def _fills(data: HostData, allocation: int | None) -> bool:
    """Whether the host sets all of an array, but for some padding."""
    if data.count is None or data.size is None or allocation is None:
        return True
    return data.count * data.size >= _MOST * allocation


def _fits(data: HostData, element: str | None) -> bool:
    """Whether a kernel reads elements of the size that the host wrote, or all bytes are 0."""
    if element is None or element[0] not in "usbf" or element in ("f16", "f16x2"):
        return False
    return not (data.first or data.step) or data.size == TYPE_SIZE[element]
