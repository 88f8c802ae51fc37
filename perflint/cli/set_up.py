"""`perflint init`: what a repository needs to use perflint, written for the one that is there.

A configuration, an entry for pre-commit, a file for its CI and a baseline of what is found today.
Nothing is overwritten: what is there is left as it is, and what would be added is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from perflint.base import bounds
from perflint.base.records import dataclass
from perflint.cli.config import FILENAMES
from perflint.cli.discovery import Found
from perflint.cli.output import check_links, write

BASELINE = "perflint-baseline.json"
#: Where builds leave their flags, in the order in which they are looked for.
_DATABASES = (".", "build", "out", "cmake-build-release", "cmake-build-debug", "builddir")
#: Folders of code that others wrote, which a project's people do not mend.
_OTHERS = ("third_party", "thirdparty", "3rdparty", "external", "extern", "vendor", "deps")


@dataclass(frozen=True)
class Origin:
    """Where pre-commit and a CI take perflint from."""

    repository: str  #: an address that git clones
    revision: str


@dataclass(frozen=True)
class Step:
    """A file of the repository, and what is to stand in it."""

    path: Path
    text: str
    title: str


def steps(root: Path, found: Found, origin: Origin) -> Iterator[Step]:
    """The files that a repository is to have, the baseline excepted."""
    yield Step(root / "perflint.toml", configuration(root, found), "the configuration")
    yield Step(root / ".pre-commit-config.yaml", hooks(origin), "a pre-commit hook")
    if (root / ".gitlab-ci.yml").exists():
        yield Step(root / ".gitlab-ci.yml", gitlab(origin), "a GitLab CI job")
    else:
        path = root / ".github" / "workflows" / "perflint.yml"
        yield Step(path, github(origin), "a GitHub Actions workflow")


def configuration(root: Path, found: Found) -> str:
    """A configuration for the files found."""
    lines = [f'baseline = "{BASELINE}"  # what there was at the start: only new findings count']
    folders = {part for file in found.files for part in _below(file, root).parts[:-1]}
    if others := [name for name in _OTHERS if name in folders]:
        listed = ", ".join(f'"{name}/"' for name in others)
        lines.append(f"exclude = [{listed}]  # third-party code")
    for name in _DATABASES:
        if (root / name / "compile_commands.json").is_file():
            lines.append(f'compile-commands = "{name}"  # flags of the build')
            break
    return "".join(f"{line}\n" for line in lines)


def _below(file: Path, root: Path) -> Path:
    real = file.absolute()
    return real.relative_to(root) if real.is_relative_to(root) else real


def hooks(origin: Origin) -> str:
    """A configuration of pre-commit."""
    return (
        "repos:\n"
        f"  - repo: {origin.repository}\n"
        f"    rev: {origin.revision}\n"
        "    hooks:\n"
        "      - id: perflint\n"
    )


def _installed(origin: Origin) -> str:
    address = origin.repository if "://" in origin.repository else f"file://{origin.repository}"
    return f"python -I -m pip install 'git+{address}@{origin.revision}'"


def github(origin: Origin) -> str:
    """A workflow: annotations on pull requests, which need no permission but to read."""
    return f"""\
name: perflint
on: [push, pull_request]
permissions:
  contents: read
jobs:
  perflint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{ python-version: "3.12" }}
      - run: {_installed(origin)}
        working-directory: ${{{{ runner.temp }}}}
      - run: perflint check --output-format full --output-format github
"""


def gitlab(origin: Origin) -> str:
    """A job of GitLab's."""
    return f"""\
perflint:
  image: python:3.12
  script:
    - (cd / && {_installed(origin)})
    - perflint check --output-format full --output-format gitlab=gl-code-quality-report.json
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""


def set_up(root: Path, found: Found, origin: Origin, tell: Callable[[str], None]) -> None:
    """Write what is missing, and say what was done. Raises PathError."""
    configured = next((n for n in FILENAMES if _configures(root / n)), None)
    wanted = list(steps(root, found, origin))
    for step in wanted:
        check_links(step.path)
    for step in wanted:
        name = step.path.relative_to(root).as_posix()
        if step.path.name == "perflint.toml" and configured:
            tell(f"left {configured} as it is")
        elif not step.path.exists() and not step.path.is_symlink():
            for folder in reversed(step.path.relative_to(root).parents[:-1]):
                (root / folder).mkdir(exist_ok=True)
            write(step.path, step.text)
            tell(f"wrote {name}: {step.title}")
        elif "perflint" in _text(step.path):
            tell(f"left {name} as it is: it has {step.title}")
        else:
            tell(f"left {name} as it is; {step.title} would be:")
            for line in _addition(step).splitlines():
                tell(f"    {line}")


def _addition(step: Step) -> str:
    """What is to be put into a file that is there."""
    return step.text.partition("repos:\n")[2] or step.text


def _configures(path: Path) -> bool:
    if not path.exists():
        return False
    return path.name != "pyproject.toml" or bool(
        re.search(r"^\[tool\.perflint", _text(path), re.MULTILINE)
    )


def _text(path: Path) -> str:
    from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

    try:
        return read_bytes(path, 1 << 20).decode("utf-8", "replace")
    except UnreadableError:
        return ""


def root_of(folder: Path) -> Path:
    """The repository that a folder lies in, else the folder."""
    return bounds.repository(folder) or folder
