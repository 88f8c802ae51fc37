"""What the C subset does not hold."""

from __future__ import annotations

from perflint.frontend.csubset.stream import Placed


class OutsideError(Exception):
    """A construct that only a compiler understands, and where it stands."""

    def __init__(self, construct: str, token: Placed | None = None) -> None:
        super().__init__(construct)
        self.construct, self.token = construct, token
