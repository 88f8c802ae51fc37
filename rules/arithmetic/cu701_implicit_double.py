"""## What it does
Finds unintended arithmetic in double precision: a constant such as `0.1` without `f`, or a double
function such as `exp`, in an expression of floats.

## Why it is slow
A constant without suffix is a double, and so is what it is combined with: the float is converted,
the arithmetic done in double precision, the result converted back. Most GPUs have far fewer units
for it: 32 for 64 float ones on sm_80, 2 for 128 on sm_86. What the compiler can fold exactly
(`2.0 * x`, `x > 0.5`) costs nothing and is not reported.

## Example
```cuda
__global__ void damp(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 0.1 + exp(-0.7 * in[i]);
}

void launch(float *out, const float *in) { damp<<<64, 256>>>(out, in, 16384); }
```

## Use instead
```cuda
__global__ void damp(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 0.1f + expf(-0.7f * in[i]);
}

void launch(float *out, const float *in) { damp<<<64, 256>>>(out, in, 16384); }
```

## How it is confirmed
The compiled code has double-precision instructions at the line whose operands come from floats and
constants alone and whose results end as floats or comparisons. The golden execution is the same
source with the constants and functions of that statement in float, compiled again and run on the
same data: the finding is confirmed if fewer double-precision instructions are executed there. The
difference of the results is reported. All such statements of a kernel are changed together, so that
it is recompiled only once. Statements of at least {verdict.LEAST_PART:%} of the kernel's work each
are added up. In kernels that load, store or pass doubles, and in statements that name a variable
declared `double` or cast to it, doubles are taken to be intended. The exception are functions such
as `exp` there that are given what comes from floats, if the results in float differ by a relative
{MOST_DIFFERENCE} at most.

In Numba a number is of 64 bits: a sum that starts with `total = 0.0` is a double whatever is added
to it, until it is stored. The finding points at the number, or at the statement if it has several.
Python is not compiled again: the golden execution has no double-precision instruction there, for
only floats and constants go in.

## When to ignore it
When the extra precision is wanted for intermediate results, as in a long sum; in Numba
`np.float64(0)` says so, and is not reported.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Other Arithmetic Instructions",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#other-arithmetic-instructions
- CUDA C++ Programming Guide, "Arithmetic Instructions": throughput by compute capability
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.F
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.base.constructs import Constructs, contains
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.arithmetic import python_doubles
from perflint.rules.arithmetic.doubles import (
    double_words,
    is_meant,
    is_wanted,
    own_type,
    owner,
    powers,
)
from perflint.rules.arithmetic.python_doubles import PythonDoubles
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import counted, figure, listed
from perflint.rules.open_loops import BESIDE, once_beside_loops
from perflint.rules.protocol import (
    Edit,
    Evidence,
    Fix,
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
from perflint.rules.source_lines import (
    difference_in_all,
    doubles_at,
    pcs_at,
    threads_at,
    visits,
)
from perflint.rules.steady import tells
from perflint.sim.tracers.instruction import class_of

RULE = Rule(
    code="CU701",
    name="implicit-double",
    summary="A double constant or function makes arithmetic in float code double.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic", "double-precision"),
    tracers=("Instruction",),
    measures="f64 instructions each time",
    scope="blocks",
    sums=True,
    prefix=True,
    change="variant",
    on_chip=True,
    any_unit=True,
)


#: Between results of a statement that says `double` and those in float: a hundred roundings.
MOST_DIFFERENCE = 1e-5

_CUT = "the run was cut short, so that its share is not known"


@dataclass(frozen=True)
class Statement:
    """A statement with double arithmetic, and what would make it float."""

    span: Span
    edits: tuple[Edit, ...]
    names: tuple[str, ...]  #: what is double there, as written: `0.1`, `exp`
    meant: bool = False  #: it says `double`
    together: tuple[Edit, ...] = ()  #: those of all such statements of the kernel: one variant


@dataclass(frozen=True, eq=False)
class Beside:
    """The edited source's trials, beside the original's in each world."""

    pairs: tuple[tuple[Trial, Trial], ...]


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    if kernel.names.language == "numba":
        yield from python_doubles.suspect(kernel)
        return
    found: dict[Span, list[int]] = {}
    for use in kernel.facts.doubles:
        span = kernel.statement(kernel.facts.kernel.instructions[use.pc].location)
        if use.implicit and span is not None:
            found.setdefault(span, []).append(use.pc)
    statements = []
    for span in found:
        constructs = kernel.constructs(str(span.path))
        if constructs and (statement := _doubles_of(span, kernel, constructs)):
            statements.append(statement)
    together = tuple(dict.fromkeys(edit for each in statements for edit in each.edits))
    for each in statements:
        yield Suspicion(
            f"double {', '.join(each.names)}",
            kernel,
            tuple(found[each.span]),
            span=each.edits[0].span if len(each.names) == 1 else each.span,
            about=replace(each, together=together),
        )


def _doubles_of(span: Span, kernel: Kernel, constructs: Constructs) -> Statement | None:
    """The double constants and functions of a statement; None if it is not this rule's."""
    statement = constructs.statement_of(span)
    if is_wanted(kernel, constructs, statement):
        return None
    meant = is_meant(constructs, statement)
    if owner(kernel, constructs, span) != "CU704":
        words = double_words(span, constructs)
        return Statement(span, words.edits, words.names, meant) if words.edits else None
    taken = tuple(power.call.span for power in powers(constructs, span))
    words = double_words(span, constructs, taken)
    alone = any(_is_apart(constructs, edit.span, taken) for edit in words.edits)
    return Statement(span, words.edits, words.names, meant) if alone else None


