"""What a run of the program tells of expressions: the one number that each had wherever it was
read."""

from __future__ import annotations

import os
from pathlib import Path
from re import Match
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.arrivals import Arrival, Arrivals
from perflint.frontend.source.host.execution.launch_turns import TurnCounter
from perflint.frontend.source.host.execution.noting import Read, spelled
from perflint.frontend.source.host.execution.run import Run
from perflint.frontend.source.host.execution.streams import working_folders
from perflint.frontend.source.host.execution.symbol_copies import SymbolCopies, SymbolCopy
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.values.roots import type_of
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.model import Turns
    from perflint.frontend.source.project.files import File

#: Methods of C++'s containers that count.
_COUNTS = pattern(r"(?:\.|->)\s*(?:size|length|count|capacity)\s*\([^()]*\)\s*\Z")
_INDEX = pattern(r"\[\s*([A-Za-z_]\w*)\s*\]")
_MANY = object()  #: what was noted of an expression that had values that are not kept
#: What a fault of the run itself may raise.
_FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


def told(
    place: Environment, name: str, member: str | None = None, found: Value | None = None
) -> Value | None:
    """What a variable, or a member of it, was wherever the program's run read it there.

    `found` is what the source gives it: nothing is supposed where that is the same.
    """
    number = _read(place, spelled_member(name, member))
    if number is None:
        return None
    if found is not None and found.term is None and found.number == number:
        return found
    kind = _type(place, name, member) or (c_types.INT if isinstance(number, int) else None)
    return _value(place, number, kind)


def spelled_member(name: str, member: str | None) -> str:
    """A variable, or a member or element of it, as it is written."""
    return name if member is None else f"{name}{'' if member[0] == '[' else '.'}{member}"


def told_expression(place: Environment, text: str) -> Value | None:
    """What an expression was that hangs on more than one variable: a call, a path."""
    number = _read(place, text)
    if number is None and _INDEX.search(text) and _noted(place, text) is not None:
        number = _read(place, _by_number(place, text))
    kind = c_types.ULONG if _COUNTS.search(text) else None
    return None if number is None else _value(place, number, kind)


def _by_number(place: Environment, text: str) -> str:
    """`grid[0][1]` for `grid[axis][i]`; raises UndecidedError where an index is one of several."""

    def folded(index: Match[str]) -> str:
        value = fold(index[1], place)
        return index[0] if value is None else f"[{value.number}]"

    return _INDEX.sub(folded, "".join(text.split()))


def _value(place: Environment, number: float, kind: CType | None) -> Value | None:
    found = c_types.plain(number)
    if kind is not None and kind.kind in ("int", "float"):
        found = c_types.convert(found, kind) or found
    main = program_arguments.main_file(place)
    if _asks(main):
        place.session.note("runs", program_arguments.told(place, main))
    return found


def _asks(file: File) -> bool:
    """Whether the program's `main` takes what it is run with."""
    return any(f.parameters for f in file.declarations.by_name.get("main", ()) if not f.method)


def _type(place: Environment, name: str, member: str | None) -> CType | None:
    with place.session.reading():
        return type_of(place, name, member)


def launch_turns(place: Environment) -> tuple[tuple[Turns, ...] | None, Path | None]:
    """How often the program's run comes to the launch that stands at a place, and the program.

    None where there is no program to run, or it may be come to otherwise.
    """
    if place.outer is not None or place.function is None or place.function.on_device:
        return None, None
    file = program_arguments.main_file(place)
    _run(place, file)
    found = place.session.project.launched.get((str(file.path), _words(place, file)))
    return None if found is None else found.of(str(place.file.path), place.at), file.path


def symbol_copy(place: Environment) -> SymbolCopy | None:
    """What the program's run copies to a device variable by the call that stands at a place.

    None where it does not come to it, or copies other things each time.
    """
    if place.outer is not None or place.function is None or place.function.on_device:
        return None
    file = program_arguments.main_file(place)
    _run(place, file)
    found = place.session.project.copies.get((str(file.path), _words(place, file)))
    return None if found is None else found.of(str(place.file.path), place.at)


def denied(place: Environment, text: str, found: Value | None, default: bool = False) -> bool:
    """Whether the run was at a place, and found no such value there.

    Of a `default`, that it found too many values to be kept, or did not see all, says so, too.
    """
    if found is None or found.term is not None:
        return False
    known = _noted(place, text)
    if isinstance(known, frozenset):
        return found.number not in known
    return known is UNKNOWN or (default and known is _MANY)


