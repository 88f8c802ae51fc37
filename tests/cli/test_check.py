"""`perflint check`: exit statuses, streams, options, formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.lint.findings import Result, Unanalysed
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


def test_a_file_of_another_kind_is_told_and_the_others_checked(
    run: Run, pipeline: Pipeline, project: Path
) -> None:
    (project / "notes.txt").write_text("")
    pipeline.result = found("warning")
    outcome = run("notes.txt", "a.cu", "--exit-zero", "--output-format", "concise")
    assert outcome.status == 2
    assert "a.cu" in outcome.out and "CU101" in outcome.out
    assert "perflint: notes.txt: not a .cu, .cuh or .ptx file" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.cu",), "perflint: missing.cu: no such file or directory"),
        (("a.txt",), "perflint: a.txt: not a .cu, .cuh or .ptx file"),
        (("--select", "CU1O1", "a.cu"), "did you mean 'CU101'?"),
        (("--ignore", "shared-bank-conflit", "a.cu"), "did you mean 'shared-bank-conflict'?"),
        (("--arch", "sm_1", "a.cu"), "there is no architecture 'sm_1'; choose from "),
        (("--launch", "k<<<1>>>", "a.cu"), "expected ',' and the block"),
        (("--output-format", "xml", "a.cu"), "there is no format 'xml'; choose from concise, "),
        (("--output-format", "json=", "a.cu"), "names no file after '='"),
        (("--output-format", "json", "--output-format", "sarif", "a.cu"), "cannot both go to"),
        (("-o", "no/such/dir.txt", "a.cu"), "there is no directory no/such"),
        (("-o", "x", "--output-format", "json=y", "a.cu"), "already has a file of its own"),
        (("--statistics", "--output-format", "json", "a.cu"), "--statistics needs the format"),
        (("--budget", "0", "a.cu"), "--budget"),
        (("--nonsense", "a.cu"), "No such option"),
        (("--config", "none.toml", "a.cu"), "none.toml: No such file"),
        (("-D", "", "a.cu"), "'' is no macro; write NAME or NAME=VALUE"),
        (("-D", "1A=16", "a.cu"), "'1A=16' is no macro"),
        (("-D", "A B", "a.cu"), "'A B' is no macro"),
        (("-D", "A\nB", "a.cu"), "is no macro"),
        (("--select", "", "a.cu"), "'--select': '' names nothing"),
        (("--select", ",", "a.cu"), "'--select': ',' names nothing"),
        (("--ignore", "", "a.cu"), "'--ignore': '' names nothing"),
        (("--arch", " ", "a.cu"), "'--arch': ' ' names nothing"),
        (("--arch", "sm_80b", "a.cu"), "there is no architecture 'sm_80b'"),
        (("-j", "0", "a.cu"), "'-j' / '--jobs'"),
        (("-j", "many", "a.cu"), "'-j' / '--jobs'"),
        (("--stdin-filename", "b.cu", "a.cu"), "--stdin-filename needs the path -"),
        (("-", "a.cu"), "-: standard input cannot be checked together with other paths"),
        (("-I", "nowhere", "a.cu"), "there is no directory nowhere"),
        (("--kernel", "k", "a.cu"), "'--kernel'; a program is checked as a whole; `perflint why"),
        (("--explain", "CU101"), "'--explain'; `perflint rule CODE` explains"),
        (("-q", "init"), "no such file or directory; a command stands before its options: perf"),
        (("-j1", "run", "--kernel", "k"), "No such option '--kernel'; a command stands before its"),
        (("explain", "a.cu"), "perflint: explain: no such file or directory\n"),
        (("profile", "a.cu"), "'--launch'; `perflint launches a.cu` shows those of the source"),
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
    assert outcome.out.startswith(
        "warning: CU101 uncoalesced-global-access: a warning\n --> a.cu:3:5\n"
    )
    assert outcome.out.endswith("\nFound 1 finding (1 warning) in 1 kernel of 1 file.\n")
    assert "note: k<int> was guessed\n" in outcome.err
    quiet = run("a.cu", "-q", "--output-format", "concise")
    assert (quiet.out, quiet.err) == ("a.cu:3:5: warning: CU101 a warning\n", "")


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
    assert [launch.text for launch in options.launches] == ["k<<<(2, 1, 1), (64, 1, 1)>>>(n=3)"]
    assert options.define == ("N=4", "M")
    assert options.include == (Path("inc"),)
    assert options.budget == 0.5


@pytest.mark.parametrize(
    ("names", "archs"),
    [
        (("sm_90a",), ("sm_90",)),
        (("sm_100a,sm_100", "compute_100f"), ("sm_100",)),
        (("compute_80", "sm_90"), ("sm_80", "sm_90")),
    ],
)
def test_architectures_by_their_base(
    names: tuple[str, ...], archs: tuple[str, ...], run: Run, pipeline: Pipeline, project: Path
) -> None:
    run(*(f"--arch={name}" for name in names), "a.cu")
    assert pipeline.options is not None and pipeline.options.arch == archs


def test_a_fault_on_several_architectures_is_one_finding(run: Run, project: Path) -> None:
    (project / "a.cu").write_text("__global__ void k(int *a) { a[threadIdx.x * 32] = 1; }\n")
    formats = ("--output-format", "concise", "--output-format", "sarif=out.sarif")
    one = run(*formats, "--arch", "sm_80", "a.cu").out.splitlines()[0]
    assert one.endswith("where 4 would do")
    both, end = run(*formats, "--arch", "sm_80,sm_90", "a.cu").out.splitlines()[:2]
    assert both == f"{one} (sm_80, sm_90)" and end.startswith("Found 1 finding")
    [result] = json.loads((project / "out.sarif").read_text())["runs"][0]["results"]
    assert "(sm_80, sm_90)" in result["message"]["text"]


def test_arguments_and_kernels_of_a_launch_that_are_not_there(run: Run, project: Path) -> None:
    outcome = run("--launch", "k=<<<1,32>>>(m=3)", "--launch", "q=<<<1,32>>>", "a.cu")
    assert "--launch k: `m` is no parameter of the kernel; it has a\n" in outcome.err
    assert "--launch names `q`, and no file has a kernel of that name\n" in outcome.err


STRIDED = b"__global__ void k(int *a) { a[threadIdx.x * STEP] = 1; }\n"


@pytest.mark.parametrize("saved", [True, False])
def test_standard_input(saved: bool, project: Path) -> None:
    (project / "step.h").write_text("#define STEP 32\n")
    name = "a.cu" if saved else "new.cu"
    outcome = standard_input(b'#include "step.h"\n' + STRIDED, "--stdin-filename", name, "-")
    assert outcome.returncode == 1
    assert outcome.stdout.startswith(b"warning: CU101 ")
    assert (b"`perflint why a.cu:2`" in outcome.stdout) is saved
    assert b"`perflint why new.cu" not in outcome.stdout  # there is no such file to ask about
    assert f"--> {name}:2:29\n".encode() in outcome.stdout
    assert b"2 | __global__ void k(int *a)" in outcome.stdout
    assert b" of 1 file." in outcome.stdout


@pytest.mark.parametrize(
    ("data", "options", "status", "message"),
    [
        (STRIDED, ("-DSTEP=32", "-"), 1, b" stdin.cu:1:29\n"),
        (STRIDED, ("-DSTEP=1", "-"), 0, b"No findings in 1 kernel of 1 file."),
        (b"", ("-",), 0, b"No findings in 0 kernels of 1 file."),
        (b".version 8.0\n.targt x\n", ("-",), 1, b"stdin.ptx:2:"),
        (b"\0", ("-",), 0, b"1 file was not analysed"),
        (b"", ("--stdin-filename", "a.c", "-"), 2, b"a.c: not a .cu, .cuh or .ptx file"),
    ],
)
def test_standard_input_without_a_name(
    data: bytes, options: tuple[str, ...], status: int, message: bytes, project: Path
) -> None:
    outcome = standard_input(data, *options)
    assert outcome.returncode == status
    assert message in outcome.stdout + outcome.stderr


def standard_input(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        input=data,
        capture_output=True,
        check=False,
    )


def test_several_formats_at_once(run: Run, pipeline: Pipeline, project: Path) -> None:
    pipeline.result = found("warning")
    formats = ["--output-format", "concise", "--output-format", "sarif=out.sarif"]
    outcome = run(*formats, "--output-format", "json=out.json", "a.cu")
    assert outcome.status == 1
    assert outcome.out.startswith("a.cu:3:5: warning: CU101 a warning\n")
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


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupt_is_quiet(wrapped: bool, run: Run, pipeline: Pipeline, project: Path) -> None:
    """A library may fail of its own while it cleans up."""
    pipeline.error = ValueError("closed") if wrapped else KeyboardInterrupt()
    pipeline.error.__context__ = KeyboardInterrupt() if wrapped else None
    outcome = run("a.cu")
    assert (outcome.status, outcome.out) == (130, "")
    assert outcome.err.lstrip("\n") == "perflint: interrupted\n"


def test_an_interrupt_while_python_runs_text(tmp_path: Path) -> None:
    """As dataclasses do: the status is ours even so."""
    (tmp_path / "start.py").write_text(
        "import perflint.cli.commands\n"
        "from perflint.__main__ import main\n"
        "perflint.cli.commands.run = lambda arguments: exec('raise KeyboardInterrupt')\n"
        "main(['.'])\n"
    )
    process = subprocess.run([sys.executable, "-m", "start"], cwd=tmp_path, capture_output=True)
    assert (process.returncode, process.stderr) == (130, b"perflint: interrupted\n")


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [("a.cu",), ("rule", "--all"), ("--version",), ("--help",)])
def test_a_full_output_is_one_line(arguments: tuple[str, ...], project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "perflint", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert process.returncode == 2
    assert process.stderr == b"perflint: cannot write: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_closed_output_is_no_error(project: Path) -> None:
    process = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m perflint a.cu >&-"], capture_output=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, b"")


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
