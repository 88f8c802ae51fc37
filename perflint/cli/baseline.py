"""Baselines: the findings that a team has looked at and lives with, told apart from new ones.

A finding is known by its identity (`perflint.report.identity`), so that it stays known when lines
move and files are renamed. What the baseline lists and is there no more is stale, and told.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from perflint.base.limits import Limits
from perflint.base.records import dataclass
from perflint.cli.config import ConfigError
from perflint.lint.findings import Finding, Silenced

FORMAT = 1
_LARGEST = 16 << 20  #: bytes; 25,000 entries have 6 MB
_SMALL = 64 << 10
_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=120.0, memory_bytes=160 << 20)


@dataclass(frozen=True, order=True)
class Entry:
    """A finding in a baseline. All but the identity is for people, and to tell its file."""

    path: str
    code: str
    kernel: str
    message: str
    id: str


@dataclass(frozen=True)
class Split:
    """Findings held against a baseline."""

    new: tuple[Finding, ...]
    known: tuple[Silenced, ...]
    gone: tuple[Entry, ...]  #: entries that no finding answers to


Identify = Callable[[Finding], str]
Show = Callable[[Path], str]


def entries(findings: Iterable[Finding], identify: Identify, show: Show) -> tuple[Entry, ...]:
    """The findings as a baseline has them, in the order of files."""
    return tuple(sorted(_entry(finding, identify, show) for finding in findings))


def _entry(finding: Finding, identify: Identify, show: Show) -> Entry:
    path, kernel = show(finding.place.path), finding.kernel or ""
    return Entry(path, finding.code, kernel, finding.message, identify(finding))


def text(found: Sequence[Entry]) -> str:
    """A baseline file."""
    data = {"perflint-baseline": FORMAT, "findings": [asdict(entry) for entry in found]}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read(path: Path) -> tuple[Entry, ...]:
    """A baseline file's entries. Raises ConfigError for a file that is none.

    A large one is read in a process with limits of its own: texts of nothing but brackets take
    thirty times their size.
    """
    from perflint.work.parallel import Crash, alone

    try:
        small = path.stat().st_size <= _SMALL
    except OSError:
        small = True
    found = _read(path) if small else alone(lambda: _read(path), _LIMITS)
    if isinstance(found, Crash):
        raise ConfigError(f"{path}: {found.reason}")
    if isinstance(found, ConfigError):
        raise found
    return found


def _read(path: Path) -> tuple[Entry, ...] | ConfigError:
    try:
        return _entries(path)
    except ConfigError as error:
        return error


def _entries(path: Path) -> tuple[Entry, ...]:
    from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

    try:
        data = json.loads(read_bytes(path, _LARGEST))
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict) or data.get("perflint-baseline") != FORMAT:
        raise ConfigError(f"{path}: not a baseline of this version; --write-baseline writes one")
    found = data.get("findings")
    if not isinstance(found, list):
        raise ConfigError(f"{path}: has no list of findings")
    return tuple(_checked(path, number, item) for number, item in enumerate(found, 1))


def _checked(path: Path, number: int, item: Any) -> Entry:
    names = list(Entry.__dataclass_fields__)
    if not isinstance(item, dict) or any(not isinstance(item.get(name), str) for name in names):
        raise ConfigError(f"{path}: entry {number} is none; it needs the texts {', '.join(names)}")
    return Entry(*(item[name] for name in names))


def split(
    findings: Sequence[Finding], known: Sequence[Entry], identify: Identify, show: Show
) -> Split:
    """Tell new findings from those in a baseline; one entry answers for one finding.

    Findings are matched within their file first, so that a moved file takes only what is left.
    """
    left: dict[str, list[Entry]] = defaultdict(list)
    for entry in known:
        left[entry.id].append(entry)
    keys = {id(finding): identify(finding) for finding in findings}
    matched: set[int] = set()
    for same_file in (True, False):
        for finding in findings:
            if id(finding) in matched:
                continue
            candidates = left[keys[id(finding)]]
            path = show(finding.place.path)
            at = next(
                (i for i, e in enumerate(candidates) if not same_file or e.path == path), None
            )
            if at is not None:
                candidates.pop(at)
                matched.add(id(finding))
    return Split(
        tuple(f for f in findings if id(f) not in matched),
        tuple(Silenced(f, "in the baseline", baseline=True) for f in findings if id(f) in matched),
        tuple(sorted(entry for rest in left.values() for entry in rest)),
    )
