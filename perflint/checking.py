"""`perflint check`: from the command line's values to the printed report and the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from perflint import architectures
from perflint import config as configuration
from perflint.config import Config, ConfigError
from perflint.discovery import SUFFIXES, Found, PathError, discover
from perflint.findings import LEVELS, Level, Result
from perflint.launch_option import LaunchSpec
from perflint.options import DEFAULT_BUDGET, CheckOptions, Frontend, Progress, silent
from perflint.rulebook import RuleInfo, rules
from perflint.selection import Layer, PerFileIgnore, expand, named, resolve, visible

if TYPE_CHECKING:
    from perflint.frontend.compilation_database import CompilationDatabase

MAX_REMARKS = 5  #: on assumptions made, shown without -v
Output = tuple[str, Path | None]  #: a format, and the file it goes to


@dataclass(frozen=True)
class Request:
    """The values of `perflint check`'s arguments and options."""

    paths: tuple[Path, ...]
    select: tuple[str, ...] | None
    extend_select: tuple[str, ...]
    ignore: tuple[str, ...]
    arch: tuple[str, ...]
    launch: tuple[LaunchSpec, ...]
    define: tuple[str, ...]
    include: tuple[Path, ...]
    compile_commands: Path | None
    frontend: Frontend | None
    nvcc: str | None
    budget: float | None
    cache_size: int | None
    show_unconfirmed: bool | None
    output_format: tuple[Output, ...]
    output_file: Path | None
    statistics: bool
    fail_on: Level | None
    exit_zero: bool
    stdin_filename: Path | None
    force_exclude: bool
    jobs: int | None
    config: Path | None
    isolated: bool
    color: str
    quiet: bool
    verbose: bool

    def say(self, text: str) -> None:
        """A line for people, on stderr."""
        if not self.quiet:
            _stderr(text)


