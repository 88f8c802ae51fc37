"""The messages between a program and its simulator, as `native/device.h` has them."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from enum import IntEnum

from perflint.base.records import dataclass
from perflint.sim.architecture import Architecture

PROTOCOL = 2
_HEAD = struct.Struct("<iI")
_DEVICE = struct.Struct("<18iQ64s")
_LAUNCH = struct.Struct("<i3I3I3I4I")
_TEXTURE = struct.Struct("<5Q4I3I4I4f")
_MODULE = struct.Struct("<2I248s")


class What(IntEnum):
    """What a program asks for."""

    HELLO = 1
    LOAD_MODULE = 2
    UNLOAD_MODULE = 3
    GET_FUNCTION = 4
    GET_VARIABLE = 5
    LAUNCH = 6
    BIND_TEXTURE = 7
    DROP_TEXTURE = 8
    TELL = 9
    SET_LIMIT = 10
    NOT_LAUNCHED = 11
    OTHER_RUNTIME = 12
    MISSING = 13


class Code(IntEnum):
    """CUDA's errors, those that perflint answers with."""

    OK = 0
    INVALID_VALUE = 1
    INVALID_CONFIGURATION = 9
    INVALID_SYMBOL = 13
    INVALID_FUNCTION = 98
    INVALID_IMAGE = 200
    NO_BINARY = 209
    INVALID_PTX = 218
    ILLEGAL_ADDRESS = 700
    LAUNCH_TIMEOUT = 702
    ASSERT = 710
    MISALIGNED = 716
    LAUNCH_FAILED = 719
    NOT_SUPPORTED = 801
    CLUSTER_SIZE = 912


class ProtocolError(Exception):
    """The program sent something that is no message."""


@dataclass(frozen=True)
class LaunchRequest:
    """A launch as the program asks for it."""

    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared: int  #: dynamic, bytes
    cooperative: bool
    device: int
    reachable: int  #: devices whose memory it may access, a bit each
    parameters: bytes


@dataclass(frozen=True)
class TextureRequest:
    """A texture or surface object: the texels' place and shape, and how they are fetched."""

    address: int
    pitch: int  #: bytes of a row; 0 where there is one row
    width: int
    height: int
    depth: int
    flags: int  #: cudaArrayLayered 1, cudaArrayCubemap 4
    bits: int
    channels: int
    format: int  #: 0 signed, 1 unsigned, 2 float
    modes: tuple[int, int, int]  #: 0 wrap, 1 clamp, 2 mirror, 3 border
    linear: bool
    normalized: bool
    as_float: bool


@dataclass(frozen=True)
class ModuleRequest:
    """A module to load."""

    functions: int  #: kernels that were registered with it
    device: int  #: that it is loaded for
    file: str  #: the program or library that brings it
    image: bytes


def receive(connection: socket.socket) -> tuple[int, bytes] | None:
    """The next message as (what, body); None at the program's end."""
    head = _exactly(connection, _HEAD.size)
    if head is None:
        return None
    what, size = _HEAD.unpack(head)
    body = _exactly(connection, size)
    return None if body is None else (what, body)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(min(size - len(parts), 1 << 20))
        except ConnectionError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)


def answer(connection: socket.socket, error: int, body: bytes = b"") -> None:
    """Reply to a message."""
    connection.sendall(_HEAD.pack(error, len(body)) + body)


def greet(connection: socket.socket, file: int, size: int, device: bytes) -> None:
    """The reply to HELLO, with the device's memory."""
    message = struct.pack("<Q", size) + device
    socket.send_fds(connection, [message[:8]], [file])
    connection.sendall(message[8:])


def device_info(arch: Architecture, *, sms: int, memory: int, checked: bool, devices: int) -> bytes:
    """`DeviceInfo` of an architecture."""
    major, minor = arch.compute_capability
    return _DEVICE.pack(
        PROTOCOL,
        major,
        minor,
        sms,
        arch.max_threads_per_sm,
        arch.max_blocks_per_sm,
        arch.registers_per_sm,
        arch.registers_per_sm,
        arch.max_threads_per_block,
        arch.shared_per_block,
        arch.shared_per_block_optin,
        arch.shared_per_sm,
        arch.shared_reserved_per_block,
        40 << 20,
        1 << 16,
        int(checked),
        devices,
        0,
        memory,
        f"perflint {arch.name} (simulated)".encode(),
    )


def function_info(
    number: int,
    *,
    shared: int,
    local: int,
    constant: int,
    max_threads: int,
    registers: int,
    arch: int,
    parameters: Sequence[tuple[int, int]],
    size: int,
) -> bytes:
    """`FunctionInfo`, and the (offset, size) of each parameter behind it."""
    head = struct.pack(
        "<10i", number, shared, local, constant, max_threads, registers, arch, arch,
        len(parameters), size,
    )  # fmt: skip
    return head + b"".join(struct.pack("<2i", *each) for each in parameters)


def launch_request(body: bytes) -> LaunchRequest:
    values = _LAUNCH.unpack_from(body)
    return LaunchRequest(
        function=values[0],
        grid=values[1:4],
        block=values[4:7],
        cluster=values[7:10],
        shared=values[10],
        cooperative=bool(values[11]),
        device=values[12],
        reachable=values[13],
        parameters=body[_LAUNCH.size :],
    )


def module_request(body: bytes) -> ModuleRequest:
    functions, device, file = _MODULE.unpack_from(body)
    name = file.split(b"\0")[0].decode("utf-8", "replace")
    return ModuleRequest(functions, device, name, body[_MODULE.size :])


def texture_request(body: bytes) -> TextureRequest:
    v = _TEXTURE.unpack_from(body)
    return TextureRequest(
        address=v[0], pitch=v[1], width=v[2], height=v[3], depth=v[4], flags=v[5], bits=v[6],
        channels=v[7], format=v[8], modes=(v[9], v[10], v[11]), linear=bool(v[12]),
        normalized=bool(v[13]), as_float=bool(v[14]),
    )  # fmt: skip
