"""A module as its package imports it, without what the packages above would run."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
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
        if "__begun__" not in self.__dict__:
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
    """The folder that Python would search, and a module's names from there down."""
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, tuple(names) or (file.stem,)


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
