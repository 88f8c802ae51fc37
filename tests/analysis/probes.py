"""Static addresses held against simulated ones, whatever the control flow.

A kernel is copied with *probes*: registers that count the turns of its loops and keep loaded
values, and before each memory access a store whose offset is such a register's value. The trace of
the copy then tells, lane by lane, the values of the symbols for which the static address
expression is to be evaluated. The copy's own instructions keep their indices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from perflint.analysis.cfg import ControlFlow, control_flow, falls_through
from perflint.analysis.model import KernelFacts, LoopAround
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import Base, Loop, Opaque, Parameter, Special
from perflint.analysis.symbols import Symbol as Leaf
from perflint.grammar.model import (
    Address,
    Function,
    Immediate,
    Instruction,
    Operand,
    Register,
    Symbol,
    Variable,
)
from perflint.sim import SimulationOptions, layout, simulate
from perflint.sim.launch import Budget, Buffer, Dim3, Fill, Launch, Run
from perflint.sim.memory import ORIGIN, REGION_SHIFT, Accounting, Region, base_address
from perflint.sim.trace import MemoryBatch, Tracing

#: Indices of probes in the trace start here.
FIRST_PROBE = 1 << 24
#: A value is told as three stores of 24, 24 and 16 bits: offsets of a buffer.
_PARTS = ((0, 24), (24, 24), (48, 16))
_BUFFER = "probe@buffer"


@dataclass(frozen=True)
class Probed:
    """The copy of a kernel, and which symbols its probes tell."""

    kernel: Function
    told: tuple[tuple[Leaf, int], ...]  #: by probe: symbol, and which of `_PARTS` of its value
    at: Mapping[int, tuple[Leaf, ...]]  #: by instruction index: the symbols told before it


@dataclass(frozen=True)
class Claim:
    """What the analysis says of one access of an instruction."""

    kind: str
    address: Polynomial | None
    guards: tuple[Polynomial, ...] = ()
    loops: tuple[LoopAround, ...] = ()

    @property
    def values(self) -> list[Polynomial]:
        lasts = [loop.last for loop in self.loops]
        return [p for p in (self.address, *self.guards, *lasts) if p is not None]


def claims(facts: KernelFacts) -> dict[int, list[Claim]]:
    """By instruction: what is said of each access that a site stands for."""
    out: dict[int, list[Claim]] = defaultdict(list)
    for site in facts.sites:
        for pc, address in zip(site.pcs, site.addresses, strict=True):
            first = pc == site.pcs[0]
            guards, loops = (site.guards, site.loops) if first else ((), ())
            out[pc].append(Claim(site.kind, address, guards, loops))
    return out


class _Copy:
    """Writes the copy."""

    def __init__(self, kernel: Function, flow: ControlFlow) -> None:
        self.kernel, self.flow = kernel, flow
        self.before: dict[int, list[Instruction]] = defaultdict(list)  # behind the label
        self.after: dict[int, list[Instruction]] = defaultdict(list)
        self.falling: dict[int, list[Instruction]] = defaultdict(list)  # before the label
        self.retargeted: dict[int, str] = {}
        self.registers = dict(kernel.registers)
        self.tail: list[tuple[str, list[Instruction]]] = []
        self.told: list[tuple[Leaf, int]] = []
        self.model = kernel.instructions[0]

    def make(self, opcode: str, modifiers: str, *operands: Operand, like: int = -1) -> Instruction:
        guard = self.kernel.instructions[like].guard if like >= 0 else None
        return replace(
            self.model, opcode=opcode, modifiers=tuple(modifiers.split(".")), operands=operands,
            index=-1, guard=guard, call=None,
        )  # fmt: skip

    def register(self, name: str, type: str) -> Register:
        self.registers[name] = type
        return Register(name)

    def count(self, header: int) -> Register | None:
        """A register that counts the back edges taken to a header; None if that cannot be."""
        block = self.flow.block_of[header]
        assert block is not None
        loop = self.flow.loops[block]
        name = f"count@{header}"
        counter = self.register(name, "b32")
        reset = self.make("mov", "b32", counter, Immediate(-1))
        self.before[header].insert(0, self.make("add", "s32", counter, counter, Immediate(1)))
        if block == 0:
            self.falling[0].append(reset)
        for predecessor in self.flow.predecessors[block]:
            if predecessor in loop.body:
                continue
            pc = self.flow.blocks[predecessor].end - 1
            last = self.kernel.instructions[pc]
            if pc + 1 == header and falls_through(last):
                self.falling[header].append(reset)
            if last.opcode == "brx":
                return None
            if last.opcode == "bra" and isinstance(last.operands[0], Symbol):
                label = last.operands[0].name
                if self.kernel.labels[label] == header and pc not in self.retargeted:
                    self.retargeted[pc] = f"enter@{pc}"
                    jump = self.make("bra", "uni", Symbol(label))
                    self.tail.append((f"enter@{pc}", [reset, jump]))
        return counter

    def shadow(self, leaf: Opaque) -> Register | None:
        """A register that keeps the value of an opaque leaf where it is defined."""
        kind = self.kernel.registers.get(leaf.register)
        if leaf.kind not in ("loaded", "result", "recurrence"):
            return None
        if kind == "pred" and leaf.kind == "result":
            kept = self.register(f"keep@{leaf.pc}@{leaf.register}", "b32")
            number = self.make("selp", "b32", kept, Immediate(1), Immediate(0),
                               Register(leaf.register), like=leaf.pc)  # fmt: skip
            self.after[leaf.pc].append(number)
            return kept
        if kind not in _WIDTH:
            return None
        copy = self.register(f"keep@{leaf.pc}@{leaf.register}", kind)
        move = f"b{_WIDTH[kind]}"
        if leaf.kind == "recurrence":
            self.before[leaf.pc].append(self.make("mov", move, copy, Register(leaf.register)))
        else:
            self.after[leaf.pc].append(
                self.make("mov", move, copy, Register(leaf.register), like=leaf.pc)
            )
        return copy

    def tell(self, pc: int, leaf: Leaf, value: Register) -> None:
        """Stores before an access whose offsets are the parts of a register's value."""
        base = Register("probe@base")
        wide, part = self.register("probe@wide", "b64"), self.register("probe@part", "b64")
        bits = _WIDTH[self.registers[value.name]]
        out = self.before[pc]
        if bits == 64:
            out.append(self.make("mov", "b64", wide, value))
        else:
            out.append(self.make("cvt", f"s64.s{bits}", wide, value))
        for n, (low, width) in enumerate(_PARTS[:1] if isinstance(leaf, Loop) else _PARTS):
            out.append(self.make("shr", "u64", part, wide, Immediate(low)))
            out.append(self.make("and", "b64", part, part, Immediate((1 << width) - 1)))
            out.append(self.make("add", "s64", part, part, base))
            store = self.make("st", "global.u8", Address(part), Immediate(0), like=pc)
            out.append(replace(store, index=FIRST_PROBE + len(self.told)))
            self.told.append((leaf, n))

    def result(self) -> Function:
        base = self.register("probe@base", "b64")
        start = self.make("ld", "param.u64", base, Address(Symbol(_BUFFER)))
        out: list[Instruction] = [start]
        place: list[int] = []
        for pc, instruction in enumerate(self.kernel.instructions):
            out += self.falling[pc]
            place.append(len(out))
            out += self.before[pc]
            if pc in self.retargeted:
                instruction = replace(instruction, operands=(Symbol(self.retargeted[pc]),))
            out.append(instruction)
            out += self.after[pc]
        place.append(len(out))
        # A label behind the last instruction leaves the kernel; so must falling off its end.
        out.append(self.make("ret", ""))
        labels = {name: place[at] for name, at in self.kernel.labels.items()}
        for label, instructions in self.tail:
            labels[label] = len(out)
            out += instructions
        parameter = Variable(_BUFFER, "param", "u64", 8)
        return replace(
            self.kernel,
            parameters=(*self.kernel.parameters, parameter),
            instructions=tuple(out),
            labels=labels,
            registers=self.registers,
        )


