"""What a rule file provides and receives. Rules only describe; the pipeline runs what they ask for.

A rule file has a docstring (its page), `RULE` (its metadata, literals only, so that `ast` can read
it), and functions::

    def suspect(kernel) -> Iterator[Suspicion]
    def variants(suspicion, original) -> tuple[Variant, ...]      # where a golden one must run
    def measure(suspicion, original, results) -> Case | None
    def cures(suspicion, decision) -> tuple[Variant, ...]         # where a fix is to be tried
    def describe(suspicion, decision) -> Told
    def passes_over(kernel, site) -> str                          # why it suspects nothing there

`suspect` is asked once a kernel, the others once for each launch it was tried with. `original` are
the launch's trials, the primary one first; `results` has one for each variant asked for, in that
order. Between `measure` and `describe` the verdict engine decides (`perflint.lint.verdict`): a rule
says what it measured, never what follows from it. `cures` are asked for once it is confirmed.
`passes_over` answers people who ask why nothing is said of an access; "" where it has no word.

The linter's own rules (`subject="failure"`) have `suspect(failure)` and `judge(suspicion)`. Rules
about inputs (`subject="input"`) are names for what `perflint stress` finds: they have no functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeVar

from perflint.base.evidence import Edit, Evidence, Fix, WorstRequest
from perflint.base.records import dataclass
from perflint.base.resources import Resources
from perflint.base.span import Span
from perflint.sim.lazy import lazy

if TYPE_CHECKING:
    from perflint.analysis.model import AccessSite, KernelFacts
    from perflint.base.constructs import Constructs, Fragment, FunctionSource
    from perflint.grammar.model import Location
    from perflint.rules.names import Names
    from perflint.sim.architecture import Architecture
    from perflint.sim.final_memory import LeftBehind
    from perflint.sim.launch import Dim3, Run

Tracer = TypeVar("Tracer")


class Verdict(Enum):
    CONFIRMED = "confirmed"
    UNDECIDED = "undecided"
    REFUTED = "refuted"


#: How much of a launch a rule's figures need. `sites`: a few blocks, until each suspect access was
#: seen often enough. `blocks`: the same few blocks to their end. `multiprocessor`: as many
#: neighbouring blocks as one multiprocessor holds at a time, to their end. `launch`: all of it.
Scope = Literal["sites", "blocks", "multiprocessor", "launch"]

Claim = Literal["pattern", "count", "launch"]


@dataclass(frozen=True)
class Rule:
    """A rule's metadata."""

    code: str
    name: str  #: kebab-case, reads as "allow X"
    summary: str  #: one sentence
    since: str
    level: Literal["error", "warning", "note"] = "warning"  #: of a confirmed finding
    status: Literal["preview", "stable", "deprecated"] = "preview"
    #: What it is about; of an `input` only `perflint stress` finds anything, and `check` never.
    subject: Literal["kernel", "failure", "input"] = "kernel"
    tags: tuple[str, ...] = ("performance",)
    precision: Literal["very-high", "high", "medium", "low"] = "high"
    #: names of the tracers (`perflint.sim.tracers`) whose results `judge` wants of every trial
    tracers: tuple[str, ...] = ()
    measures: str = ""  #: what its figures count: `sectors per request`
    scope: Scope = "sites"  #: how much of a launch is run for them
    #: whether it says nothing of a run that was cut short: where that is foreseen, it ends at once
    whole: bool = False
    #: What kind of thing it says, and so which objections hold against it: how an access looks
    #: whenever it is reached, how much of a kernel's work something is, or what a launch is like.
    claim: Claim = "count"
    #: Least share of the kernel's work that is worth a finding, where `--min-waste` asks for less.
    floor: float = 0.0
    #: Whether the parts of a fault in one kernel add up: many small ones are a large one together.
    sums: bool = False
    #: Objections that do not hold against it, each with the reason.
    waives: tuple[tuple[str, str], ...] = ()
    #: whether a run that was cut short in a steady loop tells it enough: variants are run beside it
    prefix: bool = False
    #: of several launches of a kernel, how many must bear a finding out: one that shows a cost is
    #: enough, but what a kernel does without must be of no use in all of them
    launches: Literal["any", "all"] = "any"
    #: What a finding's change is, to tell what it is worth (`perflint.lint.weigh`): its accesses'
    #: `requests` become ideal, the `variant` that was run, or the same threads in fewer `warps`.
    #: "": nothing that floors can tell.
    change: Literal["", "requests", "variant", "warps"] = ""
    #: Whether only a multiprocessor gains by the change, no memory behind it: where that gains
    #: hardly any cycles, a finding is a note then.
    on_chip: bool = False
    #: Whether what its change takes of any unit counts, though another one takes longer: of a slip
    #: that nobody meant, and whose mending costs nothing, as `1.0` for `1.0f`.
    any_unit: bool = False
    #: Whether its text tells what came of its fix: it is tried though nobody asked for fixes.
    proves: bool = False
    #: Rules that say it better: where one of them confirms a finding about one of the same
    #: instructions, this rule's is left out. One fault is one finding.
    yields_to: tuple[str, ...] = ()


