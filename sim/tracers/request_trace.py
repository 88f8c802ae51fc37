"""RequestTrace: what each warp executed, and where its requests to memory went, in little room.

A warp's executed instructions are a way through a tree of runs of instructions: warps that do the
same share it. A request is a pattern (the lanes that took part, and how far each lies from the
first of them) at a place: requests that differ in their place only share the pattern. Both are what
a view of single requests needs, and regular launches need next to nothing of it.

What is kept is bounded by counts. Where there is too much, every second block is let go, then every
fourth, and so on; of one block alone, the end is cut off.
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import packed
from perflint.sim.trace import InstructionBatch, MemoryBatch, Setting, Tracing
from perflint.sim.tracers.request_buffer import Gatherer
from perflint.sim.unique_values import unique_values

#: What is kept at most: a request counts 1, a node of the tree 2, a pattern 12, as they take room.
MOST = 1_000_000
_NODE, _PATTERN = 2, 12
REGION_BITS = 40  #: addresses of different regions differ above them
_MOST_REGIONS = 4096  #: so that addresses are exact in double precision
_SPACES = ("global", "shared")
#: Odd coefficients of a hash of a request's offsets; equal hashes are compared in full.
_ODD = np.array([pow(0x9E3779B97F4A7C15, k, 1 << 64) for k in range(1, 34)], np.uint64)


@dataclass(frozen=True, eq=False)
class Stream:
    """All requests of one instruction to one space, by warp and time."""

    position: int  #: of the instruction, in `Setting.instructions`
    space: str  #: `global` or `shared`
    kind: str  #: `load`, `store`, `atomic`
    size: int  #: bytes per lane
    warp: np.ndarray  #: (n,) index into the traced warps
    step: np.ndarray  #: (n,) which of the warp's executed instructions it is
    pattern: np.ndarray  #: (n,) index into `Traced.masks` and `Traced.offsets`
    region: np.ndarray  #: (n,) of the first lane, index into `Traced.regions`
    offset: np.ndarray  #: (n,) bytes from that region's start, of the first lane


@dataclass(frozen=True, eq=False)
class Traced:
    """What was kept of a launch."""

    blocks: np.ndarray  #: (b,) indices into `Setting.blocks`; a block's warps follow one another
    masks: np.ndarray  #: (p,) uint32, lanes of each pattern, lane 0 in bit 0
    #: (p, 32) int64, bytes from the first lane that takes part. Another region's lanes are 2^40
    #: bytes further for each index of it. Lanes that take no part have 0.
    offsets: np.ndarray
    regions: tuple[int, ...]  #: numbers as in MemoryBatch
    #: The tree: its node's parent (the root is 0), the run of instructions that a warp executes
    #: there (`first`, behind `last`), and with which lanes. (k,) each.
    parent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    lanes: np.ndarray  #: uint32
    leaf: np.ndarray  #: (warps,) the node at which each traced warp ended
    streams: tuple[Stream, ...]
    cut: bool  #: whether the end of what the warps did was not kept

    @property
    def requests(self) -> int:
        return sum(len(each.warp) for each in self.streams)


class RequestTrace(Tracing):
    """Keeps requests to global and shared memory; `traced` holds them once the run is finished."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self._every = 1  #: only blocks whose index it divides are kept
        self._full = False
        self._tree = _Tree(len(setting.blocks) * setting.warps)
        self._patterns = _Patterns()
        self._regions: dict[int, int] = {}
        self._rows: dict[tuple[int, str, str, int], list[np.ndarray]] = {}
        self._count = 0  #: requests
        self._issued = np.zeros(len(setting.blocks) * setting.warps, np.int64)
        self._ahead, self._order = 0, 0
        self._gatherer = Gatherer(self._keep)

    def instructions(self, batch: InstructionBatch) -> None:
        self._fit()
        if self._weight() > self._most:
            self._full = True
        if self._full:
            return
        mine = batch.block % self._every == 0
        warp = batch.block[mine].astype(np.int64) * self.setting.warps + batch.warp[mine]
        self._ahead, self._order = batch.count, batch.order
        if len(warp):
            self._issued[warp] += batch.count
            self._tree.walk(warp, batch.lanes.bits[mine], batch.first, batch.last)

    def memory(self, batch: MemoryBatch) -> None:
        if self._full or batch.space not in _SPACES or batch.pc not in self.setting.position:
            return
        warp = batch.block.astype(np.int64) * self.setting.warps + batch.warp
        step = self._issued[warp] - self._ahead + (batch.order - self._order)
        self._gatherer.add(batch, warp, step)

    def _keep(self, batch: MemoryBatch, warp: np.ndarray, step: np.ndarray) -> None:
        mine = (batch.block % self._every == 0) & batch.mask.any(axis=1)
        if not mine.any():
            return
        mask = batch.mask[mine]
        region = self._numbered(batch.region[mine], mask)
        address = (region << REGION_BITS) + batch.offset[mine]
        row = np.arange(len(mask))
        leader = mask.argmax(axis=1)
        away = np.where(mask, address - address[row, leader][:, None], 0)
        pattern = self._patterns.of(packed(mask), away)
        key = (self.setting.position[batch.pc], batch.space, batch.kind, batch.size)
        columns = (warp[mine], step[mine], pattern, region[row, leader],
                   batch.offset[mine][row, leader])  # fmt: skip
        self._rows.setdefault(key, []).append(np.stack([c.astype(np.int64) for c in columns]))
        self._count += len(mask)
        self._fit()

    def _numbered(self, region: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Regions as indices, (n, 32) int64."""
        out = np.zeros(region.shape, np.int64)
        for number in unique_values(region[mask]).tolist():
            index = self._regions.setdefault(number, len(self._regions))
            out[region == number] = min(index, _MOST_REGIONS - 1)
        return out

    # --- room -------------------------------------------------------------------------------------

    def _fit(self) -> None:
        while self._weight() > self._most and self._every < len(self.setting.blocks):
            self._every *= 2
            self._thin()

    def _weight(self) -> int:
        return self._count + _NODE * len(self._tree.parent) + _PATTERN * len(self._patterns.masks)

    def _thin(self) -> None:
        """Forget what belongs to blocks that are not kept any more."""
        per_block, every = self.setting.warps, self._every
        for key, parts in self._rows.items():
            rows = np.concatenate(parts, axis=1)
            self._rows[key] = [rows[:, rows[0] // per_block % every == 0]]
        self._count = sum(parts[0].shape[1] for parts in self._rows.values())
        used = [parts[0][2] for parts in self._rows.values()]
        new = self._patterns.only(unique_values(np.concatenate(used)) if used else np.zeros(0, int))
        for parts in self._rows.values():
            parts[0][2] = new[parts[0][2]]
        warps = np.arange(len(self._issued))
        self._tree.only(warps[warps // per_block % every == 0])

    def finish(self) -> None:
        self._gatherer.flush()
        per_block, every = self.setting.warps, self._every
        blocks = np.arange(0, len(self.setting.blocks), every)
        warps = (blocks[:, None] * per_block + np.arange(per_block)).reshape(-1)
        tree = self._tree
        self.traced = Traced(
            blocks=blocks,
            masks=np.array(self._patterns.masks, np.uint32),
            offsets=np.array(self._patterns.offsets, np.int64).reshape(-1, 32),
            regions=tuple(self._regions)[:_MOST_REGIONS],
            parent=np.array(tree.parent, np.int64),
            first=np.array(tree.first, np.int64),
            last=np.array(tree.last, np.int64),
            lanes=np.array(tree.lanes, np.uint32),
            leaf=tree.at[warps],
            streams=tuple(self._stream(key, self._rows[key]) for key in sorted(self._rows)),
            cut=self._full,
        )
        self._rows = {}

    def _stream(self, key: tuple[int, str, str, int], parts: list[np.ndarray]) -> Stream:
        rows = np.concatenate(parts, axis=1)
        warp, step = rows[0], rows[1]
        order = np.lexsort((step, warp))
        block, within = warp // self.setting.warps, warp % self.setting.warps
        rows[0] = block // self._every * self.setting.warps + within
        return Stream(*key, *rows[:, order])


class _Tree:
    """Runs of instructions, one behind the other, as warps executed them."""

    def __init__(self, warps: int) -> None:
        self.parent, self.first, self.last, self.lanes = [0], [0], [0], [0]
        self._child: dict[tuple[int, int, int, int], int] = {}
        self.at = np.zeros(warps, np.int64)  #: the node at which each warp is

    def walk(self, warp: np.ndarray, lanes: np.ndarray, first: int, last: int) -> None:
        """Each of these warps executes a run of instructions with some lanes."""
        ways = (self.at[warp].astype(np.uint64) << np.uint64(32)) | lanes.astype(np.uint64)
        if (ways == ways[0]).all():
            self.at[warp] = self._next(int(ways[0]), first, last)
            return
        found, which = np.unique(ways, return_inverse=True)
        self.at[warp] = np.array([self._next(way, first, last) for way in found.tolist()])[which]

    def _next(self, way: int, first: int, last: int) -> int:
        key = (way >> 32, way & 0xFFFFFFFF, first, last)
        node = self._child.get(key)
        if node is None:
            node = self._child[key] = len(self.parent)
            self.parent.append(key[0])
            self.lanes.append(key[1])
            self.first.append(first)
            self.last.append(last)
        return node

    def only(self, warps: np.ndarray) -> None:
        """Forget the nodes that none of these warps came through."""
        used = np.zeros(len(self.parent), bool)
        used[0] = True
        used[self.at[warps]] = True
        for node in range(len(used) - 1, 0, -1):
            if used[node]:
                used[self.parent[node]] = True
        new = np.cumsum(used) - 1
        kept = np.flatnonzero(used).tolist()
        self.parent = [int(new[self.parent[node]]) for node in kept]
        self.first = [self.first[node] for node in kept]
        self.last = [self.last[node] for node in kept]
        self.lanes = [self.lanes[node] for node in kept]
        self.at = np.where(used[self.at], new[self.at], 0)
        columns = zip(self.parent, self.lanes, self.first, self.last, strict=True)
        self._child = {key: node for node, key in enumerate(columns) if node}


class _Patterns:
    """The different patterns of requests, by number."""

    def __init__(self) -> None:
        self.masks: list[int] = []
        self.offsets: list[np.ndarray] = []
        self._number: dict[bytes, int] = {}

    def of(self, mask: np.ndarray, away: np.ndarray) -> np.ndarray:
        """The numbers of some patterns: `mask` (n,) uint32, `away` (n, 32) int64."""
        whole = np.concatenate([away, mask.astype(np.int64)[:, None]], axis=1)
        sums = whole.view(np.uint64) @ _ODD
        _, some, which = np.unique(sums, return_index=True, return_inverse=True)
        if not np.array_equal(whole[some][which], whole):  # two different ones share a hash
            some = which = np.arange(len(whole))
        return np.array([self._of(int(mask[i]), away[i]) for i in some.tolist()])[which]

    def _of(self, mask: int, away: np.ndarray) -> int:
        key = mask.to_bytes(4, "little") + away.tobytes()
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self.masks)
            self.masks.append(mask)
            self.offsets.append(away.copy())
        return number

    def only(self, used: np.ndarray) -> np.ndarray:
        """Keep some; the new number of each old one that is kept."""
        new = np.zeros(len(self.masks), np.int64)
        new[used] = np.arange(len(used))
        self.masks = [self.masks[i] for i in used.tolist()]
        self.offsets = [self.offsets[i] for i in used.tolist()]
        self._number = {
            mask.to_bytes(4, "little") + away.tobytes(): number
            for number, (mask, away) in enumerate(zip(self.masks, self.offsets, strict=True))
        }
        return new


__all__ = ["RequestTrace", "Stream", "Traced"]
