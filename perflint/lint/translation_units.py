"""Each file with its flags, through the front end that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from perflint import frontend
from perflint.base import architectures
from perflint.base.limits import Limits
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.compilation_database import DatabaseError, Flags
from perflint.frontend.model import Compilation
from perflint.frontend.source.language.model import SourceFacts
from perflint.lint.options import DEFAULT_ARCH, CheckOptions

if TYPE_CHECKING:
    from perflint.frontend.source.launches.asked_kernels import AskedKernels

#: What one file may use; the CPU time is that of what comes before its kernels (`filecheck` leases
#: each of these its own).
LIMITS = Limits(cpu_seconds=20.0, wall_seconds=1800.0, memory_bytes=1 << 30)
_NEW_STANDARD = pattern(r"c\+\+2\w")


@dataclass(frozen=True)
class Unit:
    """A file to check, for one GPU, with what is to be told the compiler."""

    path: Path
    arch: str
    define: tuple[str, ...] = ()
    include: tuple[Path, ...] = ()
    flags: Flags = field(default_factory=Flags)  #: the rest of what the build gives
    fault: str = ""  #: why the file cannot be checked with what the build gives


@dataclass(frozen=True)
class Units:
    """Everything to check."""

    units: tuple[Unit, ...]
    remarks: tuple[str, ...] = ()


def units(paths: Sequence[Path], options: CheckOptions) -> Units:
    """Every file with its flags: the command line's before the build's.

    The build's GPU is taken where the user names none.
    """
    database = options.database
    found: list[Unit] = []
    without: list[Path] = []
    mapped: dict[str, str] = {}
    for path in paths:
        fault = ""
        try:
            flags = database.flags(path) if database and path.suffix != ".ptx" else Flags()
        except DatabaseError as error:
            flags, fault = Flags(), str(error)
        if flags is None:
            without.append(path)
            flags = Flags()
        archs = options.arch
        if not archs and flags.arch:
            archs = (architectures.nearest(flags.arch),)
            mapped[flags.arch] = archs[0]
        for arch in archs or (DEFAULT_ARCH,):
            define = _last_of_each((*flags.define, *options.define))
            found.append(Unit(path, arch, define, (*options.include, *flags.include), flags, fault))
    return Units(tuple(found), tuple(_remarks(options, without, mapped)))


def _last_of_each(define: Iterable[str]) -> tuple[str, ...]:
    """Macros, each name once: the later definition holds."""
    return tuple({text.partition("=")[0]: text for text in define}.values())


def _remarks(
    options: CheckOptions, without: Sequence[Path], mapped: Mapping[str, str]
) -> Iterable[str]:
    for asked, taken in sorted(mapped.items()):
        if asked != taken:
            yield f"the build compiles for {asked}, which is simulated as {taken}"
    if without and options.database:
        named = ", ".join(map(str, without[:3])) + (", …" if len(without) > 3 else "")
        one = len(without) == 1
        yield (
            f"{len(without)} file{'' if one else 's'} not in {options.database.path} "
            f"{'was' if one else 'were'} checked without the build's flags: {named}"
        )


def compile_unit(
    unit: Unit,
    options: CheckOptions,
    root: Path,
    facts: Mapping[Path, SourceFacts] | None = None,
) -> Compilation:
    """The file's PTX and source facts: `.ptx` as it is, the rest by `options.frontend`.

    `root` is the folder below which headers are looked for by name; `facts` are what `read_facts`
    answered, where it was asked.
    """
    if unit.path.suffix == ".ptx":
        return frontend.read_ptx(unit.path, arch=unit.arch)
    if options.frontend == "nvcc" and options.nvcc:
        from perflint.frontend import nvcc

        return nvcc.compile_file(
            unit.path,
            nvcc=options.nvcc,
            arch=unit.arch,
            include=unit.include,
            define=unit.define,
            flags=unit.flags,
            facts=facts,
        )
    if options.frontend == "source":
        from perflint.frontend import csubset

        return csubset.compile_file(
            unit.path,
            arch=unit.arch,
            include=unit.include,
            define=unit.define,
            root=root,
            facts=facts,
        )
    return frontend.compile_file(
        unit.path,
        arch=unit.arch,
        include=unit.include,
        define=unit.define,
        std="c++20" if _NEW_STANDARD.fullmatch(unit.flags.std or "") else "c++17",
        root=root,
        before=unit.flags.before,
        options=None if unit.flags == Flags() else unit.flags.codegen,
        facts=facts,
    )


def make_ready(options: CheckOptions) -> None:
    """Let the compiler begin to load, if one will be needed."""
    if options.frontend == "nvrtc":
        frontend.make_ready()


def read_facts(
    unit: Unit,
    root: Path,
    others: Mapping[Path, str] | None = None,
    closed: bool = False,
    asked: AskedKernels | None = None,
) -> Mapping[Path, SourceFacts] | None:
    """The facts of the file and its headers; None where it cannot be read (compiling says why).

    `others` are the texts of the other files of the run. Launches of other kernels than the `asked`
    may be left out. With `closed`, raises OpenLaunchError at a launch of the file's own that hangs
    on what is not in sight.
    """
    try:
        return frontend.read_facts(
            unit.path,
            include=unit.include,
            define=unit.define,
            before=unit.flags.before,
            root=root,
            others=others,
            closed=closed,
            asked=asked,
        )
    except ValueError:
        return None
