"""What the comments to perflint in one file say."""

from __future__ import annotations

from perflint.base.records import dataclass


@dataclass(frozen=True)
class Suppression:
    """One rule silenced on a stretch of lines of one file (1-based, both ends included)."""

    code: str
    first: int
    last: int
    comment: tuple[int, int, int, int]  #: line, column, end line, end column
    written: str  #: `ignore[CU101]`
    reason: str = ""
    only: bool = True  #: the comment says nothing else
    alone: bool = False  #: and stands alone on its line

    @property
    def line(self) -> int:
        return self.comment[0]

    def covers(self, code: str, line: int) -> bool:
        return code == self.code and self.first <= line <= self.last


@dataclass(frozen=True)
class Problem:
    """A comment that does not silence what it seems to."""

    line: int
    message: str


@dataclass(frozen=True)
class Comments:
    """What one file says to perflint."""

    suppressions: tuple[Suppression, ...] = ()
    problems: tuple[Problem, ...] = ()
