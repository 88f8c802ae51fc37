"""Where the program's own code called from: function and line of an address of a process.

The address's file comes from the process's map (proc(5)), the rest from the user's `addr2line`,
which comes with the C compiler. Lines are there where the host code was built with -g.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from perflint.base import processes

_LOAD = 1
_SECONDS = 20.0
_MOST = 1 << 16


def caller(process: int, address: int) -> str:
    """` in main (app.cu:17)` for a return address in a process; "" where nothing is known."""
    found = _mapped(process, address - 1)  # a call ends where it returns to
    if found is None:
        return ""
    path, at = found
    place = _line(path, at)
    return f" in {place or f'{path.name}+{at:#x}'}"


def _mapped(process: int, address: int) -> tuple[Path, int] | None:
    """The file that an address of a process lies in, and the address as the file has it."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        match = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ +(/.*)$", line)
        if match and int(match[1], 16) <= address < int(match[2], 16):
            path = Path(match[4])
            at = _virtual(path, address - int(match[1], 16) + int(match[3], 16))
            return None if at is None else (path, at)
    return None


def _virtual(path: Path, offset: int) -> int | None:
    """The address in an ELF file's own numbering of a byte of it."""
    try:
        with path.open("rb") as file:
            data = file.read(1 << 16)
        start, size, count = (
            *struct.unpack_from("<Q", data, 32),
            *struct.unpack_from("<HH", data, 54),
        )
        for k in range(count):
            kind, _, at, address, _, length, _, _ = struct.unpack_from(
                "<IIQQQQQQ", data, start + size * k
            )
            if kind == _LOAD and at <= offset < at + length:
                return int(address + offset - at)
    except (OSError, struct.error):
        pass
    return None


def _line(path: Path, address: int) -> str:
    """`main (app.cu:17)`, `main`; "" where there is no addr2line, or it knows nothing."""
    tool = processes.program("addr2line")
    if tool is None:
        return ""
    asked = processes.tool(tool, "-f", "-C", "-e", str(path), hex(address))
    try:
        said = processes.output(asked, seconds=_SECONDS, most=_MOST).out.decode("utf-8", "replace")
    except OSError:
        return ""
    function, place = [*said.splitlines(), "", ""][:2]
    function = "" if function.startswith("??") else function
    place = "" if place.startswith("??") else place.split(" ")[0].removesuffix(":?")
    return f"{function} ({place})" if function and place else function or place
