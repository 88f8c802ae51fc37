"""Run a module of the user's and compile the kernels that it launches: a process of its own.

Nothing is launched: the compiler's launch function is replaced by one that compiles and notes the
arguments. `python -m perflint.python_kernels.worker FOLDER` reads `request.json` there and leaves
`manifest.json` and the PTX.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
import traceback
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import MagicMock

from perflint.python_kernels.manifest import REQUEST, Manifest, NotCompiled, Order

#: What may be missing without the kernels suffering: an object of no behaviour stands in for it.
STOOD_IN = ("torch", "torchvision", "matplotlib", "pandas", "pytest", "cupy", "scipy", "jax")


class Recorder(Protocol):
    """What replaces a compiler's launches."""

    def install(self) -> None:
        """Replace the launch function."""

    def compile_given(self, namespace: dict[str, Any]) -> None:
        """Compile what the order's signatures name among the module's kernels."""


def main(folder: Path) -> None:
    """Carry out the order in a folder."""
    data = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    order = Order(**{**data, "signatures": tuple(map(tuple, data["signatures"]))})
    manifest = Manifest()
    try:
        home = importlib.import_module(f"perflint.python_kernels.{order.compiler}_recorder")
        recorder: Recorder = home.recorder(order, folder, manifest)
    except ImportError as error:
        manifest.missing = str(error)
        manifest.write(folder)
        return
    recorder.install()
    module = types.ModuleType("__main__")
    module.__file__ = order.file
    namespace = module.__dict__
    sys.modules["__main__"] = module
    sys.path.insert(0, str(Path(order.file).parent))
    sys.argv = [order.file]
    sys.stdout = sys.stderr  # the report's is not the module's
    sys.meta_path.append(_StandIn(_imported(Path(order.file)), manifest))
    _run(order.file, namespace, manifest)
    recorder.compile_given(namespace)
    manifest.write(folder)


def _run(file: str, namespace: dict[str, Any], manifest: Manifest) -> None:
    """Run the module as `python FILE` would, as far as it comes without a GPU."""
    try:
        text = Path(file).read_bytes()
        exec(compile(text, file, "exec"), namespace)
    except SystemExit:
        pass
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if f.filename == file]
        if isinstance(error, SyntaxError) and error.filename == file:
            lines = [error.lineno]
        text_of = f"{type(error).__name__}: {' '.join(str(error).split())}"
        reason = f"the module ended with {text_of[:300]}; launches after it were not seen"
        manifest.failures.append(NotCompiled("", (lines[-1] if lines else 1) or 1, reason))


def _imported(file: Path) -> frozenset[str]:
    """The packages of STOOD_IN that a module itself imports: others ask what is installed."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return frozenset()
    nodes = list(ast.walk(tree))
    plain = (a.name for n in nodes if isinstance(n, ast.Import) for a in n.names)
    froms = (n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and not n.level)
    return frozenset(name.partition(".")[0] for name in (*plain, *froms)).intersection(STOOD_IN)


class _StandIn:
    """Finds what is not installed and bears no kernels, last of all finders."""

    def __init__(self, names: frozenset[str], manifest: Manifest) -> None:
        self.names, self.manifest = names, manifest

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        top = name.partition(".")[0]
        if top not in self.names or (path and not isinstance(sys.modules.get(top), MagicMock)):
            return None
        if name == top:
            self.manifest.remarks.append(f"{top} is not installed: what the module does with it"
                                         " is not seen")  # fmt: skip
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__spec__ = spec
        module.__name__ = spec.name
        return module

    def exec_module(self, module: Any) -> None:
        """Nothing is in it."""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
