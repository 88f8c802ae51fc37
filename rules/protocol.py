"""What a rule file provides and receives. Rules only describe; the pipeline runs what they ask for.

A rule file has a docstring (its page), `RULE` (its metadata, literals only, so that `ast` can read
it), and three functions::

    def suspect(subject) -> Iterator[Suspicion]
    def variants(suspicion) -> tuple[Variant, ...]
    def judge(suspicion, original, variants) -> Judgement

`subject` is a `Kernel` for rules with `subject="kernel"` and a `Failure` for the linter's own
(`subject="failure"`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from perflint.analysis.model import AccessSite, KernelFacts
    from perflint.rules.naming import Names
    from perflint.sim.accesses import AccessCount
    from perflint.sim.launch import Run


class Verdict(Enum):
    CONFIRMED = "confirmed"
    UNDECIDED = "undecided"
    REFUTED = "refuted"


@dataclass(frozen=True)
class Rule:
    """A rule's metadata."""

    code: str
    name: str  #: kebab-case, reads as "allow X"
    summary: str  #: one sentence
    since: str
    level: Literal["error", "warning", "note"] = "warning"  #: of a confirmed finding
    status: Literal["preview", "stable", "deprecated"] = "preview"
    subject: Literal["kernel", "failure"] = "kernel"
    tags: tuple[str, ...] = ("performance",)
    precision: Literal["very-high", "high", "medium", "low"] = "high"


@dataclass(frozen=True, eq=False)
class Kernel:
    """What `suspect` of a kernel rule looks at."""

    facts: KernelFacts
    names: Names


@dataclass(frozen=True)
class Failure:
    """What the linter could not read or analyse: `suspect` of CU001 and CU002 looks at it."""

    kind: Literal["compile", "analysis", "partial"]
    message: str
    kernel: str | None = None
    genuine: bool = True  #: the user's own code is wrong


@dataclass(frozen=True, eq=False)
class Suspicion:
    """A rule's claim before it is tested: a site of a kernel, or a failure."""

    site: AccessSite | None = None
    names: Names | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Variant:
    """Another run that a rule asks for, as data."""

    launch: Mapping[str, object] | None = None
    edit: Mapping[str, object] | None = None
    cache: Mapping[str, object] | None = None


@dataclass(frozen=True, eq=False)
class Trial:
    """One run of the experiment and the conditions it was made under."""

    name: str  #: for people: `integers 1024`, `integers 64`, `identity fill`
    run: Run
    accesses: Mapping[int, AccessCount]  #: by instruction index
    assumed_block: bool = False  #: the block shape was assumed, not read
    unit_stride: tuple[str, ...] = ()  #: parameters used as a stride that were tried as 1
    identity: bool = False  #: a repetition with the identity fill
    exact: bool = False  #: the launch gives every scalar argument: no size was invented


@dataclass(frozen=True)
class Evidence:
    """One measured figure against its golden one."""

    metric: str  #: `sectors per request`
    measured: float
    golden: float
    unit: str  #: `sectors`


@dataclass(frozen=True, eq=False)
class Judgement:
    """A rule's verdict on one suspicion."""

    verdict: Verdict
    message: str = ""  #: one sentence, the figures in it
    label: str = ""  #: what stands under the carets
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    reason: str = ""  #: why undecided
    witness: str = ""  #: the worst request, for a check by hand
    trial: Trial | None = field(default=None, repr=False)  #: the run that the figures are of


Trials = Sequence[Trial]
