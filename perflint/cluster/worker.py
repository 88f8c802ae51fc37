"""What a Dask worker is asked to do. Called from its threads, several at once."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import sys
import threading
import time
from contextlib import suppress
from dataclasses import field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from perflint import __version__
from perflint.base import processes
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.cache.key import PACKAGES, installed
from perflint.cluster.bundle import unpack
from perflint.cluster.foreman import read_frame, write_frame
from perflint.frontend.nvrtc.library import CompilerMissingError, find_toolchain

#: A run that nobody has asked for for so long has ended without telling.
_FORGOTTEN_SECONDS = 3600.0


#: What bears on results, by the names of metadata folders, which tell the version.
_COUNTS = pattern(
    r"nvidia_cuda_(?:nvrtc|runtime|crt|cccl)\b|lark-|numpy-|pycparser-|tree_sitter|z3_solver-"
)


class OtherVersionError(Exception):
    """This worker would not find what the one who asks would."""


class ForemanError(Exception):
    """The process that does the work cannot be started, or ended by itself."""


@cache
def identity() -> tuple[str, str]:
    """What perflint is here, and what it is made with: by contents, wherever they lie."""
    digest = hashlib.blake2b(digest_size=16)
    for name, file in sorted(_own_files().items()):
        digest.update(f"{name}\0".encode() + file.read_bytes())
    others = sorted({name.rpartition(".")[0] for name in installed() if _COUNTS.match(name)})
    python = ".".join(map(str, sys.version_info[:2]))
    made_with = (f"Python-{python}", *others, _compiler())
    return f"perflint {__version__} ({digest.hexdigest()[:12]})", " ".join(made_with)


def _own_files() -> dict[str, Path]:
    """perflint's files by their names in the package, of which some stand elsewhere in a clone."""
    found = {}
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for file in Path(folder).rglob("*"):
                if file.suffix != ".pyc" and file.is_file():
                    name = "/".join((*package.split("."), *file.relative_to(folder).parts))
                    found[name] = file
    return found


def _compiler() -> str:
    try:
        library = find_toolchain().library.resolve()  # its name tells a toolkit's version
        return f"{library.name}-of-{library.stat().st_size}-bytes"
    except (CompilerMissingError, OSError):
        return "no-compiler"


@dataclass
class _Site:
    """What this worker has of one run."""

    folder: str
    used: float = 0.0
    idle: dict[bytes, list[processes.Process]] = field(default_factory=dict)  #: by the job
    all: set[processes.Process] = field(default_factory=set)


_sites: dict[str, _Site] = {}
_ended: set[str] = set()  #: runs of which tasks may still be on their way
_lock = threading.Lock()


def do(sources: bytes, job: bytes, task: bytes, run: str, asker: tuple[str, str]) -> bytes:
    """One task of a run, in a process of its own. Raises OtherVersionError, ForemanError."""
    if identity() != asker:
        raise OtherVersionError(difference(asker, identity()))
    site = _site(run, sources)
    foreman = _foreman(site, job)
    assert foreman.stdin is not None and foreman.stdout is not None
    try:
        write_frame(foreman.stdin, task)  # type: ignore[arg-type]
        result = read_frame(foreman.stdout)  # type: ignore[arg-type]
    except OSError:
        result = None
    if result is None:
        _end(foreman)
        raise ForemanError("a worker's process could not be started, or was ended")
    with _lock:
        site.idle.setdefault(job, []).append(foreman)
    return result


def difference(here: tuple[str, str], there: tuple[str, str]) -> str:
    """What is another on a worker, for people."""
    for mine, other in zip(here, there, strict=True):
        if mine != other:
            gone, come = set(mine.split()) - set(other.split()), set(other.split())
            names = " ".join(sorted(gone)) if here[0] == there[0] else mine
            instead = " ".join(sorted(come - set(mine.split()))) if here[0] == there[0] else other
            return f"a worker has {instead or 'none'} instead of {names or 'none'}"
    return ""


def forget(run: str) -> None:
    """End what is in work of a run, and take its sources away for good."""
    with _lock:
        _ended.add(run)
    _drop(run)


def _drop(run: str) -> None:
    with _lock:
        site = _sites.pop(run, None)
    if site is None:
        return
    for foreman in site.all:
        _end(foreman)
    shutil.rmtree(site.folder, ignore_errors=True)


def _site(run: str, sources: bytes) -> _Site:
    now = time.monotonic()
    with _lock:
        if run in _ended:
            raise ForemanError("the run has ended")
        old = [each for each, s in _sites.items() if s.used < now - _FORGOTTEN_SECONDS]
        if run not in _sites:
            _sites[run] = _Site(unpack(sources))
        site = _sites[run]
        site.used = now
    for each in old:
        _drop(each)
    return site


def _foreman(site: _Site, job: bytes) -> processes.Process:
    """A process that does a job's tasks and has none just now."""
    with _lock:
        while waiting := site.idle.get(job):
            foreman = waiting.pop()
            if foreman.poll() is None:
                return foreman
        # a run has one job after the other
        over = [
            foreman for other in [*site.idle] if other != job for foreman in site.idle.pop(other)
        ]
        site.all -= {*over}
    for foreman in over:
        _end(foreman)
    foreman = processes.start(
        processes.own("perflint.cluster.foreman"), stdin=processes.PIPE, stdout=processes.PIPE
    )
    with _lock:
        site.all.add(foreman)
    assert foreman.stdin is not None
    with suppress(OSError):  # whether it lives is seen when it answers
        write_frame(foreman.stdin, site.folder.encode())  # type: ignore[arg-type]
        write_frame(foreman.stdin, job)  # type: ignore[arg-type]
    return foreman


def _end(foreman: processes.Process) -> None:
    with suppress(OSError):
        foreman.kill()
    foreman.wait()


@atexit.register
def _forget_all() -> None:
    for run in list(_sites):
        _drop(run)
