"""`--diff-base` in a repository that plants all that Git can be made to run."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from perflint.cli import line_diff
from tests.cli.conftest import Outcome
from tests.hostile.conftest import KERNEL, evil

Run = Callable[..., Outcome]
BAD = "__global__ void b(float *a) { a[threadIdx.x * 32] = 2; }\n"
GIT = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]


def git(folder: Path, *arguments: str) -> str:
    env = {n: v for n, v in os.environ.items() if not n.startswith("GIT_")}
    done = subprocess.run([*GIT, *arguments], cwd=folder, env=env, check=True, capture_output=True)
    return done.stdout.decode()


@pytest.fixture
def repository(tree: Path) -> Path:
    """A repository whose second commit adds a kernel."""
    (tree / ".git").rmdir()
    git(tree, "init")
    git(tree, "add", ".")
    git(tree, "commit", "-m", "one")
    (tree / "a.cu").write_text(KERNEL + BAD)
    return tree


def settings(mark: Path, program: Path) -> str:
    """A configuration that names a program in every place that knows one."""
    return f"""
[core]
    fsmonitor = {program}
    hooksPath = {program.parent}
    sshCommand = {program}
    pager = {program}
    editor = {program}
    askPass = {program}
    gitProxy = {program}
    alternateRefsCommand = {program}
    attributesFile = {program.parent}/attributes
[diff]
    external = {program}
[diff "x"]
    command = {program}
    textconv = {program}
[filter "x"]
    clean = {program}
    smudge = {program}
    process = {program}
    required = true
[merge "x"]
    driver = {program}
[credential]
    helper = !{program}
[gpg]
    program = {program}
[log]
    showSignature = true
[alias]
    cat-file = !{program}
    rev-parse = !{program}
    merge-base = !{program}
[interactive]
    diffFilter = {program}
[uploadpack]
    packObjectsHook = {program}
[trace2]
    normalTarget = {mark}
    eventTarget = {mark}
"""


def test_nothing_that_a_repository_names_is_run(run: Run, repository: Path) -> None:
    mark = repository.parent / "ran"
    program = evil(repository / "bin" / "evil.sh", mark)
    for hook in (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        evil(repository / "bin" / hook, mark)
        evil(repository / ".git" / "hooks" / hook, mark)
    for name in (".gitattributes", ".git/info/attributes", "bin/attributes"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("* filter=x diff=x merge=x text eol=crlf\n")
    config = repository / ".git" / "config"
    config.write_text(config.read_text() + settings(mark, program))
    outcome = run("--output-format", "concise", "--diff-base", "HEAD", ".")
    assert [line.split(":")[:2] for line in outcome.out.splitlines()[:1]] == [["a.cu", "2"]]
    assert "a.cu:1:" not in outcome.out
    assert not mark.exists()


@pytest.mark.parametrize("inside", [True, False])
def test_an_embedded_bare_repository_is_none(inside: bool, run: Run, repository: Path) -> None:
    mark = repository.parent / "ran"
    program = evil(repository / "evil.sh", mark)
    bare = repository / "sub"
    bare.mkdir()
    (bare / "b.cu").write_text(KERNEL)
    git(repository.parent, "init", "--bare", str(bare))
    (bare / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {bare}\n"
        + settings(mark, program)
    )
    (bare / ".gitattributes").write_text("* filter=x diff=x\n")
    if inside:
        os.chdir(bare)
    where = "." if inside else "sub"
    outcome = run("--output-format", "concise", "--diff-base", "HEAD", where)
    assert "CU101" in outcome.out and outcome.status == 1  # a new file of the repository around it
    assert not mark.exists()


def test_what_the_environment_says_of_git_does_not_count(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = repository.parent / "ran"
    program = evil(repository / "evil.sh", mark)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_PAGER", "GIT_ASKPASS", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))
    monkeypatch.setenv("GIT_EXEC_PATH", str(repository))
    outcome = run("--output-format", "concise", "--diff-base", "HEAD", ".")
    assert outcome.out.startswith("a.cu:2:") and not mark.exists()


def test_a_missing_object_is_not_fetched(run: Run, repository: Path) -> None:
    mark = repository.parent / "ran"
    program = evil(repository / "evil.sh", mark)
    git(repository, "add", "a.cu")
    git(repository, "commit", "-m", "two")
    for key, value in {
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "extensions.partialClone": "origin",
        "protocol.ext.allow": "always",
        "core.repositoryformatversion": "1",
    }.items():
        git(repository, "config", key, value)
    blob = git(repository, "rev-parse", "HEAD~:a.cu").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    run("--output-format", "concise", "--diff-base", "HEAD~", ".")
    assert not mark.exists()


def test_worktrees_line_ends_and_names(run: Run, repository: Path) -> None:
    name = "ü \n*[a].cu"
    (repository / name).write_text(KERNEL)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "two")
    git(repository, "worktree", "add", "../other")
    os.chdir(repository.parent / "other")
    Path(name).write_bytes((KERNEL + BAD).replace("\n", "\r\n").encode())
    outcome = run("--output-format", "json", "--diff-base", "main", ".")
    assert outcome.out.count('"row": 2') == 2 and '"row": 1' not in outcome.out


# --- the comparison -------------------------------------------------------------------------------


def longest(a: list[str], b: list[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


def test_what_is_matched_is_the_same_and_in_order() -> None:
    r = random.Random(7)
    shorter = 0
    for _ in range(500):
        few = r.choice((2, 4, 30))
        old = [str(r.randrange(few)) for _ in range(r.randrange(14))]
        new = [line for line in old if r.random() < 0.8]
        for _ in range(r.randrange(4)):
            new.insert(r.randrange(len(new) + 1), str(r.randrange(few)))
        pairs = sorted(line_diff.matches(old, new))
        assert all(old[i] == new[j] for i, j in pairs)
        assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(pairs))
        shorter += len(pairs) < longest(old, new)
    assert shorter < 25  # anchors are not always the best


@pytest.mark.parametrize("few", [1, 2, 100, 10**9])
def test_no_text_takes_long(few: int) -> None:
    r = random.Random(few)
    old, new = ([str(r.randrange(few)) for _ in range(100_000)] for _ in range(2))
    line_diff.changed(old, new)
    line_diff.changed(old, old[::-1])  # hangs, if its steps grow with the square
