"""Finds what is not installed, where a module cannot do without it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType
from typing import Any

from perflint.python_kernels.stand_ins.torch_module import stand, stands

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class Finder:
    """The last of all finders: an empty module in the place of a package that is not there.

    Not where the import stands in a `try` that knows what to do without, and not for who only asks
    what is installed (`importlib.util.find_spec`).
    """

    def __init__(self, remarks: list[str]) -> None:
        self.remarks = remarks

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        top = name.partition(".")[0]
        known = sys.modules.get(top)
        if known is not None and not stands(known):
            return None
        if known is None:
            if not _needed(sys._getframe()):
                return None
            self.remarks.append(f"{top} is not installed: what the module does with it is not seen")
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        return stand(spec.name)

    def exec_module(self, module: Any) -> None:
        """Nothing is in it."""


def _needed(frame: FrameType | None) -> bool:
    """Whether a plain `import` is being carried out that nothing catches."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<frozen importlib") and file != __file__:
            return frame.f_lineno in _bare_imports(file)
        frame = frame.f_back
    return False


@lru_cache(maxsize=64)
def _bare_imports(file: str) -> frozenset[int]:
    """The lines of a file's imports that stand in no `try` which catches their failure."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    lines: set[int] = set()
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, caught = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not caught:
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        inside = caught
        for field, value in ast.iter_fields(node):
            if isinstance(node, ast.Try):
                inside = caught or (field == "body" and any(map(_catches, node.handlers)))
            below = value if isinstance(value, list) else [value]
            waiting += [(each, inside) for each in below if isinstance(each, ast.AST)]
    return frozenset(lines)


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & _CAUGHT)
