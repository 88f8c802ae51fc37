"""One process of the program: its modules, its memory, and what it asks for."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from perflint.base.records import dataclass
from perflint.run import child_works, host_places, interruptions, protocol
from perflint.run.fatbin import DeviceCodeError, holds_runtime, kernels_of
from perflint.run.launches import Job, Outcome
from perflint.run.memory import SIZE, HostRegion, Regions, SharedMemory
from perflint.run.modules import LoadedModule, load_module
from perflint.run.protocol import Code, What
from perflint.run.unsimulated import Unsimulated, only_asks
from perflint.sim.architecture import Architecture
from perflint.sim.child_launches import Transfer
from perflint.sim.launch import ImageTexture, Texture, UnsupportedInstructionError
from perflint.sim.memory import REGION_SHIFT, base_address
from perflint.sim.recorded_memory import bound
from perflint.sim.system_calls import Heap
from perflint.sim.textures import Bound

_PEER = struct.Struct("<3i")  #: process, user, group (unix(7), SO_PEERCRED)
_FIRST_TEXTURE = 0x800000
_ALL = 0xFF  #: devices
_HEAP_LIMIT = 2  # cudaLimitMallocHeapSize
_WAITING_LIMIT = 4  # cudaLimitDevRuntimePendingLaunchCount
_ADDRESSING = ("wrap", "clamp", "mirror", "border")


@dataclass(frozen=True)
class Options:
    """What `perflint run` was told of the device."""

    arch: Architecture
    sms: int
    memory: int  #: bytes of the device
    checked: bool
    devices: int = 1  #: alike

    @property
    def generation(self) -> int:
        """80 for sm_80."""
        major, minor = self.arch.compute_capability
        return 10 * major + minor


class Session:
    """Answers a process until it ends."""

    def __init__(
        self,
        connection: socket.socket,
        options: Options,
        run: Callable[[Job], Outcome],
        tell: Callable[[str], None],
    ) -> None:
        """`run` runs a launch (and may watch it); `tell` shows the user a line."""
        self.connection, self.options, self.run, self.tell = connection, options, run, tell
        self.memory = SharedMemory.made()
        self.regions = Regions(self.memory)
        self.modules: dict[int, LoadedModule] = {}
        self.functions: list[tuple[LoadedModule, str]] = []
        #: what cannot be simulated, by module and kernel; "" for all of a module
        self.unsimulated: dict[tuple[int, str], Unsimulated] = {}
        self._module_numbers = count(1)
        self._files: dict[int, str] = {}  #: who brought each module
        self._given: set[int] = set()  #: where the program put its __managed__ variables
        self.textures: dict[int, Bound] = {}
        self._texture_numbers = count(_FIRST_TEXTURE)
        self._printed = bytearray()
        self.heap: Heap | None = None
        self.heap_bytes = 8 << 20  # cudaLimitMallocHeapSize
        self.most_waiting = child_works.MOST_WAITING
        self._told_waiting = False

    def serve(self) -> None:
        """Until the process closes its end."""
        while True:
            message = protocol.receive(self.connection)
            if message is None:
                return
            what, body = message
            if what == What.HELLO:
                device = protocol.device_info(
                    self.options.arch,
                    sms=self.options.sms,
                    memory=self.options.memory,
                    checked=self.options.checked,
                    devices=self.options.devices,
                )
                protocol.greet(self.connection, self.memory.file, SIZE, device)
                continue
            error, reply = self._answer(what, body)
            try:
                protocol.answer(self.connection, error, reply)
            except ConnectionError:
                return

    def _answer(self, what: int, body: bytes) -> tuple[int, bytes]:
        if what == What.LAUNCH:
            return self._launch(body)
        if what == What.LOAD_MODULE:
            return self._load(body)
        if what == What.GET_FUNCTION:
            return self._function(body)
        if what == What.GET_VARIABLE:
            return self._variable(body)
        if what == What.BIND_TEXTURE:
            return self._bind(body)
        if what == What.DROP_TEXTURE:
            handle = struct.unpack("<Q", body)[0]
            self.textures.pop(handle >> REGION_SHIFT, None)
        elif what == What.UNLOAD_MODULE:
            self.modules.pop(struct.unpack("<i", body)[0], None)
        elif what == What.SET_LIMIT:
            which, value = struct.unpack("<2Q", body)
            if which == _HEAP_LIMIT and self.heap is None:
                self.heap_bytes = max(value, 1 << 20)
            elif which == _WAITING_LIMIT:
                self.most_waiting = value
        elif what == What.NOT_LAUNCHED:
            self._not_launched(struct.unpack_from("<i", body)[0], body[4:].decode())
        elif what == What.OTHER_RUNTIME:
            self._other_runtime(Path(body.decode("utf-8", "replace")))
        elif what == What.MISSING:
            self._missing(*body.decode("utf-8", "replace").split("\0"))
        elif what == What.TELL:
            self.tell(body.decode("utf-8", "replace"))
        return Code.OK, b""

    # --- modules ---------------------------------------------------------------------------------

    def _load(self, body: bytes) -> tuple[int, bytes]:
        asked = protocol.module_request(body)
        number = next(self._module_numbers)
        self._files[number] = asked.file
        try:
            loaded = load_module(
                number, asked.image, self.options.generation, self.memory, asked.device
            )
        except DeviceCodeError as error:
            self.tell(f"device code that cannot be simulated: {error}")
            refused = Unsimulated(asked.file, str(error), asked.functions)
            self.unsimulated[number, ""] = refused
            code = Code.NO_BINARY if error.only_sass else Code.INVALID_PTX
            return code, struct.pack("<i", number)
        self.modules[number] = loaded
        if self.options.checked:
            for region in loaded.variables.values():
                self.memory.known(region.host, region.size or 0)[:] = 1
        return Code.OK, struct.pack("<i", number)

    def _function(self, body: bytes) -> tuple[int, bytes]:
        (module,), name = struct.unpack_from("<i", body), body[4:].decode()
        loaded = self.modules[module]
        function = loaded.module.functions.get(name)
        if function is None or function.kind != "entry":
            if loaded.left_out:
                self._refuse(module, name, loaded.left_out)
            return Code.INVALID_FUNCTION, b""
        try:
            ready = loaded.ready(name)
        except UnsupportedInstructionError as error:
            self.tell(f"kernel {name}: {error}")
            self._refuse(module, name, str(error))
            return Code.NOT_SUPPORTED, b""
        self.functions.append((loaded, name))
        return Code.OK, protocol.function_info(
            len(self.functions) - 1,
            shared=ready.shared.size,
            local=ready.local.size,
            constant=loaded.constant_bytes(),
            max_threads=min(ready.most_threads, self.options.arch.max_threads_per_block),
            registers=32,
            arch=self.options.generation,
            parameters=ready.layout,
            size=ready.parameters.size,
        )

    def _variable(self, body: bytes) -> tuple[int, bytes]:
        module, _, at = struct.unpack_from("<iIQ", body)
        loaded, name = self.modules[module], body[16:].decode()
        if at and name in loaded.variables:
            region = self.regions.of_any(at >> REGION_SHIFT)
            if isinstance(region, HostRegion):
                size = loaded.variables[name].size or 0
                loaded.give_place(name, at, region, at not in self._given)
                self._given.add(at)
                return Code.OK, struct.pack("<2Q", at, size)
        if name in loaded.managed:
            address = loaded.managed[name]
            return Code.OK, struct.pack("<2Q", address, loaded.module.variables[name].size)
        if name not in loaded.variables:
            return Code.INVALID_SYMBOL, b""
        variable = loaded.variables[name]
        address = base_address(variable.number)
        return Code.OK, struct.pack("<2Q", address, loaded.module.variables[name].size)

    # --- what is not simulated -------------------------------------------------------------------

    def _refuse(self, module: int, kernel: str, why: str) -> Unsimulated:
        new = Unsimulated(self._files.get(module, ""), why, kernels={kernel})
        return self.unsimulated.setdefault((module, kernel), new)

    def _not_launched(self, module: int, kernel: str) -> None:
        found = self.unsimulated.get((module, kernel)) or self.unsimulated.get((module, ""))
        if found is not None:
            found.kernels.add(kernel)
            found.launches = (found.launches or 0) + 1

    def _other_runtime(self, file: Path) -> None:
        """NVIDIA's own runtime, in a program or library: it gets nothing to run its kernels on.

        NVIDIA's compilers ask for the same, and run nothing.
        """
        if not holds_runtime(file):
            return
        if file.name.startswith("libcudart.so"):
            why = f"NVIDIA's own {file} was found before perflint's; take it off the program's path"
        else:
            why = "it holds NVIDIA's runtime itself, and no symbols; build it with -cudart shared"
        self.tell(f"{file}: {why}")
        self.unsimulated[0, str(file)] = Unsimulated(
            str(file), why, kernels=kernels_of(file), launches=None
        )

    def _missing(self, function: str, takes: str) -> None:
        """A function of CUDA's that is not simulated was called: what it does was not done."""
        self.tell(f"{function}: {takes}")
        if not only_asks(function):
            self.unsimulated[0, function] = Unsimulated(
                "", takes, launches=None, functions={function}
            )

    # --- textures --------------------------------------------------------------------------------

    def _bind(self, body: bytes) -> tuple[int, bytes]:
        asked = protocol.texture_request(body)
        base = self.regions.of_any(asked.address >> REGION_SHIFT)
        if not isinstance(base, HostRegion):
            return Code.INVALID_VALUE, b""
        number = next(self._texture_numbers)
        self.textures[number] = bound_texture(number, asked, base)
        return Code.OK, struct.pack("<Q", number << REGION_SHIFT)

    # --- launches --------------------------------------------------------------------------------

    def _heap(self) -> Heap:
        """The memory that kernels' malloc gives, the same for all launches."""
        if self.heap is None:
            region = self.memory.allocate(self.heap_bytes, "device heap", shared=_ALL)
            self.regions[region.number] = region
            self.heap = Heap(region, self.heap_bytes)
        return self.heap

    def _alive(self) -> bool:
        """Whether the program still waits for an answer."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except ConnectionError:
            return False

    def _caller(self, address: int) -> str:
        """Who called from an address of the program."""
        peer = self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        return host_places.caller(_PEER.unpack(peer)[0], address)

    def _launch(self, body: bytes) -> tuple[int, bytes]:
        request = protocol.launch_request(body)
        loaded, name = self.functions[request.function]
        self._printed.clear()
        job = Job(
            loaded, name, request, self.regions, self.textures, self.options.arch,
            self._printed.extend, self._heap(), self._alive, self._caller,
        )  # fmt: skip
        error: int = Code.OK
        works: list[Job | Transfer] = [job]
        while works and not error:
            error = self._done(works)
        return error, bytes(self._printed)

    def _done(self, works: list[Job | Transfer]) -> int:
        """Do the last of some works, which leaves there what it asks for; CUDA's error."""
        work = works.pop()
        if isinstance(work, Transfer):
            return Code.OK if child_works.transfer(work, self.regions) else Code.ILLEGAL_ADDRESS
        self.regions.fresh(work.request.device, work.request.reachable)
        with interruptions.held():
            outcome = self.run(work)
        if interruptions.came():
            raise KeyboardInterrupt
        if outcome.unsupported:
            self._refuse(work.loaded.number, work.kernel, outcome.text)
            self._not_launched(work.loaded.number, work.kernel)
        waiting = child_works.pending(work, outcome)
        if len(waiting) > self.most_waiting and not self._told_waiting:
            self._told_waiting = True
            self.tell(child_works.too_many(work.kernel, len(waiting), self.most_waiting))
        works += waiting
        return outcome.error


