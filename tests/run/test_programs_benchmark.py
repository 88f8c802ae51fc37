"""What `benchmarks/programs.py` says of a program's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.programs import Program, judged


@pytest.mark.parametrize(
    ("text", "late", "verdict"),
    [
        ("PASSED\nexit status 0", False, "verified"),
        ("one PASSED\nperflint: app ended with status 1\nexit status 1", False, "wrong"),
        ("one PASSED\nperflint: app ended with status 97\nexit status 97", True, "too slow"),
        ("FAILED\nexit status 0", False, "wrong"),
        ("perflint: not simulated: 1 kernel\nexit status 2", False, "unsupported"),
        ("nothing\nexit status 0", False, "wrong"),
    ],
)
def test_verdicts(text: str, late: bool, verdict: str) -> None:
    program = Program("app", Path(), (), (), (), "PASSED", "FAILED")
    assert judged(program, text, late)[0] == verdict


def test_the_exit_status_alone_tells() -> None:
    program = Program("app", Path(), (), (), (), r"exit status 3\b", "FAILED")
    assert judged(program, "perflint: app ended with status 3\nexit status 3", False) == (
        "verified", "",
    )  # fmt: skip
