"""What is wrong with a PTX text, and where."""

from __future__ import annotations


class PtxSyntaxError(Exception):
    """A text that is not PTX. Line and column are 1-based; `expected` may be empty."""

    def __init__(
        self, path: str, line: int, column: int, message: str, expected: tuple[str, ...] = ()
    ) -> None:
        self.path, self.line, self.column = path, line, column
        self.message, self.expected = message, expected
        super().__init__(f"{path}:{line}:{column}: {message}")