# --- what suspect sees ----------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownLaunch:
    """A launch of the kernel as far as the source or the user shows it, or a run recorded it."""

    grid: tuple[int | None, int | None, int | None]
    block: Dim3
    shared: int | None
    values: Mapping[int, int | float]  #: scalar arguments that are known, by parameter
    allocations: Mapping[int, int]  #: bytes of pointer arguments, by parameter
    assumed: str = ""  #: what of its block is perflint's own assumption, for people
    exact: bool = False  #: it shows every scalar argument: no size is invented
    span: Span | None = None  #: the launch site
    block_texts: tuple[str, ...] = ()  #: the block's extents as written: `BLOCK`, `BLOCK`, `1`
    argument_texts: tuple[str, ...] = ()
    supposing: tuple[str, ...] = ()  #: conditions of the host code that were taken to hold
    #: the one of these that no values tried would meet: then the host code launches it otherwise
    contradicted: str = ""
    replaced: bool = False  #: what is read of it makes no grid, and invented numbers stand there
    by_input: bool = False  #: its grid is computed from what the program is run with
    #: … and what that is taken to be: ``n` is 8,192, the default at line 12`
    sizes: tuple[str, ...] = ()
    made: bool = False  #: all its numbers follow from arguments that are made up
    excluded: bool = False  #: the values in sight say that it is not made: others make it
    #: pointer arguments that are what an allocation returned, whatever its size
    allocated: frozenset[int] = frozenset()
    #: arguments whose array another kernel that is launched in sight may write
    written_elsewhere: frozenset[int] = frozenset()

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return math.prod(self.block)

    @property
    def blocks(self) -> int:
        """Blocks of the grid; an extent that is not known counts as 1."""
        return math.prod(extent or 1 for extent in self.grid)


@dataclass(frozen=True, eq=False)
class Kernel:
    """What `suspect` of a kernel rule looks at."""

    facts: KernelFacts
    names: Names
    arch: Architecture
    #: Share of the kernel's sectors, wavefronts or instructions that a finding must waste; rules
    #: may ask for more, not for less.
    min_waste: float = 0.05
    assumed_template: bool = False  #: its template arguments are in no launch
    never_launched: bool = False  #: the program is in sight, and nothing in it mentions the kernel
    #: why little is paid for it, by where its program launches it; "" where it may be much
    hardly_launched: Callable[[], str] = lambda: ""
    #: why the program's build leaves out a line of a file that compiles; "" where it may not
    left_out: Callable[[str, int], str] = lambda path, line: ""
    cache_size: int | None = None  #: bytes of the L1 to assume; None: the architecture's own
    targets: tuple[Architecture, ...] = ()  #: all GPUs that were asked for, `arch` among them
    launches: tuple[KnownLaunch, ...] = ()
    #: the blocks with which this or another instance of it is launched at the same places
    blocks_there: frozenset[Dim3] = frozenset()
    function: FunctionSource | None = None  #: its definition, where there is source
    #: what stands in a file of the user's, by path as the locations name it; None for other files
    constructs: Callable[[str], Constructs | None] = lambda path: None
    #: the statement at a location, in the user's own file if one is in its chain
    statement: Callable[[Location | None], Span | None] = lambda location: None
    #: the accesses to a site's array as its statement writes them: `in[2 * i]`, `in[2 * i + 1]`
    accesses: Callable[[AccessSite], tuple[Fragment, ...]] = lambda site: ()
    #: the compiler's figures, None where they cannot be had; computed when asked for
    resources: Callable[[], Resources | None] = lambda: None

    @property
    def made_up(self) -> bool:
        """Whether it is launched with arguments that are made up, and not otherwise."""
        return bool(self.launches) and all(launch.made for launch in self.launches)

    @property
    def own_constructs(self) -> Constructs | None:
        """What stands in the file of its definition; None where that is not the user's."""
        return None if self.function is None else self.constructs(str(self.function.span.path))

    def is_allocated(self, index: int | None) -> bool:
        """Whether every launch that is read passes what an allocation returned for a parameter."""
        read = [launch for launch in self.launches if not launch.assumed]
        return bool(read) and all(index in launch.allocated for launch in read)


