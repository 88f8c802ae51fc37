"""Findings in the order of how bad they are, for readers that show only the first."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.findings import LEVELS, Finding


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors before warnings before notes, and of each the most wasteful first."""
    return sorted(findings, key=lambda f: (-LEVELS.index(f.level), -f.severity, f.sort_key()))
