"""Bounds of what a process of perflint may use: CPU time and memory.

Set in the process itself, kept by the kernel: they hold in compiled code too. Windows has no limits
of this kind.
"""

from __future__ import annotations

import signal
from pathlib import Path

from perflint.base.records import dataclass


@dataclass(frozen=True)
class Limits:
    """What one task may use."""

    cpu_seconds: float  #: of one step: see `perflint.work.task.lease`
    wall_seconds: float  #: of the whole task, counted only while this process runs
    memory_bytes: int  #: of its own data, beyond what the process has at its start


def limit_memory(limit: int, *, hard: bool = False) -> None:
    """Bound what this process and what it starts hold for themselves, in bytes.

    With `hard` nothing can lift the bound again, whatever libraries it loads.

    The simulator's memory images are shared mappings, so that they do not count here: they have a
    bound of their own (`Budget.memory`), and reserve far more than they touch.
    """
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    soft = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, soft if hard else most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def limit_growth(most: int) -> None:
    """Bound that to what this process holds now and `most` bytes more."""
    if size := own_bytes():
        limit_memory(size + most)


def limit_cpu(seconds: float) -> None:
    """Allow this many more seconds of CPU time; SIGXCPU ends the process after them."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(usage.ru_utime + usage.ru_stime + seconds) + 1
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def limit_cpu_for_good(seconds: float) -> None:
    """Allow this process so many seconds of CPU time in all; SIGKILL ends it after them.

    What a library does to the limit cannot lift this one.
    """
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    hard = int(seconds) + 1 if most == resource.RLIM_INFINITY else min(int(seconds) + 1, most)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


def stop_after(seconds: float) -> None:
    """Let SIGPROF end this process after so much CPU time from now on; 0 takes that back.

    A timer, for it can be set anew for each job, and no compiler touches it: NVRTC sets the soft
    limit of CPU time back to the hard one.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def resident_bytes() -> int:
    """What this process holds in memory; 0 where the system does not tell."""
    return _pages(1)


def own_bytes() -> int:
    """What this process holds for itself, as `limit_memory` counts it; 0 where nothing tells."""
    return _pages(5)


def _pages(field: int) -> int:
    """A field of /proc/self/statm (proc(5)) in bytes: 1 what is resident, 5 data and stack."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text("ascii").split()[field]) * (
            resource.getpagesize()
        )
    except (ImportError, OSError, ValueError):
        return 0


def open_files() -> int:
    """How many files this process may have open; many where the system does not tell."""
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return 1 << 20 if soft == resource.RLIM_INFINITY else soft
    except (ImportError, OSError):
        return 1 << 20