@dataclass(frozen=True)
class Settings:
    """A request and a configuration file together."""

    request: Request
    config: Config

    @cached_property
    def book(self) -> Mapping[str, RuleInfo]:
        return rules()

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        c, r = self.config, self.request
        return (
            Layer(c.select, c.extend_select, c.ignore),
            Layer(r.select, r.extend_select, r.ignore),
        )

    @cached_property
    def rules(self) -> frozenset[str]:
        return resolve(self.layers, self.book)

    @property
    def fail_on(self) -> Level:
        return self.request.fail_on or self.config.fail_on or "warning"

    def options(self, progress: Progress = silent) -> CheckOptions:
        """What the pipeline is to do. Raises ConfigError for what there is not."""
        from perflint.parallel import usable_cpus

        c, r = self.config, self.request
        launches = {launch.kernel: launch for launch in (*c.launch, *r.launch)}
        return CheckOptions(
            rules=self.rules,
            arch=self.arch(),
            launches=tuple(launches.values()),
            define=(*c.define, *r.define),
            include=(*r.include, *c.include),
            frontend=self.frontend(),
            nvcc=self.nvcc(),
            database=self.database(),
            jobs=r.jobs or c.jobs or usable_cpus(),
            budget=r.budget or c.budget or DEFAULT_BUDGET,
            cache_size=r.cache_size or c.cache_size,
            root=Path.cwd(),
            progress=progress,
        )

    def arch(self) -> tuple[str, ...]:
        """The GPUs named, each once. Raises ConfigError for one that cannot be simulated."""
        names, where = self.request.arch, ""
        if not names and self.config.arch:
            names, where = self.config.arch, f"{self.config.path}: arch: "
        try:
            return tuple(dict.fromkeys(map(architectures.named, names)))
        except architectures.UnknownArchitectureError as error:
            raise ConfigError(f"{where}{error}") from None

    def database(self) -> CompilationDatabase | None:
        """The build's flags. Raises ConfigError for a database that cannot be used."""
        path, where = self.request.compile_commands, "-p"
        if path is None:
            path, where = self.config.compile_commands, f"{self.config.path}: compile-commands"
        if path is None:
            return None
        from perflint.frontend.compilation_database import DatabaseError, load

        try:
            return load(path)
        except DatabaseError as error:
            raise ConfigError(f"{where}: {error}") from None

    def frontend(self) -> Frontend:
        """What is to read CUDA; `--nvcc` says it too. Raises ConfigError for a contradiction."""
        r, c = self.request, self.config
        if r.nvcc is not None and r.frontend not in (None, "nvcc"):
            raise ConfigError(f"--nvcc and --frontend {r.frontend} contradict each other")
        if c.nvcc is not None and c.frontend not in (None, "nvcc"):
            raise ConfigError(f"{c.path}: nvcc: contradicts frontend = {c.frontend!r}")
        for values in (r, c):
            if values.frontend == "nvrtc" and self.no_compiler:
                raise ConfigError(f"--frontend nvrtc: {self.no_compiler}")
            if values.nvcc is not None or values.frontend:
                return values.frontend or "nvcc"
        return "source" if self.no_compiler else "nvrtc"

    @cached_property
    def no_compiler(self) -> str:
        """Why there is no NVRTC; "" if there is one."""
        from perflint.frontend.nvrtc.library import CompilerMissingError, find_toolchain

        try:
            find_toolchain()
        except CompilerMissingError as error:
            return str(error)
        return ""

    def without_compiler(self) -> str:
        """Why no compiler is used, for the summary; "" if one is."""
        if self.frontend() != "source":
            return ""
        asked = "source" in (self.request.frontend, self.config.frontend)
        return "--frontend source" if asked else self.no_compiler

    def nvcc(self) -> Path | None:
        """The nvcc to use, if one is. Raises ConfigError if there is none."""
        if self.frontend() != "nvcc":
            return None
        from perflint.frontend.nvcc import NvccMissingError, find

        given, where = self.request.nvcc, "--nvcc"
        if given is None and self.config.nvcc is not None:
            given, where = self.config.nvcc, f"{self.config.path}: nvcc"
        try:
            return find(given or "")
        except NvccMissingError as error:
            raise ConfigError(f"{where}: {error}") from None

    def visible(self, result: Result) -> tuple[Result, int]:
        """The result as it is printed, and the number of notes left out.

        What was not analysed has a count of its own in the summary, so its notes do not count.
        """
        c = self.config
        ignores = [
            PerFileIgnore(pattern, code_set, c.base)
            for pattern, selectors in c.per_file_ignores
            for code_set in [frozenset().union(*(expand(s, self.book)[0] for s in selectors))]
        ]
        show = self.request.show_unconfirmed or c.show_unconfirmed or False
        findings, hidden = visible(
            result.findings,
            self.rules,
            book=self.book,
            named=named(self.layers, self.book),
            show_unconfirmed=show,
            per_file_ignores=ignores,
        )
        counted = {(item.path, item.kernel) for item in result.unanalysed}
        suspicions = [
            f
            for f in hidden
            if self.book[f.code].level != "note" or (f.place.path, f.kernel) not in counted
        ]
        return replace(result, findings=findings), len(suspicions)


def check(request: Request) -> int:
    """Check, print, and return the exit status.

    Raises PathError, ConfigError and UnknownSelectorError for what the user can put right.
    """
    outputs = _outputs(request)
    request = _with_standard_input(request)
    settings = Settings(request, _configuration(request))
    options = settings.options()
    settings.visible(Result((), (), 0, 0))  # a wrong selector is told before the work
    if request.stdin_filename and options.frontend == "nvcc":
        raise PathError("-: nvcc cannot read what is not saved; leave --nvcc out")
    found = _files(request, settings.config)
    for warning in found.warnings:
        request.say(f"warning: {warning}")
    if found.files and settings.frontend() == "source" and settings.no_compiler:
        request.say(f"note: no compiler is used: {settings.no_compiler}")
    if request.verbose:
        source = settings.config.path or "no configuration file"
        request.say(f"perflint: {source}; rules {', '.join(sorted(options.rules)) or 'none'}")
        request.say(f"perflint: files to check: {len(found.files)}")
    if found.files:
        from perflint import pipeline
        from perflint.frontend.compilation_database import DatabaseError

        try:
            with _progress(request) as progress:
                result = pipeline.check(found.files, replace(options, progress=progress))
        except DatabaseError as error:
            raise ConfigError(str(error)) from None
    else:
        result = Result((), (), 0, 0)
    most = len(result.remarks) if request.verbose else MAX_REMARKS
    for remark in result.remarks[:most]:
        request.say(f"note: {remark}")
    if len(result.remarks) > most:
        request.say(f"note: {len(result.remarks) - most} more notes; -v shows them")
    shown, hidden = settings.visible(result)
    _print(shown, hidden, outputs, settings)
    threshold = LEVELS.index(settings.fail_on)
    failed = any(LEVELS.index(finding.level) >= threshold for finding in shown.findings)
    return 1 if failed and not request.exit_zero else 0


