"""What one command line and the configuration together ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base import architectures, bounds
from perflint.base.records import dataclass
from perflint.cli.config import ConfigError
from perflint.cli.globs import Globs
from perflint.cli.selection import FileIgnore, Layer, expand, named, resolve, visible
from perflint.cli.settings import Settings, Source, merged
from perflint.lint.findings import Finding, Result
from perflint.lint.options import CheckOptions, Frontend, Progress, silent
from perflint.lint.rulebook import RuleInfo, rules

if TYPE_CHECKING:
    from perflint.base.bounds import Bound
    from perflint.frontend.compilation_database import CompilationDatabase
    from perflint.lint.recorded_launches import Records


@dataclass(frozen=True)
class Request:
    """Paths to check, and what is set by whom; the last source is the command line."""

    paths: tuple[Path, ...]
    sources: tuple[Source, ...]

    @cached_property
    def settings(self) -> Settings:
        return merged(self.sources)

    @cached_property
    def book(self) -> Mapping[str, RuleInfo]:
        return rules()

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """What each source says of the rules."""
        values = [source.values for source in self.sources]
        return tuple(
            Layer(v.get("select"), v.get("extend_select", ()), v.get("ignore", ())) for v in values
        )

    @cached_property
    def rules(self) -> frozenset[str]:
        return resolve(self.layers, self.book, preview=self.settings.preview)

    def unused_previews(self) -> Sequence[str]:
        """Rules selected by name that do not run, for they are in preview."""
        if self.settings.preview:
            return ()
        wanted = named(self.layers, self.book)
        return sorted(code for code in wanted if self.book[code].status == "preview")

    def options(self, progress: Progress = silent) -> CheckOptions:
        """What the pipeline is to do. Raises ConfigError for what there is not."""
        from perflint.work.parallel import usable_cpus

        s = self.settings
        return CheckOptions(
            rules=self.rules,
            arch=self.arch(),
            launches=s.launch,
            define=s.define,
            include=s.include,
            frontend=self.frontend(),
            nvcc=self.nvcc(),
            database=self.database(),
            jobs=s.jobs or usable_cpus(),
            cluster=s.cluster,
            budget=s.budget,
            min_waste=s.min_waste / 100,
            cache_size=s.cache_size,
            explain=s.explain_silence,
            recorded=self.recorded(),
            root=Path.cwd(),
            bound=self.bound(),
            given=() if s.include_headers else self.folders,
            progress=progress,
        )

    def cache(self) -> Path | None:
        """Where results are kept, if they are. Only the user says where; a project may say no."""
        if not self.settings.cache:
            return None
        from perflint.cache.store import directory

        return directory()

    def bound(self) -> Bound:
        """What may be read: the project, and the folders that the user named."""
        given = [
            path if path.is_dir() else path.parent
            for source in self.sources
            if source.origin.own
            for path in (*source.values.get("include", ()), source.values.get("compile_commands"))
            if path is not None
        ]
        baseline = self.settings.baseline  # a tree's own lies in it: `option_kinds` sees to that
        return bounds.around(self.paths, given, (baseline,) if baseline else ())

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders given, and those of the files given."""
        found = (path if path.is_dir() else path.absolute().parent for path in self.paths)
        return tuple(dict.fromkeys(found))

    def where(self, field: str) -> str:
        """How an error about an option begins: with the file that set it, if one did."""
        option = field.replace("_", "-")
        for source in reversed(self.sources):
            if field in source.values:
                line = source is self.sources[-1]
                return f"--{option}: " if line else f"{source.origin.title}: {option}: "
        return f"--{option}: "

    def arch(self) -> tuple[str, ...]:
        """The GPUs named, each once. Raises ConfigError for one that cannot be simulated."""
        try:
            return tuple(dict.fromkeys(map(architectures.named, self.settings.arch)))
        except architectures.UnknownArchitectureError as error:
            raise ConfigError(f"{self.where('arch')}{error}") from None

    def recorded(self) -> Records | None:
        """The launches that `--launches` names. Raises ConfigError for a file that has none."""
        if self.settings.launches is None:
            return None
        from perflint.run.records import RecordError, read

        try:
            return read(self.settings.launches)
        except RecordError as error:
            raise ConfigError(f"{self.where('launches')}{error}") from None

    def database(self) -> CompilationDatabase | None:
        """The build's flags. Raises ConfigError for a database that cannot be used."""
        if self.settings.compile_commands is None:
            return None
        from perflint.frontend.compilation_database import DatabaseError
        from perflint.work.database import load

        try:
            return load(self.settings.compile_commands)
        except DatabaseError as error:
            raise ConfigError(f"{self.where('compile_commands')}{error}") from None

    @cached_property
    def unheeded(self) -> tuple[Source, ...]:
        """The project's files that ask for nvcc, which the user did not allow.

        What a compiler reads and runs is its own affair: a stranger does not choose it.
        """
        return tuple(
            source
            for source in self.sources
            if not (source.origin.own or self.settings.allow_nvcc)
            and (source.values.get("nvcc") is not None or source.values.get("frontend") == "nvcc")
        )

    @cached_property
    def _compiler(self) -> tuple[Frontend | None, str | None]:
        """The front end asked for, and nvcc's place; the last source that names either decides."""
        for source in reversed(self.sources):
            frontend, nvcc = source.values.get("frontend"), source.values.get("nvcc")
            if frontend is None and nvcc is None:
                continue
            if nvcc is not None and frontend not in (None, "nvcc"):
                raise ConfigError(
                    f"{source.origin.title}: nvcc and frontend = {frontend!r} contradict each other"
                )
            if source in self.unheeded:
                if frontend in (None, "nvcc"):
                    continue
                nvcc = None
            if frontend == "nvcc" and nvcc is None:  # the user's own file may say where it is
                nvcc = self.settings.nvcc
            return frontend or "nvcc", nvcc
        return None, None

    def frontend(self) -> Frontend:
        """What is to read CUDA. Raises ConfigError for a contradiction."""
        asked = self._compiler[0]
        if asked == "nvrtc" and self.no_compiler:
            raise ConfigError(f"{self.where('frontend')}nvrtc: {self.no_compiler}")
        return asked or ("source" if self.no_compiler else "nvrtc")

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
        return "--frontend source" if self._compiler[0] == "source" else self.no_compiler

    def nvcc(self) -> Path | None:
        """The nvcc to use, if one is. Raises ConfigError if there is none."""
        if self.frontend() != "nvcc":
            return None
        from perflint.frontend.nvcc import NvccMissingError, find

        try:
            return find(self._compiler[1] or "")
        except NvccMissingError as error:
            raise ConfigError(f"{self.where('nvcc')}{error}") from None

    def visible(self, result: Result) -> tuple[Result, tuple[Finding, ...]]:
        """The result as it is printed, and the notes left out.

        What was not analysed has a count of its own in the summary, so its notes do not count.
        """
        ignores = [
            FileIgnore(i.glob.base, Globs([i.glob.pattern]), self._codes(i.selectors))
            for i in self.settings.per_file_ignores
        ]
        findings, hidden = visible(
            result.findings,
            self.rules,
            book=self.book,
            named=named(self.layers, self.book),
            show_unconfirmed=self.settings.show_unconfirmed,
            per_file_ignores=ignores,
        )
        counted = {(item.path, item.kernel) for item in result.unanalysed}
        suspicions = tuple(
            f
            for f in hidden
            if self.book[f.code].level != "note" or (f.place.path, f.kernel) not in counted
        )
        return replace(result, findings=findings), suspicions

    def _codes(self, selectors: Sequence[str]) -> frozenset[str]:
        return frozenset().union(*(expand(s, self.book)[0] for s in selectors))
