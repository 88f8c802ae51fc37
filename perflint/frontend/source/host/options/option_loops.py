"""What a loop over the program's arguments leaves in variables, where a file says how it is run.

`for (i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);` and getopt's loops are
run with those words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.host.execution.interpreter import Interpreter
from perflint.frontend.source.host.execution.run_state import Frame, Reference, StoppedError
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.options import program_arguments, run_settings
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.body_writes import POINTEE
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.declarators import Region

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


def is_told(place: Environment, region: Region) -> bool:
    """Whether a loop goes over the words that some file says the program is run with."""
    return bool(program_arguments.runs_of(place)) and goes_over_options(place, region)


def goes_over_options(place: Environment, region: Region) -> bool:
    """Whether a region is a loop over what the program is run with."""
    return region.kind == "loop" and program_arguments.is_over_options(place, region)


def left(
    place: Environment, name: str, member: str | None, region: Region, kind: CType | None
) -> Value | None:
    """What such a loop leaves in a variable of a type; None where that cannot be told."""
    before, held = place.moved(region.start - 1), _known(place, region)
    if held is None or kind is None:
        return None
    found = held.get(name)
    for part in (member or "").split(".") if member != POINTEE else ("*",):
        while isinstance(found, Reference):
            found = found.get()
        if part and part != "*":
            found = found.get(part) if isinstance(found, dict) else None
    value: Value | None
    if found is None:  # nothing wrote to it
        if member == POINTEE:
            value = before.pointee(name)
        else:
            value = before.variable(name) if member is None else before.member(name, member)
    elif isinstance(found, int | float):
        value = c_types.convert(c_types.plain(found), kind)
    else:
        value = None
    if value is not None:
        place.session.note("runs", run_settings.told(place))
    return value


def written(
    place: Environment, member: str, region: Region, kind: CType
) -> tuple[bool, Value | None]:
    """Whether such a loop sets a member of the object that it makes, or may, and to what."""
    held = _known(place, region)
    found = held.get(member) if held is not None else UNKNOWN
    if found is None:
        return False, None
    value = c_types.convert(c_types.plain(found), kind) if isinstance(found, int | float) else None
    if value is not None:
        place.session.note("runs", run_settings.told(place))
    return True, value


def _known(place: Environment, region: Region) -> Mapping[str, Any] | None:
    before = place.moved(region.start - 1)
    key = ("options", region.node.id, id(place.file), place.frame_key)
    return place.session.remembered(key, lambda: _held(before, region), place.outer is None)


def _held(before: Environment, region: Region) -> Mapping[str, Any] | None:
    """All that variables hold behind a loop over options; None where it cannot be followed."""
    words = program_arguments.runs_of(before)[0].arguments
    frame = Frame(before, {})
    try:
        Interpreter(words).run(region.node, frame)
    except StoppedError:
        return None
    return frame.held
