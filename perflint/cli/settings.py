"""Every option of `perflint check`, once: command line, configuration files and docs read it here.

A field of `Settings` is an option: its name with dashes is the key and the long option, its default
holds where nothing sets it, and `option(…)` says the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from perflint.base.launch_option import LaunchSpec
from perflint.base.records import dataclass
from perflint.cli.option_kinds import (
    ADDRESS,
    CODES,
    DEFINES,
    FILE,
    FLAG,
    FOLDERS,
    GLOBS,
    IGNORES,
    LAUNCHES,
    OPTIONAL_TEXT,
    OUTPUTS,
    OWN_FLAG,
    PATH,
    PROGRAM,
    SIZE,
    TEXT,
    Glob,
    Kind,
    Origin,
    PerFileIgnore,
    number,
    one_of,
)
from perflint.lint.findings import LEVELS, Level
from perflint.lint.options import DEFAULT_ARCH, DEFAULT_BUDGET, DEFAULT_MIN_WASTE, Frontend

Merge = Literal["replace", "after", "before"]
COLORS = ("auto", "always", "never")


@dataclass(frozen=True)
class Option:
    """One option, but for its default."""

    name: str  #: `fail-on`: the key in a file, and `--fail-on`
    field: str  #: `fail_on`
    help: str
    kind: Kind
    short: str = ""
    metavar: str = ""
    file: bool = True  #: a configuration file may set it
    line: bool = True  #: the command line may
    merge: Merge = "replace"  #: whether a later source's list comes after or before the others'
    shown: str = ""  #: the default, where it is not plain from the value
    example: str = ""  #: as a configuration file has it
    default: Any = None

    @property
    def default_text(self) -> str:
        """The default for people; "" if nothing is the default."""
        if self.shown or self.default is None or self.default in ((), False):
            return self.shown
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


def option(default: Any, help: str, kind: Kind, **more: Any) -> Any:
    """A field of `Settings`."""
    return field(default=default, metadata={"help": help, "kind": kind, **more})


@dataclass(frozen=True)
class Settings:
    """What is in force."""

    select: tuple[str, ...] | None = option(
        None, "Run only these rules: codes, names, prefixes (CU1), or ALL.", CODES,
        metavar="RULES", shown="every stable rule", example='["CU1", "shared-bank-conflict"]',
    )  # fmt: skip
    extend_select: tuple[str, ...] = option(
        (), "Run these rules too.", CODES, metavar="RULES", example='["CU002"]'
    )
    ignore: tuple[str, ...] = option(
        (), "Do not run these rules.", CODES, metavar="RULES", example='["CU201"]'
    )
    preview: bool = option(
        False, "Run rules in preview too: they may still change.", FLAG, example="true"
    )
    per_file_ignores: tuple[PerFileIgnore, ...] = option(
        (), "Leave out rules' findings in the files that a pattern matches.", IGNORES,
        metavar="PATTERN:RULES", merge="after", example='{ "tests/*" = ["CU101"] }',
    )  # fmt: skip
    exclude: tuple[Glob, ...] = option(
        (), "Leave out files and directories, by patterns as in .gitignore.", GLOBS,
        metavar="PATTERN", merge="after", example='["third_party/"]',
    )  # fmt: skip
    arch: tuple[str, ...] = option(
        (), "The GPU to simulate; may be given several times.", CODES,
        metavar="ARCH", shown=DEFAULT_ARCH, example='["sm_80", "sm_90"]',
    )  # fmt: skip
    launch: tuple[LaunchSpec, ...] = option(
        (), "How a kernel is launched: 'k<<<(64,64),(16,16)>>>(n=1024)'.", LAUNCHES,
        metavar="LAUNCH", merge="after", example='["scale<<<(64,64),(16,16)>>>(n=1024)"]',
    )  # fmt: skip
    launches: Path | None = option(
        None,
        "Launches that really happened, with their data: what perflint run --record kept.",
        FILE, metavar="FILE", file=False,
    )  # fmt: skip
    define: tuple[str, ...] = option(
        (), "Define a macro, as for the compiler.", DEFINES,
        short="-D", metavar="NAME[=VALUE]", merge="after", example='["BLOCK=16"]',
    )  # fmt: skip
    include: tuple[Path, ...] = option(
        (), "Search a directory for headers.", FOLDERS,
        short="-I", metavar="DIR", merge="before", example='["include"]',
    )  # fmt: skip
    include_headers: bool = option(
        False,
        "Show findings in headers outside of the paths given where they are, not at the line that"
        " brought them in.",
        FLAG, example="true",
    )  # fmt: skip
    compile_commands: Path | None = option(
        None,
        "Take each file's -D, -I, -std and GPU from the build: the compile_commands.json in a"
        " directory, or the file itself.",
        PATH, short="-p", metavar="DIR", example='"build"',
    )  # fmt: skip
    frontend: Frontend | None = option(
        None,
        "What reads CUDA: NVRTC, your nvcc, or no compiler at all, which understands kernels in"
        " the C subset.",
        one_of(get_args(Frontend)), metavar="|".join(get_args(Frontend)), shown="nvrtc",
        example='"source"',
    )  # fmt: skip
    nvcc: str | None = option(
        None,
        "Compile with nvcc, as the build does: the one on the PATH, or the one given.",
        PROGRAM, metavar="[=PATH]", example="true",
    )  # fmt: skip
    allow_nvcc: bool = option(
        False, "Let a project's own configuration ask for your nvcc.", OWN_FLAG,
        example="true",
    )  # fmt: skip
    budget: float = option(
        DEFAULT_BUDGET, "Time for the simulation of one kernel.",
        number("number of seconds", float, 1e6), metavar="SECONDS", example="5",
    )  # fmt: skip
    min_waste: float = option(
        DEFAULT_MIN_WASTE,
        "Percent of the kernel's sectors, wavefronts or instructions that a finding must waste.",
        number("percentage", float, 100.0), metavar="PERCENT", example="10",
    )  # fmt: skip
    cache_size: int | None = option(
        None, "The L1 to assume, 16K for example.", SIZE,
        metavar="SIZE", shown="the GPU's own", example='"16K"',
    )  # fmt: skip
    show_unconfirmed: bool = option(
        False, "Also show what was suspected but could not be decided.", FLAG, example="true"
    )
    explain_silence: bool = option(
        False, "Let the format json tell, too, of every suspicion that led to no finding.", FLAG,
        file=False,
    )  # fmt: skip
    output_format: tuple[tuple[str, Path | None], ...] = option(
        (), "How to print.", OUTPUTS, metavar="FORMAT[=FILE]", file=False, shown="full"
    )
    output_file: Path | None = option(
        None, "Print to a file instead of standard output.", FILE,
        short="-o", metavar="FILE", file=False,
    )  # fmt: skip
    statistics: bool = option(False, "Count the findings by rule instead.", FLAG, file=False)
    baseline: Path | None = option(
        None, "Leave out the findings that a file lists; tell which of them are gone.", PATH,
        metavar="FILE", example='"perflint-baseline.json"',
    )  # fmt: skip
    write_baseline: Path | None = option(
        None, "Write all findings to a file for --baseline, and exit with 0.", FILE,
        metavar="FILE", file=False,
    )  # fmt: skip
    diff_base: str | None = option(
        None, "Only findings on lines changed since a Git commit: a branch, a tag, a hash.", TEXT,
        metavar="REF", file=False,
    )  # fmt: skip
    add_ignore: str | None = option(
        None, "Silence what is found by comments in the sources, with a reason.", OPTIONAL_TEXT,
        metavar="[=REASON]", file=False,
    )  # fmt: skip
    fix: bool = option(
        False, "Change the sources as findings propose, where every result stays the same.", FLAG,
        file=False,
    )  # fmt: skip
    unsafe_fixes: bool = option(
        False, "Let --fix and --diff make changes that change rounding too.", FLAG, file=False
    )
    diff: bool = option(
        False, "Print what --fix would change, and change nothing.", FLAG, file=False
    )
    sarif_suppressed: bool = option(
        False, "Let SARIF hold silenced findings too, marked as such.", FLAG, example="true"
    )
    fail_on: Level = option(
        "warning", "The least level that makes the exit status 1.", one_of(LEVELS),
        metavar="|".join(LEVELS), example='"error"',
    )  # fmt: skip
    require_analysed: float | None = option(
        None, "Exit with 2 if a smaller share of the kernels could be analysed.",
        number("percentage", float, 100.0), metavar="PERCENT", shown="1 kernel of those found",
        example="90",
    )  # fmt: skip
    exit_zero: bool = option(False, "Exit with 0 though there are findings.", FLAG, file=False)
    stdin_filename: Path | None = option(
        None, "The name of what is read from standard input, for which the path is -.", FILE,
        metavar="FILE", file=False,
    )  # fmt: skip
    force_exclude: bool = option(
        False, "Apply `exclude` to paths given on the command line too.", FLAG, example="true"
    )
    jobs: int | None = option(
        None, "Work in N processes: on files, and on the kernels of one file.",
        number("number of processes", int, 2**31),
        short="-j", metavar="N", shown="the number of usable CPUs", example="4",
    )  # fmt: skip
    cluster: str | None = option(
        None, "Work on a Dask cluster instead: the address of its scheduler.", ADDRESS,
        metavar="ADDRESS", example='"scheduler.lan:8786"',
    )  # fmt: skip
    cache: bool = option(
        True, "Use what was found in files that are as they were, and keep it for the next run.",
        FLAG, example="false",
    )  # fmt: skip
    config: Path | None = option(
        None, "The configuration file, instead of the nearest one.", FILE,
        metavar="FILE", file=False,
    )  # fmt: skip
    isolated: bool = option(False, "Read no configuration file.", FLAG, file=False)
    color: str = option(
        "auto", "Colours; auto heeds NO_COLOR and FORCE_COLOR.", one_of(COLORS),
        metavar="|".join(COLORS), file=False,
    )  # fmt: skip
    quiet: bool = option(
        False, "Print the findings and errors, nothing else.", FLAG, short="-q", file=False
    )
    verbose: bool = option(False, "Say what is read and done.", FLAG, short="-v", file=False)


@cache
def options() -> Mapping[str, Option]:
    """Every option by its name with dashes, in the order that people are shown."""
    found = {}
    for item in fields(Settings):
        name = item.name.replace("_", "-")
        default = None if item.default is MISSING else item.default
        found[name] = Option(name, item.name, default=default, **item.metadata)
    return found


@dataclass(frozen=True)
class Source:
    """What one source sets, by the fields of `Settings`."""

    origin: Origin
    values: Mapping[str, Any]


def merged(sources: Sequence[Source]) -> Settings:
    """All sources together, the later ones first in importance."""
    values: dict[str, Any] = {}
    for source in sources:
        for name, value in source.values.items():
            merge = options()[name.replace("_", "-")].merge
            if name in values and merge == "after":
                value = (*values[name], *value)
            elif name in values and merge == "before":
                value = (*value, *values[name])
            values[name] = value
    launches = {launch.kernel: launch for launch in values.get("launch", ())}
    return Settings(**values | {"launch": tuple(launches.values())})


def origins(sources: Iterable[Source]) -> dict[str, str]:
    """For every option that is set, who set it."""
    found: dict[str, list[str]] = {}
    for source in sources:
        for name in source.values:
            if options()[name.replace("_", "-")].merge == "replace":
                found[name] = []
            found.setdefault(name, []).append(source.origin.title)
    return {name: ", ".join(titles) for name, titles in found.items()}


def line_options() -> Iterator[Option]:
    """The options of the command line."""
    return (each for each in options().values() if each.line)
