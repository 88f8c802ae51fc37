"""The SIMT machine: all lanes of all simulated blocks, each with its own program counter.

It always runs the earliest waiting basic block, for all lanes that stand there. As long as all
lanes agree there are no program counters at all (`pc is None`), and blocks run on whole registers.
A register is an array over the population, or a scalar where all lanes hold the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import system_calls
from perflint.sim.affine_lanes import Affine
from perflint.sim.barriers import WAIT, Barriers, Vote
from perflint.sim.clock import CLOCKS, Clock
from perflint.sim.codegen import CompiledBlock
from perflint.sim.device import Device
from perflint.sim.endless import Endless
from perflint.sim.lanes import Lanes
from perflint.sim.launch import Dim3, Launch, Stop
from perflint.sim.leaps import Leaps
from perflint.sim.memory import MemoryBudgetError
from perflint.sim.natural_loops import loop_of, way_out
from perflint.sim.patterns import Axes
from perflint.sim.program import EXIT, BasicBlock, Program
from perflint.sim.recorder import Recorder
from perflint.sim.simulation_options import SimulationOptions
from perflint.sim.site import Site
from perflint.sim.special import AxesCache, Specials
from perflint.sim.tensor_memory import TensorMemoryError
from perflint.sim.turns import Turns
from perflint.sim.unique_values import unique_values
from perflint.sim.values import DTYPE, Value, register_dtype

_STEPS = 64  #: basic blocks between two looks at the clock, which may take longer than a block
_FEW = 4096  #: lanes of a set that is kept for the next time they run together
_REMEMBERED = 64  #: sets


class TrapError(Exception):
    """The kernel ended itself."""

    def __init__(self, detail: str, pc: int) -> None:
        super().__init__(detail)
        self.detail, self.pc = detail, pc


@dataclass
class Progress:
    """What all waves of a launch have executed so far."""

    deadline: float  #: of `time.thread_time`
    warp_instructions: int = 0
    thread_instructions: int = 0
    issued_instructions: int = 0
    atomics_executed: bool = False
    clock: Clock = field(default_factory=Clock)
    blocks_done: int = 0  #: of those that were simulated, when the run was stopped
    #: where the threads of the others stood: (pc, threads, whether they wait at a barrier)
    standing: tuple[tuple[int, int, bool], ...] = ()


class Machine:
    """Runs one wave. `run` returns why it stopped early, or None."""

    def __init__(
        self,
        program: Program,
        code: tuple[CompiledBlock, ...],
        device: Device,
        launch: Launch,
        blocks: Sequence[Dim3],
        symbols: dict[str, int],
        options: SimulationOptions,
        *,
        progress: Progress,
        first_block: int = 0,
        known: AxesCache | None = None,
        partial: bool = False,
        leaps: Leaps | None = None,
    ) -> None:
        """A wave: `blocks` are the simulated ones from number `first_block` on.

        `known` has the axes of the waves before, whose patterns serve again in like ones. In a
        `partial` run lanes that wait for other blocks of the grid are let go.
        """
        self._leaps, self._give_up_when = leaps, options.give_up_when
        self.stop_when = options.stop_when
        self.program, self.code, self.device, self.budget = program, code, device, options.budget
        self.launch = launch
        self.partial = partial
        self.symbols = symbols
        threads = launch.threads_per_block
        self.warps_per_block = -(-threads // 32)
        width = self.warps_per_block * 32
        numbers = first_block + np.arange(len(blocks))
        slots = (numbers[:, None] * width + np.arange(threads)).reshape(-1)
        self.first_block = first_block
        self.population = Lanes(slots, self.warps_per_block, first_block=first_block)
        self.specials = Specials(launch, blocks, self.warps_per_block, device)
        if not options.reference:
            self.population.axes = self.specials.axes(self.population, known)
        self.registers: list[Value] = [
            register_dtype(t).type(0) if t in DTYPE else np.uint64(0) for t in program.types
        ]
        #: block of each lane; None while they are all at `current`
        self.pc: np.ndarray | None = np.zeros(len(slots), np.int64) if options.reference else None
        self.reference = options.reference
        self._endless = Endless(program, device) if options.find_endless else None
        self.progress = progress
        self.block_count = len(blocks)
        self.current = 0
        self.load, self.store, self.touch = device.load, device.store, device.touch
        self.recorder: Recorder = device.recorder
        self._barriers = Barriers(
            len(blocks), self.warps_per_block, first_block, launch.blocks_per_cluster
        )
        self._turns = Turns()
        self._sets: dict[bytes, Lanes] = {}  #: lanes that ran together, by their places
        self._steps_since_compaction = 0

    # --- what compiled blocks call ---------------------------------------------------------------

    def special(self, lanes: Lanes, name: str, step: int) -> Value:
        if name in CLOCKS:
            return self.progress.clock.value(name, self.recorder.order + step)
        return self.specials.value(self.population, lanes, name)

    def symbol(self, name: str, offset: int) -> Value:
        return np.uint64((self.symbols.get(name, 0) + offset) & 0xFFFFFFFFFFFFFFFF)

    def atomic(self, lanes: Lanes, site: Site, *operands: Any) -> Value:
        self.progress.atomics_executed = True
        return self.device.atomic(lanes, site, *operands)

    def touch_atomic(self, lanes: Lanes, site: Site, address: Value) -> None:
        """An atomic whose result and effect nobody asks for."""
        self.progress.atomics_executed = True
        self.device.touch(lanes, site, address)

    def arrive(self, lanes: Lanes, number: Value, count: Value) -> None:
        """`bar.arrive`: counts towards a barrier without waiting."""
        self._barriers.arrive(lanes, number, count)

    def arrive_in_cluster(self, lanes: Lanes) -> None:
        """`barrier.cluster.arrive`."""
        self._barriers.arrive_in_cluster(lanes)
        if self.pc is not None and self._barriers.waiting:
            self._release()

    def allocate_columns(self, lanes: Lanes, site: Site, address: Value, columns: Value) -> None:
        """`tcgen05.alloc`; what can never be had would be waited for to no end."""
        try:
            self.device.allocate_columns(lanes, site, address, columns)
        except TensorMemoryError as error:
            raise TrapError(str(error), site.pc) from error

    def system_call(self, lanes: Lanes, pc: int, name: str, values: tuple[Value, ...]) -> Value:
        """A function of the device's run-time system; a failed assertion ends the run."""
        try:
            return system_calls.call(self.device, lanes, name, values)
        except system_calls.AssertionFailedError as error:
            self.device.fault("assert", pc, lanes.count)
            raise TrapError(f"an assertion failed: {error}", pc) from error

    # --- the loop --------------------------------------------------------------------------------

    def run(self) -> Stop | None:
        """Run until all lanes have left the kernel, or something stops it."""
        progress, budget = self.progress, self.budget
        watched = self._leaps.watched if self._leaps is not None else frozenset()
        steps = 0
        try:
            with np.errstate(all="ignore"):
                while True:
                    lanes = self._next_lanes()
                    if lanes is None:
                        return self._deadlock()
                    block = self.program.blocks[self.current]
                    if self.current in watched and self._look_ahead(lanes):
                        return Stop("instruction budget", pc=self._index(block.first))
                    ran, at = self.current, lanes.positions
                    self._execute(block, lanes)
                    if self._endless is not None and self._endless.after(
                        ran, at, self.current, self.pc, self.registers
                    ):
                        return self._for_ever(self._endless.waits_at())
                    if self.pc is None and self.current == EXIT:
                        return None
                    if (
                        progress.warp_instructions > budget.warp_instructions
                        or progress.issued_instructions > budget.issued_instructions
                    ):
                        return Stop("instruction budget", pc=self._index(block.first))
                    if self.stop_when is not None and self.stop_when():
                        return Stop("enough", pc=self._index(block.first))
                    steps += 1
                    if steps % _STEPS == 0 and time.thread_time() > progress.deadline:
                        return Stop("time budget", pc=self._index(block.first))
        except MemoryBudgetError as error:
            return Stop("memory budget", str(error))
        except TrapError as error:
            return Stop("trap", error.detail, error.pc)

    def _look_ahead(self, lanes: Lanes) -> bool:
        """Pass turns of a loop over where that can be; whether those left end the run here."""
        assert self._leaps is not None
        at = lanes.positions

        def write(slot: int, value: Value) -> None:
            if at is None:
                self.registers[slot] = value
            else:
                self._write_some(slot, at, value)

        alone = self.pc is None
        least = self._leaps.at(self.current, self.registers, at, alone, self.progress, write)
        if least <= self.budget.issued_instructions or self._give_up_when is None:
            return False
        return self._give_up_when(self.progress.issued_instructions)

    def blocks_left(self) -> int:
        """How many of the blocks have threads that are not done."""
        lanes = self._barriers.block_of(self.population)
        if self.pc is None:
            return 0 if self.current == EXIT else len(unique_values(lanes))
        return len(unique_values(lanes[self.pc != EXIT]))

    def standing(self) -> tuple[tuple[int, int, bool], ...]:
        """Where the threads are that are not done: (pc, threads, whether they wait), most first."""
        pcs = np.full(self.population.count, self.current) if self.pc is None else self.pc
        found, counts = np.unique(pcs[pcs < WAIT], return_counts=True)
        blocks = self.program.blocks
        out = [
            (self._index(blocks[block].first), count, False)
            for block, count in zip(found.tolist(), counts.tolist(), strict=True)
        ]
        waiting = int(np.count_nonzero((pcs >= WAIT) & (pcs < EXIT)))
        if waiting:
            out.append((self._barriers.somewhere() or -1, waiting, True))
        return tuple(sorted(out, key=lambda each: -each[1]))

    def _index(self, position: int) -> int:
        """The pc of an instruction by its position among those with calls written out."""
        instructions = self.program.kernel.instructions
        return instructions[min(position, len(instructions) - 1)].index

    def _execute(self, block: BasicBlock, lanes: Lanes) -> None:
        function = block.function
        if function is None:
            function = block.function = self.code[self.current].compile()
        registers = self.registers
        at = lanes.positions
        if at is None:
            outputs, end = function(self, lanes, *[registers[s] for s in block.inputs])
            for slot, value in zip(block.outputs, outputs, strict=True):
                registers[slot] = value
        else:
            inputs = [r if r.ndim == 0 else r[at] for r in (registers[s] for s in block.inputs)]
            outputs, end = function(self, lanes, *inputs)
            for slot, value in zip(block.outputs, outputs, strict=True):
                self._write_some(slot, at, value)
        if block.stores:
            self._turns.stored()
        if block.count:
            progress = self.progress
            progress.issued_instructions += block.count
            progress.warp_instructions += block.count * lanes.rows
            progress.thread_instructions += block.count * lanes.count
        self._leave(block, lanes, end)
        self.recorder.order += block.count

    def _write_some(self, slot: int, at: np.ndarray, value: Value) -> None:
        """Give some lanes of a register a new value."""
        old = self.registers[slot]
        if old.ndim == 0:
            if value.ndim == 0 and value == old:
                return
            whole = np.empty(self.population.count, old.dtype)
            whole.fill(old)
        else:
            whole = old.copy()  # registers may share arrays
        whole[at] = value
        self.registers[slot] = whole

    # --- leaving a block -------------------------------------------------------------------------

    def _leave(self, block: BasicBlock, lanes: Lanes, end: Any) -> None:
        """Move the lanes to the blocks that follow."""
        if block.ending == "fall":
            self._go(lanes, block.other)
        elif block.ending == "branch":
            self._branch(block, lanes, end)
        elif block.ending == "barrier":
            self._arrive_and_wait(block, lanes, end)
        elif block.ending == "warp-barrier":
            self._wait_for_warp(block, lanes, end)
        elif block.ending == "cluster-barrier":
            self._wait_for_cluster(block, lanes, end)
        elif block.ending == "indirect":
            targets = np.array([*block.targets, EXIT])
            index = np.minimum(lanes.array(end).astype(np.int64), len(block.targets))
            self._scatter(lanes, targets[index])
        elif block.ending == "trap":
            raise TrapError("trap", self._index(block.last - 1))
        else:
            self._go(lanes, EXIT)

    def _go(self, lanes: Lanes, target: int) -> None:
        if self.pc is None:
            self.current = target
        else:
            self.pc[self._where(lanes)] = target
            if target == EXIT and self._barriers.waiting:
                self._release()

    def _branch(self, block: BasicBlock, lanes: Lanes, taken: Value) -> None:
        if taken.ndim == 0:
            self._go(lanes, block.taken if taken else block.other)
            return
        jumping = int(np.count_nonzero(taken))
        if jumping in (0, lanes.count):
            self._go(lanes, block.taken if jumping else block.other)
            return
        self._scatter(lanes, np.where(taken, block.taken, block.other))

    def _scatter(self, lanes: Lanes, targets: np.ndarray) -> None:
        if self.pc is None:
            self.pc = targets.astype(np.int64)
        else:
            self.pc[self._where(lanes)] = targets
            if self._barriers.waiting:
                self._release()

    def _where(self, lanes: Lanes) -> Any:
        return slice(None) if lanes.positions is None else lanes.positions

    # --- choosing what runs ----------------------------------------------------------------------

    def _next_lanes(self) -> Lanes | None:
        """The lanes to run, `current` set to their block; None when nobody can run."""
        if self.pc is None:
            self._let_go_together()
            return self.population if self.current != EXIT else self._no_lane(EXIT)
        pc = self.pc
        turn = self._turns.follow(pc)
        if turn is not None:
            self.current, chosen = turn
            return self._lanes_at(chosen)
        current = int(pc.min())
        if current >= WAIT:
            return self._no_lane(current)
        self.current = current
        chosen = (pc == current).nonzero()[0]
        if len(chosen) == len(pc):
            if self.reference:
                return self._lanes_at(chosen)
            self.pc = None
            return self.population
        gone = int(np.count_nonzero(pc == EXIT))
        self._steps_since_compaction += 1
        if gone and self._worth_compacting(gone, len(chosen)):
            return self._compact()
        if len(chosen) + gone < len(pc):
            block = self.program.blocks[current]
            if self._turns.starving(current, block, chosen, self.registers):
                turn = self._turns.give(pc, current)
                if self.partial and self._turns.in_vain:
                    pc[chosen] = self._way_out(current)
                    return self._next_lanes()
                if turn is not None:
                    self.current, chosen = turn
        return self._lanes_at(chosen)

    def _let_go_together(self) -> None:
        """Where all lanes wait for a block that is not simulated, let them go on."""
        block = self.program.blocks[self.current]
        if self.partial and block.header:
            alone = self._turns.spinning_alone(self.current, self.registers, block.live)
            if alone and not any(
                self.program.blocks[n].stores for n in loop_of(self.program, self.current)
            ):
                self.current = self._way_out(self.current)

    def _way_out(self, header: int) -> int:
        """Where a wait leads that no simulated block can end."""
        self.device.fault("waits-for-others", self._index(self.program.blocks[header].first), 1)
        return way_out(self.program, header)

    def _lanes_at(self, chosen: np.ndarray) -> Lanes:
        if len(chosen) > _FEW:
            return self._new_lanes(chosen)
        key = chosen.tobytes()
        found = self._sets.get(key)
        if found is None:
            if len(self._sets) >= _REMEMBERED:
                self._sets.clear()
            found = self._sets[key] = self._new_lanes(chosen)
        return found

    def _new_lanes(self, chosen: np.ndarray) -> Lanes:
        slots = self.population.slots[chosen]
        return Lanes(slots, self.warps_per_block, chosen, self.first_block)

    def _no_lane(self, current: int) -> Lanes | None:
        if current < EXIT:
            return None
        self.pc, self.current = None, EXIT
        self.population = Lanes(np.zeros(0, np.int64), self.warps_per_block)
        return None

    def _worth_compacting(self, gone: int, running: int) -> bool:
        """Dropping lanes that are done costs a copy of the registers."""
        assert self.pc is not None
        together = running + gone == len(self.pc)
        if self._barriers.waiting:
            return False
        if together:
            return gone * 16 >= len(self.pc) or self._steps_since_compaction >= 32
        return gone * 2 > len(self.pc)

    def _compact(self) -> Lanes | None:
        """Forget the lanes that left the kernel."""
        assert self.pc is not None
        keep = np.flatnonzero(self.pc != EXIT)
        old = self.population.axes
        axes = old.subset(keep) if old is not None else None
        self.registers = [_kept(r, keep, axes) for r in self.registers]
        slots = self.population.slots[keep]
        self.population = Lanes(slots, self.warps_per_block, None, self.first_block, axes)
        self.specials.forget()
        self.pc = self.pc[keep]
        self._turns.forget()
        self._sets.clear()
        self._steps_since_compaction = 0
        return self._next_lanes()

    def _deadlock(self) -> Stop | None:
        if self.current == EXIT:
            return None
        detail = "lanes wait at a barrier that the others never reach"
        return Stop("deadlock", detail, self._barriers.somewhere())

    def _for_ever(self, pc: int) -> Stop:
        """Lanes spin at an instruction, and nobody else can run."""
        pcs = np.full(self.population.count, self.current) if self.pc is None else self.pc
        spinning = int(np.count_nonzero(pcs < WAIT))
        waiting = int(np.count_nonzero((pcs >= WAIT) & (pcs < EXIT)))
        text = f"{spinning} threads read again and again what nobody is left to change"
        if waiting:
            text = f"{waiting} threads wait for {spinning} others, which {text.split(' ', 2)[2]}"
            return Stop("deadlock", text, pc, self._barriers.somewhere())
        return Stop("endless", text, pc)

    # --- barriers --------------------------------------------------------------------------------

    def _arrive_and_wait(self, block: BasicBlock, lanes: Lanes, end: Any) -> None:
        self.recorder.barrier(lanes, end[0], block.count - 1)
        if self.pc is None:
            if block.reduction is not None:
                voted = lanes.array(end[3])
                here = self._barriers.block_of(lanes)
                self._give_result(Vote(*block.reduction, here, voted, slice(None)))
            self.current = block.other
            return
        at = self._where(lanes)
        self._barriers.wait(self.pc, at, lanes, end, block.other, block.reduction)
        self._release()

    def _wait_for_warp(self, block: BasicBlock, lanes: Lanes, end: Any) -> None:
        """`bar.warp.sync`: lanes that a member mask names wait for each other, wherever they are.

        Mostly all that are alive are here.
        """
        pc, members = end
        named = lanes.array(members).astype(np.int64)
        if self.pc is None or not (named & ~lanes.spread(lanes.bits).astype(np.int64)).any():
            self._go(lanes, block.other)
            return
        at = self._where(lanes)
        self._barriers.wait_for_members(self.pc, at, lanes, named, block.other, pc)
        self._release()

    def _wait_for_cluster(self, block: BasicBlock, lanes: Lanes, end: int) -> None:
        """`barrier.cluster.wait`, which is a barrier of each block, too."""
        self.recorder.barrier(lanes, end, block.count - 1)
        if self.pc is None:
            self.current = block.other
            return
        at = self._where(lanes)
        self._barriers.wait_for_cluster(self.pc, at, lanes, block.other, end)
        self._release()

    def _release(self) -> None:
        """Let go whom nothing holds any more."""
        assert self.pc is not None
        for vote in self._barriers.release(self.pc, self.population):
            self._give_result(vote)

    def _give_result(self, vote: Vote) -> None:
        """Write what a `bar.red` gives its lanes."""
        dtype = register_dtype(self.program.types[vote.slot])
        result = vote.result(self.block_count).astype(dtype)
        self._write_some(vote.slot, np.arange(self.population.count)[vote.at], result)


def _kept(register: Value, keep: np.ndarray, axes: Axes | None) -> Value:
    """A register of the lanes that stay."""
    if type(register) is Affine:
        assert axes is not None
        return register.moved(axes)
    return register if register.ndim == 0 else register[keep]
