"""## What it does
Finds `/` and `%` of integers by a value that is only known at launch, a parameter or a size made of
parameters, in a loop; and outside of one where it is a large part of what a kernel does.

## Why it is slow
No GPU has an instruction that divides integers. By a value that is not known when the kernel is
compiled, a division takes 18 to 24 machine instructions, of 64-bit integers a called routine of 70
to 85. By a constant it is a multiplication and a shift, by a power of two a shift or a mask.

## Example
```cuda
__global__ void repeat(float *out, const float *pattern, int w, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = pattern[i % w];
}

void launch(float *out, const float *pattern) { repeat<<<64, 256>>>(out, pattern, 1024, 1 << 18); }
```

## Use instead
```cuda
template <int w>
__global__ void repeat(float *out, const float *pattern, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = pattern[i % w];
}

void launch(float *out, const float *pattern) {
    repeat<1024><<<64, 256>>>(out, pattern, 1 << 18);
}
```

## How it is confirmed
The compiled code has an integer division whose divisor is made of parameters, of fields of structs
that are passed by value, and of block sizes alone. The golden execution is the same source with
these as constants, compiled again: the values of the launch, else primes. All divisions of a
statement are one finding, with their total cost. It is confirmed if at least {FLOOR:%} of what the
kernel's warps issue is saved, where a warp executes the division at least {LEAST_TURNS} times; in
a loop over the grid's stride alone, where each element is divided for once, {FLOOR_ONCE:%}.
Elsewhere it must be at least that, of a kernel of which no data decide how much it does,
and by which its time is less: {BALANCE} instructions take as long as a sector. It is a note then.
Statements of at least {verdict.LEAST_PART:%} each are added up.

## When to ignore it
When the kernel waits for memory, so that the instructions are hidden; or when there are many
different values.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Division Modulo Operations",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#division-modulo-operations
- Lemire, Kaser, Kurz, "Faster remainder by direct computation", Software: Practice and Experience
  49(6), 2019: division by an invariant with a multiplication
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import cycle

from perflint.analysis.gathers import chosen_of_two
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop
from perflint.base.constructs import Operation, contains
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.grammar import table
from perflint.rules.arithmetic.divisor_fields import constant_fields, fields_in
from perflint.rules.arithmetic.launch_values import launch_value, parameters_of
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.instruction_cost import ratio_of_visits, total, work
from perflint.rules.measure import figure, listed
from perflint.rules.protocol import (
    ConstantArguments,
    Evidence,
    Kernel,
    Results,
    Rule,
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.small_tables import table_bytes
from perflint.rules.source_lines import pcs_at, reached, sources
from perflint.rules.steady import tells
from perflint.sim.coalescing import SECTOR
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU705",
    name="integer-division-in-loop",
    summary="Integers are divided in a loop by a value that is only known at launch.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic"),
    tracers=("AccessCounter", "Instruction"),
    measures="machine instructions per warp",
    scope="blocks",
    prefix=True,
    floor=0.10,  # of what the kernel's warps issue, of a division in a loop
    sums=True,
)

#: Share of what the kernel's warps issue that must be saved by a division that each thread does
#: once: most kernels take their coordinates apart so, and wait for memory meanwhile …
FLOOR_ONCE = 0.25
#: … unless their warps issue more than this for each sector they move. An A100's multiprocessor
#: issues 4 instructions a cycle and gets about 10 bytes from memory.
BALANCE = 12.0
#: Times that a warp must come by for a division in a loop to be more than one: many loops over a
#: grid's stride have a single turn.
LEAST_TURNS = 2.0
OPEN = "each thread does it once, and the trip counts of the kernel's loops are not known"
LEAVES = "each thread does it once, and data decide how much else there is to do"
#: Divisors instead of invented ones: a compiler multiplies and shifts for any constant.
PRIMES = (37, 41, 43, 47, 53, 59, 61, 67)
#: For fields, as they are written: of `s.channels / s.groups` more than 1 is left.
FALLING = (1013, 307, 101, 31, 11, 7, 5, 3)


@dataclass(frozen=True)
class Divisions:
    """The divisions of one statement."""

    span: Span  #: of the statement
    operations: tuple[Operation, ...]  #: one for each divisor
    written: int  #: how many different divisions the statement has
    pcs: tuple[int, ...]  #: the instructions that divide
    parameters: tuple[int, ...]  #: what the divisors are made of


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    divided = _divided(kernel)
    for constructs, lines in sources(kernel) if divided else ():
        found: dict[Span, dict[str, Operation]] = {}
        texts: dict[Span, set[str]] = {}
        for operation in constructs.operations:
            statement = constructs.statement_of(operation.span)
            if _divides(operation) and reached(statement, lines):
                text = f"{operation.operator} {operation.right.text}"
                found.setdefault(statement, {}).setdefault(text, operation)
                texts.setdefault(statement, set()).add(f"{operation.left.text} {text}")
        for statement, operations in found.items():
            here = pcs_at(kernel.facts, kernel, statement)
            pcs = tuple(pc for pc in here if pc in divided)
            if pcs:
                parameters = tuple(sorted({p for pc in pcs for p in divided[pc]}))
                written = tuple(sorted(operations.values(), key=lambda each: each.right.span))
                about = Divisions(statement, written, len(texts[statement]), pcs, parameters)
                place = written[0].span if len(written) == 1 else statement
                text = ", ".join(operations)
                yield Suspicion(text, kernel, pcs, span=place, about=about)


def _divided(kernel: Kernel) -> dict[int, tuple[int, ...]]:
    """Integer divisions by a value of the launch, and the parameters that it is made of."""
    out = {}
    for instruction in kernel.facts.kernel.instructions:
        if instruction.opcode not in ("div", "rem") or table.types(instruction)[0][0] not in "su":
            continue
        value = launch_value(kernel, instruction.operands[-1])
        if value and (parameters := parameters_of(kernel, value)):
            out[instruction.index] = parameters
    return out


def _divides(operation: Operation) -> bool:
    if operation.operator not in ("/", "%", "/=", "%="):
        return False
    return any(c.isalpha() or c == "_" for c in operation.right.text)


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    """The divisors as constants: those that the launch gives, else primes.

    What is invented for an argument may be a power of two, and costs a shift then.
    """
    about, kernel = suspicion.about, suspicion.kernel
    assert isinstance(about, Divisions) and kernel is not None
    shown = [launch.values.keys() for launch in kernel.launches]
    known = set.intersection(*map(set, shown)) if shown else set()
    values = original[0].values
    invented = [p for p in about.parameters if p in values and p not in known]
    constants: dict[int, int | float] = dict(zip(invented, cycle(PRIMES), strict=False))
    constants |= {p: values[p] for p in about.parameters if p in values and p in known}
    if constants:
        return (ConstantArguments(tuple(sorted(constants.items()))),)
    edits = constant_fields(about.operations, _structs(kernel, about), FALLING)
    return (SourceEdit(edits),) if edits else ()


def _structs(kernel: Kernel, about: Divisions) -> tuple[str, ...]:
    return tuple(kernel.names.parameters[p] for p in about.parameters)


def at_most(suspicion: Suspicion, original: Trials) -> Case:
    """As if constants left nothing of the statement: divisions rarely are all that it does."""
    about, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(about, Divisions) and kernel is not None
    issued = work(trial, pcs_at(trial.facts, kernel, about.span)).slots(kernel)
    share = issued / max(1.0, total(trial).slots(kernel))
    small = "all of its statement is {share:.1%} of what the kernel's warps issue"
    figures = (Figure(trial, 1.0, 0.0, True, share=share, counted=False),) if issued else ()
    return Case(suspicion, figures, small=small)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    about, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(about, Divisions) and kernel is not None
    if not results:
        return nothing(suspicion, "no run gives its divisor")
    beside = results[0].beside(trial)
    if beside is None:
        unknown = Figure(trial, 1.0, 0.0, True, counted=False)
        return Case(suspicion, (unknown,), doubt=results[0].error)
    here, there = (pcs_at(each.facts, kernel, about.span) for each in (trial, beside))
    # a constant divisor may leave no instruction at all
    again = ratio_of_visits(kernel, trial, here, beside, there) if there else 1.0
    if not again:
        return Case(suspicion, ())
    before, after = (w.slots(kernel) for w in (work(trial, here), work(beside, there).times(again)))
    dividing = work(trial, about.pcs).slots(kernel)
    if before - after <= dividing:  # else it saves what is around the divisions, too
        before, after = dividing, dividing - (before - after)
    if after <= 0:
        if not _are_told(kernel, about):  # of 7 / 11 + 1 elements what is tried makes one
            return nothing(suspicion, "the constants tried leave nothing of its division")
        after = min(before, _executed(trial, about.pcs))  # a shift is one instruction, not none
    shown = Figure(
        trial,
        before / trial.run.warps,
        after / trial.run.warps,
        after < before,
        share=(before - after) / max(1.0, total(trial).slots(kernel)),
        detail=about,
    )
    strides = _strides(kernel, about)
    again_and_again = _turns(trial, about) >= LEAST_TURNS and (trial.exact or not strides)
    cut = "the run was cut short, so that its share is not known"
    return Case(
        suspicion,
        (shown,),
        data="" if again_and_again else _open(kernel, about, trial),
        doubt=_gathers(trial)
        or ("" if again_and_again else _doubt(trial, kernel, 1 - after / before)),
        floor=0.0 if again_and_again and not strides else FLOOR_ONCE,
        cut="" if tells(trial, about.pcs) else cut,
    )


def _are_told(kernel: Kernel, about: Divisions) -> bool:
    """Whether every launch gives the divisors themselves, and they are powers of two."""
    if not all(each.right.text.isidentifier() for each in about.operations):
        return False
    given = [launch.values.get(p) for launch in kernel.launches for p in about.parameters]
    return bool(given) and all(isinstance(v, int) and v > 1 and not v & (v - 1) for v in given)


def _executed(trial: Trial, pcs: Iterable[int]) -> int:
    executed = trial.tracer(Instruction).executed
    return sum(executed[pc][0] for pc in pcs if pc in executed)


def _open(kernel: Kernel, about: Divisions, trial: Trial) -> str:
    """What may be all of the kernel's work and is not counted; "" if nothing is.

    A loop around all of the divisions repeats them as often as its other work. What data let most
    warps do once was counted.
    """
    beside = [loop for loop in kernel.facts.loops if not set(about.pcs) <= set(loop.pcs)]
    if any(loop.data_dependent or loop.last is None for loop in beside):
        return OPEN
    chosen = [site for site in kernel.facts.sites if site.data_dependent]
    return LEAVES if any(site.loops or not _is_usual(trial, site) for site in chosen) else ""


def _is_usual(trial: Trial, site: AccessSite) -> bool:
    """Whether at least half of the warps came to an access in a run."""
    return all(2 * trial.run.requests.get(pc, 0) >= trial.run.warps for pc in site.pcs)


def _turns(trial: Trial, about: Divisions) -> float:
    """How often a warp comes by, unrolled copies included.

    Where 64 bits are divided as 32 if they can be, a warp may go both ways in one turn.
    """
    executed, instructions = trial.tracer(Instruction).executed, trial.facts.kernel.instructions
    widths = Counter[bool]()
    for pc in about.pcs:
        wide = instructions[pc].modifiers[-1].endswith("64")
        widths[wide] += executed[pc][0] if pc in executed else 0
    made = max(widths.values()) if any(widths.values()) and len(widths) > 1 else widths.total()
    return made / trial.run.warps / about.written


def _strides(kernel: Kernel, about: Divisions) -> bool:
    """Whether only a loop over a grid's stride comes by again: once for each element."""
    if "%nctaid.x" not in kernel.facts.reads:
        return False
    around = [loop for loop in kernel.facts.loops if set(about.pcs) & set(loop.pcs)]
    return len(around) == 1 and around[0].depth == 1


