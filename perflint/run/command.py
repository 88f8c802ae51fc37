"""`perflint run`: from the command line's values to the program's end, the report, the status."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from perflint.base.records import dataclass
from perflint.cli import check_command, output
from perflint.cli.discovery import PathError
from perflint.cli.request import Request as Report
from perflint.cli.settings import Source, merged
from perflint.lint.findings import LEVELS, Finding, Result
from perflint.lint.options import DEFAULT_ARCH, CheckOptions
from perflint.lint.rulebook import RuleInfo
from perflint.run import elf, unsimulated
from perflint.run.compilers import for_compilers
from perflint.run.library import LibraryError, built
from perflint.run.server import Ended, StartError, run_program
from perflint.run.watch import Seen, Watcher, WatchOptions, restore, save

_SHARED = (
    "build it with -cudart shared (NVCC_APPEND_FLAGS='-cudart shared -lineinfo', "
    "or perflint build make)"
)


class RunError(Exception):
    """Something that the user can put right."""


@dataclass(frozen=True)
class Request:
    """The values of `perflint run`'s arguments and options."""

    command: tuple[str, ...]
    check: bool
    profile: bool
    record: Path | None
    sample: bool
    trace_budget: float  #: seconds that the tracers of one launch may take; 0: all of it
    sms: int
    devices: int
    device_memory: int  #: bytes of each
    no_findings: bool
    allow_unsimulated: bool
    line: Source  #: how findings are chosen and printed, as the command line says
    src: tuple[Path, ...] = ()  #: where the sources are, for rules that compile edits of them

    def say(self, text: str) -> None:
        """A line for people, on stderr."""
        if not self.line.values.get("quiet"):
            output.say(text)


def run(request: Request) -> int:
    """Run the program, print what was found, and return the exit status.

    It is 2 where something was not simulated; else the program's own where that is not 0; else 1 if
    there are findings at or above --fail-on.
    Raises RunError, and what `perflint.cli.request.Request` raises of options.
    """
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        raise RunError("perflint run needs Linux on x86-64 or AArch64")
    own = merged([request.line])
    paths = (Path(),)
    report = Report(paths, (*check_command.sources(paths, own, request.say), request.line))
    options = report.options()
    archs = options.arch or (DEFAULT_ARCH,)
    if len(archs) > 1:
        raise RunError("a program runs on one GPU: give --arch once")
    program = program_of(request.command[0])
    to = output.outputs(own)
    if request.record is not None:
        output.check_place(request.record)  # before the program has run for hours
    keep = not request.no_findings or request.record is not None or request.profile
    watch = WatchOptions(program, keep, request.check, request.sample, request.trace_budget)
    ended, seen = executed(request, watch, archs[0])
    _tell_end(request, ended, seen, program)
    if request.record is not None:
        _record(request.record, seen)
    if request.profile:
        from perflint.run.profiles import profile_text

        sys.stdout.write(profile_text(seen, program, archs[0]))
    result = _result(request, report, options, seen, program, archs[0])
    for remark in result.remarks[: check_command.MAX_REMARKS]:
        request.say(f"note: {remark}")
    shown, hidden = report.visible(_of_rules(result))
    errors = tuple(f for f in result.findings if f.code.startswith("RT"))
    shown = replace(shown, findings=tuple(sorted((*errors, *shown.findings), key=Finding.sort_key)))
    if not request.no_findings or request.check:
        context = check_command.context_of(report, shown, len(hidden))
        context = replace(context, rules={**context.rules, **_book(request)}, without_compiler="")
        check_command.print_result(shown, to, report, context)
    lost = max(0, ended.sessions - len(seen))
    missed = unsimulated.told((u for s in seen for u in s.unsimulated), lost)
    if missed:
        sys.stdout.flush()  # this is the last line, also where both go to one place
        output.say(f"perflint: {missed}")
        if not request.allow_unsimulated:
            return 2
    threshold = LEVELS.index(report.settings.fail_on)
    failed = any(LEVELS.index(f.level) >= threshold for f in shown.findings)
    if ended.status:
        return ended.status
    return 1 if failed and not own.exit_zero else 0


def executed(request: Request, watch: WatchOptions, arch: str) -> tuple[Ended, list[Seen]]:
    """Run the program: how it ended, and what its processes launched. Raises RunError."""
    try:
        libraries = built()
    except LibraryError as error:
        raise RunError(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="perflint-seen-") as folder:
        serve = partial(_serve, request, watch, arch, Path(folder))
        try:
            ended = run_program(request.command, libraries, serve, for_compilers(libraries))
        except StartError as error:
            raise RunError(str(error)) from error
        return ended, [restore(path) for path in sorted(Path(folder).glob("*.seen"))]


def program_of(name: str) -> Path:
    """The program's file. Raises RunError for one that is not there or cannot be served."""
    found = shutil.which(name)
    if found is None:
        raise RunError(f"{name}: there is no such program")
    path = Path(found)
    binary = elf.inspect(path)
    if binary is not None and binary.has_static_runtime and not _is_replaced(binary):
        raise RunError(f"{name} holds NVIDIA's runtime itself, and no symbols; {_SHARED}")
    return path


def _is_replaced(binary: elf.Binary) -> bool:
    """Whether native/audit.c puts our runtime in the place of one that is linked in.

    It finds the functions by the file's symbols. Linkers before glibc 2.34 call it too late.
    """
    name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return binary.has_symbols and name == "glibc" and numbers >= (2, 34)


