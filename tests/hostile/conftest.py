"""A repository that a stranger wrote, and what it must not get at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import pipeline, project, run

__all__ = ["KERNEL", "SECRET", "evil", "pipeline", "project", "run", "tree"]

SECRET = "hunter2_is_the_password"
KERNEL = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n"


def evil(path: Path, mark: Path) -> Path:
    """A program that leaves a mark when it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def tree(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in the working directory, with a secret beside it."""
    tree = project / "tree"
    (tree / ".git").mkdir(parents=True)
    (project / "secret.h").write_text(f"#define SIZE 931 // {SECRET}\n{SECRET}\n")
    (tree / "a.cu").write_text(KERNEL)
    (project / "perflint.toml").unlink()
    monkeypatch.chdir(tree)
    return tree