def _doubt(trial: Trial, kernel: Kernel, saved: float) -> str:
    """What speaks against a division that each thread does once.

    A kernel takes as long as its instructions or its sectors, whichever is longer. All divisions of
    its kind, of which constants save a part, must make that so much shorter.
    """
    accesses = trial.tracer(AccessCounter).counts.values()
    sectors = sum(each.measured for each in accesses if each.space == "global")
    issued, waiting = total(trial).instructions, BALANCE * sectors
    left = issued - saved * work(trial, _divided(kernel)).instructions
    if max(left, waiting) <= (1 - FLOOR_ONCE) * max(issued, waiting):
        return ""
    return (
        f"each thread does it once, and warps issue {figure(_issued_per(sectors, trial))} "
        f"instructions per sector they move, {figure(left / max(1, sectors))} without it: the "
        "kernel waits for memory"
    )


def _gathers(trial: Trial) -> str:
    """What speaks against a division beside gathers: of these no cache holds the sectors."""
    accesses = trial.tracer(AccessCounter).counts
    sectors = sum(
        accesses[pc].measured * new
        for site in trial.facts.sites
        if site.loaded_address and not chosen_of_two(site) and not table_bytes(site, trial)
        for pc, new in _brought(site)
        if pc in accesses and accesses[pc].space == "global"
    )
    issued = _issued_per(sectors, trial)
    if issued < BALANCE:
        return (
            f"warps issue {figure(issued)} instructions per sector that loaded data make them "
            "touch: the kernel waits for memory"
        )
    return ""


