"""What a method answers while a source is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rules.test_rules import run


def answers(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, path: Path) -> list[Any]:
    """All that a method of a class returned, in one process."""
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    seen, real = [], getattr(owner, method)

    def asked(self: object, *given: Any) -> Any:
        seen.append(real(self, *given))
        return seen[-1]

    monkeypatch.setattr(owner, method, asked)
    run(path)
    return seen
