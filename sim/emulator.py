"""`simulate`: a kernel's launch, run for a moment on a few of its blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Function, Module, SpecialRegister
from perflint.sim import architecture, waves
from perflint.sim.architecture import Architecture
from perflint.sim.call_stack import address_of, without_calls
from perflint.sim.codegen import CompiledBlock, generate
from perflint.sim.counted_loops import counted_loops
from perflint.sim.dependence import steered_by_atomics
from perflint.sim.device import Device
from perflint.sim.final_memory import LeftBehind
from perflint.sim.foresight import Foresight
from perflint.sim.launch import (
    UNBOUNDED,
    Dim3,
    Launch,
    Run,
    SimulatedBlocks,
    UnsupportedInstructionError,
)
from perflint.sim.launch_memory import device_of, is_cooperative, launch_memory
from perflint.sim.layout import (
    Frame,
    LaunchError,
    local_frame,
    mentioned,
    shared_bounds,
    shared_frame,
)
from perflint.sim.leaps import Leaps
from perflint.sim.memory import Accounting
from perflint.sim.program import Program, build
from perflint.sim.recorder import Recorder
from perflint.sim.simulation_options import SimulationOptions
from perflint.sim.trace import Allocation, Observers, Setting, Tracer

__all__ = ["LaunchError", "choose_blocks", "simulate"]

DEFAULT = SimulationOptions()
_BLOCKS = 4  #: simulated where the caller names none


def simulate(
    module: Module,
    kernel: Function | str,
    launch: Launch,
    options: SimulationOptions = DEFAULT,
    *,
    tracers: Sequence[Tracer] = (),
) -> Run:
    """Run some blocks of a launch and report what they did; counts are of those blocks.

    Raises UnsupportedInstructionError before anything runs where the kernel holds an instruction
    without a meaning or fetches from a texture that no argument binds, LaunchError where launch
    and kernel or architecture do not fit, and UnknownArchitectureError.
    """
    original = _kernel(module, kernel)
    arch = architecture.load(options.arch)
    observers = Observers.of(tracers)
    recorder = Recorder(observers, options.budget.requests_per_site)
    slice_only = options.slice_only and not observers.values and not observers.results
    program, code, steered = compiled(module, original, slice_only, bool(observers.results))
    function = program.kernel
    names = mentioned(function)
    shared = shared_frame(module, function, names)
    _check_launch(function, launch, arch, shared)
    accounting = Accounting(options.budget.memory)
    memory = launch_memory(module, function, names, launch, options.fill, accounting)
    launch = _clustered(function, launch)
    chosen = _whole_clusters(_chosen(options, launch), launch)
    specials, local = _specials(function), local_frame(function)
    device = device_of(function, specials, launch, shared, local, memory, recorder)
    device.bounds = shared_bounds(module, function, shared, options.arrays)
    setting = Setting(
        module=module,
        kernel=original,
        instructions=function.instructions,
        program=program,
        launch=launch,
        arch=arch,
        blocks=chosen,
        allocations=tuple(
            Allocation(r.number, r.name, r.size, r.constant) for r in device.regions.values()
        ),
        shared_bytes=device.shared_bytes,
        local_bytes=device.local_bytes,
    )
    for tracer in tracers:
        tracer.begin(setting)
    leaps = _leaps(program, device, tracers, replace(options, slice_only=slice_only))
    symbols = {**address_of(module), **memory.symbols, **shared.offsets, **local.offsets,
               **memory.parameters.offsets}  # fmt: skip
    done, stop = waves.run(
        program, code, device, launch, chosen, symbols, options,
        together=is_cooperative(specials), leaps=leaps,
    )  # fmt: skip
    for tracer in tracers:
        tracer.finish()
    kept = options.keep_memory and not slice_only
    buffers = LeftBehind(memory.regions) if kept else LeftBehind()
    for region in memory.regions:
        region.put_by()
    return Run(
        launch=launch,
        arch=arch.name,
        fill=options.fill,
        blocks=SimulatedBlocks(chosen, launch.block_count, _are_contiguous(chosen, launch.grid)),
        warp_instructions=done.warp_instructions,
        thread_instructions=done.thread_instructions,
        stop=stop,
        faults=device.fault_list(),
        schedule_dependent=steered and done.atomics_executed,
        tracers=tuple(tracers),
        requests=dict(recorder.requests),
        passed=leaps.passed if leaps is not None else 0,
        buffers=buffers,
        issued_instructions=done.issued_instructions,
        traced_all=recorder.traced_all,
        looked=accounting.looked,
    )


def _kernel(module: Module, kernel: Function | str) -> Function:
    if isinstance(kernel, Function):
        return kernel
    found = module.functions.get(kernel)
    if found is None or found.declaration:
        known = ", ".join(k.name for k in module.kernels) or "none"
        raise LaunchError(f"no kernel {kernel!r} in the module; it has {known}")
    return found


def _leaps(
    program: Program, device: Device, tracers: Sequence[Tracer], options: SimulationOptions
) -> Leaps | None:
    """What watches the counted loops of a run; None where nobody asks."""
    batches = options.batch_uniform_iterations and options.slice_only
    batches = batches and options.budget.requests_per_site >= UNBOUNDED
    batches = batches and all(hasattr(type(each), "repeat") for each in tracers)
    if not (options.skip_counted_loops or batches or options.give_up_when):
        return None
    sizes = {0: device.shared_bytes} | {r.number: r.size for r in device.regions.values()}
    foresight = Foresight(device.recorder, tracers, sizes, device.faults) if batches else None
    watched = counted_loops(program)
    skips = options.skip_counted_loops and options.slice_only
    return Leaps(watched, device.recorder, skips, foresight) if watched else None


@lru_cache(maxsize=32)
def compiled(
    module: Module, function: Function, slice_only: bool = False, results: bool = False
) -> tuple[Program, tuple[CompiledBlock, ...], bool]:
    """The kernel's blocks, their code, and whether atomics steer it; kept for further launches.

    With `slice_only` it leaves out what does not decide addresses and branches (see there); with
    `results` it tells tracers what each instruction computes.
    """
    if module.address_size != 64:
        raise LaunchError("modules with 32-bit addresses are not supported")
    if function.kind != "entry" or not function.instructions:
        raise LaunchError(f"{function.name} is not a kernel with a body")
    try:
        program = build(without_calls(module, function), module, slice_only=slice_only)
        return program, generate(program, results), steered_by_atomics(program.kernel)
    except table.UnknownInstructionError as error:
        raise UnsupportedInstructionError(error.name, None, error.line) from error


def cluster_of(kernel: Function) -> Dim3:
    """The blocks of a cluster that a kernel itself asks for (`.reqnctapercluster`)."""
    x, y, z = (*kernel.directives.get("reqnctapercluster", ()), 1, 1, 1)[:3]
    return x, y, z


def cluster_at(corner: Dim3, cluster: Dim3) -> tuple[Dim3, ...]:
    """The blocks of the cluster whose first one is `corner`, by their ranks."""
    x, y, z = (range(at, at + n) for at, n in zip(corner, cluster, strict=True))
    return tuple((i, j, k) for k in z for j in y for i in x)


def _clustered(kernel: Function, launch: Launch) -> Launch:
    """A launch with the clusters that its kernel asks for.

    Where its grid is no number of them, which a device would refuse, each block is alone.
    """
    if launch.blocks_per_cluster > 1:
        return launch
    clustered = replace(launch, cluster=cluster_of(kernel))
    return clustered if clustered.whole_clusters else launch


def _whole_clusters(blocks: Sequence[Dim3], launch: Launch) -> tuple[Dim3, ...]:
    """The clusters that some blocks are in, cluster after cluster."""
    if launch.blocks_per_cluster == 1:
        return tuple(blocks)
    each = launch.cluster
    corners = {(x - x % each[0], y - y % each[1], z - z % each[2]): None for x, y, z in blocks}
    return tuple(block for corner in corners for block in cluster_at(corner, each))


def _chosen(options: SimulationOptions, launch: Launch) -> tuple[Dim3, ...]:
    """The blocks to run. Raises LaunchError where the grid has no such ones."""
    if options.blocks is None:
        return choose_blocks(launch.grid, options.contiguous)
    chosen = tuple(options.blocks)
    _check_blocks(chosen, launch)
    return chosen


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
