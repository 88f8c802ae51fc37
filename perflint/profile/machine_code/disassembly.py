"""`nvdisasm`, from its wheel (`nvidia-cuda-nvdisasm`) or the PATH."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from perflint.profile.machine_code.blocks import UnreadableCodeError

_SECONDS = 60.0
_WHERE = ("cu13/bin", "cuda_nvdisasm/bin")  #: in the folder of NVIDIA's wheels


def program() -> Path | None:
    """The program; None where there is none."""
    spec = find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for folder in _WHERE:
            found = shutil.which("nvdisasm", path=str(Path(root) / folder))
            if found:
                return Path(found)
    found = shutil.which("nvdisasm")
    return Path(found) if found else None


def disassembled(image: bytes) -> str:
    """A cubin's code as text. Raises UnreadableCodeError."""
    nvdisasm = program()
    if nvdisasm is None:
        raise UnreadableCodeError(
            "there is no nvdisasm: `pip install nvidia-cuda-nvdisasm`, or put a toolkit's on PATH"
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(image)
        try:
            ran = subprocess.run(
                [nvdisasm, "-c", file], capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnreadableCodeError(f"nvdisasm did not run: {error}") from error
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UnreadableCodeError(f"nvdisasm: {said[0] if said else 'it failed'}")
    return ran.stdout.decode("utf-8", "replace")
