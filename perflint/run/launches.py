"""A launch of a program, run whole on the simulator."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from perflint.base.records import dataclass
from perflint.run import interruptions
from perflint.run.memory import (
    ENDLESS,
    FIRST_DEVICE,
    HostRegion,
    IllegalAddressError,
    Regions,
    SpanRegion,
    WildRegion,
)
from perflint.run.modules import LoadedModule, ReadyKernel
from perflint.run.protocol import Code, LaunchRequest
from perflint.sim import emulator, waves
from perflint.sim.architecture import Architecture
from perflint.sim.child_launches import ARGUMENTS, ChildLaunch, Work
from perflint.sim.device import Device
from perflint.sim.emulator import cluster_of
from perflint.sim.images import RESERVED
from perflint.sim.lanes import Lanes
from perflint.sim.launch import (
    UNBOUNDED,
    Dim3,
    Fault,
    Fill,
    Launch,
    Stop,
    UnsupportedInstructionError,
    whole,
)
from perflint.sim.layout import LaunchError, Parameters, frame
from perflint.sim.machine import Progress
from perflint.sim.memory import REGION_SHIFT, WILD, Region, base_address
from perflint.sim.recorder import Recorder
from perflint.sim.simulation_options import SimulationOptions
from perflint.sim.site import Site
from perflint.sim.system_calls import Heap
from perflint.sim.textures import Bound, Textures
from perflint.sim.trace import Allocation, Observers, Setting, Tracer

_WORKSPACE = (1 << 23) - 1  #: the number of what the blocks of a cooperative grid share
_ROUND = 512  #: basic blocks after which the program is looked for


class MisalignedError(Exception):
    """An access at an address that is no multiple of its size: a GPU stops there."""


class RunDevice(Device):
    """The memory of a launch, as strict as a GPU's."""

    invented = False
    pc = -1  #: of the access that was looked at last

    def _region(self, site: Site, number: int, lanes: int) -> Region:
        self.pc = site.pc
        found = super()._region(site, number, lanes)
        if isinstance(found, WildRegion):
            found.asked = number
        return found

    def fault(self, kind: str, pc: int, count: int) -> None:
        super().fault(kind, pc, count)
        if kind == "misaligned":  # in shared or local memory
            self.pc = pc
            raise MisalignedError

    def _check(
        self,
        region: Region,
        site: Site,
        lanes: Lanes,
        offset: np.ndarray,
        low: int,
        high: int,
        weight: int,
    ) -> None:
        size = site.size
        self.pc = site.pc
        if size > 1 and (offset & (size - 1)).any():
            if site.traced:  # who watches sees it before it ends the launch
                at = offset if len(offset) == lanes.count else np.repeat(offset, lanes.count)
                space = "const" if region.constant and site.kind == "load" else "global"
                self._record(lanes, site, space, region.number, at)
            raise MisalignedError
        if isinstance(region, HostRegion) and (low < 0 or high + size > (region.size or 0)):
            wrong = (offset < 0) | (offset + size > (region.size or 0))
            self.fault("out-of-region", site.pc, weight * int(np.count_nonzero(wrong)))


def _no_place(address: int) -> str:
    return ""


@dataclass(frozen=True)
class Outcome:
    """What came of a launch."""

    error: int  #: CUDA's number
    text: str = ""  #: what went wrong, for people
    progress: Progress | None = None
    stop: Stop | None = None
    faults: tuple[Fault, ...] = ()
    pc: int = -1  #: of the instruction that ended it; -1 where none is known
    unsupported: bool = False
    partly: bool = False  #: the tracers did not see all of it
    interrupted: bool = False  #: it was ended from outside
    children: tuple[Work, ...] = ()  #: what its threads want done after it, in their order


