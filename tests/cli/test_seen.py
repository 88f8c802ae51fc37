"""Green means looked at; the first finding says how to do without it; what to do next."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

import pytest

from perflint.base.endings import TerminatedError
from perflint.base.evidence import Edit, Evidence, Fix
from perflint.lint.findings import ELSEWHERE, FileResult, Related, Result, Unanalysed
from perflint.work import pipeline as pipeline_module
from perflint.work.order import Order
from tests.cli.conftest import Outcome, Pipeline, finding

Run = Callable[..., Outcome]
MISSED = Unanalysed(Path("a.cu"), "k", "it never ends")


@pytest.mark.parametrize(
    ("analysed", "missed", "options", "status"),
    [
        (0, 0, (), 0),
        (0, 1, (), 2),
        (0, 1, ("--exit-zero",), 0),
        (1, 99, (), 0),
        (89, 11, ("--require-analysed", "90"), 2),
        (90, 10, ("--require-analysed", "90"), 0),
        (0, 0, ("--require-analysed", "100"), 0),
    ],
)
def test_green_means_looked_at(
    analysed: int,
    missed: int,
    options: tuple[str, ...],
    status: int,
    run: Run,
    project: Path,
    pipeline: Pipeline,
) -> None:
    items = tuple(replace(MISSED, kernel=f"k{n}") for n in range(missed))
    pipeline.result = Result((), items, analysed, 1)
    outcome = run(*options, "a.cu")
    assert outcome.status == status
    assert ("--select CU002 says why" in outcome.err) is (status == 2)


@pytest.mark.parametrize(
    ("path", "text", "kernel", "status"),
    [
        ("b.cu", "__global__ void k();\n", "k", 2),
        ("../other/k.cuh", "__global__ void k();\n", "k", 0),
        ("site-packages/lib/k.cuh", "__global__ void k();\n", "k", 0),
        ("b.cu", "__global__ void k();\n", None, 2),
        ("b.cu", "int main() {}\n", None, 0),
        ("b.cu", None, None, 0),
    ],
)
def test_limits_break_a_build_only_over_the_users_own_kernels(
    path: str,
    text: str | None,
    kernel: str | None,
    status: int,
    run: Run,
    project: Path,
    pipeline: Pipeline,
) -> None:
    if text is not None:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    pipeline.result = Result((), (Unanalysed(Path(path), kernel, "too large"),), 0, 1)
    assert run("a.cu").status == status
    assert run("--require-analysed", "1", "a.cu").status == 2


def test_an_error_of_the_users_is_a_finding(run: Run, project: Path, pipeline: Pipeline) -> None:
    pipeline.result = Result((finding("CU001", "error"),), (MISSED,), 0, 1)
    assert run("a.cu").status == 1


def test_the_first_finding_says_how_to_silence_it(
    run: Run, project: Path, pipeline: Pipeline
) -> None:
    pipeline.result = Result((finding(), finding("CU201")), (), 1, 1)
    out = run("a.cu").out
    assert out.count("silence: ") == 1
    assert "= silence: // perflint: ignore[CU101] -- why, at the end of the line\n" in out


@pytest.mark.parametrize(
    ("arguments", "fixes"),
    [
        ((), False),
        (("--output-format", "concise"), False),
        (("--output-format", "github"), False),
        (("--statistics",), False),
        (("--fix",), True),
        (("--diff",), True),
        (("--output-format", "sarif"), True),
        (("--output-format", "json"), True),
        (("--output-format", "full", "--output-format", "rdjson=a.json"), True),
    ],
)
def test_edits_are_tried_for_who_sees_or_makes_them(
    run: Run, project: Path, pipeline: Pipeline, arguments: tuple[str, ...], fixes: bool
) -> None:
    pipeline.result = Result((replace(finding(), untried=not fixes),), (), 1, 1)
    told = run(*arguments, "a.cu")
    assert pipeline.options is not None and pipeline.options.fixes is fixes
    line = "1 finding may have a fix; --diff tries and shows it."
    if arguments in ((), ("--output-format", "concise")):
        assert line in told.out + told.err
    else:
        assert "may have a fix" not in told.out + told.err


def test_what_to_do_next(run: Run, project: Path, pipeline: Pipeline) -> None:
    place = finding().place
    safe = replace(finding(), fix=Fix("f", (Edit(place, ""),), True), severity=1.0)
    unsafe = replace(
        finding("CU201"),
        fix=Fix("f", (Edit(place, ""),), False),
        waste=0.9,
        waste_text="much",
        evidence=(Evidence("sectors", 32, 4, "sectors"),),
    )
    pipeline.result = Result((safe, unsafe), (), 2, 1)
    full, concise = run("a.cu"), run("--output-format", "concise", "a.cu")
    lines = (
        "Next: `perflint why a.cu:3` tells how it was tried, `perflint rule CU201` explains CU201.",
        "1 finding can be mended by --fix; --diff shows how.",
        "1 finding can be mended by --fix --unsafe-fixes, which may change results.",
    )
    assert full.out.endswith("".join(f"{line}\n" for line in lines)) and not full.err
    silence = "`// perflint: ignore[CU201] -- why` at the end of its line silences one."
    assert concise.err.splitlines() == [*lines, silence] and "Next" not in concise.out
    assert not run("-q", "--output-format", "concise", "a.cu").err
    for format in ("json", "sarif", "github", "gitlab", "junit"):
        told = run("--output-format", format, "a.cu")
        assert "perflint why" not in told.out + told.err


def test_what_to_do_next_about_a_header(run: Run, project: Path, pipeline: Pipeline) -> None:
    """It is judged where it stands, with the file that includes it."""
    measured = (Evidence("sectors", 32, 4, "sectors"),)
    there = replace(finding().place, path=Path("lib/a b.cuh"))
    told = replace(finding(), evidence=measured, related=(Related(there, ELSEWHERE),),
                   brought=finding().place)  # fmt: skip
    pipeline.result = Result((told,), (), 1, 1)
    assert "`perflint why 'lib/a b.cuh:3' a.cu` tells" in run("a.cu").out
    pipeline.result = Result((replace(told, evidence=()),), (), 1, 1)
    assert "Next" not in run("a.cu").out


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [(KeyboardInterrupt, 130, "interrupted"), (TerminatedError, 143, "terminated")],
)
@pytest.mark.parametrize("begun", [True, False])
def test_a_run_that_is_ended_says_what_it_has(
    error: type[BaseException],
    status: int,
    word: str,
    begun: bool,
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is ended when the first file is checked, or when none is read yet."""
    took, read = Order.took, pipeline_module._read

    def ending(self: Order, number: int, result: FileResult) -> Collection[int]:
        took(self, number, result)
        raise error

    def not_read(*_: object) -> None:
        raise error

    monkeypatch.setattr(Order, "took", ending)
    monkeypatch.setattr(pipeline_module, "_read", read if begun else not_read)
    bad = "__global__ void {}(float *a) {{ a[threadIdx.x * 32] = 1; }}\n"
    (project / "a.cu").write_text(bad.format("k") + "// the larger one is checked first\n")
    (project / "b.cu").write_text(bad.format("l"))
    command = ("-j1", "--no-cache", "--output-format", "concise", "--output-format", "sarif=o", ".")
    outcome = run(*command)
    assert (outcome.status, outcome.err) == (status, f"perflint: {word}\n")
    missing = "1 kernel" if begun else "the kernels of 2 files"
    assert f"The run was {word} before its end: {missing} missing in this report.\n" in outcome.out
    assert outcome.out.startswith("a.cu:1:31: warning: CU101 ") is begun
    [invocation] = json.loads((project / "o").read_text())["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "before it was checked" in json.dumps(invocation)
    assert "CU002" in run("--select", "CU002", *command).out


def test_a_run_that_is_ended_writes_no_baseline(
    run: Run, project: Path, pipeline: Pipeline
) -> None:
    pipeline.result = Result((finding(),), (), 1, 1, ended="interrupted")
    assert run("--write-baseline", "b.json", "a.cu").status == 130
    assert not (project / "b.json").exists()
    assert run("a.cu").status == 130
