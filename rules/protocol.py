"""What a rule file provides and receives. Rules only describe; the pipeline runs what they ask for.

A rule file has a docstring (its page), `RULE` (its metadata, literals only, so that `ast` can read
it), and three functions::

    def suspect(subject) -> Iterable[Suspicion]
    def variants(suspicion) -> tuple[Variant, ...]
    def judge(suspicion, original, variants) -> Judgement

`subject` is a `KernelFacts` for rules with `subject="kernel"` and a `Failure` for the linter's own
(`subject="failure"`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from perflint.analysis.model import AccessSite
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


@dataclass(frozen=True)
class Failure:
    """Something the linter could not read or analyse: the subject of CU001 and CU002."""

    kind: Literal["compile", "analysis"]
    message: str
    kernel: str | None = None
    genuine: bool = True


@dataclass(frozen=True)
class Suspicion:
    """A rule's claim before it is tested."""

    site: AccessSite | None = None  #: where; None for a failure
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

    name: str  #: `integers 1024, random fill, block (256,1,1)`
    run: Run
    accesses: Mapping[int, AccessCount]  #: by instruction index
    assumed_block: bool  #: the launch shape was assumed, not read
    unit_stride: bool = False  #: a bare parameter used as a stride was tried as 1


@dataclass(frozen=True)
class Evidence:
    """One measured figure against its golden one."""

    metric: str  #: `sectors per request`
    measured: float
    golden: float
    unit: str  #: `sectors`


@dataclass(frozen=True)
class Judgement:
    """A rule's verdict on one suspicion."""

    verdict: Verdict
    message: str = ""  #: one sentence, the figures in it
    label: str = ""  #: what stands under the carets
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    reason: str = ""  #: why undecided
    trial: Trial | None = None  #: the run that the figures are of


Trials = Sequence[Trial]
