"""Tracers: one file each, fed by the emulator with batches of events.

`Branch()`, `Memory()` and the others are attributes of this package: `found()` walks it, and the
entry point group `perflint.tracers`, through which other distributions add theirs.
"""

from __future__ import annotations

import inspect
import os
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

GROUP = "perflint.tracers"


@cache
def found() -> Mapping[str, type[Any]]:
    """All tracers by name: classes derived from `Tracing`, ours and those of other distributions.

    An entry point of the group names a tracer class (or any factory of a tracer).
    """
    from perflint.sim.trace import Tracing

    out: dict[str, type[Any]] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = import_module(f"{__name__}.{module.name}")
        for name, value in vars(loaded).items():
            own = inspect.isclass(value) and value.__module__ == loaded.__name__
            if own and issubclass(value, Tracing):
                out[name] = value
    return {**out, **added()}


@cache
def added() -> Mapping[str, type[Any]]:
    """The tracers of other distributions, by the names of their entry points."""
    if not any(map(_names_tracers, dict.fromkeys(sys.path))):
        return {}
    from importlib.metadata import entry_points  # takes 25 ms, and most have none

    return {each.name: each.load() for each in entry_points(group=GROUP)}


def _names_tracers(folder: str) -> bool:
    """Whether a distribution that is installed in a folder may add tracers.

    Of an archive on the path this cannot be told, nor where something is not readable.
    """
    group = GROUP.encode()
    try:
        found = [n for n in os.listdir(folder or ".") if n.endswith((".dist-info", ".egg-info"))]  # noqa: PTH208 - names are enough
        return any(group in _read(Path(folder, name, "entry_points.txt")) for name in found)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def __getattr__(name: str) -> type[Any]:
    """A tracer by its name. Raises AttributeError, which lists those there are."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    known = found()
    if name not in known:
        raise AttributeError(f"there is no tracer {name!r}; there are {', '.join(sorted(known))}")
    return known[name]