def _is_apart(constructs: Constructs, place: Span, powers_: tuple[Span, ...]) -> bool:
    """Whether a constant is no operand of the operation that has a power: CU704 has that, too."""
    around = [o.span for o in constructs.operations if contains(o.span, place)]
    smallest = next((s for s in around if all(contains(other, s) for other in around)), None)
    return smallest is not None and not any(contains(smallest, power) for power in powers_)


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    if isinstance(suspicion.about, PythonDoubles):
        return ()
    assert isinstance(suspicion.about, Statement)
    return (SourceEdit(suspicion.about.together),)


def at_most(suspicion: Suspicion, original: Trials) -> Case:
    """As if the edits left nothing double at the statement."""
    statement, kernel = suspicion.about, suspicion.kernel
    assert isinstance(statement, Statement | PythonDoubles) and kernel is not None
    trial = next((t for t in original if threads_at(t, suspicion.pcs)), None)
    if trial is None:
        return Case(suspicion, ())
    share = _share(kernel, trial, _weight(trial, kernel, statement.span))
    shown = Figure(trial, 1.0, 0.0, True, share=share, counted=False)
    return Case(
        suspicion, (shown,), small="what of it is double is {share:.1%} of the kernel's work"
    )


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    statement, kernel = suspicion.about, suspicion.kernel
    if isinstance(statement, PythonDoubles):
        return _measured_in_python(suspicion, original, statement)
    assert isinstance(statement, Statement) and kernel is not None
    [golden] = results
    trial = next((t for t in original if threads_at(t, suspicion.pcs)), None)
    if trial is None:
        return Case(suspicion, ())
    small = "it is {share:.1%} of the kernel's work"
    beside = golden.beside(trial)
    if beside is None:
        return Case(suspicion, (Figure(trial, 1.0, 0.0, True, counted=False),), doubt=golden.error)
    here = doubles_at(trial.facts, kernel, statement.span)
    there = doubles_at(beside.facts, kernel, statement.span)
    mine, its = (pcs_at(each.facts, kernel, statement.span) for each in (trial, beside))
    times, again = (max(1, visits(each, at, kernel)) for each, at in ((trial, mine), (beside, its)))
    if trial.complete and beside.complete:
        again = times
    before, after = threads_at(trial, here) / times, threads_at(beside, there) / again
    left = _weight(beside, kernel, statement.span) * times / again
    saved = _weight(trial, kernel, statement.span) - left
    shown = Figure(
        trial,
        before,
        after,
        after < before,
        share=_share(kernel, trial, saved),
        complete=trial.complete,
        detail=Beside(tuple((t, b) for t in original if (b := golden.beside(t)) is not None)),
    )
    once = once_beside_loops(kernel, trial, mine)
    cut = "" if tells(trial, mine) else _CUT
    doubt = _needs_double(shown) if statement.meant else ""
    return Case(suspicion, (shown,), small=small, cut=cut, data=BESIDE if once else "", doubt=doubt)


