"""`perflint triton` and `perflint numba`: from a Python module to the printed report."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

from perflint.base import bounds, processes
from perflint.base.bounds import Bound
from perflint.base.records import dataclass
from perflint.cli import check_command, output
from perflint.cli.discovery import discover
from perflint.cli.request import Request as Report
from perflint.cli.settings import Source, merged
from perflint.lint.findings import LEVELS, Finding, Result, Unanalysed
from perflint.lint.options import DEFAULT_ARCH, CheckOptions
from perflint.python_kernels.manifest import REQUEST, Compiled, Manifest, NotCompiled, Order, read

#: What a module says that defines kernels.
_DEFINES = {
    "triton": (b"triton.jit", b"from triton import"),
    "numba": (b"cuda.jit", b"from numba.cuda import"),
}


class ModuleError(Exception):
    """A module that cannot be run, or a compiler that is not there."""


@dataclass(frozen=True)
class Request:
    """The values of the arguments and options."""

    compiler: str  #: `triton` or `numba`
    files: tuple[Path, ...]
    signatures: tuple[tuple[str, str], ...]
    timeout: float  #: seconds that one module may take
    line: Source

    def say(self, text: str) -> None:
        """A line for people, on stderr."""
        if not self.line.values.get("quiet"):
            output.say(text)


def run(request: Request) -> int:
    """Compile, check, print, and return the exit status. Raises ModuleError for what the user can
    put right, and what `perflint.cli.request.Request` raises of options."""
    own = merged([request.line])
    report = Report(
        request.files, (*check_command.sources(request.files, own, request.say), request.line)
    )
    options = report.options()
    to = output.outputs(own)
    files = found(request.files, request.compiler)
    archs = options.arch or (DEFAULT_ARCH,)
    with tempfile.TemporaryDirectory(prefix="perflint-kernels-") as folder:
        made = _compiled(request, archs, files, Path(folder), options.jobs)
        others = launching(request, made)
        made += _compiled(request, archs, others, Path(folder) / "others", options.jobs)
        results = [
            _checked([m for m in made if m.arch == arch], replace(options, arch=(arch,)))
            for arch in archs
        ]
    result = joined(results, len(files))  # who launches their kernels is not checked itself
    for remark in result.remarks[: check_command.MAX_REMARKS]:
        request.say(f"note: {remark}")
    shown, hidden = report.visible(result)
    with bounds.within(report.bound()):
        check_command.print_result(
            shown, to, report, check_command.context_of(report, shown, len(hidden))
        )
    threshold = LEVELS.index(report.settings.fail_on)
    failed = any(LEVELS.index(f.level) >= threshold for f in shown.findings)
    return 1 if failed and not own.exit_zero else 0


def found(paths: Sequence[Path], compiler: str) -> tuple[Path, ...]:
    """The modules that are named, and of folders those that define kernels. Raises ModuleError."""
    files = [p for p in paths if not p.is_dir()]
    folders = [p for p in paths if p.is_dir()]
    if folders:
        within = discover(folders, words=_DEFINES[compiler], suffixes=(".py",)).files
        if not within and not files:
            raise ModuleError(f"no module below {folders[0]} defines kernels of {compiler}'s")
        files += within
    return tuple(dict.fromkeys(files))


def compile_module(
    request: Request, file: Path, arch: str, folder: Path, *, alone: bool = True
) -> Manifest:
    """A module's kernels; their PTX is then in the folder. Raises ModuleError: of one that is not
    checked `alone`, only where no other could be compiled either.

    One that is named is run as a program; and where that shows no launch of a kernel of Triton's,
    or it is a library's or was found in a folder, it is imported by its package's name, and its
    functions are called with made-up tensors.
    """
    program = Manifest()
    if request.compiler != "triton" or (file in request.files and not is_library(file)):
        program = _worked(request, file, arch, folder / "run", made=False, alone=alone)
        if request.compiler != "triton" or not program.failures:
            return program
    return joined_manifests(
        program, _worked(request, file, arch, folder / "made", made=True, alone=alone)
    )


def is_library(file: Path) -> bool:
    """Whether a module is one of a package's and does nothing when it is run as a program."""
    return (file.parent / "__init__.py").is_file() and b"__main__" not in file.read_bytes()


