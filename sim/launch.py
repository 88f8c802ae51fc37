"""What a kernel is started with: grid, block, dynamic shared bytes, arguments, budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import TYPE_SIZE

if TYPE_CHECKING:
    from perflint.sim.final_memory import LeftBehind

Dim3 = tuple[int, int, int]


class Fill(Enum):
    """What memory that nobody wrote holds. Values are distinct by position in every fill."""

    RANDOM = "random"  #: a hash of the position; integers in [0, Buffer.limit)
    IDENTITY = "identity"  #: integers `a[i] = i` (mod limit); floats as in RANDOM
    ZERO = "zero"


@dataclass(frozen=True)
class Offsets:
    """Integers that ascend, as offsets of rows do: row i is [a[i], a[i + 1])."""

    mean: int = 8  #: of the rows' lengths, which are between 0 and twice as much
    rows: int | None = None  #: behind which all is the last offset; None: there is no last
    total: int | None = None  #: what no offset is beyond; None: nothing bounds them


@dataclass(frozen=True)
class Flags:
    """Integers that are 0 or 1: of 32 neighbours in turn some, all, some, and none are 1."""


@dataclass(frozen=True)
class Marked:
    """Integers of which every fourth is a mark, an empty slot or a list's end: none goes round."""

    mark: int


@dataclass(frozen=True)
class Same:
    """The same number in every element, an integer or a float."""

    value: int | float


@dataclass(frozen=True)
class Progression:
    """The number `first + step * i` in element i."""

    first: int
    step: int


Contents = Offsets | Flags | Marked | Same | Progression


@dataclass(frozen=True, eq=False)
class Buffer:
    """A pointer argument: a memory region of its own, grown as it is touched."""

    name: str
    element: str | None = None  #: PTX type its values have (`f32`); None: the first access decides
    size: int | None = None  #: bytes that the host allocated; None where unknown
    limit: int = 1024  #: filled integers are below this, so that they can serve as indices
    data: np.ndarray | None = None  #: initial contents; the fill continues behind them
    contents: Contents | None = None  #: what the fill's values are, where that is known
    told: Same | Progression | None = None  #: what the program puts into it, where that is known

    @property
    def filling(self) -> Contents | None:
        """What the fill's values are: the program's own before those that are made up."""
        return self.told or self.contents


@dataclass(frozen=True, eq=False)
class Texture:
    """A texture or surface object as an argument: its texels, and how they are fetched.

    The texels lie row by row in the memory image of its name (`Run.buffers`).
    """

    name: str
    #: layers, depth, height, width in texels; faces of cubemaps are layers, six for each
    extents: tuple[int, int, int, int]
    element: str = "f32"  #: PTX type of a channel
    channels: int = 1  #: 1, 2 or 4
    data: np.ndarray | None = None  #: the texels; None: the fill
    addressing: str = "clamp"  #: beyond the extents: `clamp`, `border`, `wrap` or `mirror`
    linear: bool = False  #: filtering
    normalised_coordinates: bool = False
    normalised_values: bool = False  #: integers are fetched as floats in [-1, 1] or [0, 1]

    @property
    def texel_bytes(self) -> int:
        return TYPE_SIZE[self.element] * self.channels


@dataclass(frozen=True)
class Scalar:
    """A number, encoded by the parameter's PTX type (an int for `.f32` is converted)."""

    value: int | float


@dataclass(frozen=True, eq=False)
class Aggregate:
    """A struct by value: its bytes, and the buffers whose pointers stand at byte offsets in it."""

    data: bytes
    buffers: tuple[tuple[int, Buffer | Texture], ...] = ()


@dataclass(frozen=True)
class SymbolBytes:
    """What some bytes of a module's variable hold before a launch."""

    variable: str  #: PTX name
    offset: int  #: bytes from its start
    data: bytes = field(repr=False)
    told: bool = True  #: the program says so; False: invented, for the program's own is not known


Argument = Buffer | Texture | Scalar | Aggregate


@dataclass(frozen=True, eq=False)
class Parted:
    """An argument that points to each field of what was an array of structures."""

    argument: int  #: an Aggregate of pointers
    array: Buffer  #: what it was
    step: int  #: bytes of a structure
    fields: tuple[tuple[int, int], ...]  #: where each lies in it, and its bytes


@dataclass(frozen=True, eq=False)
class ImageRegion:
    """An allocation as a launch found it."""

    number: int  #: above bit 40 of its addresses
    name: str
    data: np.ndarray = field(repr=False)  #: all its bytes, uint8
    constant: bool = False


@dataclass(frozen=True, eq=False)
class ImageTexture:
    """A texture or surface object that was bound."""

    texture: Texture
    pitch: int = 0  #: bytes from row to row; 0: they follow one another closely


@dataclass(frozen=True, eq=False)
class MemoryImage:
    """What a recorded launch was given: its parameters' bytes, and what their addresses lead to."""

    parameters: bytes
    regions: tuple[ImageRegion, ...]
    symbols: Mapping[str, int]  #: addresses of the module's variables
    textures: Mapping[int, ImageTexture] = field(default_factory=dict)  #: by number

    def names(self) -> dict[int, str]:
        """Names of the regions by number."""
        return {r.number: r.name for r in self.regions}


