"""What a program's file tells of how it uses CUDA, before it is started."""

from __future__ import annotations

import struct
from pathlib import Path

from perflint.base.records import dataclass

_NEEDED, _STRTAB = 1, 5
_DYNAMIC, _LOAD = 2, 1
_SYMTAB = 2  # a kind of section
_MOST = 1 << 30


@dataclass(frozen=True)
class Binary:
    """An ELF file of 64 bits."""

    has_device_code: bool
    has_static_runtime: bool
    has_symbols: bool  #: it was not stripped


def inspect(path: Path) -> Binary | None:
    """What a program's file says; None for scripts and what cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST)
    except OSError:
        return None
    if data[:5] != b"\x7fELF\x02":
        return None
    try:
        needed = _needed(data)
    except (struct.error, IndexError):
        return None
    shared = any(name.startswith("libcudart.so") for name in needed)
    return Binary(
        has_device_code=b".nv_fatbin\0" in data,
        # The static runtime opens the driver by name; a program with the shared one does not.
        has_static_runtime=not shared and b"libcuda.so.1\0" in data and b"cudart" in data,
        has_symbols=_has_symbols(data),
    )


def _has_symbols(data: bytes) -> bool:
    start, size, count = (*struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HH", data, 58))
    try:
        kinds = [struct.unpack_from("<I", data, start + size * k + 4)[0] for k in range(count)]
    except struct.error:
        return False
    return _SYMTAB in kinds


def _needed(data: bytes) -> list[str]:
    """The shared libraries that a file names."""
    start, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    headers = [struct.unpack_from("<IIQQQQQQ", data, start + size * k) for k in range(count)]
    loads = [(h[3], h[2], h[5]) for h in headers if h[0] == _LOAD]  # address, offset, bytes
    entries: list[tuple[int, int]] = []
    for header in headers:
        if header[0] == _DYNAMIC:
            places = range(header[2], header[2] + header[5], 16)
            entries += [struct.unpack_from("<QQ", data, at) for at in places]
    table = next((value for tag, value in entries if tag == _STRTAB), None)
    if table is None:
        return []
    offset = next(o + table - a for a, o, n in loads if a <= table < a + n)

    def text(at: int) -> str:
        return data[offset + at : data.index(b"\0", offset + at)].decode("utf-8", "replace")

    return [text(value) for tag, value in entries if tag == _NEEDED]
