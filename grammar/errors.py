"""What is wrong with a PTX text, said so that its author can mend it."""

from __future__ import annotations


class PtxSyntaxError(Exception):
    """A text that is not PTX, or PTX that names something it does not declare.

    `line` and `column` count from 1. `expected` lists in words what could have stood there; it is
    empty where the syntax is right and the meaning is not.
    """

    def __init__(
        self,
        path: str,
        line: int,
        column: int,
        message: str,
        expected: tuple[str, ...] = (),
    ) -> None:
        super().__init__(path, line, column, message, expected)
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.expected = expected

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


class StatementError(Exception):
    """Something wrong with one statement; the reader finds its place and raises PtxSyntaxError.

    `text` is the token to blame, on or after `line`; without them, the statement is.
    """

    def __init__(self, message: str, text: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.line = line