def joined_manifests(program: Manifest, made: Manifest) -> Manifest:
    """What a program's own launches show, and of other kernels what made-up calls do."""
    known = {each.kernel for each in program.compiled}
    more = [each for each in made.compiled if each.kernel not in known]
    compiled = [*program.compiled, *more]
    names = {each.kernel for each in compiled}
    imported = not any(not each.kernel for each in made.failures)
    lost = [f for f in program.failures if f.kernel not in names and (f.kernel or not imported)]
    lost += [f for f in made.failures if f.kernel not in names]
    return Manifest(
        compiled,
        list({(f.kernel, f.line): f for f in lost}.values()),
        [*program.remarks, *made.remarks],
    )


def _worked(
    request: Request, file: Path, arch: str, folder: Path, *, made: bool, alone: bool
) -> Manifest:
    """What a process of its own leaves in a folder. Raises ModuleError."""
    folder.mkdir()
    order = Order(request.compiler, os.path.realpath(file), arch, request.signatures, made)
    (folder / REQUEST).write_text(json.dumps(asdict(order)), encoding="utf-8")
    more = {"TRITON_CACHE_DIR": str(folder / "cache")}
    worker = processes.own("perflint.python_kernels.worker", str(folder), cwd=Path.cwd(), **more)
    problem = ""
    try:
        status = processes.finished(
            worker, request.timeout, stdin=processes.DEVNULL, stdout=sys.stderr
        )
        if status:
            problem = f"the process that ran it ended with status {status}"
    except processes.Late:
        problem = f"it ran for {request.timeout:g} s and was ended; --timeout gives it more"
    manifest = read(folder)
    if manifest.missing:
        raise ModuleError(
            f"{manifest.missing}: perflint's extra {request.compiler} installs what compiles these "
            "kernels"
        )
    if problem and alone:
        raise ModuleError(f"{file}: {problem}")
    if problem:
        manifest.failures.append(NotCompiled("", 1, problem))
    manifest.compiled = [replace(c, ptx=f"{folder.name}/{c.ptx}") for c in manifest.compiled]
    return manifest


@dataclass(frozen=True)
class Module:
    """A module, and what came of it."""

    arch: str
    file: Path
    folder: Path
    manifest: Manifest


def _compiled(
    request: Request, archs: Sequence[str], files: Sequence[Path], folder: Path, jobs: int
) -> list[Module]:
    """All modules for all GPUs, side by side: each is work of a process of its own."""
    places = [(a, f, folder / f"{a}-{n}") for a in archs for n, f in enumerate(files)]

    def module(arch: str, file: Path, place: Path) -> Module:
        place.mkdir(parents=True)
        alone = files == request.files and len(files) == 1
        return Module(arch, file, place, compile_module(request, file, arch, place, alone=alone))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda each: module(*each), places))


def launching(request: Request, modules: Sequence[Module]) -> tuple[Path, ...]:
    """Modules that may launch what others only define: they name a kernel that no launch was seen
    of, and stand in the same folder or below one that is to be searched.
    """
    seen = {(c.file, c.kernel) for m in modules for c in m.manifest.compiled}
    lost = [(m.file, f.kernel) for m in modules for f in m.manifest.failures if f.kernel]
    names = {k.encode() for f, k in lost if (os.path.realpath(f), k) not in seen}
    if request.compiler != "triton" or not names:
        return ()
    folders = {p if p.is_dir() else p.parent for p in request.files if p.is_dir() or is_library(p)}
    files = discover(sorted(folders), words=tuple(names), suffixes=(".py",)).files
    known = {os.path.realpath(m.file) for m in modules}
    return tuple(f for f in files if os.path.realpath(f) not in known)