def _with_standard_input(request: Request) -> Request:
    """The request with the file that standard input stands for in the place of `-`."""
    if Path("-") not in request.paths:
        if request.stdin_filename:
            raise PathError("--stdin-filename needs the path -")
        return request
    if len(request.paths) > 1:
        raise PathError("-: standard input cannot be checked together with other paths")
    from perflint.frontend.reading import stand_in

    data = sys.stdin.buffer.read() if sys.stdin else b""
    name = request.stdin_filename or Path(f"stdin{'.ptx' if b'.version' in data[:4096] else '.cu'}")
    if name.suffix.lower() not in SUFFIXES:
        raise PathError(f"{name}: not a .cu, .cuh or .ptx file")
    stand_in(name, data)
    return replace(request, paths=(name,), stdin_filename=name)


def _files(request: Request, config: Config) -> Found:
    if request.stdin_filename and not request.stdin_filename.exists():
        return Found((request.stdin_filename,))
    return discover(
        request.paths,
        exclude=config.exclude,
        exclude_base=config.base,
        force_exclude=request.force_exclude,
    )


def _configuration(request: Request) -> Config:
    if request.isolated:
        return Config()
    path = request.config or configuration.find(_common_directory(request.paths))
    return configuration.load(path) if path else Config()


def _common_directory(paths: tuple[Path, ...]) -> Path:
    """The directory that all paths lie in: where the search for a configuration begins."""
    absolute = [Path.cwd() / path for path in paths]
    directories = [path if path.is_dir() else path.parent for path in absolute]
    return Path(os.path.commonpath([directory.resolve() for directory in directories]))


def _outputs(request: Request) -> tuple[Output, ...]:
    """Every format and where it goes. Raises PathError if two go to the same place."""
    given = request.output_format or (("full", None),)
    if request.output_file and all(file for _, file in given):
        raise PathError(f"{request.output_file}: every format already has a file of its own")
    outputs = [(name, file or request.output_file) for name, file in given]
    for index, (_, file) in enumerate(outputs):
        if file in [other for _, other in outputs[:index]]:
            where = f"the file {file}" if file else "standard output"
            raise PathError(
                f"two reports cannot both go to {where}; use --output-format FORMAT=FILE"
            )
        if file and not file.absolute().parent.is_dir():
            raise PathError(f"{file}: there is no directory {file.parent}")
    texts = [name for name, _ in outputs if name in ("full", "concise")]
    if request.statistics and not texts:
        raise PathError("--statistics needs the format full or concise")
    return tuple(outputs)


def _print(result: Result, hidden: int, outputs: tuple[Output, ...], settings: Settings) -> None:
    from perflint.report import load
    from perflint.report.context import Context
    from perflint.report.summary import statistics

    request = settings.request
    ran = {code: info for code, info in settings.book.items() if code in settings.rules}
    for name, file in outputs:
        context = Context(
            root=Path.cwd(),
            rules=ran,
            hidden=hidden,
            without_compiler=settings.without_compiler() if result.files else "",
            color=_color(request.color, to_file=file is not None),
            summary=not request.quiet,
        )
        counted = request.statistics and name in ("full", "concise")
        text = (statistics if counted else load(name))(result, context)
        if file:
            try:
                file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            except OSError as error:
                raise PathError(f"{file}: {error.strerror}") from error
        else:
            sys.stdout.write(text)
            sys.stdout.flush()


def _color(choice: str, *, to_file: bool) -> bool:
    """Whether to colour: as told, else by NO_COLOR, FORCE_COLOR, else on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return not to_file and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def _progress(request: Request) -> Iterator[Progress]:
    """A line on stderr that says what is in work, if stderr is a terminal."""
    if request.quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    # refreshed by hand: a thread that does it would be in the way of forking
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:

        def show(done: int, total: int, what: str) -> None:
            text = Text(f"{done}/{total} {_printable(what)}", no_wrap=True, overflow="ellipsis")
            live.update(text, refresh=True)

        yield show


def _stderr(text: str) -> None:
    print(_printable(text), file=sys.stderr)


def _printable(text: str) -> str:
    from perflint.report.context import one_line

    return one_line(text)
