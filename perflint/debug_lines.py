"""Where a kernel's instructions stand in the user's source."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.text_lines import lines_of
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.project.user_files import LARGEST_PTX, read_text
from perflint.grammar.model import Function, Instruction, Location
from perflint.sim.violation import Violation


@dataclass(frozen=True, order=True)
class Line:
    """A line of a file."""

    path: Path
    number: int

    def __str__(self) -> str:
        return f"{self.path}:{self.number}"


@dataclass(frozen=True, eq=False)
class Lines:
    """The source of one kernel. Inlined code stands where the user's files have it."""

    path: Path  #: the input file, as given
    kernel: Function
    texts: dict[str, tuple[str, ...]]  #: lines of the user's files by real path
    located: bool  #: whether the PTX says where it came from

    @classmethod
    def of(cls, path: Path, kernel: Function, facts: Iterable[SourceFacts]) -> Lines:
        """The lines of `kernel`, compiled from `path`."""
        texts = {os.path.realpath(f.path): tuple(lines_of(f.text)) for f in facts}
        located = any(i.location is not None for i in kernel.instructions)
        if not located:
            text = read_text(path, LARGEST_PTX)
            texts = {os.path.realpath(path): tuple(lines_of(text))}
        return cls(path, kernel, texts, located)

    def line(self, instruction: Instruction) -> Line:
        """The innermost place of an instruction in the user's files, else the outermost one."""
        at = self._place(instruction)
        if at is None:
            return self._unlocated(instruction)
        return Line(self._shown(os.path.realpath(at.file)), at.line)

    def column(self, instruction: Instruction) -> int:
        """The column in that line; 1 where nothing tells."""
        at = self._place(instruction)
        return max(1, at.column) if at is not None else 1

    def _place(self, instruction: Instruction) -> Location | None:
        chain = instruction.location.chain() if instruction.location is not None else ()
        chain = tuple(at for at in chain if at.line > 0)
        mine = [at for at in chain if os.path.realpath(at.file) in self.texts]
        return mine[0] if mine else chain[-1] if chain else None

    def _unlocated(self, instruction: Instruction) -> Line:
        """Without a place: the PTX's own line, or the kernel's first."""
        if not self.located and self.path.suffix == ".ptx":
            return Line(self.path, instruction.line)
        first = next(
            (i.location for i in self.kernel.instructions if i.location and i.location.line), None
        )
        return Line(self.path, first.chain()[-1].line if first else 1)

    def _shown(self, real: str) -> Path:
        """A path as people wrote it: the input as given, others relative to where they are."""
        if real == os.path.realpath(self.path):
            return self.path
        relative = os.path.relpath(real)
        return Path(real if relative.startswith("..") else relative)

    def text(self, line: Line) -> str:
        """The source at a line; "" where it is not at hand."""
        lines = self.texts.get(os.path.realpath(line.path), ())
        return lines[line.number - 1].strip() if line.number <= len(lines) else ""

    def told(self, violation: Violation) -> str:
        """`path:line: what is wrong`."""
        place = violation.instruction
        where = self.path if place is None else self.line(place)
        return f"{where}: {self.message(violation)}"

    def message(self, violation: Violation) -> str:
        """What is wrong, with the place of the other instruction that has to do with it."""
        if violation.other is None:
            return violation.message
        return f"{violation.message} at {self.line(violation.other)}"
