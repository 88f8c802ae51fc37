"""Kept results as the pipeline asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.lint.findings import FileResult
    from perflint.lint.translation_units import Unit


class Kept:
    """The kept results of one run's files. This one keeps nothing."""

    def get(self, unit: Unit) -> FileResult | None:
        """What a run of the same over equal contents found in a file."""
        return None

    def put(self, unit: Unit, result: FileResult) -> None:
        """Keep a result, unless chance had a part in it. Never raises."""

    def close(self) -> None:
        """Let go of the store."""
