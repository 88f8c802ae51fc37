"""What the CUDA runtime has told the host code: in locals, members, globals, through pointers.

`cudaDeviceGetAttribute(&sms_, …)` in a constructor, `cudaOccupancyMaxPotentialBlockSize(&m, block,
kernel)` where the caller has handed `block` in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.values import occupancy
from perflint.frontend.source.host.values.device_properties import WHY, attribute_of
from perflint.frontend.source.host.values.occupancy import occupancy_of

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_ASKS = ("cudaOccupancy", "cudaDeviceGetAttribute", "cudaGetDevice")


@dataclass(frozen=True)
class Answered:
    """A number that the runtime answers, and as what."""

    number: int
    why: str


def answered_in(place: Environment, written: str) -> Answered | None:
    """What a call of the runtime has left in a variable, as `written` at the place; else None."""
    found = _here(place, written)
    return found or next((a for e in _elsewhere(place, written) if (a := _here(*e))), None)


def _here(place: Environment, written: str) -> Answered | None:
    number = attribute_of(place, written)
    if number is not None:
        return Answered(number, WHY)
    number = occupancy_of(place, written)
    return None if number is None else Answered(number, occupancy.WHY)


def _elsewhere(place: Environment, written: str) -> Iterator[tuple[Environment, str]]:
    """The ends of functions that ask for a member or global, and how these write it."""
    if written.startswith("*"):
        return
    base, _, member = written.replace("->", ".").removeprefix("this.").partition(".")
    project = place.session.project
    if place.is_local(base):
        owner = place.declared_words(base)[0].split("<")[0].rsplit("::", 1)[-1].split(" ")[-1]
        name = member
        if not owner or not name.isidentifier():
            return
    else:
        found = project.global_variable(base, place.file, place.place, written=True)
        if found is None:
            return
        scopes = found[0].declarations.scopes_at(found[1].start)
        owner = scopes[-1].name if scopes and scopes[-1].is_class else ""
        name = f"{base}.{member}" if member else base
    first = name.partition(".")[0]
    for file in project.neighbours(first, _ASKS):
        if not any(word in file.unit.text for word in _ASKS):  # most are not parsed for it
            continue
        for function, of_class, text in file.squeezed_functions:
            if f"&{name}" not in text or of_class != ([owner] if owner else []):
                continue
            own = file.body(function).definitions.get(first, ())
            if not any(definition.declares for definition in own):  # else it asks for its own
                yield place.elsewhere(file, function.node.end_byte - 1), name
