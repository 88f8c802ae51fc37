"""What a question about one file may look into: a program, how it is run, what is known of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.preprocessor import (
    Finder,
)
from perflint.frontend.source.project.callers import Callers
from perflint.frontend.source.project.command_lines import CommandLine, command_lines
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.writes import Touched

if TYPE_CHECKING:
    from perflint.frontend.source.project.answers import Answer


class Project(Callers):
    """A program in sight of one file, and what was found out of it."""

    def __init__(
        self,
        path: Path,
        text: str,
        others: Mapping[Path, str],
        find: Finder | None = None,
        define: Mapping[str, str] | None = None,
        root: Path | None = None,
        parts: Mapping[Path, str] | None = None,
    ) -> None:
        super().__init__(path, text, others, find, define, parts)
        self._root = root  #: the folder below which files that say how the program is run may lie
        self._command_lines: dict[Path, tuple[CommandLine, ...]] = {}
        self._made_up: dict[Path, list[CommandLine]] = {}
        #: writes that calls make to a function's variables, by (function, name, declaration)
        self.handed: dict[tuple[int, str, int], list[Definition]] = {}
        #: the functions that set a variable, or a member of it, out of functions
        self.setters: dict[tuple[str, str | None], list[tuple[Function, File]]] = {}
        #: what macros used as statements expand to, by the file and where they are used
        self.expanded: dict[tuple[int, int], File | None] = {}
        self.touched: dict[int, Touched] = {}  #: what methods write of their objects
        #: what evaluations found out, by question, for those that see the same choices
        self.answers: dict[Hashable, list[Answer]] = {}
        self._numbers: dict[Hashable, int] = {}  #: of keys
        #: what runs of programs read, by the file of `main` and the words that it is run with
        self.executed: dict[tuple[str, tuple[str, ...] | None], dict[Any, Any]] = {}
        #: how often that came to launches, likewise
        self.launched: dict[tuple[str, tuple[str, ...] | None], Any] = {}
        #: the statements that they came to, by file
        self.passed: dict[tuple[str, tuple[str, ...] | None], dict[str, set[tuple[int, int]]]] = {}
        #: what that had read when it came to launches, likewise
        self.arrivals: dict[tuple[str, tuple[str, ...] | None], Any] = {}
        #: what that copied to device variables, likewise
        self.copies: dict[tuple[str, tuple[str, ...] | None], Any] = {}

    def number_of(self, key: Hashable) -> int:
        """The same for the same key: what stands in keys of what is in it is hashed once.

        A call in a call in a call has its caller's key in its own, formulas and all.
        """
        return self._numbers.setdefault(key, len(self._numbers))

    def command_lines(self, file: File) -> tuple[CommandLine, ...]:
        """What the program whose `main` is in a file is run with, best first."""
        if self._root is None:
            return ()
        if file.path not in self._command_lines:
            self._command_lines[file.path] = command_lines(file.path, self._root)
        return self._command_lines[file.path]

    def told_also(self, file: File, line: CommandLine) -> int:
        """The number of a run of a file's program that no file tells, from now on."""
        made = self._made_up.setdefault(file.path, [])
        if line not in made:
            made.append(line)
        return len(self.command_lines(file)) + made.index(line)

    def run(self, file: File, number: int) -> CommandLine:
        """A run of the program of a file, told or made up, by its number."""
        lines: list[CommandLine] = [*self.command_lines(file), *self._made_up.get(file.path, ())]
        return lines[number]
