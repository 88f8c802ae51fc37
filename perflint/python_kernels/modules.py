"""The modules of Triton's and Numba's kernels: found, and compiled in processes of their own."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

from perflint.base import processes
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.cli.discovery import discover
from perflint.cli.settings import Source
from perflint.python_kernels.home import package_of
from perflint.python_kernels.manifest import (
    REQUEST,
    UNSEEN,
    Compiled,
    Manifest,
    NotCompiled,
    Order,
    read,
)

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
    functions are called with made-up tensors. Of Numba's the kernels with signatures are seen then.
    """
    program = Manifest()
    if file in request.files and not is_library(file):
        program = _worked(request, file, arch, folder / "run", made=False, alone=alone)
        if request.compiler != "triton" or not program.failures:
            return program
    return joined_manifests(
        program, _worked(request, file, arch, folder / "made", made=True, alone=alone)
    )


def is_library(file: Path) -> bool:
    """Whether a module is one of a package's and does nothing when it is run as a program."""
    return package_of(file.resolve()) is not None and b"__main__" not in file.read_bytes()


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


def compile_all(
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


def lost(modules: Sequence[Module]) -> list[tuple[Path, NotCompiled]]:
    """What of each module was not compiled, and by no other that launches it either."""
    compiled = {(each.file, each.kernel) for m in modules for each in m.manifest.compiled}
    every = [
        (Path(failure.file or module.file), failure)
        for module in modules
        for failure in module.manifest.failures
    ]
    keyed = [(os.path.realpath(path), failure.kernel) for path, failure in every]
    # who launches a kernel that does not compile knows more of it than who defines it
    told = {key for key, (_, f) in zip(keyed, every, strict=True) if key[1] and f.reason != UNSEEN}
    found = {
        (path, failure)
        for key, (path, failure) in zip(keyed, every, strict=True)
        if key not in compiled and (failure.reason != UNSEEN or key not in told)
    }
    return [each for each in dict.fromkeys(every) if each in found]


def launching(
    request: Request, modules: Sequence[Module], *, anywhere: bool = False
) -> tuple[Path, ...]:
    """Modules that may launch what others only define.

    They name a kernel that no launch was seen of, and stand in the same folder or below one that is
    to be searched; or launch it, and stand `anywhere` in the package.
    """
    names = {failure.kernel.encode() for _, failure in lost(modules) if failure.kernel}
    if request.compiler != "triton" or not names:
        return ()
    places = [p for p in request.files if p.is_dir() or is_library(p)]
    folders = {p if p.is_dir() else p.parent for p in places}
    if anywhere:
        folders = {package for p in places if (package := package_of(p.resolve())) is not None}
    files = discover(sorted(folders), words=tuple(names), suffixes=(".py",)).files
    known = {os.path.realpath(m.file) for m in modules}
    others = (f for f in files if os.path.realpath(f) not in known)
    launches = re.compile(rb"\b(?:%s)\s*\[" % b"|".join(map(re.escape, sorted(names))))
    return tuple(f for f in others if not anywhere or launches.search(f.read_bytes()))


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
