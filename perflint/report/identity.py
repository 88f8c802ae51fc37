"""What makes a finding the same one tomorrow: the key of baselines and of `perflint/v1` in SARIF.

Rule, kernel, GPU, what the finding is about, and the accessed expression without its white space:
nothing that edits above it, reformatting or moving the file would change.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from perflint.lint.findings import Finding


def identity(finding: Finding, lines: Sequence[str]) -> str:
    """Sixteen hexadecimal digits. lines: those of the finding's file, [] if it is not at hand."""
    place = finding.place
    written = ""
    if 1 <= place.line <= len(lines):
        end = place.end_column - 1 if place.end_line == place.line else None
        written = "".join(lines[place.line - 1][place.column - 1 : end].split())
    about = finding.identity or finding.message
    parts = (finding.code, finding.kernel or "", finding.arch or "", about, written)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class Numbers:
    """Tells findings of one identity apart: `identity:1`, `identity:2`, in the order asked."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def numbered(self, key: str) -> str:
        self._seen[key] += 1
        return f"{key}:{self._seen[key]}"
