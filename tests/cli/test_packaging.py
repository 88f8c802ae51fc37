"""What is in the checkout is also in the wheel; an editable install would hide it if not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = {name: ROOT / folder for name, folder in SETUPTOOLS["package-dir"].items()}


def packages() -> dict[str, Path]:
    """Every folder with an `__init__.py`, by import name."""
    return {
        ".".join([name, *init.parent.relative_to(folder).parts]): init.parent
        for name, folder in FOLDERS.items()
        for init in folder.rglob("__init__.py")
    }


def test_every_package_is_listed() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(packages())


@pytest.mark.parametrize("name", sorted(packages()))
def test_every_file_is_packaged(name: str) -> None:
    folder = packages()[name]
    data = {f for glob in SETUPTOOLS["package-data"].get(name, []) for f in folder.glob(glob)}
    inner = [other for other in packages().values() if other != folder]
    for path in folder.rglob("*"):
        ours = not any(path.is_relative_to(other) for other in inner if folder in other.parents)
        if path.is_file() and ours and "__pycache__" not in path.parts and path.suffix != ".py":
            assert path in data, f"{path.relative_to(ROOT)} is not in package-data"


def test_python_files_stand_in_packages() -> None:
    folders = set(packages().values())
    for folder in FOLDERS.values():
        for path in folder.rglob("*.py"):
            assert path.parent in folders, f"{path.parent.relative_to(ROOT)} has no __init__.py"


def test_the_version_is_one() -> None:
    import perflint

    assert PROJECT["project"]["version"] == perflint.__version__
