"""`simulate`: a kernel's launch, run for a moment on a few of its blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Function, Module, SpecialRegister
from perflint.sim import architecture, system_calls, waves
from perflint.sim.architecture import Architecture
from perflint.sim.call_stack import address_of, without_calls
from perflint.sim.codegen import CompiledBlock, generate
from perflint.sim.counted_loops import counted_loops
from perflint.sim.dependence import steered_by_atomics
from perflint.sim.device import Device
from perflint.sim.final_memory import LeftBehind
from perflint.sim.foresight import Foresight
from perflint.sim.images import RESERVED
from perflint.sim.launch import (
    UNBOUNDED,
    Budget,
    Dim3,
    Fill,
    Launch,
    Run,
    SimulatedBlocks,
    UnsupportedInstructionError,
)
from perflint.sim.layout import (
    Frame,
    LaunchError,
    local_frame,
    mentioned,
    module_regions,
    parameters,
    shared_frame,
)
from perflint.sim.leaps import Leaps
from perflint.sim.memory import WILD, Accounting, Region, base_address
from perflint.sim.program import Program, build
from perflint.sim.recorded_memory import remembered
from perflint.sim.recorder import Recorder
from perflint.sim.texture_emission import check_bound
from perflint.sim.trace import Allocation, Observers, Setting, Tracer

__all__ = ["LaunchError", "choose_blocks", "simulate"]

_WORKSPACE = 0x3FFFFE  #: the number of what the blocks of a cooperative grid share
_BLOCKS = 4  #: simulated where the caller names none


def simulate(
    module: Module,
    kernel: Function | str,
    launch: Launch,
    arch: str = "sm_80",
    *,
    fill: Fill = Fill.RANDOM,
    blocks: Sequence[Dim3] | None = None,
    contiguous: bool = False,
    budget: Budget | None = None,
    tracers: Sequence[Tracer] = (),
    enough: Callable[[], bool] | None = None,
    keep_memory: bool = True,
    plain: bool = False,
    cut: bool = False,
    leap: bool = False,
    foresee: bool = False,
    hopeless: Callable[[int], bool] | None = None,
) -> Run:
    """Run some blocks of a launch and report what they did; counts are of those blocks.

    `blocks` are indices in the grid; None picks all of a small grid, else a corner, interior and
    the last one, or with `contiguous` the first few. Memory that nobody wrote holds `fill`. The
    budget bounds the run: what stopped it is in `Run.stop`, never an exception.

    `enough` is asked between basic blocks; once it answers True the run ends with the stop
    `enough`. Without `keep_memory` the final bytes of the buffers are not kept. A `plain` run takes
    no short cut: every lane has its own program counter, every index is an array. It is slower and
    finds the same, which tests check. A run that is `cut` computes only what decides addresses,
    branches and barriers (`perflint.sim.slice`) and what its tracers ask for: what they see is the
    same, the memory it leaves behind is not, and is never kept. With `leap` such a run passes over
    turns of long loops that only counters carry on (`perflint.sim.leaps`); their requests are
    counted and not traced. With `foresee` it passes over turns that are all alike where each of its
    tracers counts them at once (`perflint.sim.foresight`) and the budget bounds no requests: what
    these find is the same.

    `hopeless` is asked where a counted loop's turns are found to be too many for the budget, with
    the number of instructions issued so far; once it answers True the run ends as it would then.

    Raises UnsupportedInstructionError before anything runs where the kernel holds an instruction
    without a meaning or fetches from a texture that no argument binds, LaunchError where launch
    and kernel or architecture do not fit, and UnknownArchitectureError.
    """
    original = _kernel(module, kernel)
    machine_arch = architecture.load(arch)
    limits = budget or Budget()
    observers = Observers.of(tracers)
    recorder = Recorder(observers, limits.requests_per_site)
    cut = cut and not observers.values
    program, code, steered = compiled(module, original, cut)
    function = program.kernel
    names = mentioned(function)
    shared = shared_frame(module, function, names)
    _check_launch(function, launch, machine_arch, shared)
    accounting = Accounting(limits.memory)
    if launch.image is not None:
        regions, arguments, symbols = remembered(
            module, function, names, launch.image, fill, accounting
        )
    else:
        check_bound(function, launch.arguments)
        variables = module_regions(module, names, fill, accounting, launch.symbols)
        regions = list(variables.values())
        arguments = parameters(function, launch, regions, fill, accounting)
        symbols = {name: base_address(region.number) for name, region in variables.items()}
    chosen = tuple(blocks) if blocks is not None else choose_blocks(launch.grid, contiguous)
    _check_blocks(chosen, launch)

    local = local_frame(function)
    specials = _specials(function)
    grid = Region(_WORKSPACE, "grid workspace", Fill.ZERO, 1024, accounting)
    heap = system_calls.new_heap(accounting)
    cooperative = bool(specials & {"%envreg1", "%envreg2"})
    mapped = [*regions, grid] if cooperative else regions
    if system_calls.allocates(function):
        mapped = [*mapped, heap.region]
    device = Device(
        regions=mapped,
        wild=Region(WILD, "wild", fill, 1024, accounting),
        shared=shared,
        dynamic_shared=launch.dynamic_shared,
        reserves=any(name.startswith(RESERVED) for name in specials),
        local=local,
        parameters=arguments,
        threads=32 * launch.warps_per_block,
        recorder=recorder,
        accounting=accounting,
    )
    device.workspace = base_address(grid.number)
    device.heap = heap
    symbols = {**address_of(module), **symbols}
    symbols |= {**shared.offsets, **local.offsets, **arguments.offsets}
    setting = Setting(
        module=module,
        kernel=original,
        instructions=function.instructions,
        program=program,
        launch=launch,
        arch=machine_arch,
        blocks=chosen,
        allocations=tuple(Allocation(r.number, r.name, r.size, r.constant) for r in mapped),
        shared_bytes=device.shared_bytes,
    )
    for tracer in tracers:
        tracer.begin(setting)
    foreseen = foresee and cut and all(hasattr(type(each), "repeat") for each in tracers)
    foreseen = foreseen and limits.requests_per_site >= UNBOUNDED
    sizes = {0: device.shared_bytes} | {each.number: each.size for each in mapped}
    foresight = Foresight(recorder, tracers, sizes, device.faults) if foreseen else None
    watched = counted_loops(program) if leap or foreseen or hopeless else {}
    leaps = Leaps(watched, recorder, leap and cut, foresight) if watched else None
    done, stop = waves.run(
        program, code, device, launch, chosen, symbols, limits, enough,
        together=cooperative, plain=plain, leaps=leaps, hopeless=hopeless,
    )  # fmt: skip
    for tracer in tracers:
        tracer.finish()
    return Run(
        launch=launch,
        arch=machine_arch.name,
        fill=fill,
        blocks=SimulatedBlocks(chosen, launch.block_count, _are_contiguous(chosen, launch.grid)),
        warp_instructions=done.warp_instructions,
        thread_instructions=done.thread_instructions,
        stop=stop,
        faults=device.fault_list(),
        schedule_dependent=steered and done.atomics_executed,
        tracers=tuple(tracers),
        requests=dict(recorder.requests),
        passed=leaps.passed if leaps is not None else 0,
        buffers=LeftBehind(tuple(regions)) if keep_memory and not cut else LeftBehind(),
        issued_instructions=done.issued_instructions,
    )


def _kernel(module: Module, kernel: Function | str) -> Function:
    if isinstance(kernel, Function):
        return kernel
    found = module.functions.get(kernel)
    if found is None or found.declaration:
        known = ", ".join(k.name for k in module.kernels) or "none"
        raise LaunchError(f"no kernel {kernel!r} in the module; it has {known}")
    return found


@lru_cache(maxsize=32)
def compiled(
    module: Module, function: Function, cut: bool = False
) -> tuple[Program, tuple[CompiledBlock, ...], bool]:
    """The kernel's blocks, their code, and whether atomics steer it; kept for further launches.

    What is `cut` leaves out what does not decide addresses and branches (`perflint.sim.slice`).
    """
    if module.address_size != 64:
        raise LaunchError("modules with 32-bit addresses are not supported")
    if function.kind != "entry" or not function.instructions:
        raise LaunchError(f"{function.name} is not a kernel with a body")
    try:
        program = build(without_calls(module, function), module, cut=cut)
        return program, generate(program), steered_by_atomics(program.kernel)
    except table.UnknownInstructionError as error:
        raise UnsupportedInstructionError(error.name, None, error.line) from error


def choose_blocks(grid: Dim3, contiguous: bool = False) -> tuple[Dim3, ...]:
    """Which blocks of a grid to run: all of a few; else first, interior and last ones."""
    total = grid[0] * grid[1] * grid[2]
    if total <= _BLOCKS:
        return tuple((x, y, z) for z, y, x in product(*(range(n) for n in reversed(grid))))
    if contiguous:
        return tuple(_at(grid, index) for index in range(_BLOCKS))
    interior = (grid[0] // 2, grid[1] // 2, grid[2] // 2)
    near = (min(1, grid[0] - 1), min(1, grid[1] - 1), min(1, grid[2] - 1))
    last = (grid[0] - 1, grid[1] - 1, grid[2] - 1)
    return tuple(dict.fromkeys([(0, 0, 0), near, interior, last]))


def _at(grid: Dim3, index: int) -> Dim3:
    return index % grid[0], index // grid[0] % grid[1], index // (grid[0] * grid[1])


def _are_contiguous(blocks: Sequence[Dim3], grid: Dim3) -> bool:
    order = [x + grid[0] * (y + grid[1] * z) for x, y, z in blocks]
    return order == list(range(order[0], order[0] + len(order)))


def _check_launch(function: Function, launch: Launch, arch: Architecture, shared: Frame) -> None:
    for what, extents in (("grid", launch.grid), ("block", launch.block)):
        if len(extents) != 3 or any(n < 1 for n in extents):
            raise LaunchError(f"{what} {extents} must have three extents of at least 1")
    threads, most = launch.threads_per_block, arch.max_threads_per_block
    if threads > most or launch.block[2] > 64:
        raise LaunchError(
            f"block {launch.block} has {threads} threads; {arch.name} allows {most}, 64 along z"
        )
    required = function.directives.get("reqntid")
    if required is not None and (*required, 1, 1)[:3] != launch.block:
        raise LaunchError(f"{function.name} requires blocks of {required}, not {launch.block}")
    bound = function.directives.get("maxntid")
    if bound is not None and threads > _product(bound):
        raise LaunchError(
            f"{function.name} is bounded to {_product(bound)} threads a block, not {threads}"
        )
    total = shared.size + launch.dynamic_shared
    if launch.dynamic_shared < 0 or total > arch.shared_per_block_optin:
        raise LaunchError(
            f"{total} bytes of shared memory a block; {arch.name} has {arch.shared_per_block_optin}"
        )


def _check_blocks(blocks: Sequence[Dim3], launch: Launch) -> None:
    if not blocks:
        raise LaunchError("no blocks to simulate")
    outside = (np.array(blocks) < 0).any(axis=1) | (np.array(blocks) >= launch.grid).any(axis=1)
    if outside.any():
        block = blocks[int(outside.argmax())]
        raise LaunchError(f"block {block} is not in the grid {launch.grid}")
    if len(set(blocks)) != len(blocks):
        raise LaunchError("a block is named twice")


@lru_cache(maxsize=32)
def _specials(function: Function) -> frozenset[str]:
    """Names of the predefined registers that a kernel reads."""
    return frozenset(
        operand.name
        for instruction in function.instructions
        for operand in instruction.operands
        if isinstance(operand, SpecialRegister)
    )


def _product(extents: Sequence[int]) -> int:
    out = 1
    for extent in extents:
        out *= extent
    return out
