"""Reads a trace document, and gives its warps' operations and requests as arrays.

Nothing that the document says is taken on trust: counts, indices and types are looked at first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.view.columns import ColumnError, unpacked
from perflint.view.trace_writer import COLUMNS, FORMAT, VERSION

MOST_NUMBERS = 1 << 24  #: in a column
MOST_BYTES = 1 << 28  #: of a document


class TraceError(ValueError):
    """A document that is no trace of this version, or is damaged; the message says where."""


@dataclass(frozen=True, eq=False)
class Stream:
    """The requests of one instruction to one space; columns are (n,) int64."""

    instruction: int
    space: str
    kind: str
    size: int
    warp: np.ndarray
    step: np.ndarray
    pattern: np.ndarray
    region: np.ndarray
    offset: np.ndarray


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace document, decoded."""

    data: Mapping[str, Any] = field(repr=False)  #: as it was written
    blocks: np.ndarray  #: (b,) numbers of the traced blocks in the grid
    lanes: np.ndarray  #: (p,) of each pattern, lane 0 in bit 0
    offsets: np.ndarray  #: (p, 32) bytes from the first lane that takes part
    parent: np.ndarray  #: (k,)
    first: np.ndarray
    last: np.ndarray
    active: np.ndarray  #: (k,) lanes that execute a node's instructions
    leaf: np.ndarray  #: (warps,)
    streams: tuple[Stream, ...]

    @property
    def warps_per_block(self) -> int:
        return int(self.data["warps_per_block"])

    def steps(self, warp: int) -> tuple[np.ndarray, np.ndarray]:
        """(positions of the instructions that a traced warp executed, lanes of each), in order."""
        nodes = []
        node = int(self.leaf[warp])
        while node:
            nodes.append(node)
            node = int(self.parent[node])
        nodes.reverse()
        runs = [np.arange(self.first[n], self.last[n]) for n in nodes]
        lanes = [np.full(self.last[n] - self.first[n], self.active[n]) for n in nodes]
        nothing = np.zeros(0, np.int64)
        return np.concatenate([nothing, *runs]), np.concatenate([nothing, *lanes])

    def addresses(self, stream: Stream, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """(mask (n, 32) bool, byte offsets (n, 32)) of some requests, from their region's start.

        Lanes in other regions lie 2^40 bytes further for each index of the region between.
        """
        pattern = stream.pattern[rows]
        mask = (self.lanes[pattern][:, None] >> np.arange(32)) & 1 == 1
        return mask, np.where(mask, self.offsets[pattern] + stream.offset[rows][:, None], 0)


def read(text: str | bytes) -> Trace:
    """The trace that a document holds. Raises TraceError."""
    if len(text) > MOST_BYTES:
        raise TraceError(f"a trace of more than {MOST_BYTES >> 20} MB")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"no trace, for it is no JSON: {error}") from None
    return decoded(data)


def decoded(data: object) -> Trace:
    """The trace of a document that is no text any more. Raises TraceError."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TraceError("no trace: perflint profile --output-format trace writes one")
    if data.get("version") != VERSION:
        raise TraceError(
            f"a trace of version {str(data.get('version'))[:20]}; this is perflint for version "
            f"{VERSION}: write it anew"
        )
    try:
        return _read(data)
    except ColumnError as error:
        raise TraceError(f"the trace is damaged: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise TraceError(f"the trace is damaged: {what}") from None


def _read(data: Mapping[str, Any]) -> Trace:
    _shape(data)
    traced, patterns, paths = data["traced"], data["patterns"], data["paths"]
    positions = len(data["instructions"])
    per_block = _count(data["warps_per_block"])
    blocks = unpacked(traced["indices"], _count(traced["blocks"]))
    warps = len(blocks) * per_block
    p, k = _count(patterns["count"]), _count(paths["count"])
    columns = {name: unpacked(paths[name], k) for name in ("parent", "first", "last", "lanes")}
    leaf = unpacked(paths["leaf"], _count(warps))
    if k < 1 or (columns["parent"][1:] >= np.arange(1, k)).any():
        raise ValueError("the paths are no tree")
    _within(columns["parent"], k, "a path")
    _within(leaf, k, "a path")
    _within(columns["last"], positions + 1, "an instruction")
    _within(columns["first"], positions + 1, "an instruction")
    if (columns["last"] < columns["first"]).any():
        raise ValueError("a path runs backwards")
    lanes = unpacked(patterns["lanes"], p)
    for each in (lanes, columns["lanes"]):
        _within(each, 1 << 32, "lanes")
    offsets = unpacked(patterns["offsets"], _count(32 * p)).reshape(-1, 32)
    streams = tuple(_streams(data, positions, warps, p))
    return Trace(
        data, blocks, lanes, offsets, columns["parent"], columns["first"], columns["last"],
        columns["lanes"], leaf, streams,
    )  # fmt: skip


def _streams(
    data: Mapping[str, Any], positions: int, warps: int, patterns: int
) -> Iterator[Stream]:
    found = data["requests"]
    n = _count(found["count"])
    columns = {name: unpacked(found[name], n) for name in COLUMNS}
    _within(columns["warp"], warps, "a warp")
    _within(columns["pattern"], patterns, "a pattern")
    _within(columns["region"], len(data["regions"]), "a region")
    _within(columns["step"], 1 << 40, "a step")
    at = 0
    for each in data["streams"]:
        rows = slice(at, at + _count(each["count"]))
        at = rows.stop
        position, size = _count(each["instruction"]), _count(each["size"])
        if position >= positions or not 1 <= size <= 64:
            raise ValueError("a request is of no instruction")
        if each["space"] not in ("global", "shared"):
            raise ValueError("a request is of no space")
        mine = {name: column[rows] for name, column in columns.items()}
        yield Stream(position, each["space"], str(each["kind"]), size, **mine)
    if at != n:
        raise ValueError(f"{n:,} requests are of {at:,}")


def _shape(data: Mapping[str, Any]) -> None:
    """What is not in columns: texts where texts belong."""
    for source in data["sources"]:
        if not isinstance(source["name"], str) or not all(
            isinstance(line, str) for line in source["lines"]
        ):
            raise ValueError("a source is no text")
    for each in data["instructions"]:
        if not (isinstance(each["name"], str) and isinstance(each["text"], str)):
            raise ValueError("an instruction is no text")
        if not 0 <= _count(each["source"]) < len(data["sources"]):
            raise ValueError("an instruction is of no source")
        _count(each["line"])
    if not isinstance(data["profile"], dict) or not isinstance(data["profile"]["lines"], list):
        raise ValueError("there are no figures")
    for name in ("kernel", "launch", "arch"):
        if not isinstance(data["profile"][name], str):
            raise ValueError(f"the {name} is no text")
    for name in ("grid", "block"):
        if len([_count(n) for n in data[name]]) != 3:
            raise ValueError(f"the {name} has no three extents")


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1 << 32:
        raise ValueError(f"{str(value)[:20]!r} is no count")
    return value


def _within(values: np.ndarray, limit: int, what: str) -> None:
    if len(values) and (int(values.min()) < 0 or int(values.max()) >= limit):
        raise ValueError(f"there is no {what} of such a number")
