"""Where a module's instructions stand in the source, and what its parameters are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from perflint.base.text_lines import lines_of
from perflint.debug_lines import Line, Lines
from perflint.frontend import origin_of
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import EntryOrigin
from perflint.frontend.ptx_file import source_facts
from perflint.frontend.source.model import SourceFacts
from perflint.grammar.model import Function, Instruction
from perflint.lint.subject import parameter_names, source_kernel


@dataclass(frozen=True, eq=False)
class Sources:
    """The sources of one module, as far as its PTX names them and they are still there."""

    texts: tuple[str, ...]  #: its PTX
    program: Path  #: what to name where there is no line

    @cached_property
    def facts(self) -> Mapping[Path, SourceFacts]:
        """What stands in the user's files that have kernels, by path."""
        return dict(source_facts(self.program, "\n".join(self.texts)))

    def origin(self, entry: str) -> EntryOrigin:
        """What a kernel is called in the source."""
        return origin_of(entry)

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

    def column(self, running: Function, instruction: Instruction | None) -> int:
        """The column of that place; 1 where nothing tells."""
        return 1 if instruction is None else self.lines(running).column(instruction)


def short_name(entry: str) -> str:
    """A kernel's name for people."""
    return nested_name(entry)[-1]
