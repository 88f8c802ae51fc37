"""Run a module of the user's and compile the kernels that it launches: a process of its own.

Nothing is launched: the compiler's launch function is replaced by one that compiles and notes the
arguments. `python -m perflint.python_kernels.worker FOLDER` reads `request.json` there and leaves
`manifest.json` and the PTX.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any, Protocol

from perflint.python_kernels.home import announce, dotted
from perflint.python_kernels.made_calls import Caller
from perflint.python_kernels.manifest import REQUEST, Manifest, NotCompiled, Order
from perflint.python_kernels.stand_ins import torch_module
from perflint.python_kernels.stand_ins.finder import Finder


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
    sys.argv = [order.file]
    # The report's is not the module's; and what functions print of made-up tensors tells nobody.
    sys.stdout = Path(os.devnull).open("w") if order.made else sys.stderr  # noqa: SIM115
    calling = order.made and order.compiler == "triton"
    if calling or importlib.util.find_spec("torch") is None:
        torch_module.install(order.arch)
        _show_gpu(folder / "bin")
    sys.meta_path.append(Finder(manifest.remarks))
    namespace = (_call if order.made else _run)(order.file, recorder, manifest)
    recorder.compile_given(namespace)
    manifest.write(folder)


def _show_gpu(folder: Path) -> None:
    """Let modules that ask `nvidia-smi` whether a GPU of NVIDIA's is there hear that one is."""
    folder.mkdir()
    tool = folder / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho NVIDIA GPU\n")
    tool.chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"


def _call(file: str, recorder: Recorder, manifest: Manifest) -> dict[str, Any]:
    """Import the module as its package does, and call what launches kernels."""
    name = announce(Path(file))
    try:
        module = importlib.import_module(name)
    except Exception as error:
        _ended(error, file, manifest)
        return {}
    if not hasattr(recorder, "supposing"):
        return vars(module)
    caller = Caller(recorder)
    caller.call_all(module, file)
    for failed in dict.fromkeys(caller.failures):
        manifest.remarks.append(f"{failed.name} with made-up arguments: {failed.reason}")
    return vars(module)


def _run(file: str, recorder: Recorder, manifest: Manifest) -> dict[str, Any]:
    """Run the module as `python FILE` would, as far as it comes without a GPU."""
    module = types.ModuleType("__main__")
    module.__file__ = file
    sys.modules["__main__"] = module
    sys.path.insert(0, str(Path(file).parent))
    sys.path.append(str(dotted(Path(file))[0]))
    try:
        text = Path(file).read_bytes()
        exec(compile(text, file, "exec"), module.__dict__)
    except SystemExit:
        pass
    except Exception as error:
        _ended(error, file, manifest)
    return module.__dict__


def _ended(error: Exception, file: str, manifest: Manifest) -> None:
    """Note how a module ended before its last line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines = [error.lineno]
    text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    reason = f"the module ended with {text[:300]}; launches after it were not seen"
    manifest.failures.append(NotCompiled("", (lines[-1] if lines else 1) or 1, reason))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