def bound_texture(number: int, asked: protocol.TextureRequest, base: HostRegion) -> Bound:
    """A texture of the simulator's on an allocation's texels."""
    offset = asked.address - base_address(base.number)
    region = HostRegion(number, base.name, base.host + offset, (base.size or 0) - offset)
    region.owner = base.owner
    layered, cube = bool(asked.flags & 1), bool(asked.flags & 4)
    layers = max(asked.depth, 1) if layered or cube else 1
    depth = 1 if layered or cube else max(asked.depth, 1)
    texture = Texture(
        f"texture {number}",
        (layers, depth, max(asked.height, 1), asked.width),
        f"{'suf'[asked.format]}{asked.bits}",
        asked.channels,
        addressing=_ADDRESSING[asked.modes[0]],
        linear=asked.linear,
        normalised_coordinates=asked.normalized,
        normalised_values=asked.as_float,
    )
    if not asked.normalized and asked.modes[0] in (0, 2):
        # Wrap and mirror are for normalised coordinates; others are clamped (cudaTextureDesc).
        texture = replace(texture, addressing="clamp")
    flat = asked.pitch and asked.height and not (layered or cube or asked.depth)
    loose = flat and asked.pitch != asked.width * texture.texel_bytes
    return bound(ImageTexture(texture, asked.pitch if loose else 0), region)
