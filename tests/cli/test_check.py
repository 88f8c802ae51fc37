"""`perflint check`: exit statuses, streams, options, formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.findings import Result, Unanalysed
from tests.cli.conftest import Outcome, Pipeline, finding

Run = Callable[..., Outcome]


def found(*levels: str) -> Result:
    return Result(tuple(finding(level=level) for level in levels), (), 1, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("levels", "options", "status"),
    [
        ((), (), 0),
        (("warning",), (), 1),
        (("error",), (), 1),
        (("note",), (), 0),
        (("note",), ("--show-unconfirmed",), 0),
        (("note",), ("--show-unconfirmed", "--fail-on", "note"), 1),
        (("note",), ("--fail-on", "note"), 0),
        (("warning",), ("--fail-on", "error"), 0),
        (("warning", "error"), ("--fail-on", "error"), 1),
        (("error",), ("--exit-zero",), 0),
        (("warning",), ("--ignore", "CU101"), 0),
        (("warning",), ("--select", "CU2"), 0),
    ],
)
def test_exit_status(
    levels: tuple[str, ...],
    options: tuple[str, ...],
    status: int,
    run: Run,
    pipeline: Pipeline,
    project: Path,
) -> None:
    pipeline.result = found(*levels)
    assert run(*options, "a.cu").status == status


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.cu",), "perflint: missing.cu: no such file or directory"),
        (("a.txt",), "perflint: a.txt: not a .cu, .cuh or .ptx file"),
        (("--select", "CU1O1", "a.cu"), "did you mean 'CU101'?"),
        (("--ignore", "shared-bank-conflit", "a.cu"), "did you mean 'shared-bank-conflict'?"),
        (("--arch", "sm_1", "a.cu"), "there is no architecture 'sm_1'; choose from "),
        (("--launch", "k<<<1,1>>>", "a.cu"), "expected '=' after the kernel's name"),
        (("--output-format", "xml", "a.cu"), "there is no format 'xml'; choose from concise, "),
        (("--output-format", "json=", "a.cu"), "names no file behind '='"),
        (("--output-format", "json", "--output-format", "sarif", "a.cu"), "cannot both go to"),
        (("-o", "no/such/dir.txt", "a.cu"), "there is no directory no/such"),
        (("-o", "x", "--output-format", "json=y", "a.cu"), "already has a file of its own"),
        (("--statistics", "--output-format", "json", "a.cu"), "--statistics needs the format"),
        (("--budget", "0", "a.cu"), "--budget"),
        (("--nonsense", "a.cu"), "No such option"),
        (("--config", "none.toml", "a.cu"), "none.toml: No such file"),
        (("-I", "nowhere", "a.cu"), "'nowhere' does not exist"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, run: Run, pipeline: Pipeline, project: Path
) -> None:
    (project / "a.txt").write_text("")
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("perflint: ") and outcome.err.count("\n") == 1
    assert message in outcome.err
    assert pipeline.options is None


def test_results_on_stdout_and_the_rest_on_stderr(
    run: Run, pipeline: Pipeline, project: Path
) -> None:
    pipeline.result = Result((finding(),), (), 1, 1, ("k<int> was\nguessed",))
    outcome = run("a.cu", "-v")
    assert outcome.out.startswith("CU101 uncoalesced-global-access: a warning\n --> a.cu:3:5\n")
    assert outcome.out.endswith("\nFound 1 finding (1 warning) in 1 kernel of 1 file.\n")
    assert "note: k<int> was guessed\n" in outcome.err
    quiet = run("a.cu", "-q", "--output-format", "concise")
    assert (quiet.out, quiet.err) == ("a.cu:3:5: CU101 a warning\n", "")


def test_a_directory_without_cuda(run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "empty").mkdir()
    outcome = run("empty")
    assert outcome.status == 0
    assert outcome.err == "warning: no CUDA or PTX files found under empty\n"
    assert outcome.out == "No findings in 0 kernels of 0 files.\n"
    assert pipeline.options is None


def test_no_path_is_the_current_directory(run: Run, pipeline: Pipeline, project: Path) -> None:
    assert run("check").status == 0
    assert pipeline.paths == (Path("a.cu"),)


def test_options_reach_the_pipeline(run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "inc").mkdir()
    run(
        *("--select", "CU1,CU201", "--ignore", "CU2", "--arch", "sm_90", "--arch", "sm_70"),
        *("--launch", "k=<<<2,64>>>(n=3)", "-DN=4", "-D", "M", "-Iinc", "--budget", "0.5", "a.cu"),
    )
    options = pipeline.options
    assert options is not None
    assert "CU101" in options.rules and "CU201" in options.rules and "CU001" not in options.rules
    assert options.arch == ("sm_90", "sm_70")
    assert [launch.text for launch in options.launches] == ["k=<<<(2, 1, 1), (64, 1, 1)>>>(n=3)"]
    assert options.define == ("N=4", "M")
    assert options.include == (Path("inc"),)
    assert options.budget == 0.5


def test_several_formats_at_once(run: Run, pipeline: Pipeline, project: Path) -> None:
    pipeline.result = found("warning")
    formats = ["--output-format", "concise", "--output-format", "sarif=out.sarif"]
    outcome = run(*formats, "--output-format", "json=out.json", "a.cu")
    assert outcome.status == 1
    assert outcome.out.startswith("a.cu:3:5: CU101 a warning\n")
    assert json.loads((project / "out.json").read_text())[0]["code"] == "CU101"
    assert json.loads((project / "out.sarif").read_text())["version"] == "2.1.0"
    outcome = run("--output-format", "json", "-o", "other.json", "a.cu")
    assert outcome.out == ""
    assert (project / "other.json").read_bytes() == (project / "out.json").read_bytes()


def test_statistics(run: Run, pipeline: Pipeline, project: Path) -> None:
    pipeline.result = found("warning", "error")
    out = run("--statistics", "a.cu").out
    assert out.startswith("2 CU101 uncoalesced-global-access\n\nFound 2 findings")


@pytest.mark.parametrize(
    ("option", "environment", "colored"),
    [
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color(
    option: str,
    environment: dict[str, str],
    colored: bool,
    run: Run,
    pipeline: Pipeline,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    pipeline.result = found("warning")
    assert ("\x1b[" in run("--color", option, "a.cu").out) is colored


def test_notes_are_hidden_and_counted(run: Run, pipeline: Pipeline, project: Path) -> None:
    pipeline.result = found("note", "warning")
    assert "1 note is hidden; --show-unconfirmed shows it." in run("a.cu").out
    shown = run("--show-unconfirmed", "a.cu").out
    assert "(unconfirmed): a note" in shown and "hidden" not in shown


def test_a_hidden_note_on_what_is_counted_anyway_does_not_count(
    run: Run, pipeline: Pipeline, project: Path
) -> None:
    lost = Unanalysed(Path("a.cu"), None, "a reason")
    pipeline.result = Result((finding("CU002", "note"),), (lost,), 1, 1)
    assert run("a.cu").out == (
        "No findings in 1 kernel of 1 file.\n1 file was not analysed; --select CU002 lists it.\n"
    )
    pipeline.result = Result((finding("CU002", "note"),), (), 1, 1)
    assert "1 note is hidden" in run("a.cu").out


@pytest.mark.parametrize(("selector", "shown"), [("CU002", True), ("CU0", False), ("ALL", False)])
def test_a_rule_of_notes_is_shown_when_named(
    selector: str, shown: bool, run: Run, pipeline: Pipeline, project: Path
) -> None:
    pipeline.result = Result((finding("CU002", "note"),), (), 1, 1)
    assert ("a note" in run("--select", selector, "a.cu").out) is shown


def test_an_internal_error_is_one_line(
    run: Run, pipeline: Pipeline, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.error = ValueError("two\nlines")
    outcome = run("a.cu")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("perflint: internal error: ValueError: two lines; please report")
    assert outcome.err.count("\n") == 1
    monkeypatch.setenv("PERFLINT_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in run("a.cu").err


def test_an_interrupt_is_quiet(run: Run, pipeline: Pipeline, project: Path) -> None:
    pipeline.error = KeyboardInterrupt()
    outcome = run("a.cu")
    assert (outcome.status, outcome.out) == (130, "")
    assert outcome.err.lstrip("\n") == "perflint: interrupted\n"


def test_a_reader_that_has_gone_is_no_error(project: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [sys.executable, "-m", "perflint", "rule", "--all"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (process.returncode, process.stderr) == (141, b"")


def test_a_file_name_that_is_not_utf8(run: Run, pipeline: Pipeline, project: Path) -> None:
    name = os.fsdecode(b"\xff.cu")
    try:
        (project / name).write_text("")
    except OSError:
        pytest.skip("this file system takes no such name")
    pipeline.result = Result((finding(path=name),), (), 1, 1)
    for format in ("full", "concise", "json", "sarif"):
        assert run("--output-format", f"{format}=out", name).status == 1
        (project / "out").read_text(encoding="utf-8")
