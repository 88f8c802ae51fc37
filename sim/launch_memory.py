"""The memory that a launch finds: its arguments, the module's variables, and the device's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Function, Module, Variable
from perflint.sim import child_launches, system_calls
from perflint.sim.device import Device
from perflint.sim.images import RESERVED
from perflint.sim.launch import Buffer, Fill, Launch, Parted
from perflint.sim.layout import Frame, Parameters, module_regions, parameters
from perflint.sim.memory import PAGE, WILD, Accounting, Region, base_address
from perflint.sim.recorded_memory import remembered
from perflint.sim.recorder import Recorder
from perflint.sim.texture_emission import check_bound
from perflint.sim.textures import Bound

_WORKSPACE = 0x3FFFFE  #: the number of what the blocks of a cooperative grid share


@dataclass(frozen=True, eq=False)
class LaunchMemory:
    """What a launch's arguments and the module's variables take."""

    regions: tuple[Region, ...]
    parameters: Parameters
    symbols: Mapping[str, int]  #: addresses of variables
    fill: Fill  #: what is in it that nobody wrote
    accounting: Accounting


def launch_memory(
    module: Module,
    function: Function,
    names: Set[str],
    launch: Launch,
    fill: Fill,
    accounting: Accounting,
) -> LaunchMemory:
    """The memory before the first instruction; `names` are the variables that a kernel mentions.

    Raises LaunchError where arguments and parameters do not fit.
    """
    if launch.image is not None:
        regions, given, symbols = remembered(
            module, function, names, launch.image, fill, accounting
        )
        return LaunchMemory(tuple(regions), given, symbols, fill, accounting)
    check_bound(function, launch)
    copied = dict(launch.copied)
    variables = module_regions(module, names - copied.keys(), fill, accounting, launch.symbols)
    regions = list(variables.values())
    given = parameters(function, launch, regions, fill, accounting)
    if launch.parted is not None:
        _part(launch.parted, regions)
    for name in sorted(names & copied.keys()):  # behind all others, which keep their numbers
        array = launch.arguments[copied[name]]
        assert isinstance(array, Buffer)
        like = next(each for each in regions if each.name == array.name)
        variables[name] = _copy(len(regions) + 1, array, like, module.variables[name])
        regions.append(variables[name])
    given = replace(
        given, textures={**given.textures, **_referenced(launch, variables, regions, fill)}
    )
    symbols = {name: base_address(region.number) for name, region in variables.items()}
    return LaunchMemory(tuple(regions), given, symbols, fill, accounting)


def _part(parted: Parted, regions: Sequence[Region]) -> None:
    """Give each field's array what the structures held; those behind keep what they had."""
    array, step = parted.array, parted.step
    fields = [each for each in regions if each.name == array.name]
    first = fields[0]
    whole = Region.of_buffer(first.number, array, first.fill, first.accounting)
    pages = np.arange(-(-(array.size or 0) // PAGE))
    rows = whole.initial(pages).reshape(-1)[: array.size].reshape(-1, step)
    for region, (at, size) in zip(fields, parted.fields, strict=True):
        region.data = np.ascontiguousarray(rows[:, at : at + size]).reshape(-1)
    for region in regions[fields[-1].number :]:
        region.salt = region.number - len(fields) + 1


def _copy(number: int, array: Buffer, like: Region, variable: Variable) -> Region:
    """A variable that holds what an array does."""
    copy = Region.of_buffer(number, array, like.fill, like.accounting)
    return replace(
        copy, size=variable.size or None, salt=like.number, constant=variable.space == "const"
    )


def _referenced(
    launch: Launch, variables: Mapping[str, Region], regions: list[Region], fill: Fill
) -> dict[int, Bound]:
    """The textures behind references, by their variables' numbers; texels are new regions."""
    found: dict[int, Bound] = {}
    for name, texture in launch.textures:
        if (variable := variables.get(name)) is not None:
            region = Region.of_texture(len(regions) + 1, texture, fill, variable.accounting)
            regions.append(region)
            found[variable.number] = Bound(texture, region)
    return found


def device_of(
    function: Function,
    specials: Set[str],
    launch: Launch,
    shared: Frame,
    local: Frame,
    memory: LaunchMemory,
    recorder: Recorder,
) -> Device:
    """The device that a launch runs on; `specials` are the predefined registers that it reads."""
    heap = system_calls.new_heap(memory.accounting)
    grid = Region(_WORKSPACE, "grid workspace", Fill.ZERO, 1024, memory.accounting)
    mapped = list(memory.regions)
    if is_cooperative(specials):
        mapped.append(grid)
    if system_calls.allocates(function):
        mapped.append(heap.region)
    device = Device(
        regions=mapped,
        wild=Region(WILD, "wild", memory.fill, 1024, memory.accounting),
        shared=shared,
        dynamic_shared=launch.dynamic_shared,
        reserves=any(name.startswith(RESERVED) for name in specials),
        local=local,
        parameters=memory.parameters,
        threads=32 * launch.warps_per_block,
        recorder=recorder,
        accounting=memory.accounting,
    )
    if child_launches.launches(function):
        device.regions[child_launches.ARGUMENTS] = device.children.region
    device.workspace = base_address(grid.number)
    device.heap = heap
    device.blocks_per_cluster = launch.blocks_per_cluster
    return device


def is_cooperative(specials: Set[str]) -> bool:
    """Whether a kernel asks where the blocks of its grid meet."""
    return bool(specials & {"%envreg1", "%envreg2"})