@dataclass(frozen=True)
class Failure:
    """What the linter could not read or analyse: `suspect` of CU001 and CU002 looks at it."""

    kind: Literal["compile", "analysis", "partial", "unused"]
    message: str
    kernel: str | None = None
    genuine: bool = True  #: the user's own code is wrong


@dataclass(frozen=True, eq=False)
class Suspicion:
    """A rule's claim about one place of a kernel, before it is tested."""

    #: What it is about, the same from run to run and wherever the line moves: `store to out`.
    #: Findings of one place with one identity are one.
    identity: str
    kernel: Kernel | None = None
    pcs: tuple[int, ...] = ()  #: the instructions it is about
    sites: tuple[AccessSite, ...] = ()  #: where it is about accesses: the first is the main one
    #: Where to point at. None: at the first site's subscript, else at the first instruction's
    #: statement, else at the kernel's name.
    span: Span | None = None
    failure: Failure | None = None
    about: object = None  #: whatever else the rule wants to find again: a branch, a literal
    declared: Span | None = None  #: where the variable is declared that it is about

    @property
    def min_waste(self) -> float:
        """The least share of the kernel's work that is worth a finding."""
        return self.kernel.min_waste if self.kernel is not None else Kernel.min_waste

    @property
    def site(self) -> AccessSite:
        """The main access. Raises IndexError for a suspicion that is about none."""
        return self.sites[0]


def site_suspicion(kernel: Kernel, site: AccessSite) -> Suspicion:
    """A suspicion about one access site."""
    return Suspicion(f"{site.kind} {site.identity}", kernel, site.pcs, (site,))


# --- what a rule asks for -------------------------------------------------------------------------


@dataclass(frozen=True)
class Fields:
    """An array of structures that becomes an array for each of some fields."""

    parameter: int
    step: int  #: bytes of a structure
    element: str  #: PTX type of all its fields
    places: tuple[tuple[int, int], ...]  #: where each field lies in it, and its bytes


@dataclass(frozen=True)
class OtherLaunch:
    """The same code with another launch; None keeps what the original has."""

    block: Dim3 | None = None
    grid: Dim3 | None = None
    shared: int | None = None
    scope: Scope | None = None  #: how much of it is run; None: as much as of the original
    values: tuple[
        tuple[int, int], ...
    ] = ()  #: scalar arguments that are others: (parameter, value)
    #: dynamic shared memory grows by a byte in so many, `bytes + bytes / 32`; 0: it does not
    spread: int = 0
    more: int = 0  #: and by so many bytes
    limit: int = 0  #: made-up integers in memory are below this; 0: as they are
    #: variables that hold what an argument's array does: their names, and the parameters
    copied: tuple[tuple[str, int], ...] = ()
    parted: Fields | None = None


@dataclass(frozen=True)
class SourceEdit:
    """The source with edits, recompiled; perhaps with another launch beside."""

    edits: tuple[Edit, ...]
    launch: OtherLaunch = OtherLaunch()
    #: How the edits make that launch: the host code is read again, and must launch blocks of that
    #: shape, of as many threads along each axis as before, or along the other one, and change no
    #: other launch. "": they do not.
    relaunched: Literal["", "rescaled", "exchanged"] = ""
    against: OtherLaunch | None = None  #: the original's launch to compare with, if it is another
    costly: bool = False  #: tried only where fixes are asked for, whatever the rule's text tells


@dataclass(frozen=True)
class ConstantArguments:
    """The kernel recompiled with scalar parameters that are constants: (parameter, value)."""

    values: tuple[tuple[int, int | float], ...]


@dataclass(frozen=True)
class RestrictAdded:
    """The kernel recompiled with `__restrict__` on its pointers, `const` where it only reads."""


@dataclass(frozen=True)
class OtherArchitecture:
    """The same code on another GPU."""

    arch: str


#: Other caches, placements and paddings are replays of what a rule's tracer recorded: no variants.
Variant = OtherLaunch | SourceEdit | ConstantArguments | RestrictAdded | OtherArchitecture


