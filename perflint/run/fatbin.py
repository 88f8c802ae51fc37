"""Device code in a program: fat binaries, ELF, PTX text.

A fat binary is a head and entries behind one another, each of one kind (PTX or SASS) and
architecture, mostly compressed: with LZ4 by nvcc up to 12.8, with zstd since. NVIDIA publishes no
format; this is what nvcc's own output shows, and what cuobjdump prints of it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

_MAGIC = 0xBA55ED50
_LINKED = b"PLNK"  # native/linked_image.h
_EM_CUDA = 190  # the machine that a cubin's head names
_A_NAME = b"\0cudaMemset\0"  # the runtime tells tools the names of its functions
_PTX = 1
_LZ4, _ZSTD = 0x2000, 0x8000
_ENTRY_NAME = pattern(rb"^[^\S\n]*(?:\.(?:visible|weak)\s+)?\.entry\s+([\w$]+)", re.MULTILINE)
_SECTION_NAME = pattern(rb"\0\.text\.([\w$]+)(?=\0)")  # of a cubin: each kernel has one
_LARGEST = 256 << 20  #: bytes of a file that is looked through for kernels
#: kind, version, size of the head, size of the data, size when compressed, …, architecture
_ENTRY = struct.Struct("<HHIQI8sI8sQ8sQ")


class DeviceCodeError(Exception):
    """Device code that cannot be simulated; the message says what helps."""

    def __init__(self, message: str, *, only_sass: bool = False) -> None:
        super().__init__(message)
        self.only_sass = only_sass


@dataclass(frozen=True)
class Entry:
    """One compilation in a fat binary."""

    ptx: bool
    arch: int  #: 80 for compute_80 or sm_80
    data: bytes  #: as it is stored
    flags: int
    size: int  #: of the text, where it is compressed

    def text(self) -> str:
        """The PTX. Raises DeviceCodeError where it cannot be unpacked."""
        return self.unpacked().rstrip(b"\0").decode("utf-8", "replace")

    def unpacked(self) -> bytes:
        """The data as it was before it was compressed. Raises DeviceCodeError."""
        data = self.data
        try:
            if self.flags & _ZSTD:
                import zstandard

                data = zstandard.ZstdDecompressor().decompress(data, max_output_size=self.size)
            elif self.flags & _LZ4:
                import lz4.block

                data = lz4.block.decompress(data, uncompressed_size=self.size)
        except Exception as error:  # each library has its own
            raise DeviceCodeError(
                f"compressed device code that cannot be unpacked: {error}"
            ) from error
        return data


def entries(image: bytes) -> list[Entry]:
    """What a fat binary holds. Raises DeviceCodeError for what is none."""
    if len(image) < 16 or struct.unpack_from("<I", image)[0] != _MAGIC:
        raise DeviceCodeError("no fat binary")
    head, whole = struct.unpack_from("<HQ", image, 6)
    at, end = head, min(len(image), head + whole)
    out = []
    while at + _ENTRY.size <= end:
        kind, _, front, size, packed, _, arch, _, flags, _, text = _ENTRY.unpack_from(image, at)
        start = at + front
        stored = packed if flags & (_LZ4 | _ZSTD) else size
        out.append(Entry(kind == _PTX, arch, image[start : start + stored], flags, text))
        at = start + size
    return out


def parts(image: bytes) -> list[bytes]:
    """The objects in an image: what a linker put together, fat binaries one behind the other.

    It alone if it is neither. Of archives and host objects, the fat binaries in them.
    """
    if image[:4] == _LINKED:
        return [part for each in _linked(image) for part in parts(each)]
    if image[:8] == b"!<arch>\n" or _is_host_object(image):
        return _fat_binaries(image)
    out = []
    at = 0
    while at + 16 <= len(image) and struct.unpack_from("<I", image, at)[0] == _MAGIC:
        head, whole = struct.unpack_from("<HQ", image, at + 6)
        out.append(image[at : at + head + whole])
        at += head + whole
    return out or [image]


def _linked(image: bytes) -> list[bytes]:
    """The parts that native/linked_image.h put together."""
    count, at = struct.unpack_from("<I", image, 4)[0], 16
    out = []
    for _ in range(count):
        size = struct.unpack_from("<Q", image, at)[0]
        out.append(image[at + 8 : at + 8 + size])
        at += 8 + size
    return out


def _is_host_object(image: bytes) -> bool:
    return image[:4] == b"\x7fELF" and struct.unpack_from("<H", image, 18)[0] != _EM_CUDA


def _fat_binaries(image: bytes) -> list[bytes]:
    """All fat binaries anywhere in a file; the file itself if there are none."""
    out = []
    at = image.find(_MAGIC.to_bytes(4, "little"))
    while 0 <= at <= len(image) - 16:
        head, whole = struct.unpack_from("<HQ", image, at + 6)
        out.append(image[at : at + head + whole])
        at = image.find(_MAGIC.to_bytes(4, "little"), at + 4)
    return out or [image]


def ptx_of(image: bytes, arch: int) -> str:
    """The newest PTX that is not above an architecture (80 for sm_80), from any kind of image.

    Raises DeviceCodeError with the flag that helps.
    """
    if image[:4] == b"\x7fELF":
        raise DeviceCodeError(
            "a cubin: machine code, of which nothing is simulated; load the PTX instead "
            "(nvcc -ptx)", only_sass=True,
        )  # fmt: skip
    if struct.unpack_from("<I", image.ljust(4, b"\0"))[0] != _MAGIC:
        text = image.split(b"\0")[0].decode("utf-8", "replace")
        if ".version" not in text:
            raise DeviceCodeError("neither PTX nor a fat binary")
        return text
    return _chosen(entries(image), arch).text()


def _chosen(found: Sequence[Entry], arch: int) -> Entry:
    ptx = [e for e in found if e.ptx]
    fitting = [e for e in ptx if e.arch <= arch]
    if fitting:
        return max(fitting, key=lambda e: e.arch)
    if ptx:
        least = min(e.arch for e in ptx)
        raise DeviceCodeError(
            f"its PTX is for compute_{least} and later; run with --arch sm_{least}, or build with "
            f"-gencode arch=compute_{arch},code=compute_{arch}"
        )
    sass = sorted({e.arch for e in found})
    kinds = ", ".join(f"sm_{a}" for a in sass) or "nothing"
    raise DeviceCodeError(
        f"it holds machine code for {kinds} and no PTX; build with "
        f"-gencode arch=compute_{arch},code=compute_{arch}", only_sass=True,
    )  # fmt: skip


def holds_runtime(path: Path) -> bool:
    """Whether a file is NVIDIA's runtime, or has it linked in; True where it cannot be read."""
    try:
        return path.name.startswith("libcudart.so") or _A_NAME in path.read_bytes()
    except OSError:
        return True


def kernels_of(path: Path) -> set[str]:
    """The names of the kernels in a program or library; none where it cannot be read.

    A file above 256 MiB is not looked through.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError:
        return set()
    out: set[str] = set()
    at = data.find(_MAGIC.to_bytes(4, "little"))
    while at >= 0:
        try:
            for each in entries(data[at : at + 16 + struct.unpack_from("<Q", data, at + 8)[0]]):
                names = _ENTRY_NAME if each.ptx else _SECTION_NAME
                out |= {name.decode() for name in names.findall(each.unpacked())}
        except (DeviceCodeError, struct.error):
            pass
        at = data.find(_MAGIC.to_bytes(4, "little"), at + 4)
    return out
