"""A module as its package imports it, without what the packages above would run."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any


class Above(ModuleType):
    """A package above the module: its code is run when somebody asks for a name that it makes."""

    def __getattr__(self, name: str) -> Any:
        file = Path(self.__path__[0]) / "__init__.py"
        if "__said__" not in self.__dict__:
            self.__dict__["__said__"] = _literals(file)
        if name in self.__dict__["__said__"]:
            return self.__dict__["__said__"][name]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        inner = f"{self.__name__}.{name}"
        if importlib.util.find_spec(inner) is not None:
            return importlib.import_module(inner)
        if "__begun__" not in self.__dict__ and file.is_file():
            self.__dict__["__begun__"] = True
            exec(compile(file.read_bytes(), str(file), "exec"), self.__dict__)
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _literals(file: Path) -> dict[str, Any]:
    """What a file simply says of names: `__version__ = "1.0"`."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        target.id: each.value.value
        for each in body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def dotted(file: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that Python would search, and a module's names from there down.

    A package has an `__init__.py`; or it does without, and the module's own imports name it: by
    `from models.ops import scale` in `models/ops/norm.py` the outer one is `models`.
    """
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    above = next((p for p in (folder, *folder.parents) if _is_imported(p, file)), None)
    if above is not None:
        between = folder.relative_to(above.parent).parts
        if all(part.isidentifier() for part in between):
            return above.parent, (*between, *names)
    return folder, tuple(names) or (file.stem,)


def _is_imported(folder: Path, file: Path) -> bool:
    """Whether a module imports something by a folder's name that lies in the folder.

    That of a folder `triton` of kernels imports `triton.language` is no sign.
    """
    inside = (n for n in _imported(file) if n.startswith(f"{folder.name}."))
    places = (folder.parent.joinpath(*name.split(".")) for name in inside)
    return any(p.is_dir() or p.with_suffix(".py").is_file() for p in places)


@lru_cache(maxsize=1024)
def _imported(file: Path) -> frozenset[str]:
    """What a module imports by its whole name: `models.ops`, and `models.ops.scale` of it."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return frozenset(found)


def package_of(place: Path) -> Path | None:
    """The outermost package that a module or a folder is part of."""
    file = place / "__init__.py" if place.is_dir() else place
    root, names = dotted(file)
    inside = len(names) > 1 or file.stem == "__init__"
    return root / names[0] if inside and file.is_file() else None


def announce(file: Path) -> str:
    """Make a module's package known, and tell the module's whole name."""
    root, names = dotted(file)
    sys.path.insert(0, str(root))
    folder, outer = root, None
    for depth in range(1, len(names)):
        name = ".".join(names[:depth])
        folder /= names[depth - 1]
        package = sys.modules.get(name)
        if package is None:
            package = sys.modules[name] = Above(name)
            package.__path__ = [str(folder)]
            package.__file__ = str(folder / "__init__.py")
        if outer is not None:
            setattr(outer, names[depth - 1], package)
        outer = package
    return ".".join(names)