@dataclass(frozen=True, eq=False)
class Job:
    """A launch with all that it takes."""

    loaded: LoadedModule
    kernel: str
    request: LaunchRequest
    regions: Regions
    textures: Mapping[int, Bound]
    arch: Architecture
    printed: Callable[[bytes], None]
    heap: Heap
    alive: Callable[[], bool]  #: whether the program is still there
    #: what the program did at an address of its code: ` in main (app.cu:17)`
    place_of: Callable[[int], str] = _no_place
    parameters: tuple[str, ...] = ()  #: their names in the source, where somebody wants them

    @property
    def key(self) -> tuple[str, str, tuple[int, ...]]:
        """What makes launches alike: module, kernel, shape."""
        r = self.request
        return self.loaded.digest, self.kernel, (*r.grid, *r.block, r.shared)

    @property
    def launch(self) -> Launch:
        r = self.request
        return Launch(r.grid, r.block, (), r.shared)

    def run(self, tracers: Sequence[Tracer] = (), seconds: float = 0.0) -> Outcome:
        """Run it; errors of the kernel are in the outcome.

        The tracers see what runs in the first `seconds` of processor time, all of it where these
        are 0.
        """
        try:
            observers = Observers.of(tracers)
            ready = self.loaded.ready(self.kernel)
            launch = replace(self.launch, cluster=self._cluster(ready))
            if not launch.whole_clusters:
                return Outcome(Code.CLUSTER_SIZE, _no_clusters(launch))
            return self._run(ready, launch, observers, tracers, seconds)
        except KeyError:
            return Outcome(Code.INVALID_FUNCTION, "no kernel of that name in its PTX")
        except UnsupportedInstructionError as error:
            line = f" (line {error.line})" if error.line else f" (PTX line {error.ptx_line})"
            return Outcome(Code.NOT_SUPPORTED, f"{error}{line}", unsupported=True)
        except LaunchError as error:
            return Outcome(Code.INVALID_VALUE, str(error))

    def _cluster(self, ready: ReadyKernel) -> Dim3:
        """Blocks of a cluster, as the launch or the kernel itself asks for them."""
        asked = self.request.cluster
        return asked if prod(asked) > 1 else cluster_of(ready.function)

    def _run(
        self,
        ready: ReadyKernel,
        launch: Launch,
        observers: Observers,
        tracers: Sequence[Tracer],
        seconds: float,
    ) -> Outcome:
        emulator._check_launch(ready.function, launch, self.arch, ready.shared)
        specials = emulator._specials(ready.running)
        together = self.request.cooperative or bool(specials & {"%envreg1", "%envreg2"})
        device = self._device(ready, observers, specials)
        device.blocks_per_cluster = launch.blocks_per_cluster
        if together:
            shared = Region(_WORKSPACE, "grid workspace", Fill.ZERO, 1024, ENDLESS)
            self.regions[_WORKSPACE] = shared
            device.workspace = base_address(_WORKSPACE)
        blocks = _blocks(launch)
        if tracers:
            setting = self._setting(ready, launch, device, blocks)
            for each in tracers:
                each.begin(setting)
        symbols = {**self.loaded.symbols(), **ready.shared.offsets, **ready.local.offsets,
                   **ready.parameters.offsets}  # fmt: skip
        attendance = _Attendance(device, seconds if tracers else 0.0, self.alive)
        options = SimulationOptions(
            budget=whole(seconds=1e9, memory=UNBOUNDED), stop_when=attendance, find_endless=True
        )
        error, text, done, stop = Code.OK, "", None, None
        try:
            done, stop = waves.run(
                ready.program, ready.code, device, launch, blocks, symbols, options,
                together=together,
            )  # fmt: skip
        except IllegalAddressError as wrong:
            error, text = Code.ILLEGAL_ADDRESS, f"illegal address {self._described(wrong.address)}"
        except MisalignedError:
            error, text = Code.MISALIGNED, "misaligned address"
        finally:
            self.regions.pop(_WORKSPACE, None)
            self.regions.pop(ARGUMENTS, None)
            for each in tracers:
                each.finish()
        if stop is not None and self._may_be_ended(stop, blocks):
            text = f"{stop.detail}: {self._may_be_ended(stop, blocks)}"
            return Outcome(
                Code.NOT_SUPPORTED, text, done, stop, device.fault_list(), stop.pc or -1, True
            )
        if stop is not None and stop.reason != "enough":
            error = Code.ASSERT if "assert" in stop.detail else Code.LAUNCH_FAILED
            text = f"{stop.reason}: {stop.detail}" if stop.detail else stop.reason
        pc = stop.pc if stop is not None and stop.pc is not None else device.pc
        return Outcome(
            error, text, done, stop, device.fault_list(), pc if error else -1,
            partly=attendance.over, interrupted=attendance.interrupted,
            children=tuple(device.children.works),
        )  # fmt: skip

    def _may_be_ended(self, stop: Stop, blocks: Sequence[Dim3]) -> str:
        """Who might end a wait that no running thread can; "" where there is nobody."""
        if stop.reason not in ("deadlock", "endless") or (
            stop.reason == "deadlock" and stop.other is None
        ):
            return ""
        if stop.reason == "endless" and len(blocks) > waves.blocks_per_wave(self.launch):
            return "blocks that the simulator runs later might, or the program"
        mapped = any(r.number < FIRST_DEVICE for r in self.regions.touched_now())
        if stop.reason == "endless" or mapped:
            return (
                "the program might, while the kernel runs, but here a launch ends before it goes on"
            )
        return ""

    def _device(
        self,
        ready: ReadyKernel,
        observers: Observers,
        specials: frozenset[str],
    ) -> RunDevice:
        image = np.zeros(ready.parameters.size + 16, np.uint8)
        given = np.frombuffer(self.request.parameters, np.uint8)[: ready.parameters.size]
        image[: len(given)] = given
        device = RunDevice(
            regions=(),
            wild=WildRegion(WILD, "wild", Fill.ZERO, 1024, ENDLESS),
            shared=ready.shared,
            dynamic_shared=self.request.shared,
            reserves=any(name.startswith(RESERVED) for name in specials),
            local=ready.local,
            parameters=Parameters(ready.parameters.offsets, image, {}),
            threads=32 * self.launch.warps_per_block,
            recorder=Recorder(observers, UNBOUNDED),
            accounting=ENDLESS,
        )
        device.regions = self.regions
        device.textures = Textures(self.textures)
        device.printed = self.printed
        device.heap = self.heap
        device.children.about = self.about
        self.regions[ARGUMENTS] = device.children.region
        return device

    def about(self, child: ChildLaunch) -> tuple[int, int]:
        """Whether a thread may launch so (0, or CUDA's error), and the bytes of its arguments."""
        name = self.loaded.kernel_at(child.kernel)
        if not name:
            return Code.INVALID_FUNCTION, 0
        launch = Launch(child.grid, child.block, (), child.shared)
        try:
            ready = self.loaded.ready(name)
            emulator._check_launch(ready.function, launch, self.arch, ready.shared)
        except LaunchError:
            return Code.INVALID_CONFIGURATION, 0
        except UnsupportedInstructionError:
            pass  # told when it is launched
        return Code.OK, frame(self.loaded.module.functions[name].parameters).size

    def child(self, child: ChildLaunch) -> Job:
        """The launch that a thread of this one asked for."""
        request = replace(
            self.request, grid=child.grid, block=child.block, cluster=(1, 1, 1),
            shared=child.shared, cooperative=False, parameters=child.arguments,
        )  # fmt: skip
        return replace(self, kernel=self.loaded.kernel_at(child.kernel), request=request)

    def _setting(
        self, ready: ReadyKernel, launch: Launch, device: Device, blocks: Sequence[Dim3]
    ) -> Setting:
        return Setting(
            module=self.loaded.module,
            kernel=ready.function,
            instructions=ready.running.instructions,
            program=ready.program,
            launch=launch,
            arch=self.arch,
            blocks=tuple(blocks),
            allocations=tuple(
                Allocation(number, self.name_of(number), size, address=base_address(number))
                for number, size in self.regions.memory.live()
            )
            + tuple(
                Allocation(r.number, r.name, None, address=base_address(r.number))
                for r in self.regions.values()
                if isinstance(r, SpanRegion) or r.number == _WORKSPACE
            ),
            shared_bytes=device.shared_bytes,
            local_bytes=device.local_bytes,
            freed=self.freed,
        )

    def freed(self, number: int) -> Allocation | None:
        """The allocation that a number had, where the program has freed it."""
        found = self.regions.memory.freed(number)
        if found is None:
            return None
        size, caller = found
        return Allocation(
            number, self.name_of(number), size, address=base_address(number),
            freed=self.place_of(caller) if caller else "",
        )  # fmt: skip

    def _described(self, address: int) -> str:
        """An address that is nobody's, with the allocation beside it or that was there."""
        number = address >> REGION_SHIFT
        offset = address - base_address(number)
        if gone := self.freed(number):
            return f"{address:#x}: byte {offset} of `{gone.name}`, which was freed{gone.freed}"
        if not self.regions.reached(number):
            name, holder = self.name_of(number), self.regions.holder(number)
            other = f"device {self.request.device} has no access to"
            return f"{address:#x}: `{name}` is memory of device {holder}, which {other}"
        region = self.regions.get(number)
        if not isinstance(region, HostRegion):
            return f"{address:#x}, in no allocation"
        size = region.size or 0
        beside = (
            f"{-offset} bytes before" if offset < 0 else f"{offset - size} bytes behind the end of"
        )
        return f"{address:#x}: {beside} `{self.name_of(number)}`, which has {size} bytes"

    def name_of(self, number: int) -> str:
        """What an allocation is called: the variable, or the argument that points to it."""
        for name, region in self.loaded.variables.items():
            if region.number == number:
                return name
        for at, address in pointers(self.loaded, self.kernel, self.request.parameters):
            if address >> REGION_SHIFT == number:
                return self.parameters[at] if at < len(self.parameters) else f"param{at}"
        return f"allocation {number}"


