"""The registers and memory that a compiled kernel takes, as plain data."""

from __future__ import annotations

from perflint.base.records import dataclass


@dataclass(frozen=True)
class Resources:
    """What ptxas made of a kernel on one architecture."""

    registers: int  #: per thread
    shared: int  #: static bytes per block
    stack: int  #: bytes per thread: indexed local arrays, spills, frames of called functions
    spill_stores: int  #: bytes per thread
    spill_loads: int
    arch: str = ""  #: what it was compiled for: the nearest to the one asked for, `sm_75` for sm_35