def _brought(site: AccessSite) -> Iterator[tuple[int, float]]:
    """By instruction, the share of its sectors that L1 does not have from the turn before.

    What walks along a run of its own from wherever data say loads each sector once for some turns.
    """
    counters = [_innermost(address) for address in site.addresses]
    for pc, address, counter in zip(site.pcs, site.addresses, counters, strict=True):
        step = address.coefficient_of(counter).constant if address and counter else None
        copies = counters.count(counter)  # that unrolling made
        yield pc, min(1.0, abs(step) / (SECTOR * copies)) if step else 1.0


def _innermost(address: Polynomial | None) -> Loop | None:
    loops = [s for s in address.symbols if isinstance(s, Loop)] if address is not None else []
    return max(loops, key=lambda each: each.depth, default=None)


def _issued_per(sectors: float, trial: Trial) -> float:
    return total(trial).instructions / max(1, sectors)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    about, kernel, shown = suspicion.about, suspicion.kernel, decision.shown
    assert isinstance(about, Divisions) and kernel is not None
    what = f"{_shown(about)} by a value that is only known at launch"
    if shown.detail is None:
        return Told(what)
    divisors = dict.fromkeys(each.right.text for each in about.operations)
    structs = _structs(kernel, about)
    fields = [each for divisor in divisors for each in fields_in(divisor, structs)]
    names = [f"`{each}`" for each in dict.fromkeys(fields) or structs]
    return Told(
        f"{what}: {figure(shown.measured)} machine instructions per warp where "
        f"{figure(shown.ideal)} would do",
        label=f"{shown.share:.0%} of what the kernel's warps issue",
        evidence=(
            Evidence("machine instructions per warp", shown.measured, shown.ideal, "instructions"),
        ),
        help=_counted_along(kernel, about) + _help(kernel, about, listed(names)),
        fault=f"divisor {', '.join(divisors)}",
        level=None if _turns(shown.trial, about) >= LEAST_TURNS else "note",
        severity=shown.share,
    )