def _checked(modules: Sequence[Module], options: CheckOptions) -> Result:
    """What is to be said of the modules' kernels for one GPU."""
    from perflint.lint.failures import shown

    defining = {(c.file, c.kernel) for m in modules for c in m.manifest.compiled}
    failures = [
        (shown(m.file, options.root), failure)
        for m in modules
        for failure in m.manifest.failures
        if (os.path.realpath(m.file), failure.kernel) not in defining
    ]
    lost = tuple(Unanalysed(p, f.kernel or None, f.reason, f.line) for p, f in failures)
    remarks = tuple(
        f"{m.file}: {remark}" for m in modules for remark in dict.fromkeys(m.manifest.remarks)
    )
    remarks += tuple(f"{u.path}:{u.line}: {u.kernel or 'module'}: {u.reason}" for u in lost)
    result = _of_all_configurations(once(modules), options)
    return replace(
        result,
        findings=(*_listed(lost, options), *result.findings),
        unanalysed=(*result.unanalysed, *lost),
        remarks=(*remarks, *result.remarks),
    )


def once(modules: Sequence[Module]) -> list[tuple[Path, Compiled]]:
    """The kernels, each as one module launches it: its own, if that does."""
    chosen: dict[tuple[str, str], Module] = {}
    for module in modules:
        own = os.path.realpath(module.file)
        for each in module.manifest.compiled:
            key = each.file, each.kernel
            if key not in chosen or each.file == own:
                chosen[key] = module
    return [
        (module.folder, each)
        for module in modules
        for each in module.manifest.compiled
        if not each.file or chosen[each.file, each.kernel] is module
    ]


def _of_all_configurations(
    kernels: Sequence[tuple[Path, Compiled]], options: CheckOptions
) -> Result:
    """What is found with the first configuration of each tuner, less what others do not have."""
    turns: dict[tuple[str, str], list[str]] = {}  #: the configurations of each kernel, in order
    groups: dict[int, list[tuple[Path, Compiled]]] = {}
    for folder, each in kernels:
        turn = turns.setdefault((each.file, each.kernel), [""])
        if each.configuration not in turn:
            turn.append(each.configuration)
        groups.setdefault(turn.index(each.configuration), []).append((folder, each))
    result = _simulated(groups.pop(0, []), options)
    findings = list(result.findings)
    for group in groups.values():
        has = {(f.code, f.place.path, f.place.line) for f in _simulated(group, options).findings}
        chosen = {each.kernel: each.configuration for _, each in group}
        for i, finding in enumerate(findings):
            absent = (finding.code, finding.place.path, finding.place.line) not in has
            if absent and finding.kernel in chosen and finding.level == "warning":
                told = f"not with {chosen[finding.kernel]}, which the tuner may choose as well"
                findings[i] = replace(finding, level="note", notes=(*finding.notes, told))
    return replace(result, findings=tuple(findings))


def _simulated(kernels: Sequence[tuple[Path, Compiled]], options: CheckOptions) -> Result:
    from perflint.work import pipeline

    if not kernels:
        return Result((), (), 0, 0, (), archs=options.arch)
    launches = {folder / each.ptx: each.launches for folder, each in kernels}
    folders = dict.fromkeys(path.parent for path in launches)
    bound = options.bound and Bound((*options.bound.folders, *folders), options.bound.files)
    return pipeline.check(list(launches), replace(options, file_launches=launches, bound=bound))


def _listed(lost: Iterable[Unanalysed], options: CheckOptions) -> tuple[Finding, ...]:
    """What CU002 says of what was not compiled, where it is asked for."""
    from perflint.base.span import Span
    from perflint.lint.failures import failed
    from perflint.lint.ruleset import load
    from perflint.rules.protocol import Failure

    if "CU002" not in options.rules:
        return ()
    rules = load({"CU002"})
    found = (
        failed(
            Failure("analysis", each.reason, kernel=each.kernel, genuine=False),
            Span(each.path, each.line, 1, each.line, 2),
            rules,
        )
        for each in lost
    )
    return tuple(finding for finding in found if finding is not None)


def joined(results: Sequence[Result], files: int) -> Result:
    """Results of several modules and GPUs as one."""

    def all_of(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for part in parts for each in part))

    found = sorted((f for r in results for f in r.findings), key=Finding.sort_key)
    return Result(
        findings=tuple(found),
        unanalysed=tuple(dict.fromkeys(u for r in results for u in r.unanalysed)),
        kernels=sum(r.kernels for r in results),
        files=files,
        remarks=all_of(r.remarks for r in results),
        silenced=tuple(s for r in results for s in r.silenced),
        archs=all_of(r.archs for r in results),
    )
