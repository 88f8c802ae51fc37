"""The lines at the end: what was analysed, what was not, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.findings import Result, Unanalysed
from perflint.report.context import Context
from perflint.report.summary import MANY, summary

TEXTURE = "instruction tex.2d.v4.f32.f32 is not supported: no texture is bound to parameter p"


def missed(*reasons: str) -> tuple[Unanalysed, ...]:
    return tuple(Unanalysed(Path("a.cu"), f"k{i}", reason) for i, reason in enumerate(reasons))


def lines(*reasons: str) -> list[str]:
    return summary(Result((), missed(*reasons), 3, 2), Context(Path("/")))


def test_few_are_counted() -> None:
    assert lines(*[TEXTURE] * MANY)[1:] == [
        f"{MANY} kernels were not analysed; --select CU002 lists them."
    ]


def test_many_are_summed_up_by_cause() -> None:
    assert lines("beyond words", *[TEXTURE] * 3, *["no launch could be simulated"] * 4)[1:] == [
        "8 kernels were not analysed; --select CU002 lists them:",
        "     4 no launch of it could be simulated",
        "     3 it needs a texture or surface, which no launch binds",
        "     1 other reasons",
    ]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("internal error (ValueError: x); please report it", "perflint failed on it"),
        ("the process that checked it died (SIGKILL)", "perflint failed on it"),
        ("instruction call.uni is not supported: the body of f is not in this module",
         "it calls a function that is not in sight"),
        ("instruction mma.sync is not supported", "it has an instruction that is not simulated"),
        ("no launch gives its template arguments, and it does not compile with assumed ones",
         "no launch gives its template arguments"),
        ("it is under `#ifdef HIP` (line 3), which is off here", "it is under an #if that is off"),
        ('a.cu:3: identifier "x" is undefined', "it does not compile"),
        ("the file cannot be read: it is a binary file",
         "the file or a header of it cannot be read"),
        ("the compiler ran for more than 30 s and was stopped", "the compiler failed on it"),
    ],
)  # fmt: skip
def test_causes(reason: str, cause: str) -> None:
    assert lines(*[reason] * (MANY + 1))[2:] == [f"{MANY + 1:6} {cause}"]


def test_the_compiler_that_was_not_there_is_told() -> None:
    context = Context(Path("/"), without_compiler="no wheels")
    assert summary(Result((), (), 3, 2), context)[-1].startswith("No compiler was used (no wheels)")
