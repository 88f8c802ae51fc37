"""Where a module's instructions stand in the source, and what its parameters are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, AnalysisError
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.base.text_lines import lines_of
from perflint.debug_lines import Line, Lines
from perflint.frontend import origin_of
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import EntryOrigin
from perflint.frontend.nvrtc.assemble import entry_names
from perflint.frontend.ptx_file import source_facts
from perflint.frontend.python.facts import PythonSources, python_sources
from perflint.frontend.source.language.model import SourceFacts
from perflint.grammar.model import Function, Instruction, Module
from perflint.lint.site_location import SitePlace, locate, statement
from perflint.lint.subject import parameter_names, source_kernel
from perflint.rules.names import Names

#: What the folder of a toolkit's headers holds, or that of CCCL's (Thrust, CUB).
_MARKS = ("cuda_runtime_api.h", "cub/version.cuh")


@dataclass(frozen=True, eq=False)
class Sources:
    """The sources of one module, as far as its PTX names them and they are still there."""

    texts: tuple[str, ...]  #: its PTX
    program: Path  #: what to name where there is no line

    @cached_property
    def facts(self) -> Mapping[Path, SourceFacts]:
        """What stands in the user's files that have kernels, by path."""
        return {**dict(source_facts(self.program, self._text)), **self._python.facts}

    @cached_property
    def _text(self) -> str:
        return "\n".join(self.texts)

    @cached_property
    def _python(self) -> PythonSources:
        names = {name: origin_of(name) for name in entry_names(self._text)}
        return python_sources(self.program, self._text, names)

    def origin(self, entry: str) -> EntryOrigin:
        """What a kernel is called in the source."""
        return self._python.origins.get(entry) or origin_of(entry)

    def parameters(self, kernel: Function) -> tuple[str, ...]:
        """The parameters' names; `param0`, … where the source is not at hand."""
        origin = self.origin(kernel.name)
        found = source_kernel(self.facts.values(), origin, len(kernel.parameters))
        return parameter_names(kernel, found)

    def lines(self, running: Function) -> Lines:
        """The places of a kernel's instructions; `located` is False without -lineinfo."""
        texts = {str(f.path.resolve()): tuple(lines_of(f.text)) for f in self.facts.values()}
        located = any(i.location is not None for i in running.instructions)
        return Lines(self.program, running, texts, located)

    def line(self, running: Function, instruction: Instruction | None) -> Line:
        """Where an instruction stands; the program's own name where nothing tells."""
        lines = self.lines(running)
        if instruction is None or not lines.located:
            return Line(self.program, 1)
        return lines.line(instruction)

    def place(
        self,
        module: Module,
        kernel: Function,
        running: Function,
        instruction: Instruction | None,
    ) -> Span:
        """The characters of the source that an instruction is: its access, else its statement."""
        line = self.line(running, instruction)
        column = 1 if instruction is None else self.lines(running).column(instruction)
        start = Span(line.path, line.number, column, line.number, column + 1)
        facts = {path.resolve(): each for path, each in self.facts.items()}
        if instruction is None or instruction.location is None or not facts:
            return start
        site = _site(module, kernel, instruction)
        if site is not None:
            names = Names(self.parameters(kernel))
            found: SitePlace | None = locate(site, names.plain_array(site), facts, start)
        else:
            found = statement(instruction.location, facts)
        return replace(found.place, path=line.path) if found and _is_in(found, line) else start


def _is_in(found: SitePlace, line: Line) -> bool:
    """Whether a place is of the line's file: the toolkit's own headers are not the user's."""
    return found.place.path.resolve() == line.path.resolve()


def _site(module: Module, kernel: Function, instruction: Instruction) -> AccessSite | None:
    """The access that an instruction of the kernel is, as the analysis knows it."""
    if any(each.call is not None for each in kernel.instructions):
        return None  # the analysis numbers these anew
    try:
        sites = analyse(module, kernel).sites
    except AnalysisError:
        return None
    return next((site for site in sites if instruction.index in site.pcs), None)


@lru_cache(maxsize=1024)
def is_of_toolkit(path: Path) -> bool:
    """Whether a file lies among a CUDA toolkit's own headers: nothing there is the user's."""
    return any((folder / mark).exists() for folder in path.parents for mark in _MARKS)


def short_name(entry: str) -> str:
    """A kernel's name for people."""
    return nested_name(entry)[-1]