def _needs_double(shown: Figure) -> str:
    """What speaks against float where the statement says `double`: other results."""
    assert isinstance(shown.detail, Beside)
    difference = difference_in_all(shown.detail.pairs)
    if difference is None:
        return "it says `double`, and the results in float could not be compared"
    if difference > MOST_DIFFERENCE:
        return f"it says `double`, and in float the results differ by a relative {difference:.1e}"
    return ""


def _measured_in_python(suspicion: Suspicion, original: Trials, found: PythonDoubles) -> Case:
    """Where floats go in and come out: in float nothing of it is double."""
    kernel = suspicion.kernel
    assert kernel is not None
    trial = next((t for t in original if threads_at(t, suspicion.pcs)), None)
    if trial is None:
        return Case(suspicion, ())
    mine = pcs_at(trial.facts, kernel, found.span)
    threads = max(1, threads_at(trial, (0,)))  # all begin at the first instruction
    share = _share(kernel, trial, _weight(trial, kernel, found.span))
    shown = Figure(
        trial,
        threads_at(trial, doubles_at(trial.facts, kernel, found.span)) / threads,
        0.0,
        True,
        share=share,
        complete=trial.complete,
    )
    return Case(
        suspicion,
        (shown,),
        small="it is {share:.1%} of the kernel's work",
        cut="" if tells(trial, mine) else _CUT,
        measures=python_doubles.MEASURES,
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    statement, kernel, shown = suspicion.about, suspicion.kernel, decision.shown
    assert kernel is not None
    if isinstance(statement, PythonDoubles):
        return python_doubles.describe(statement, shown, _units(kernel))
    assert isinstance(statement, Statement)
    what = listed([f"`{name}`" for name in statement.names])
    what += " makes" if len(statement.names) == 1 else " make"
    help_ = f"write {', '.join(f'`{e.replacement}`' for e in statement.edits[:4])}"
    own = _own_type(kernel, statement)
    if own:
        help_ += f"; or `{own}({statement.names[0]})`, which is right for all that `{own}` may be"
    if not isinstance(shown.detail, Beside):
        return Told(f"{what} float arithmetic double", help=help_)
    difference = difference_in_all(shown.detail.pairs)
    return Told(
        f"{what} float arithmetic double: {counted(shown.measured, 'f64 instruction')} each time "
        f"where {figure(shown.ideal)} would do",
        label="double",
        evidence=(
            Evidence("f64 instructions each time", shown.measured, shown.ideal, "instructions"),
        ),
        notes=_notes(kernel, statement, difference),
        help=help_,
        severity=shown.share,
        fix=Fix(help_, statement.edits, safe=difference == 0.0 and not own),
    )


def _own_type(kernel: Kernel, statement: Statement) -> str:
    """The type of a template that a statement's constant can be given; "" where there is none."""
    constructs = kernel.constructs(str(statement.span.path))
    number = statement.names[0][:1] in "0123456789."
    return own_type(constructs, statement.span) if constructs is not None and number else ""


def _weight(trial: Trial, kernel: Kernel, statement: Span) -> int:
    """Thread instructions on doubles at a statement, conversions included."""
    instructions = trial.facts.kernel.instructions
    pcs = pcs_at(trial.facts, kernel, statement)
    return threads_at(trial, [pc for pc in pcs if class_of(instructions[pc]) == "f64"])


def _share(kernel: Kernel, trial: Trial, saved: float) -> float:
    """The part of the kernel's issue time that the saved instructions take."""
    weight = kernel.arch.fp32_lanes / max(1, kernel.arch.fp64_lanes)
    total = trial.run.thread_instructions
    return saved * weight / max(1.0, total + saved * (weight - 1))


def _notes(kernel: Kernel, statement: Statement, difference: float | None) -> tuple[str, ...]:
    alone = len(statement.together) == len(statement.edits)
    changed = "in float" if alone else "with all such statements of the kernel in float"
    units = _units(kernel)
    if difference is None:
        return (units, "the results could not be compared")
    if difference == 0.0:
        return (units, f"{changed} the results are the same bits in the runs made")
    return (
        units,
        f"{changed} the results differ by a relative {difference:.1e} at most in the runs made",
    )


def _units(kernel: Kernel) -> str:
    arch = kernel.arch
    return f"{arch.name} has {arch.fp64_lanes} f64 units for {arch.fp32_lanes} f32 ones"
