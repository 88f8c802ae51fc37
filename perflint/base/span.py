"""A stretch of a source file: the one record for places, from the front ends to the reports."""

from __future__ import annotations

from pathlib import Path

from perflint.base.records import dataclass


@dataclass(frozen=True, order=True)
class Span:
    """Part of a source file. Lines and columns are 1-based, columns code points, ends exclusive."""

    path: Path
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def behind(self) -> Span:
        """The place where it ends, of no length: what is put there follows it."""
        return Span(self.path, self.end_line, self.end_column, self.end_line, self.end_column)
