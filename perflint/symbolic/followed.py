"""What a symbolic trace finds: conditions, ways that were gone, and what was concretised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

import numpy as np

from perflint.base.records import dataclass
from perflint.symbolic.expressions import Node


@dataclass(frozen=True, eq=False)
class Condition:
    """Some threads at a branch whose predicate is symbolic."""

    position: int  #: of the branch, or of the guarded instruction
    slots: np.ndarray  #: (m,) the threads
    turn: np.ndarray  #: (m,) how many branches each came to before
    node: Node  #: the predicate
    holds: np.ndarray  #: (m,) bool, what it was


@dataclass(frozen=True)
class Inputs:
    """What of a launch is input: sorts of arrays' elements by name, of scalars by PTX name."""

    arrays: Mapping[str, str]
    scalars: Mapping[str, str]


@dataclass(eq=False)
class Followed:
    """What a run's symbolic trace found."""

    threads: int  #: slots: 32 a warp, those of partial warps that are no threads included
    conditions: list[Condition] = field(default_factory=list)
    #: values that were taken as the run had them, by reason: instructions carried out
    concretised: Counter[str] = field(default_factory=Counter)
    #: by position of a branch, or guarded instruction, and way: the threads that went it, (n,) bool
    edges: dict[tuple[int, bool], np.ndarray] = field(default_factory=dict)
    #: by position of a memory instruction: the threads that came to it, (n,) bool
    reached: dict[int, np.ndarray] = field(default_factory=dict)
    addressing: set[str] = field(default_factory=set)  #: arrays whose elements addresses hang on
    #: by array: elements of a record, the common step of the threads' indices; 0 where they agree
    period: dict[str, int] = field(default_factory=dict)