def _help(kernel: Kernel, about: Divisions, names: str) -> str:
    """A constant for what launches give as one; what no launch fixes has many values."""
    fixed = bool(kernel.launches) and all(
        index in launch.values for launch in kernel.launches for index in about.parameters
    )
    host = "let the host compute a multiplier and a shift"
    if fixed:
        return (
            f"make {names} a constant or a template parameter, best a power of two; where the "
            f"values are many, {host} for each"
        )
    return (
        f"{host} for {names}, which the kernel multiplies by instead of dividing; or, where its "
        "values are few, make it a template parameter"
    )


def _counted_along(kernel: Kernel, about: Divisions) -> str:
    """What does without the quotient of a loop's counter that goes on by many: by a tile."""
    if len(about.operations) > 1 or not about.operations[0].operator.startswith("/"):
        return ""
    left, right = about.operations[0].left.text, about.operations[0].right.text
    constructs = kernel.constructs(str(about.span.path))
    loops = constructs.loops if constructs else ()
    for loop in (each for each in loops if each.update and contains(each.body, about.span)):
        assert loop.update is not None
        updates = (each.partition("+=") for each in loop.update.text.split(","))
        steps = [by.strip() for name, _, by in updates if by and name.strip() == left]
        if steps and not any("Dim" in step for step in steps):  # no stride of a grid
            return (
                f"where `{steps[0]}` is a multiple of `{right}`, count the quotient along with "
                f"`{left}`, `{steps[0]} / {right}` more on each iteration; else "
            )
    return ""


def _shown(about: Divisions) -> str:
    if len(about.operations) > 1:
        what = [f"`{each.operator} {each.right.text}`" for each in about.operations]
        return f"{listed(what, 4)} divide"
    [operation] = about.operations
    return f"`{operation.left.text} {operation.operator} {operation.right.text}` divides"
