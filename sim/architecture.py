"""GPU architectures: one TOML data file each, every number with its source."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from perflint.base.records import dataclass

_FOLDER = Path(__file__).parent / "architectures"


class UnknownArchitectureError(ValueError):
    """Raised for an architecture that no data file describes."""


@dataclass(frozen=True)
class L1Cache:
    """What is published about an L1 data cache; None where it is not."""

    line: int  #: bytes of a tag's line
    sector: int  #: bytes filled at once on a miss; the line's where it is not sectored
    sizes: tuple[int, ...]  #: selectable capacities in bytes
    sets: int | None
    ways: int | None
    unified_with_shared: int | None  #: bytes that L1 and shared memory divide between them
    shared_carveouts: tuple[int, ...]  #: bytes of these that shared memory can take, ascending
    source: str


@dataclass(frozen=True)
class Rate:
    """What one unit of a multiprocessor does per cycle."""

    value: int
    #: `specified` by the vendor, `measured` by others, `derived` from either, or only `recalled`
    status: str
    source: str


@dataclass(frozen=True)
class Architecture:
    """One compute capability. Sizes are bytes, limits are per multiprocessor (SM) or block."""

    name: str  #: `sm_80`
    compute_capability: tuple[int, int]
    chip: str
    multiprocessors: int  #: of a well-known product with this chip
    warp_size: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    max_registers_per_thread: int | None
    shared_per_sm: int
    shared_per_block: int  #: without opting in
    shared_per_block_optin: int
    shared_reserved_per_block: int
    banks: int
    bank_bytes: int
    shared_rule: str  #: `cc1`, `cc2`, `cc3`, `cc5`: see `perflint.sim.banks`
    coalescing_rule: str  #: `cc10`, `cc12`, `lines128`, `sectors32`: see `perflint.sim.coalescing`
    l1: L1Cache | None
    #: by unit, those that anything is known of: `fp32`, `fp64`, `special` (results), `issue`, `lsu`
    #: (warp instructions), `tags` (lines of a request), `l1_bytes`, `shared_wavefronts`
    rates: Mapping[str, Rate]
    sources: Mapping[str, str]  #: where the numbers of each section come from

    @property
    def fp32_lanes(self) -> int:
        """Single-precision results per SM and cycle."""
        return self.rates["fp32"].value

    @property
    def fp64_lanes(self) -> int:
        """Double-precision results per SM and cycle; 0 where there are none."""
        return self.rates["fp64"].value


@cache
def names() -> tuple[str, ...]:
    """The known architectures, oldest first."""
    return tuple(sorted((p.stem for p in _FOLDER.glob("sm_*.toml")), key=lambda n: int(n[3:])))


def load(name: str) -> Architecture:
    """The architecture `sm_80`; `compute_80`, `80`, `8.0` and `sm_90a` are understood too.

    Raises UnknownArchitectureError, which lists the known ones.
    """
    match = re.fullmatch(r"(?:sm_|compute_)?(\d+)\.?(\d)[af]?", name.strip().lower())
    key = f"sm_{match[1]}{match[2]}" if match else name
    if key not in names():
        raise UnknownArchitectureError(
            f"unknown architecture {name!r}; known are {', '.join(names())}"
        )
    return _read(key)


@cache
def _read(name: str) -> Architecture:
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        data = tomllib.load(file)
    limits, shared = data["limits"], data["shared"]
    major, minor = data["compute_capability"].split(".")
    return Architecture(
        name=data["name"],
        compute_capability=(int(major), int(minor)),
        chip=data["chip"],
        multiprocessors=limits["multiprocessors"],
        warp_size=limits["warp_size"],
        max_threads_per_block=limits["max_threads_per_block"],
        max_threads_per_sm=limits["max_threads_per_sm"],
        max_warps_per_sm=limits["max_warps_per_sm"],
        max_blocks_per_sm=limits["max_blocks_per_sm"],
        registers_per_sm=limits["registers_per_sm"],
        max_registers_per_thread=limits.get("max_registers_per_thread"),
        shared_per_sm=limits["shared_per_sm"],
        shared_per_block=limits["shared_per_block"],
        shared_per_block_optin=limits.get("shared_per_block_optin", limits["shared_per_block"]),
        shared_reserved_per_block=limits.get("shared_reserved_per_block", 0),
        banks=shared["banks"],
        bank_bytes=shared["bank_bytes"],
        shared_rule=shared["rule"],
        coalescing_rule=data["coalescing"]["rule"],
        l1=_l1(data["l1"]) if "l1" in data else None,
        rates={unit: Rate(**found) for unit, found in data["rates"].items()},
        sources={key: section["source"] for key, section in data.items() if "source" in section},
    )


def _l1(data: Mapping[str, Any]) -> L1Cache:
    return L1Cache(
        line=data["line"],
        sector=data.get("sector", data["line"]),
        sizes=tuple(data.get("size_options", ())),
        sets=data.get("sets"),
        ways=data.get("ways"),
        unified_with_shared=data.get("unified_with_shared"),
        shared_carveouts=tuple(data.get("shared_carveouts", ())),
        source=data["source"],
    )
