"""What a rule says beyond its sentence: figures, and a change that was tried. One record each."""

from __future__ import annotations

from dataclasses import dataclass

from perflint.base.span import Span

#: How the note begins that says that a finding's figures are a formula's, not a run's.
NOT_REACHED = "not reached by the simulation"


@dataclass(frozen=True)
class Evidence:
    """One measured figure against its golden one, from the rule to the report."""

    metric: str  #: `sectors per request`
    measured: float
    golden: float
    unit: str  #: `sectors`


@dataclass(frozen=True)
class Edit:
    """A span of the source and what is to stand there instead."""

    span: Span
    replacement: str


@dataclass(frozen=True)
class Fix:
    """A change of the source that was compiled, simulated and counted."""

    message: str  #: what it does: `write 4.0f`
    edits: tuple[Edit, ...]
    safe: bool  #: every result stays bit-identical
