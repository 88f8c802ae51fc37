"""What ptxas made of a file's kernels: the same call of NVRTC, carried on to machine code.

NVRTC holds an assembler of its own: compiled for `sm_80` instead of `compute_80` it makes a cubin,
and with `--ptxas-options=-v` its log says what each kernel takes. No toolkit is needed.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace

from perflint.base.patterns import pattern
from perflint.base.resources import Resources
from perflint.frontend.nvrtc.library import CompilerMissingError, Job
from perflint.frontend.nvrtc.pool import Pool, WorkerError, shared_pool

_ENTRY = pattern(r"Compiling entry function '([^']+)' for '(\w+)'")
_PROPERTIES = pattern(r"Function properties for (\S+)")
_STACK = pattern(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = pattern(r"Used (\d+) registers")
_SHARED = pattern(r"(\d+) bytes smem")
_CUMULATIVE = pattern(r"(\d+) bytes cumulative stack size")


def measure(job: Job, pool: Pool | None = None) -> Mapping[str, Resources]:
    """What each kernel of a job that compiled takes, by entry name; nothing if ptxas refuses it."""
    try:
        outcome = (pool or shared_pool()).compile(replace(job, machine_code=True))
    except (WorkerError, CompilerMissingError):
        return {}
    return parse(outcome.log) if outcome.code == 0 else {}


def image(job: Job, pool: Pool | None = None) -> bytes:
    """The cubin of a job that compiled; b"" if there is none."""
    try:
        outcome = (pool or shared_pool()).compile(replace(job, machine_code=True, image=True))
    except (WorkerError, CompilerMissingError):
        return b""
    return b64decode(outcome.image)


def parse(log: str) -> Mapping[str, Resources]:
    """The figures of `ptxas -v`, by entry name."""
    out: dict[str, Resources] = {}
    entry = function = arch = ""
    stack: tuple[int, int, int] = (0, 0, 0)
    for line in log.splitlines():
        if found := _ENTRY.search(line):
            entry, arch = found.groups()
            stack = (0, 0, 0)
        elif found := _PROPERTIES.search(line):
            function = found[1]
        elif (found := _STACK.search(line)) and function == entry:
            stack = (int(found[1]), int(found[2]), int(found[3]))
        elif (found := _REGISTERS.search(line)) and entry:
            shared, whole = _SHARED.search(line), _CUMULATIVE.search(line)
            out[entry] = Resources(
                registers=int(found[1]),
                shared=int(shared[1]) if shared else 0,
                stack=max(stack[0], int(whole[1]) if whole else 0),
                spill_stores=stack[1],
                spill_loads=stack[2],
                arch=arch,
            )
            entry = ""
    return out