_WIDTH = {f"{k}{n}": n for k in "bus" for n in (16, 32, 64)}


def probed(kernel: Function, wanted: Mapping[int, Sequence[Polynomial]]) -> Probed:
    """The kernel with probes for all symbols of the addresses wanted, by instruction."""
    copy = _Copy(kernel, control_flow(kernel))
    registers: dict[Leaf, Register | None] = {}
    at: dict[int, tuple[Leaf, ...]] = {}
    leaves = {pc: _leaves(addresses) for pc, addresses in wanted.items()}
    for leaf in dict.fromkeys(leaf for each in leaves.values() for leaf in each):
        found = copy.count(leaf.header) if isinstance(leaf, Loop) else None
        if isinstance(leaf, Opaque):
            found = copy.shadow(leaf)
        registers[leaf] = found
    for pc, found_leaves in leaves.items():
        at[pc] = tuple(leaf for leaf in found_leaves if registers[leaf] is not None)
        for leaf in at[pc]:
            register = registers[leaf]
            assert register is not None
            copy.tell(pc, leaf, register)
    return Probed(copy.result(), tuple(copy.told), at)


def _leaves(addresses: Iterable[Polynomial]) -> list[Leaf]:
    found = {a.text: a for p in addresses for a in p.atoms if isinstance(a, (Loop, Opaque))}
    return [found[text] for text in sorted(found)]


# --- comparing ------------------------------------------------------------------------------------


