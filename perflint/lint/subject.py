"""A kernel and what the front end knows of it: what the rule loop is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any

from perflint.base.constructs import Constructs
from perflint.base.evidence import Edit
from perflint.base.launch_option import LaunchSpec
from perflint.base.records import dataclass
from perflint.base.resources import Resources
from perflint.frontend.model import EntryOrigin
from perflint.frontend.source.language.kernel_names import path_of
from perflint.frontend.source.language.model import LaunchSite, SourceFacts, SourceKernel
from perflint.grammar.model import Function, Module
from perflint.lint.experiment import Plan
from perflint.lint.findings import Unanalysed
from perflint.lint.options import DEFAULT_MIN_WASTE
from perflint.lint.symbol_values import Symbols
from perflint.sim.launch import Dim3


class RecompileError(Exception):
    """An edited source that does not compile, or has lost the kernel; the message says why."""


#: The module of the source with edits, and with others that go where they can be made at little
#: cost. Raises RecompileError.
Recompile = Callable[[Sequence[Edit], Sequence[Edit]], Module]


def _nothing() -> None:
    return None


def _nothing_at(path: Path) -> None:
    return None


def _no() -> bool:
    return False


def _unsaid() -> str:
    return ""


def _unsaid_of(path: str, line: int) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class Subject:
    """A kernel and what the front end knows of it."""

    module: Module
    kernel: Function
    path: Path  #: the input file
    facts: Mapping[Path, SourceFacts]
    origin: EntryOrigin
    source: SourceKernel | None
    launches: tuple[LaunchSite, ...]
    specs: tuple[LaunchSpec, ...]
    arch: str
    budget: float  #: seconds
    min_waste: float = (
        DEFAULT_MIN_WASTE / 100
    )  #: share of a kernel's work that a finding must waste
    cache_size: int | None = None  #: bytes of the L1 to assume; None: the GPU's own
    targets: tuple[str, ...] = ()  #: all GPUs that were asked for
    #: what host code copies to the module's variables, by their names
    symbols: Symbols = field(default_factory=dict)
    #: what stands in one of the user's files, by its real path
    constructs: Callable[[Path], Constructs | None] = _nothing_at
    recompile: Recompile | None = None
    #: every launch of the sources that edits are made in, as it is and as it becomes. Raises
    #: RecompileError
    launches_beside: Callable[[Sequence[Edit]], Sequence[tuple[LaunchSite, LaunchSite]]] | None = (
        None
    )
    #: what ptxas made of it, None where that cannot be had; asked once a file
    resources: Callable[[], Resources | None] = _nothing
    #: launches that really happened, with the memory they found: no others are then tried
    recorded: tuple[Plan, ...] = ()
    unfit: int = 0  #: recorded launches of it whose arguments are not what it takes now
    #: arrays that such launches of other kernels may have written, named as in `recorded`
    written: frozenset[str] = frozenset()
    #: whether nothing launches it though its program is in sight
    never_launched: Callable[[], bool] = _no
    #: why little is paid for it, by where its launches stand; "" where it may be much
    hardly_launched: Callable[[], str] = _unsaid
    #: why the program's build leaves out a line of a file that compiles; "" where it may not
    left_out: Callable[[str, int], str] = _unsaid_of
    #: the blocks with which this or another instance of the kernel is launched at the same places
    blocks_there: frozenset[Dim3] = frozenset()
    explain: bool = False  #: whether its account is asked for
    fixes: bool = True  #: whether edits that may mend a finding are tried

    def without_sources(self) -> Subject:
        """The same with nothing that asks for the sources: it pickles."""
        asks: dict[str, Any] = {
            each.name: each.default for each in fields(self) if callable(getattr(self, each.name))
        }
        return replace(self, **asks)

    @property
    def title(self) -> str:
        """The kernel's name for people, with its template arguments."""
        return self.origin.title

    @property
    def parameters(self) -> tuple[str, ...]:
        """Source names of the parameters; where there is no source, `param0`, `param1`, …"""
        return parameter_names(self.kernel, self.source)

    def not_analysed(self, reason: str, line: int | None = None) -> Unanalysed:
        """The line about a kernel that no rule has seen: at its name, or at the line to blame."""
        span = self.source.name_span if self.source else None
        path = span.path if span else self.path
        return Unanalysed(path, self.title, reason, line or (span.line if span else 1))


def parameter_names(kernel: Function, source: SourceKernel | None) -> tuple[str, ...]:
    """Source names of the parameters; where there is no source, `param0`, `param1`, …"""
    written = source.parameters if source else ()
    if len(written) != len(kernel.parameters):
        return tuple(f"param{i}" for i in range(len(kernel.parameters)))
    return tuple(p.name or f"param{i}" for i, p in enumerate(written))


def source_kernel(
    facts: Iterable[SourceFacts], origin: EntryOrigin, arity: int
) -> SourceKernel | None:
    """The source definition that an entry comes from, by name and number of parameters.

    Of namesakes the one in the entry's namespaces, where they are known.
    """
    every = (kernel for file in facts for kernel in file.kernels)
    like = [k for k in every if k.name == origin.kernel and len(k.parameters) == arity]
    like = [k for k in like if origin.overload in ((), k.types)] or like
    same = (k for k in like if path_of(k.qualified) == path_of(origin.qualified))
    return next(same, next(iter(like), None))