def is_in_doubt(place: Environment, text: str) -> bool:
    """Whether the run read an expression here, and did not follow what value it had."""
    return _noted(place, text) in (_MANY, UNKNOWN)


def told_apart(place: Environment, name: str, member: str | None = None) -> Value | None:
    """What a variable, or a member of it, was one of the times that the run came to the launch.

    Which of the times is a choice, which all that has several values follows.
    """
    text = spelled_member(name, member)
    noted = _noted(place, text) if _is_arrived_at(place) else None
    if noted is not _MANY and not isinstance(noted, frozenset):
        return None
    file = program_arguments.main_file(place)
    key, session = (str(file.path), _words(place, file)), place.session
    known, launch = session.project.arrivals.get(key), session.launch
    times = known.of(*launch) if known is not None and launch is not None else ()
    if not any(isinstance(_then(each, place, text), (int, float)) for each in times):
        return None
    arrival = session.arrival(times)
    number = None if arrival is None else _then(arrival, place, text)
    if not isinstance(number, (int, float)):
        return None
    kind = _type(place, name, member) or (c_types.INT if isinstance(number, int) else None)
    return _value(place, number, kind)


def _is_arrived_at(place: Environment) -> bool:
    return not place.session.executing and place.frame is None and place.outer is None


def _then(arrival: Arrival, place: Environment, text: str) -> object:
    """What an expression at a place was at one time; None where it was not read by then."""
    function = place.function
    if function is None:
        return None
    path = str(place.file.path)
    return arrival.read(function.node.id, path, spelled(text), place.at)


def _read(place: Environment, text: str) -> float | None:
    """The number; None where there was none, or several."""
    found = _noted(place, text)
    return found if isinstance(found, (int, float)) else None


def _noted(place: Environment, text: str) -> object:
    """What the run noted; None where it read nothing."""
    session = place.session
    if session.executing or place.outer is not None or place.function is None:
        return None
    file = program_arguments.main_file(place)
    if session.deciding and _asks(file) and not program_arguments.runs(place, file):
        return None
    if place.frame is not None and not _was_at(place.frame.passed.place, file):
        return None  # what other calls were given is none of this one's
    known = _run(place, file).get((str(place.file.path), spelled(text)), {})
    around = [(end - start, n) for (start, end), n in known.items() if start <= place.at < end]
    if not around:
        return None
    noted = min(around, key=lambda each: each[0])[1]
    if noted is None or isinstance(noted, frozenset):
        arrival = session.arrival() if _is_arrived_at(place) else None
        then = None if arrival is None else _then(arrival, place, text)
        noted = noted if then is None else then
    return _MANY if noted is None else noted


def _was_at(place: Environment, file: File) -> bool:
    """Whether the run read anything in the statement around a place."""
    project, read = place.session.project, _run(place, file)
    key = (str(file.path), _words(place, file))
    if key not in project.passed:
        spans: dict[str, set[tuple[int, int]]] = {}
        for (path, _), known in read.items():
            spans.setdefault(path, set()).update(known)
        project.passed[key] = spans
    return any(s <= place.at < e for s, e in project.passed[key].get(str(place.file.path), ()))


def _run(place: Environment, file: File) -> Read:
    project, words = place.session.project, _words(place, file)
    key = (str(file.path), words)
    if key not in project.executed:
        project.executed[key] = {}
        if words is not None:
            run = Run(words, project)
            lines = program_arguments.runs(place, file)
            run.processes = lines[0].processes if lines else 1
            run.folders = working_folders(file.path, [line.path for line in lines[:1]])
            try:
                run.go(place, file)
            except _FAULTS:  # nothing is told then, and the file is not lost for it
                if os.environ.get("PERFLINT_TRACEBACK"):
                    raise
                run.read.clear()
                run.launches, run.arrivals = TurnCounter(), Arrivals()
                run.copies = SymbolCopies()
            project.executed[key] = run.read
            project.launched[key] = run.launches
            project.arrivals[key] = run.arrivals
            project.copies[key] = run.copies
    return project.executed[key]


def _words(place: Environment, file: File) -> tuple[str, ...] | None:
    """What the program is run with: nothing where no file tells; None where it has no `main`."""
    if lines := program_arguments.runs(place, file):
        return tuple(lines[0].arguments)
    return () if file.has_main else None