@dataclass(frozen=True, eq=False)
class Trial:
    """One run of the experiment and the conditions it was made under."""

    name: str  #: for people: `integers 1024`, `integers 64`, `identity data`
    run: Run
    facts: KernelFacts  #: of what ran: a variant is another kernel
    results: Mapping[str, object] = field(default_factory=dict)  #: tracers by name, finished
    assumed_block: bool = False  #: the block shape was assumed, not read
    contradicted: str = ""  #: a condition that its launch supposes, and no values tried meet
    replaced: bool = False  #: its launch's own numbers make no grid, and invented ones stand there
    unit_stride: tuple[str, ...] = ()  #: parameters used as a stride that were tried as 1
    identity: bool = False  #: a repetition with the identity fill
    exact: bool = False  #: the launch gives every scalar argument: no size was invented
    size: int = 0  #: what integers are that nothing fixes, those in arrays included
    sized: frozenset[int] = frozenset()  #: parameters whose allocation no invented number is in
    values: Mapping[int, int | float] = field(default_factory=dict)  #: scalars it ran with
    #: fields of structs that are passed by value, by parameter and byte offset, that are read
    fields: frozenset[tuple[int, int]] = frozenset()
    reached_with: str = ""  #: `mask[…] = 1`: what was made so that some access is reached
    #: runs it again, all of it, for what it leaves in memory; None if that has no end
    again: Callable[[], LeftBehind | None] = lambda: None

    @lazy
    def outputs(self) -> LeftBehind | None:
        """What it leaves in memory, by buffer; None if it did not come to its end.

        It is run once more for that: `run` computed only what decides addresses and branches.
        """
        return self.again() if self.complete else None

    def tracer(self, kind: type[Tracer]) -> Tracer:
        """The result of a tracer that the rule names. Raises KeyError for one that it does not."""
        found = self.results[kind.__name__]
        assert isinstance(found, kind)
        return found

    @property
    def complete(self) -> bool:
        """Whether the run came to its end: what it counted is all there is to count."""
        return self.run.stop is None


Trials = Sequence[Trial]


@dataclass(frozen=True, eq=False)
class VariantResult:
    """What comes of one variant: a trial for each of the original's, or why there is none."""

    variant: Variant
    #: those that are still to be run, the smallest first
    coming: Iterator[Trial] = field(default_factory=lambda: iter(()))
    error: str = "the edited source could not be run"  #: why there is no trial of it
    edits: tuple[Edit, ...] = ()  #: what it changes in the source: a fix, perhaps
    _came: dict[str, Trial] = field(default_factory=dict, init=False, repr=False)

    def beside(self, original: Trial) -> Trial | None:
        """The variant's trial under the conditions of one of the original's; None if refused.

        It is run here, after those of smaller sizes: ask for the smallest first.
        """
        while original.name not in self._came:
            trial = next(self.coming, None)
            if trial is None:
                return None
            self._came[trial.name] = trial
        return self._came[original.name]

    @property
    def last(self) -> Trial | None:
        """The last trial that was run: where one is refused, what came to be run before it."""
        return next(reversed(self._came.values()), None)


Results = Sequence[VariantResult]


# --- what a rule answers --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Told:
    """What a rule says of a suspicion that is not refuted."""

    message: str = ""  #: one sentence, the figures in it
    label: str = ""  #: what stands under the carets
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    places: tuple[tuple[Span, str], ...] = ()  #: others that explain it, and what is said of each
    help: str = ""
    witness: str = ""  #: the worst request, for a check by hand
    request: WorstRequest | None = None  #: the same, to be drawn
    #: What is at fault: confirmed findings of a kernel with the same fault are one, the worst, with
    #: the others as related places. "": a fault of its own.
    fault: str = ""
    severity: float = 0.0  #: how much it wastes, to choose the worst of several launches
    fix: Fix | None = None
    unfixed: str = ""  #: why there is no fix, where one was tried
    #: What was run that does better: accesses of the kernel that waste nothing in it are places of
    #: this fault, and no findings of their own. None: others are not held against it.
    better: Variant | None = None
    level: Literal["warning", "note"] | None = None  #: of a confirmed finding, if not the rule's


#: The objection that parts of one fault meet alone and not together.
SMALL_SHARE = "a small share"
#: … and the one that what no run came to meets, as its formula is bad but data let lanes in.
BY_DATA = "invented data decides"

__all__ = [
    "BY_DATA",
    "SMALL_SHARE",
    "Claim",
    "ConstantArguments",
    "Edit",
    "Evidence",
    "Failure",
    "Fields",
    "Fix",
    "Kernel",
    "KnownLaunch",
    "OtherArchitecture",
    "OtherLaunch",
    "Resources",
    "RestrictAdded",
    "Results",
    "Rule",
    "Scope",
    "SourceEdit",
    "Suspicion",
    "Told",
    "Trial",
    "Trials",
    "Variant",
    "VariantResult",
    "Verdict",
    "site_suspicion",
]