class _Attendance:
    """Asked between basic blocks whether the launch is to end.

    The tracers are let go when their time is over; the launch itself only ends with the program.
    """

    def __init__(self, device: Device, seconds: float, alive: Callable[[], bool]) -> None:
        self._device, self._alive, self.over, self._asked = device, alive, False, 0
        self.interrupted = False  #: we are to end, or the program has
        self._end = time.thread_time() + seconds if seconds else 0.0

    def __call__(self) -> bool:
        self._asked += 1
        if self._end and not self.over and time.thread_time() > self._end:
            self.over = True
            self._device.recorder.observers = Observers.of(())
        if not self.interrupted:
            gone = self._asked % _ROUND == 0 and not self._alive()
            self.interrupted = gone or interruptions.came()
        return self.interrupted


def pointers(loaded: LoadedModule, kernel: str, parameters: bytes) -> list[tuple[int, int]]:
    """Parameters' numbers with each 64-bit value in them, which may be an address."""
    ready = loaded.ready(kernel)
    out = []
    for number, (offset, size) in enumerate(ready.layout):
        for part in range(offset, offset + size - 7, 8):
            address = int.from_bytes(parameters[part : part + 8], "little")
            out.append((number, address))
    return out


def _blocks(launch: Launch) -> list[Dim3]:
    """All blocks of a grid, cluster after cluster."""
    each, (x, y, z) = launch.cluster, launch.grid
    if launch.blocks_per_cluster == 1:
        return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    first = ((i, j, k) for k in range(0, z, each[2]) for j in range(0, y, each[1])
             for i in range(0, x, each[0]))  # fmt: skip
    return [block for corner in first for block in emulator.cluster_at(corner, each)]


def _no_clusters(launch: Launch) -> str:
    return f"a grid of {launch.grid} blocks is no number of clusters of {launch.cluster}"
