"""What the program asked for and what was not simulated: a green run must tell it.

That is device code that could not run, and functions of CUDA's that do something which is not
simulated. A program may go on as if they had done it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from pathlib import PurePath

from perflint.base.patterns import pattern
from perflint.base.records import dataclass


@dataclass
class Unsimulated:
    """What of one module was not simulated."""

    file: str  #: the program or library that brings it
    why: str
    registered: int = 0  #: kernels that it has, as far as the runtime was told
    kernels: set[str] = field(default_factory=set)  #: those that were asked for, by their names
    launches: int | None = 0  #: None where they cannot be counted
    functions: set[str] = field(default_factory=set)  #: of CUDA's that were called

    @property
    def count(self) -> int:
        """Kernels that could not run."""
        return max(self.registered, len(self.kernels))


#: Functions that ask, or say how errors are told: "not supported" is an answer to expect.
#: What an IPC handle is got for is to let another process have the memory.
_ASKING = pattern("Get(?!.*MemHandle)(?!.*EventHandle)|Query|Occupancy|Logs|Logger|Coredump")


def only_asks(function: str) -> bool:
    """Whether a function of CUDA's does no work on the device, so that nothing is left undone."""
    return _ASKING.search(function) is not None


def merged(parts: Iterable[Unsimulated]) -> list[Unsimulated]:
    """One for each module and reason, of several processes."""
    found: dict[tuple[str, str], Unsimulated] = {}
    for each in parts:
        known = found.setdefault((each.file, each.why), Unsimulated(each.file, each.why))
        known.registered = max(known.registered, each.registered)
        known.kernels |= each.kernels
        known.functions |= each.functions
        both = known.launches, each.launches
        known.launches = None if None in both else sum(filter(None, both))
    return [found[key] for key in sorted(found)]


def told(parts: Iterable[Unsimulated], lost: int) -> str:
    """The line that a run ends with where something was not simulated; "" where all was.

    `lost` counts processes whose simulator ended before it could say what it saw.
    """
    said = [_one(each) for each in merged(parts)]
    if lost:
        said.append(f"all that {some(lost, 'process', 'es')} did: the simulator was ended")
    return f"not simulated: {'; '.join(said)} (--allow-unsimulated: accept it)" if said else ""


def _one(each: Unsimulated) -> str:
    if each.functions:
        return f"{', '.join(sorted(each.functions))}: {each.why}"
    name = PurePath(each.file).name or "a module"
    if not each.count:
        return f"{name}: {each.why}"
    launches = "" if each.launches is None else f" and {some(each.launches, 'launch', 'es')}"
    return f"{some(each.count, 'kernel')}{launches} of {name}: {each.why}"


def some(count: int, what: str, more: str = "s") -> str:
    """`1 launch`, `2,000 launches`."""
    return f"{count:,} {what}{more if count != 1 else ''}"
