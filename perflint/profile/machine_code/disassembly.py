"""`nvdisasm`, from its wheel (`nvidia-cuda-nvdisasm`) or the PATH."""

from __future__ import annotations

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from perflint.base import processes
from perflint.profile.machine_code.blocks import UnreadableCodeError

_SECONDS = 60.0
_MOST = 256 << 20  #: bytes of text
_WHERE = ("cu13/bin", "cuda_nvdisasm/bin")  #: in the folder of NVIDIA's wheels


def program() -> Path | None:
    """The program; None where there is none."""
    spec = find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for folder in _WHERE:
            found = shutil.which("nvdisasm", path=str(Path(root) / folder))
            if found:
                return Path(found)
    return processes.program("nvdisasm")


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
        asked = processes.tool(nvdisasm, "-c", str(file))
        try:
            said = processes.output(asked, seconds=_SECONDS, most=_MOST, errors=True)
        except OSError as error:
            raise UnreadableCodeError(f"nvdisasm did not run: {error}") from error
    text = said.out.decode("utf-8", "replace")
    if said.status is None:
        raise UnreadableCodeError("nvdisasm did not come to an end, or printed too much")
    if said.status:
        raise UnreadableCodeError(f"nvdisasm: {(text.strip() or 'it failed').splitlines()[0]}")
    return text
