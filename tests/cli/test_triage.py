"""Baselines, `--diff-base` and `--add-ignore`: what a team lives with, and what is new."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]
BAD = "__global__ void k(float *a)\n{\n    a[threadIdx.x * 32] = 1;\n}\n"
SHORT = ("--output-format", "concise")


def places(outcome: Outcome) -> list[str]:
    lines = (line for line in outcome.out.splitlines() if not line.startswith("Worst"))
    return [":".join(line.split(":")[:2]) for line in lines if " CU1" in line]


@pytest.fixture
def baselined(run: Run, project: Path) -> Path:
    (project / "a.cu").write_text(BAD)
    outcome = run("--write-baseline", "b.json", "a.cu")
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err == "perflint: wrote 1 finding to b.json\n"
    return project


@pytest.mark.parametrize(
    "text",
    [
        BAD,
        "// a line above\n\n" + BAD,
        BAD.replace("x * 32", "x*32").replace("    a", "  a").replace("\n{", " {"),
    ],
)
def test_a_known_finding_stays_known(text: str, run: Run, baselined: Path) -> None:
    (baselined / "a.cu").write_text(text)
    outcome = run("--baseline", "b.json", "a.cu")
    assert (outcome.status, outcome.err) == (0, "")


def test_so_it_does_when_its_file_moves(run: Run, baselined: Path) -> None:
    (baselined / "sub").mkdir()
    (baselined / "a.cu").rename(baselined / "sub" / "renamed.cu")
    assert run("--baseline", "b.json", ".").status == 0


@pytest.mark.parametrize("name", [".known.json", "../elsewhere.json"])
def test_the_command_line_may_name_any_file(name: str, run: Run, project: Path) -> None:
    (project / "a.cu").write_text(BAD)
    assert run("--write-baseline", name, "a.cu").status == 0
    assert run("--baseline", name, "a.cu").status == 0


def test_a_second_one_like_it_is_new(run: Run, baselined: Path) -> None:
    (baselined / "0.cu").write_text(BAD)
    outcome = run("--baseline", "b.json", *SHORT, ".")
    assert (outcome.status, places(outcome)) == (1, ["0.cu:3"])


def test_what_is_gone_is_told(run: Run, baselined: Path) -> None:
    (baselined / "a.cu").write_text(BAD.replace("32", "1"))
    outcome = run("--baseline", "b.json", "a.cu")
    assert outcome.status == 0 and "b.json: 1 entry stale" in outcome.err
    (baselined / "c.cu").write_text(BAD.replace("32", "1"))
    assert run("--baseline", "b.json", "c.cu").err == ""  # a.cu was not looked at
    run("--baseline", "b.json", "--write-baseline", "b.json", "a.cu")
    assert json.loads((baselined / "b.json").read_text())["findings"] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.json: not JSON"),
        ("[" * 100_000, "b.json: not JSON"),
        ("{}", "b.json: not a baseline of this version"),
        ('{"perflint-baseline": 1}', "b.json: has no list of findings"),
        ('{"perflint-baseline": 1, "findings": [{}]}', "b.json: entry 1 is none"),
        ('{"perflint-baseline": 1, "findings": [{"id": 1}]}', "b.json: entry 1 is none"),
    ],
)
def test_a_wrong_baseline(text: str, message: str, run: Run, project: Path) -> None:
    (project / "b.json").write_text(text)
    outcome = run("--baseline", "b.json", "a.cu")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_only_changed_lines(run: Run, project: Path) -> None:
    git("init", "-q", "-b", "main")
    old, new = (BAD.replace("void k", f"void {name}") for name in ("old", "fresh"))
    (project / "a.cu").write_text(old)
    git("add", "a.cu")
    git("commit", "-q", "-m", "one")
    assert places(run("--diff-base", "main", *SHORT, "a.cu")) == []
    (project / "a.cu").write_text(new + old)
    (project / "untracked [1].cu").write_text(BAD)
    found = places(run("--diff-base", "main", *SHORT, "."))
    assert found == ["a.cu:3", "untracked [1].cu:3"]
    git("checkout", "-q", "-b", "topic")
    git("commit", "-q", "-a", "-m", "two")
    git("checkout", "-q", "main")
    (project / "a.cu").write_text("// main went on\n" * 9 + old)
    git("commit", "-q", "-a", "-m", "three")
    git("checkout", "-q", "topic")
    assert places(run("--diff-base", "main", *SHORT, "a.cu")) == ["a.cu:3"]


@pytest.mark.parametrize("ref", ["none", "--output=x", "", "main:a.cu"])
def test_a_wrong_commit(ref: str, run: Run, project: Path) -> None:
    outcome = run("--diff-base=main", "a.cu")
    assert outcome.status == 2 and "is in no Git repository" in outcome.err
    git("init", "-q")
    outcome = run(f"--diff-base={ref or 'x'}", "a.cu")
    assert outcome.status == 2 and "--diff-base: there is no commit" in outcome.err
    assert not (project / "x").exists()


@pytest.mark.parametrize(
    ("line", "option", "expected"),
    [
        ("a[threadIdx.x * 32] = 1;", "--add-ignore", "// perflint: ignore[CU101]"),
        ("a[threadIdx.x * 32] = 1;", "--add-ignore=why\n not", "[CU101] -- why not"),
        (
            "a[threadIdx.x * 32] = 1; // kept",
            "--add-ignore",
            "; /* perflint: ignore[CU101] */ // kept",
        ),
        ("a[threadIdx.x * 32] = 1; // perflint: ignore[CU201]", "--add-ignore", "[CU201, CU101]"),
        ("a[threadIdx.x * 32] = 1; /* on\n */", "--add-ignore", None),
    ],
)
def test_comments_are_put_in(
    line: str, option: str, expected: str | None, run: Run, project: Path
) -> None:
    text = BAD.replace("a[threadIdx.x * 32] = 1;", line).replace("\n", "\r\n")
    (project / "a.cu").write_bytes(text.encode())
    outcome = run(option, "--ignore", "CU003", "a.cu")
    written = (project / "a.cu").read_bytes().decode()
    if expected is None:
        assert (outcome.status, written) == (1, text)
        assert "a.cu:3: no comment can silence this" in outcome.err
        return
    assert outcome.status == 0 and outcome.err == "perflint: silenced 1 finding\n"
    assert expected in written.split("\r\n")[2] and written.count("\r\n") == text.count("\r\n")
    assert run("--ignore", "CU003", "a.cu").status == 0