@dataclass(frozen=True, eq=False)
class Launch:
    """`kernel<<<grid, block, dynamic_shared>>>(arguments)`."""

    grid: Dim3
    block: Dim3
    arguments: tuple[Argument, ...]
    dynamic_shared: int = 0  #: bytes
    #: The memory of a recorded launch. `arguments` then only tell people what was passed.
    image: MemoryImage | None = field(default=None, repr=False)
    #: What the module's variables hold where that is not their initialiser.
    symbols: tuple[SymbolBytes, ...] = ()
    #: Variables into which the host has copied what it copied to an array: their names, and the
    #: numbers of the arguments that point to it.
    copied: tuple[tuple[str, int], ...] = ()
    #: Texture references: variables of the module whose address is a handle, and what they name.
    textures: tuple[tuple[str, Texture], ...] = ()
    parted: Parted | None = None
    cluster: Dim3 = (1, 1, 1)  #: blocks that have each other's shared memory

    @property
    def blocks_per_cluster(self) -> int:
        return self.cluster[0] * self.cluster[1] * self.cluster[2]

    @property
    def whole_clusters(self) -> bool:
        """Whether the grid is a number of clusters, as a device wants it."""
        return not any(n % each for n, each in zip(self.grid, self.cluster, strict=True))

    @property
    def threads_per_block(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        return -(-self.threads_per_block // 32)

    @property
    def block_count(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]


#: Of what a budget counts: more than any run comes to.
UNBOUNDED = 1 << 60


@dataclass(frozen=True)
class Budget:
    """Where a simulation stops. What stopped it is reported in the Run."""

    warp_instructions: int = 2_000_000
    #: Instructions that the wide machine issues, each for all warps that stand at it: what a run
    #: takes, nearly regardless of how many warps there are.
    issued_instructions: int = UNBOUNDED
    seconds: float = 2.0
    memory: int = 256 << 20  #: bytes of device memory images
    requests_per_site: int = 4096  #: requests traced per instruction; later ones are only executed


def whole(seconds: float, memory: int) -> Budget:
    """A budget under which every request is traced and only time and memory are bounded."""
    return Budget(
        warp_instructions=UNBOUNDED,
        seconds=seconds,
        memory=memory,
        requests_per_site=UNBOUNDED,
    )


@dataclass(frozen=True)
class Stop:
    """Why a run ended before the kernel did."""

    #: `instruction budget`, `time budget`, `memory budget`, `deadlock`, `trap`,
    #: `endless`: lanes spin on what nobody is left to write,
    #: or `enough`: the caller had seen what it wanted; callers may tell more of why
    reason: str
    detail: str = ""
    pc: int | None = None
    other: int | None = None  #: where others wait, of a deadlock


@dataclass(frozen=True)
class Fault:
    """Something that the kernel did and should not, or that the run could not honour."""

    #: `shared-overrun`, `array-overrun`, `out-of-region`, `misaligned`, `assert`,
    #: `negative-offset`, `unwritten-constant`: a value that decides something was read from a
    #: `__constant__` or `__device__` variable that only the host could have set,
    #: and `waits-for-others`: threads that spun until a block would store that was not simulated
    kind: str
    pc: int
    count: int
    detail: str = ""


class UnsupportedInstructionError(Exception):
    """Raised before a launch: the kernel holds an instruction the emulator has no meaning for."""

    def __init__(self, name: str, line: int | None, ptx_line: int, why: str = "") -> None:
        super().__init__(f"instruction {name} is not supported{why and ': '}{why}")
        self.name, self.line, self.ptx_line = name, line, ptx_line


@dataclass(frozen=True)
class SimulatedBlocks:
    """Which blocks of the grid ran."""

    indices: tuple[Dim3, ...]
    total: int
    contiguous: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """What one simulated launch did. Counts are of the simulated blocks only."""

    launch: Launch
    arch: str
    fill: Fill
    blocks: SimulatedBlocks
    warp_instructions: int
    thread_instructions: int  #: active lanes of executed PTX instructions
    stop: Stop | None
    faults: tuple[Fault, ...]
    schedule_dependent: bool  #: an address or a branch depended on an atomic's result or a race
    buffers: LeftBehind  #: final bytes by buffer name
    tracers: tuple[object, ...] = ()  #: the tracers passed in, finished
    #: requests by instruction, those behind `requests_per_site` included; {} without tracers
    requests: dict[int, int] = field(default_factory=dict)
    passed: int = 0  #: turns of loops that were passed over
    issued_instructions: int = 0  #: each counted once for all lanes that carry it out together
    traced_all: bool = True  #: no tracer missed what stands behind `requests_per_site`
    looked: bool = True  #: it asked what some byte of memory holds, its own blocks' apart

    @property
    def warps(self) -> int:
        """Warps of the simulated blocks."""
        return len(self.blocks.indices) * self.launch.warps_per_block
