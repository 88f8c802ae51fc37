"""Functions of CUDA's device runtime that kernels call: printf, assert, malloc, free.

What they take and give is in the CUDA C++ programming guide (formatted output, assertion, dynamic
global memory allocation) and in "PTX interoperability", section "System calls".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Function, Symbol
from perflint.sim import child_launches
from perflint.sim.launch import Fill
from perflint.sim.memory import LOCAL_WINDOW, REGION_SHIFT, Accounting, Region, base_address
from perflint.sim.site import Site
from perflint.sim.unique_values import unique_values
from perflint.sim.values import DTYPE, Value

if TYPE_CHECKING:
    from perflint.sim.device import Device
    from perflint.sim.lanes import Lanes

#: What each takes and gives, by PTX type.
SIGNATURES: dict[str, tuple[tuple[str, ...], str | None]] = {
    "vprintf": (("b64", "b64"), "b32"),
    "__assertfail": (("b64", "b64", "b32", "b64", "b64"), None),
    "malloc": (("b64",), "b64"),
    "__nv_aligned_device_malloc": (("b64", "b64"), "b64"),
    "free": (("b64",), None),
    **child_launches.SIGNATURES,
}
HEAP = 0x3FFFFF  #: the number of the region that malloc gives from, unless the device has another
_HEAP_BYTES = 8 << 20  # cudaLimitMallocHeapSize, as it is unless a program sets it
_ALIGNMENT = 16
_LONGEST = 1 << 16  #: characters of a string


class AssertionFailedError(Exception):
    """A thread's assertion does not hold; the message is CUDA's."""


@dataclass
class Heap:
    """The memory that malloc gives: from the front on, and anew once all of it was freed."""

    region: Region
    size: int
    top: int = 0
    live: int = 0

    def take(self, sizes: np.ndarray, alignment: int = _ALIGNMENT) -> np.ndarray:
        """Addresses (n,) uint64 of blocks of some sizes (n,); 0 where there is no room."""
        room = -(-np.maximum(sizes, 1) // alignment) * alignment
        start = -(-self.top // alignment) * alignment
        ends = start + np.cumsum(room)
        fits = (ends <= self.size) & (sizes > 0)
        if fits.any():
            self.top = int(ends[fits].max())
            self.live += int(np.count_nonzero(fits))
        found = base_address(self.region.number) + (ends - room)
        return np.where(fits, found, 0).astype(np.uint64)

    def give(self, addresses: np.ndarray) -> None:
        """Take blocks back."""
        self.live -= int(np.count_nonzero(addresses))
        if self.live <= 0:
            self.live = self.top = 0


def allocates(kernel: Function) -> bool:
    """Whether a kernel calls malloc."""
    calls = (i.call.target for i in kernel.instructions if i.call is not None)
    return any(isinstance(t, Symbol) and "malloc" in t.name for t in calls)


def new_heap(accounting: Accounting) -> Heap:
    """A heap in a region of its own."""
    return Heap(Region(HEAP, "device heap", Fill.ZERO, 1024, accounting), _HEAP_BYTES)


def call(device: Device, lanes: Lanes, name: str, values: tuple[Value, ...]) -> Value:
    """Do what a function does for some lanes; its result, 0 for those that have none."""
    arrays = [lanes.array(v) for v in values]
    if name == "vprintf":
        if device.printed is not None:
            device.printed(printed(device, lanes, arrays[0], arrays[1]))
        return np.uint32(1)
    if name == "__assertfail":
        raise AssertionFailedError(_assertion(device, lanes, arrays))
    if name in child_launches.SIGNATURES:
        return device.children.call(name, lanes.slots, arrays)
    heap = device.heap
    if name == "free":
        heap.give(arrays[0])
        return np.uint32(0)
    alignment = int(arrays[1].max()) if len(arrays) > 1 else _ALIGNMENT
    return heap.take(arrays[0].astype(np.int64), max(alignment, _ALIGNMENT))


def _assertion(device: Device, lanes: Lanes, arrays: list[np.ndarray]) -> str:
    """The line that CUDA prints of the first lane."""
    one = lanes.subset(np.array([0]))
    message, file, line, function = (a[0] for a in arrays[:4])
    texts = [
        string_at(device, one, int(at)).decode("utf-8", "replace")
        for at in (message, file, function)
    ]
    return f"{texts[1]}:{int(line)}: {texts[2]}: Assertion `{texts[0]}` failed."


# --- printf ---------------------------------------------------------------------------------------

_SPEC = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|-?\d*))?"
    rb"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<type>[diouxXfFeEgGaAcspn%])"
)
_INTEGERS = b"diouxXc"
_FLOATS = b"fFeEgGaA"


@dataclass(frozen=True)
class _Piece:
    """Plain text, and the conversion that follows it."""

    text: bytes
    spec: re.Match[bytes] | None

    @property
    def sizes(self) -> list[int]:
        """Bytes of each value that the conversion takes."""
        if self.spec is None or self.spec["type"] == b"%":
            return []
        stars = [4 for part in ("width", "precision") if self.spec[part] == b"*"]
        wide = self.spec["type"] not in b"diouxXc" or self.spec["length"] in (
            b"l",
            b"ll",
            b"j",
            b"z",
            b"t",
        )
        return [*stars, 8 if wide else 4]


@lru_cache(maxsize=256)
def _pieces(template: bytes) -> tuple[_Piece, ...]:
    out, at = [], 0
    for match in _SPEC.finditer(template):
        out.append(_Piece(template[at : match.start()], match))
        at = match.end()
    out.append(_Piece(template[at:], None))
    return tuple(out)


def printed(device: Device, lanes: Lanes, templates: np.ndarray, arguments: np.ndarray) -> bytes:
    """What some lanes print, one after the other."""
    out = bytearray()
    known: dict[int, bytes] = {}
    for template in unique_values(templates).tolist():
        chosen = np.flatnonzero(templates == template)
        some = lanes.subset(chosen)
        known[template] = string_at(device, some, template)
    rows = {
        template: _rows(device, lanes, np.flatnonzero(templates == template), arguments, text)
        for template, text in known.items()
    }
    for template in templates.tolist():
        out += next(rows[template])
    return bytes(out)


def _rows(
    device: Device, lanes: Lanes, chosen: np.ndarray, arguments: np.ndarray, template: bytes
) -> Iterator[bytes]:
    """The text of each of the chosen lanes, which share a template."""
    some, pieces = lanes.subset(chosen), _pieces(template)
    columns: list[np.ndarray] = []
    at = 0
    for size in (s for piece in pieces for s in piece.sizes):
        at = -(-at // size) * size
        address = arguments[chosen] + np.uint64(at)
        columns.append(_load(device, some, address, "b32" if size == 4 else "b64"))
        at += size
    for row in range(len(chosen)):
        values = iter([column[row] for column in columns])
        lane = some.subset(np.array([row]))
        yield b"".join(_converted(device, lane, piece, values) for piece in pieces)


def _load(device: Device, lanes: Lanes, address: np.ndarray, ptx_type: str) -> np.ndarray:
    site = Site(-1, "generic", "load", ptx_type, DTYPE[ptx_type], traced=False)
    return lanes.array(device.load(lanes, site, address)[0])


def _converted(device: Device, lane: Lanes, piece: _Piece, values: Iterator[Any]) -> bytes:
    spec = piece.spec
    if spec is None:
        return piece.text
    kind = spec["type"]
    if kind == b"%":
        return piece.text + b"%"
    width, precision = spec["width"], spec["precision"]
    if width == b"*":
        width = b"%d" % int(np.int32(np.uint32(next(values))))
    if precision == b"*":
        precision = b"%d" % max(0, int(np.int32(np.uint32(next(values)))))
    shape = (
        b"%" + spec["flags"] + (width or b"") + (b"." + precision if precision is not None else b"")
    )
    value = next(values)
    return piece.text + _one(device, lane, shape, spec, value)


def _one(device: Device, lane: Lanes, shape: bytes, spec: re.Match[bytes], value: Any) -> bytes:
    kind = spec["type"]
    if kind in _FLOATS:
        number = float(np.uint64(value).view(np.float64))
        if kind in b"aA":
            return number.hex().encode()
        if not np.isfinite(number):
            shape = shape.replace(b"0", b" ").split(b".")[0]
            text = "nan" if np.isnan(number) else "inf" if number > 0 else "-inf"
            return (shape + b"s") % (text.upper() if kind.isupper() else text).encode()
        return bytes((shape + kind) % number)
    if kind == b"s":
        return (shape + b"s") % (string_at(device, lane, int(value)) if value else b"(null)")
    if kind == b"p":
        return (shape + b"s") % f"{int(value):#x}".encode()
    if kind == b"n":
        return b""
    if kind == b"c":
        return (shape + b"c") % (int(value) & 0xFF)
    bits = {b"hh": 8, b"h": 16}.get(spec["length"] or b"", value.dtype.itemsize * 8)
    number = int(value) & ((1 << bits) - 1)
    if kind in b"di":
        number -= (number >> (bits - 1)) << bits
        return bytes((shape + b"d") % number)
    return bytes((shape + (b"d" if kind == b"u" else kind)) % number)


def string_at(device: Device, lanes: Lanes, address: int) -> bytes:
    """The text at an address, up to its end; of the first lane's, where it is local memory."""
    region = device.regions.get(address >> REGION_SHIFT)
    one = lanes.subset(np.array([0]))
    out = bytearray()
    step = 1 if address >> REGION_SHIFT == LOCAL_WINDOW or region is None else 64
    while len(out) < _LONGEST:
        if region is not None:
            offset = np.arange(step) + (address + len(out) - base_address(region.number))
            last = region.size if region.size is not None else int(offset[-1]) + 1
            offset = offset[offset < last]
            if not len(offset):
                break
            part = region.load(offset, int(offset[0]), int(offset[-1]), DTYPE["b8"], "b8", 1)[0]
        else:
            part = _load(device, one, np.array([address + len(out)], np.uint64), "b8")
        text = part.tobytes()
        out += text
        if b"\0" in text:
            break
    return bytes(out.split(b"\0")[0])
