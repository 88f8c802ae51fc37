"""What the C subset does not hold."""

from __future__ import annotations

from perflint.frontend.source.tokens import Token


class OutsideError(Exception):
    """A construct that only a compiler understands, and where it stands.

    `syntax` tells that it is no C at all: C++ perhaps, or an error.
    """

    def __init__(self, construct: str, token: Token | None = None, syntax: bool = False) -> None:
        super().__init__(construct)
        self.construct, self.token, self.syntax = construct, token, syntax

    @property
    def reason(self) -> str:
        """Why a kernel could not be lowered, for the user."""
        where = f" (line {self.token.line})" if self.token is not None else ""
        return f"needs a compiler: {self.construct}{where}"