class _Recorder(Tracing):
    """Keeps the requests of a run."""

    def __init__(self) -> None:
        self.batches: list[MemoryBatch] = []

    def memory(self, batch: MemoryBatch) -> None:
        self.batches.append(batch)


@dataclass
class Compared:
    """What became of one instruction's access."""

    requests: int = 0
    equal: int = 0  #: requests whose addresses are the predicted ones in all lanes
    sectors: int = 0  #: requests whose sectors are the predicted ones
    unknown: int = 0  #: requests for which the expression could not be evaluated
    wrapped: int = 0  #: requests that differ by multiples of 2**32: the kernel's index overflowed
    overflow: str = ""  #: the first of these
    difference: str = ""  #: the first one
    guarded: int = 0  #: guards and ends of loops that could be evaluated, over all requests
    outside: int = 0  #: of these, those that did not hold in some active lane
    nest: str = ""  #: the first one


class _Values:
    """What the symbols of a launch stand for."""

    def __init__(self, facts: KernelFacts, launch: Launch, run: Run, kernel: Function) -> None:
        self.run, self.launch = run, launch
        module = facts.module
        names = layout.mentioned(kernel)
        accounting = Accounting(1 << 30)
        regions = layout.module_regions(module, names, run.fill, accounting)
        every: list[Region] = list(regions.values())
        self.parameters = layout.parameters(kernel, run.launch, every, run.fill, accounting)
        self.kernel = kernel
        #: Where cooperative groups keep what the blocks of a grid share: behind all else.
        self.workspace = base_address(len(every) + 1)
        self.bases = {name: base_address(r.number) for name, r in regions.items()}
        shared = layout.shared_frame(module, kernel, names)
        self.bases |= shared.offsets
        #: Where the system's own shared memory begins: behind the block's, 128-byte aligned.
        self.reserved = -(-(shared.size + launch.dynamic_shared) // 128) * 128
        self.bases |= layout.local_frame(kernel).offsets

    def of(self, leaf: Leaf, block: Dim3, warp: int) -> Any:
        """An int or a (32,) array; KeyError if it is not known."""
        if isinstance(leaf, Parameter):
            return self._parameter(leaf)
        if isinstance(leaf, Base):
            return self.bases[leaf.name]
        if isinstance(leaf, Special):
            return self._special(leaf.text, block, warp)
        raise KeyError(leaf)

    def _parameter(self, leaf: Parameter) -> int:
        name = self.kernel.parameters[leaf.index].name
        start = self.parameters.offsets[name] + leaf.offset
        size = int(leaf.type[1:]) // 8
        raw = bytes(self.parameters.image[start : start + size])
        # PTX loads `int` and `unsigned` alike, as .u32; sizes of 2^31 and more are overflows
        return int.from_bytes(raw, "little", signed=True)

    def _special(self, name: str, block: Dim3, warp: int) -> Any:
        x, y, _ = self.launch.block
        linear = warp * 32 + np.arange(32)
        register, _, axis = name.partition(".")
        at = "xyz".find(axis)
        match register:
            case "%tid":  # CUDA programming guide, thread hierarchy: x runs fastest
                return (linear % x, linear // x % y, linear // (x * y))[at]
            case "%ctaid":
                return block[at]
            case "%ntid":
                return self.launch.block[at]
            case "%nctaid":
                return self.launch.grid[at]
            case "%laneid":
                return np.arange(32)
            case "%warpid":
                return warp
            case "%lanemask_lt":
                return (1 << np.arange(32)) - 1
            case "%lanemask_le":
                return (2 << np.arange(32)) - 1
        if name.startswith("%reserved_smem_offset"):
            return self.reserved
        if name in ("%envreg1", "%envreg2"):  # upper and lower half of an address
            return self.workspace >> (32 if name == "%envreg1" else 0) & 0xFFFFFFFF
        raise KeyError(name)


def compare(
    facts: KernelFacts,
    launch: Launch,
    *,
    arch: str = "sm_80",
    fill: Fill = Fill.RANDOM,
    budget: Budget = Budget(),  # noqa: B008 - frozen
    blocks: Sequence[Dim3] | None = None,
) -> dict[int, Compared]:
    """Simulates the probed kernel; by instruction with an address: what became of it.

    Raises what `simulate` raises.
    """
    found = claims(facts)
    wanted = {pc: [v for claim in each for v in claim.values] for pc, each in found.items()}
    for pc, each in found.items():
        wanted[pc] += [Polynomial.of(loop.counter) for claim in each for loop in claim.loops]
    copy = probed(facts.kernel, wanted)
    launch = replace(launch, arguments=(*launch.arguments, Buffer(_BUFFER, "u8")))
    recorder = _Recorder()
    run = simulate(
        facts.module,
        copy.kernel,
        launch,
        SimulationOptions(arch=arch, fill=fill, blocks=blocks, budget=budget, keep_memory=False),
        tracers=(recorder,),
    )
    values = _Values(facts, launch, run, copy.kernel)
    told: dict[tuple[Leaf, int, int], np.ndarray] = {}
    out: dict[int, Compared] = defaultdict(Compared)
    for batch in sorted(recorder.batches, key=lambda b: b.order):
        if batch.pc >= FIRST_PROBE:
            _keep(told, batch, *copy.told[batch.pc - FIRST_PROBE])
            continue
        for claim in found.get(batch.pc, ()):
            if claim.kind == batch.kind and claim.address is not None:
                for row in range(len(batch.block)):
                    _judge(out[batch.pc], claim, batch, row, copy, told, values)
    return out


def _keep(
    told: dict[tuple[Leaf, int, int], np.ndarray], batch: MemoryBatch, leaf: Leaf, part: int
) -> None:
    low, width = _PARTS[part]
    for row in range(len(batch.block)):
        key = (leaf, int(batch.block[row]), int(batch.warp[row]))
        known = told.setdefault(key, np.zeros(32, np.int64))
        mask = batch.mask[row]
        clear = np.int64(~(((1 << width) - 1) << low) if low + width < 64 else (1 << low) - 1)
        bits = batch.offset[row][mask].astype(np.int64) << low
        known[mask] = (known[mask] & clear) | bits


def _judge(
    out: Compared,
    claim: Claim,
    batch: MemoryBatch,
    row: int,
    copy: Probed,
    told: Mapping[tuple[Leaf, int, int], np.ndarray],
    values: _Values,
) -> None:
    block, warp = int(batch.block[row]), int(batch.warp[row])
    known: dict[Leaf, Any] = {
        leaf: told[leaf, block, warp]
        for leaf in copy.at.get(batch.pc, ())
        if (leaf, block, warp) in told
    }
    address = claim.address
    assert address is not None
    out.requests += 1

    def evaluated(value: Polynomial) -> Any:
        for leaf in value.atoms:
            if leaf not in known:
                known[leaf] = values.of(leaf, values.run.blocks.indices[block], warp)
        return value.evaluate(known)

    try:
        expected = evaluated(address)
    except KeyError as error:
        out.unknown += 1
        out.difference = out.difference or f"no value of {error}"
        return
    _check_nest(out, claim, batch.mask[row], evaluated)
    lanes = batch.mask[row]
    actual = batch.offset[row][lanes]
    if batch.space in ("global", "const"):
        actual = actual + (batch.region[row][lanes].astype(np.int64) << REGION_SHIFT) + ORIGIN
    predicted = np.broadcast_to(np.asarray(expected, np.int64), 32)[lanes]
    out.equal += bool((predicted == actual).all())
    out.sectors += sectors(predicted, batch.size) == sectors(actual, batch.size)
    difference = np.abs(predicted - actual)

    def told_apart() -> str:
        shown = (f"{name}={known[s]}" for name, s in _named(address, known))
        return (
            f"block {block} warp {warp}: {predicted[:4]} predicted, {actual[:4]} simulated; "
            f"{address}; {', '.join(shown)}"
        )

    # With loaded factors it may be off by more than the distance of two regions.
    near = difference.max(initial=0) < ORIGIN or any(isinstance(a, Opaque) for a in known)
    if difference.any() and not (difference % (1 << 32)).any() and near:
        out.wrapped += 1
        out.overflow = out.overflow or told_apart()
    elif difference.any():
        out.difference = out.difference or told_apart()


def _check_nest(
    out: Compared, claim: Claim, lanes: np.ndarray, evaluated: Callable[[Polynomial], Any]
) -> None:
    """Guards must hold in all lanes, and no loop may run on behind its last turn."""
    ends = [
        build("setp.le.s64", (Polynomial.of(loop.counter), loop.last))
        for loop in claim.loops
        if loop.last is not None
    ]
    for predicate in (*claim.guards, *ends):
        try:
            holds = evaluated(predicate)
        except KeyError:
            continue
        out.guarded += 1
        if not np.broadcast_to(np.asarray(holds, bool), 32)[lanes].all():
            out.outside += 1
            out.nest = out.nest or f"does not hold: {predicate}"


def _named(address: Polynomial, known: Mapping[Leaf, Any]) -> Iterator[tuple[str, Leaf]]:
    for leaf in dict.fromkeys(address.atoms):
        if leaf in known:
            yield leaf.text, leaf


def sectors(address: np.ndarray, size: int) -> int:
    """32-byte sectors that a request touches (Nsight Compute: sectors per request)."""
    first, last = address // 32, (address + size - 1) // 32
    return len({s for a, b in zip(first.tolist(), last.tolist(), strict=True)
                for s in range(a, b + 1)})  # fmt: skip
