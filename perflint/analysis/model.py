"""What the analysis says about a kernel. Plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from perflint.analysis.polynomial import Polynomial
from perflint.analysis.precision import DoubleUse
from perflint.analysis.symbols import Loop
from perflint.analysis.variable_names import variable_name
from perflint.base.records import dataclass
from perflint.grammar.model import Function, Location, Module


class AnalysisError(Exception):
    """A kernel that the analysis cannot make sense of; the message says which and why."""


@dataclass(frozen=True)
class Array:
    """What a pointer points into, by provenance."""

    kind: str  #: `parameter`, `variable` (shared, const, global, local), `unknown`
    name: str  #: PTX name of the parameter or variable; "" if unknown
    parameter: int | None = None  #: parameter index
    offset: int | None = None  #: byte offset of the pointer within a by-value struct parameter


@dataclass(frozen=True)
class LoopAround:
    """A loop around an access."""

    counter: Loop  #: how often its back edge was taken
    last: Polynomial | None  #: the counter in the last turn; None if no counted test ends the loop
    stays: Polynomial | None = None  #: the predicate of going on; None if several tests end it


@dataclass(frozen=True, eq=False)
class LoopFacts:
    """A loop of the kernel."""

    header: int  #: its first instruction
    location: Location | None
    pcs: tuple[int, ...]  #: its instructions, those of inner loops included
    depth: int  #: 1 for an outermost loop
    last: Polynomial | None  #: its counter in the last turn; None if no counted test ends it
    uniform: bool  #: the lanes of a warp leave it together
    data_dependent: bool  #: when it ends depends on loaded data
    #: of what is each thread's own (TID_X, …), what any value in it depends on; 0: all do the same
    lanes: int = 0
    entries: tuple[int, ...] = ()  #: the last instruction of each block before it


@dataclass(frozen=True, eq=False)
class Branch:
    """A conditional or indexed jump."""

    pc: int
    location: Location | None
    uniform: bool  #: the lanes of a warp go the same way
    data_dependent: bool  #: the way depends on loaded data
    arms: tuple[tuple[int, ...], ...]  #: by way out: the instructions of that way alone
    leaves_loop: bool  #: one way leaves a loop
    condition: Polynomial | None = None  #: the predicate, where it is a formula
    outside: tuple[int, ...] = ()  #: where it leaves a loop: what runs before the ways meet again


@dataclass(frozen=True)
class AccessSite:
    """One memory instruction of the source: the PTX instructions that unrolling made of it."""

    pcs: tuple[int, ...]  #: instruction indices, ascending
    location: Location | None
    kind: str  #: `load`, `store`, `atomic`
    space: str  #: `global`, `shared`, `local`, `const`, `generic`
    size: int  #: bytes per lane, a vector's elements together
    array: Array
    address: Polynomial | None  #: bytes, of the first pc; None if nothing is known
    #: bytes between neighbours in x, y, z; None: no stride
    strides: Mapping[str, Polynomial | None] = field(hash=False)
    loaded_address: bool  #: the address depends on a value loaded from memory that a host filled
    data_dependent: bool  #: reached, or repeated, depending on such a value
    uniformity: str  #: of the address within a warp: `uniform`, `affine`, `divergent`
    loop_depth: int
    #: by instruction of `pcs`: its address, as `address` is of the first one
    addresses: tuple[Polynomial | None, ...] = field(default=(), repr=False)
    #: predicates that hold (are not 0) in every lane that executes the first of `pcs`
    guards: tuple[Polynomial, ...] = field(default=(), repr=False)
    loops: tuple[LoopAround, ...] = ()  #: around the first of `pcs`, outermost first
    #: a loaded value that its address depends on is a lane's own float, rounded: near stays near
    rounded_address: bool = False
    told_address: bool = False  #: it depends on what the program puts into an array

    @property
    def indirect(self) -> bool:
        """Whether its address holds data, be it told by the program or not."""
        return self.loaded_address or self.told_address

    @property
    def may_be_global(self) -> bool:
        """Whether it is to global memory, or by a generic address, which only a run resolves."""
        return self.space in ("global", "generic")

    @property
    def identity(self) -> str:
        """Its space and array, the same for all launches and template arguments."""
        a = self.array
        if a.kind == "parameter":
            return f"{self.space} parameter {a.parameter}" + (f"+{a.offset}" if a.offset else "")
        name = variable_name(a.name) if a.name.startswith("_ZZ") else a.name  # a kernel's own
        return f"{self.space} {name or '?'}"


@dataclass(frozen=True)
class ParameterRoles:
    """Scalar parameters by their roles, as indices."""

    #: where ranges of indices or of floats begin: compared from below and never from above
    starts: frozenset[int] = frozenset()
    shift_counts: frozenset[int] = frozenset()  #: something is shifted by: logarithms
    flags: frozenset[int] = frozenset()  #: compared with 0 or 1 and used for nothing else
    masks: frozenset[int] = frozenset()  #: `n` of `i & (n - 1)`: powers of two
    #: the axis of the thread's index that a parameter bounds from above: `i < n`
    bounds: Mapping[int, str] = field(default_factory=dict)
    #: the pitch of rows, and what bounds the index along a row: `y * lda + x` with `x < n`
    rows: frozenset[tuple[int, int]] = frozenset()


Pointer = tuple[int, int]  #: parameter, and byte offset of the pointer in a struct by value


@dataclass(frozen=True)
class Into:
    """An array that loaded values index."""

    pointer: Pointer
    scale: Polynomial  #: bytes from one index to the next; may hold parameters
    #: bytes from one row to the next, for each other index that is added: `a[row * width + i]`
    pitches: tuple[Polynomial, ...] = ()


@dataclass(frozen=True)
class DataRole:
    """What the integers in one array are for."""

    kind: Literal["index", "offsets", "flag", "walked"]
    pointer: Pointer
    into: tuple[Into, ...] = ()  #: of `index` and `offsets`
    steers: bool = False  #: it decides how often some loop turns
    #: other loads from the array are for something else: fields of records, or marks such as -1
    others: bool = False
    end: int | None = None  #: what ends a walk over it that nothing else ends: an empty slot, -1
    lanes: int = 1  #: of `offsets`: how many lanes walk along a row side by side


@dataclass(frozen=True, eq=False)
class KernelFacts:
    """Everything the rules may know of a kernel before it runs."""

    module: Module
    kernel: Function  #: with its calls written out: what the sites' instructions are counted in
    sites: tuple[AccessSite, ...]
    reads: frozenset[str]  #: special registers read: `%tid.y`, `%ntid.x`, …
    pointer_parameters: frozenset[int]  #: parameters whose value is dereferenced
    pointer_fields: Mapping[int, tuple[int, ...]]  #: by-value structs: byte offsets of pointers
    element_types: Mapping[tuple[int, int], str]  #: (parameter, byte offset) → PTX element type
    bare_strides: frozenset[int]  #: scalar parameters that are a factor of a %tid.x stride
    communicates: bool  #: blocks can see each other's writes (atomics, grid sync, spin loops)
    #: scalar parameters that an index is compared with: the size of something
    extents: frozenset[int] = frozenset()
    #: functions that it calls and whose accesses are no sites: recursive ones, function pointers
    unseen: tuple[str, ...] = ()
    doubles: tuple[DoubleUse, ...] = ()  #: the instructions that compute in double precision
    branches: tuple[Branch, ...] = ()
    loops: tuple[LoopFacts, ...] = ()  #: outer ones before those inside
    #: pointer parameters that something may be stored through, atomically or not
    written_parameters: frozenset[int] = frozenset()
    #: what scalar parameters are used as
    roles: ParameterRoles = field(default_factory=ParameterRoles)
    data_roles: tuple[DataRole, ...] = ()  #: what the integers in arrays are for
    #: pointer parameters to arrays whose numbers the program tells: they are the same in each run
    told: frozenset[int] = frozenset()
    #: `x` of a loop that halves blockDim.x: the block is a power of two there
    halved_axes: frozenset[str] = frozenset()

    @property
    def free_strides(self) -> frozenset[int]:
        """Bare strides that no index is compared with: the size of nothing, so maybe 1 in life."""
        return self.bare_strides - self.extents