def _serve(
    request: Request,
    watch: WatchOptions,
    arch: str,
    folder: Path,
    connection: socket.socket,
    number: int,
) -> None:
    """Answer one process of the program; runs in a process of its own."""
    from perflint.run.session import Options, Session
    from perflint.sim import architecture

    def tell(text: str) -> None:
        watcher.seen.told.append(text)
        print(f"perflint: {text}", file=sys.stderr, flush=True)

    watcher = Watcher(watch, tell)
    options = Options(
        architecture.load(arch), request.sms, request.device_memory, request.check, request.devices
    )
    session = Session(connection, options, watcher.run, tell)
    try:
        session.serve()
    except Exception as error:
        from perflint.work.filecheck import internal

        tell(internal(error))
        raise
    finally:
        watcher.seen.unsimulated = list(session.unsimulated.values())
        save(watcher.finish(), folder / f"{number:06}.seen")


# --- what is told ---------------------------------------------------------------------------------


def _tell_end(request: Request, ended: Ended, seen: Sequence[Seen], program: Path) -> None:
    say = request.say
    if ended.signal:
        say(f"perflint: {program.name} was ended by signal {ended.signal}")
    elif ended.status:
        say(f"perflint: {program.name} ended with status {ended.status}")
    if not seen:
        binary = elf.inspect(program)
        why = "it called nothing of CUDA's"
        if binary is not None and binary.has_device_code:
            why = "it has kernels, and called nothing of CUDA's"
        say(f"perflint: {program.name}: {why}")
        return
    launches = sum(k.launches for s in seen for k in s.kernels.values())
    work = sum(k.thread_instructions for s in seen for k in s.kernels.values())
    kernels = {name for s in seen for name in s.kernels}
    if not launches:
        say(f"perflint: {program.name} launched no kernel")
    else:
        some = unsimulated.some
        say(f"perflint: {some(launches, 'launch', 'es')} of {some(len(kernels), 'kernel')},"
            f" {some(work, 'thread instruction')}")  # fmt: skip
    faults: Counter[str] = Counter()
    for s in seen:
        for k in s.kernels.values():
            faults.update(
                {f"{k.name}: {kind}": n for kind, n in k.faults.items() if kind != "assert"}
            )
    if faults and not request.check:
        worst = ", ".join(f"{what} ({n:,} lanes)" for what, n in sorted(faults.items())[:5])
        say(f"note: errors that a GPU may let pass: {worst}; --check shows where")
    for name in sorted({n for s in seen for n in s.partly}):
        say(f"note: {name} was checked in part: --trace-budget ended it")
    for text in sorted({n for s in seen for n in s.skipped}):
        say(f"note: no races were looked for in {text}")
    if any(s.unlocated for s in seen):
        say("note: no source lines: build with -lineinfo")


def _record(path: Path, seen: Sequence[Seen]) -> None:
    from perflint.run.records import merged, write

    try:
        output.check_links(path)
        write(path, merged(s.records for s in seen))
    except PathError as error:
        raise RunError(str(error)) from error
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from error


# --- findings -------------------------------------------------------------------------------------


def _result(
    request: Request,
    report: Report,
    options: CheckOptions,
    seen: Sequence[Seen],
    program: Path,
    arch: str,
) -> Result:
    from perflint.lint.ruleset import load
    from perflint.run import errors
    from perflint.run.edited_sources import of_sources, with_edited
    from perflint.run.judge import judge
    from perflint.run.records import merged
    from perflint.work.assembly import relative
    from perflint.work.gather import finished

    found: tuple[Finding, ...] = errors.findings([e for s in seen for e in s.errors], arch)
    found = tuple(relative(f, Path.cwd()) for f in found)
    if request.no_findings:
        kernels = len({name for s in seen for name in s.kernels})
        return Result(found if request.check else (), (), kernels, 1)
    records = merged(s.records for s in seen)
    rules = load(options.rules)
    counts = _counts(seen)
    judged = judge(records, program, rules, arch, options, counts)
    judged_findings = tuple(relative(f, Path.cwd()) for f in judged.findings)
    if request.src:
        edited = of_sources(request.src, records, rules, options, counts)
        judged_findings = with_edited(judged_findings, [relative(f, Path.cwd()) for f in edited])
    result = finished(judged_findings, judged.unanalysed, judged.kernels, judged.files, Path.cwd())
    both = (*result.findings, *(found if request.check else ()))
    return replace(result, findings=both)


def _counts(seen: Sequence[Seen]) -> dict[str, str]:
    """`17 launches, 3 shapes` by kernel."""
    launches: Counter[str] = Counter()
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for s in seen:
        for name, kernel in s.kernels.items():
            launches[name] += kernel.launches
            shapes.setdefault(name, set()).update(kernel.shapes)
    return {
        name: f"{n:,} launch{'es' if n > 1 else ''}, "
        f"{len(shapes[name])} shape{'s' if len(shapes[name]) > 1 else ''}"
        for name, n in launches.items()
    }


def _of_rules(result: Result) -> Result:
    return replace(result, findings=tuple(f for f in result.findings if f.code.startswith("CU")))


def _book(request: Request) -> dict[str, RuleInfo]:
    from perflint.run import errors

    return errors.book() if request.check else {}
