"""`perflint init`: what it writes, what it leaves, and that what it writes is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.cli import init, set_up
from perflint.cli.config import load
from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]
BAD = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n"
OPTIONS = ("--repository", "https://example.org/perflint", "--revision", "v1")


@pytest.fixture
def repository(project: Path) -> Path:
    (project / "perflint.toml").unlink()
    (project / ".git").mkdir()
    (project / "a.cu").write_text(BAD)
    return project


def tree(folder: Path) -> dict[str, bytes]:
    paths = (p for p in folder.rglob("*") if p.is_file() or p.is_symlink())
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths if p.exists()}


def test_a_fresh_repository(run: Run, repository: Path) -> None:
    yaml = pytest.importorskip("yaml")
    (repository / "build").mkdir()
    (repository / "build" / "compile_commands.json").write_text("[]")
    (repository / "third_party").mkdir()
    (repository / "third_party" / "b.cu").write_text(BAD)
    outcome = run("init", *OPTIONS)
    assert outcome.status == 0, outcome
    for name in ("perflint.toml", ".pre-commit-config.yaml", ".github/workflows/perflint.yml"):
        assert f"wrote {name}: " in outcome.err
    values = load(repository / "perflint.toml").values
    assert {glob.pattern for glob in values["exclude"]} == {"third_party/"}
    assert values["compile_commands"] == repository / "build"
    [hook] = yaml.safe_load((repository / ".pre-commit-config.yaml").read_text())["repos"]
    assert (hook["repo"], hook["rev"]) == OPTIONS[1::2]
    steps = yaml.safe_load((repository / ".github/workflows/perflint.yml").read_text())
    runs = [s for s in steps["jobs"]["perflint"]["steps"] if "run" in s]
    assert runs[0]["run"].startswith(
        "python -I -m pip install 'git+https://example.org/perflint@v1'"
    )
    assert runs[0]["working-directory"] == "${{ runner.temp }}"
    assert run(".").status == 0  # what is there is in the baseline
    (repository / "c.cu").write_text(BAD.replace("k(", "c("))
    assert "c.cu:1" in run(".").out


def test_nothing_is_overwritten(run: Run, repository: Path) -> None:
    texts = {
        "pyproject.toml": "[tool.perflint]\nselect = ['CU1']\n",
        ".pre-commit-config.yaml": "repos: []\n",
        ".gitlab-ci.yml": "test:\n  script: [make]\n",
        "perflint-baseline.json": '{"perflint-baseline": 1, "findings": []}\n',
    }
    for name, text in texts.items():
        (repository / name).write_text(text)
    before = tree(repository)
    outcome = run("init", *OPTIONS)
    assert outcome.status == 0 and tree(repository) == before
    for name in texts:
        assert f"left {name} as it is" in outcome.err
    assert "a pre-commit hook would be:" in outcome.err and "- id: perflint" in outcome.err


def test_again_changes_nothing(run: Run, repository: Path) -> None:
    run("init", *OPTIONS)
    before = tree(repository)
    outcome = run("init")
    assert outcome.status == 0 and tree(repository) == before


def test_where_perflint_came_from_is_not_known(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(init, "installed_from", lambda: None)
    outcome = run("init")
    assert "replace URL-OF-PERFLINT and COMMIT-OR-TAG" in outcome.err


def test_links_are_not_followed(
    run: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (repository / ".github").symlink_to(outside)
    (repository / "perflint.toml").symlink_to(outside / "perflint.toml")
    assert run("init", *OPTIONS).status == 2
    assert not list(outside.iterdir())


def test_an_empty_repository(run: Run, repository: Path) -> None:
    (repository / "a.cu").unlink()
    outcome = run("init", *OPTIONS)
    assert outcome.status == 0 and "there is no baseline to write" in outcome.err
    assert set_up.BASELINE not in tree(repository)
