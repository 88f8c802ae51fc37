"""Fat binaries: which PTX is taken, however it is packed."""

from __future__ import annotations

import struct
from contextlib import suppress

import lz4.block
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from perflint.run.fatbin import DeviceCodeError, Entry, entries, ptx_of

_PACKED = {"plain": 0, "lz4": 0x2000, "zstd": 0x8000}


def _entry(ptx: bool, arch: int, data: bytes, packing: str = "plain") -> bytes:
    """One entry as nvcc writes it."""
    packed = data
    if packing == "lz4":
        packed = lz4.block.compress(data, store_size=False)
    elif packing == "zstd":
        packed = zstandard.ZstdCompressor().compress(data)
    stored = packed + bytes(-len(packed) % 8)
    head = struct.pack(
        "<HHIQI8xI8xQ8xQ", 1 if ptx else 2, 0x0101, 64, len(stored), len(packed), arch,
        _PACKED[packing], len(data),
    )  # fmt: skip
    return head + stored


def _fatbin(*parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def _text(arch: int) -> bytes:
    return f".version 8.0\n.target sm_{arch}\n".encode()


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([50, 70, 75, 80, 86, 90, 100]),
                  st.sampled_from(sorted(_PACKED))), max_size=6,
    ),
    st.sampled_from([70, 80, 90]),
)  # fmt: skip
def test_the_newest_ptx_not_above_the_gpu_is_taken(
    parts: list[tuple[bool, int, str]], arch: int
) -> None:
    image = _fatbin(*(_entry(ptx, a, _text(a) + b"\0", p) for ptx, a, p in parts))
    assert [(e.ptx, e.arch) for e in entries(image)] == [(ptx, a) for ptx, a, _ in parts]
    fitting = [a for ptx, a, _ in parts if ptx and a <= arch]
    if fitting:
        assert ptx_of(image, arch).encode() == _text(max(fitting))
    else:
        with pytest.raises(DeviceCodeError, match="-gencode arch=compute_"):
            ptx_of(image, arch)


def test_other_images() -> None:
    assert ptx_of(_text(80) + b"\0junk", 80) == _text(80).decode()
    with pytest.raises(DeviceCodeError, match="a cubin") as error:
        ptx_of(b"\x7fELF" + bytes(60), 80)
    assert error.value.only_sass
    for junk in (b"", b"\0", b"nothing", struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 999)):
        with pytest.raises(DeviceCodeError):
            ptx_of(junk, 80)


@given(st.binary(max_size=200))
def test_damaged_images_are_refused_and_never_more(data: bytes) -> None:
    for image in (data, _fatbin(data), _fatbin(_entry(True, 80, _text(80), "zstd")[:64] + data)):
        with suppress(DeviceCodeError):
            ptx_of(image, 80)


def test_damaged_text_is_refused() -> None:
    for flags in (0x2000, 0x8000):
        with pytest.raises(DeviceCodeError, match="cannot be unpacked"):
            Entry(True, 80, b"\xff" * 50, flags, 100).text()
