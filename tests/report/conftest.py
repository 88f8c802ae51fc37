from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare a text with a file; PERFLINT_UPDATE_SNAPSHOTS=1 writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / name
        if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_bytes().decode("utf-8")

    return compare
