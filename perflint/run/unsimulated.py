"""Device code that the program asked for and that was not simulated: what a green run must tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass
class Unsimulated:
    """What of one module was not simulated."""

    file: str  #: the program or library that brings it
    why: str
    registered: int = 0  #: kernels that it has, as far as the runtime was told
    kernels: set[str] = field(default_factory=set)  #: those that were asked for, by their names
    launches: int | None = 0  #: None where they cannot be counted

    @property
    def count(self) -> int:
        """Kernels that could not run."""
        return max(self.registered, len(self.kernels))


def merged(parts: Iterable[Unsimulated]) -> list[Unsimulated]:
    """One for each module and reason, of several processes."""
    found: dict[tuple[str, str], Unsimulated] = {}
    for each in parts:
        known = found.setdefault((each.file, each.why), Unsimulated(each.file, each.why))
        known.registered = max(known.registered, each.registered)
        known.kernels |= each.kernels
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
    name = PurePath(each.file).name or "a module"
    if not each.count:
        return f"{name}: {each.why}"
    launches = "" if each.launches is None else f" and {some(each.launches, 'launch', 'es')}"
    return f"{some(each.count, 'kernel')}{launches} of {name}: {each.why}"


def some(count: int, what: str, more: str = "s") -> str:
    """`1 launch`, `2,000 launches`."""
    return f"{count:,} {what}{more if count != 1 else ''}"
