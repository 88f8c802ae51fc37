"""## What it does
Finds accesses to arrays of structures of more than 16 bytes, where each thread accesses fields of
its own element.

## Why it is slow
No access of a lane is wider than 16 bytes, so a thread takes a larger structure field by field. The
lanes of each such request are one structure apart: a request for one float of a structure of 32
bytes touches 32 sectors where 4 would do, and the other fields are used only if the cache still
holds them when they are needed. Fields that are never used are moved all the same.

## Example
```cuda
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void drift(Body *bodies, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].x += dt * bodies[i].vx;
        bodies[i].y += dt * bodies[i].vy;
        bodies[i].z += dt * bodies[i].vz;
    }
}
```

## Use instead
```cuda
struct Bodies {
    float *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
};

__global__ void drift(Bodies bodies, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies.x[i] += dt * bodies.vx[i];
        bodies.y[i] += dt * bodies.vy[i];
        bodies.z[i] += dt * bodies.vz[i];
    }
}
```
Where the layout is given from outside, let the block copy its structures to shared memory as plain
words, neighbouring threads neighbouring words, and take the fields from there.

## How it is confirmed
The addresses of neighbouring threads differ by a constant of more than {access_shapes.VECTOR} and
at most {access_shapes.LARGEST_STRUCTURE} bytes, and the kernel accesses more than one field at such
distances. The sectors of each request are counted in a simulation and compared with the golden
execution: the same bytes packed, as in a structure of arrays. It is confirmed, under CU101's
conditions, at {measure.SCATTERED} times as many or more. One finding stands for all fields of an
array. Where each thread moves all of its structure, L1 has what the first field brought: the
finding is a note then, unless the lines that its requests take are what bounds the kernel. What
each thread takes once beside a loop whose length nobody can say is undecided. Where the kernel
only reads them, and one function of the host allocates the structures, fills them once, passes them
to that kernel and frees them, an array for each field is offered as a fix; where a loop copies them
to shared memory, a copy word by word.

## When to ignore it
When every field is used at once and `profile` shows that L1 keeps the structures until then.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#coalesced-access-to-global-memory
- CUDA C++ Programming Guide, "Device Memory Accesses", size and alignment requirement
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A.1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.rules import advice
from perflint.rules.access_case import access_case, access_notes, all_launches, measurement
from perflint.rules.access_shapes import (
    VECTOR,
    WORD,
    in_words,
    is_built_in,
    owned,
    shape_of,
)
from perflint.rules.case import Case, Decision
from perflint.rules.idle_axes import on_an_idle_axis
from perflint.rules.measure import SCATTERED, counted, figure, is_scattered
from perflint.rules.memory.field_arrays import field_arrays
from perflint.rules.memory.word_copies import word_copies
from perflint.rules.mending import mended, tries
from perflint.rules.open_loops import beside_open_loops
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
    site_suspicion,
)
from perflint.rules.worst_request import packed, worst_request
from perflint.sim.tracers.accesses import AccessCounter

RULE = Rule(
    code="CU104",
    name="oversized-element-access",
    summary="Threads access single fields of an array of structures larger than 16 bytes.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "coalescing"),
    tracers=("AccessCounter",),
    measures="sectors per request",
    claim="pattern",
    change="requests",
)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site in owned(kernel, ("oversized",)):
        yield site_suspicion(kernel, site)


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """What a shape is that is not this rule's."""
    return in_words(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes packed, is counted in the original's run
    case = on_an_idle_axis(access_case(suspicion, original, "global", is_scattered))
    case = beside_open_loops(case)
    kernel = suspicion.kernel
    return replace(case, used=kernel is not None and _is_whole(kernel, suspicion.site))


def _is_whole(kernel: Kernel, site: AccessSite) -> bool:
    """Whether each thread moves all of its structure, a field at a time."""
    step = shape_of(kernel, site).step
    alike = (
        s for s in owned(kernel, ("oversized",)) if (s.array, s.kind) == (site.array, site.kind)
    )
    addresses = [address for each in alike for address in (each.address, *each.addresses)]
    if site.address is None or step is None:
        return False
    apart = (address.beyond(site.address) for address in addresses if address is not None)
    return len({each % step for each in apart if each is not None}) * site.size == abs(step)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and an array for each field or a copy word by word, all to their end."""
    kernel, site = suspicion.kernel, suspicion.site
    assert kernel is not None
    if words := word_copies(kernel, site):
        return tries(decision, words)
    edits, launch = field_arrays(kernel, site.array.parameter)
    return tries(decision, edits, shared=launch)


def _sectors(trial: Trial) -> float:
    counts = trial.tracer(AccessCounter).by_space.values()
    return sum(count.measured for count in counts if count.space == "global")


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    m, trial = measurement(decision), decision.shown.trial
    names, step = kernel.names, shape_of(kernel, site).step
    array, measured, golden = names.array(site), figure(m.per_request), figure(m.golden_per_request)
    plain = is_built_in(kernel, site)
    whole = f"every {step}" if plain else f"a structure of {step}"
    words = bool(word_copies(kernel, site))
    what = f"copy {array} word by word" if words else f"keep each field of {array} in an array"
    mend = mended(decision, what, _sectors, safe=words)
    return Told(
        message=f"{advice.access(site.kind, array)} takes {counted(site.size, 'byte')} of {whole}: "
        f"{measured} sectors per request where {golden} would do",
        label=names.stride(site, trial.run, m.witness),
        evidence=(Evidence("sectors per request", m.per_request, m.golden_per_request, "sectors"),),
        notes=access_notes(decision) + all_launches(site, names, decision, SCATTERED),
        help=_of_bytes(array, step)
        if site.size < WORD and _is_whole(kernel, site)
        else _help(array, plain, _vector(kernel, site, step)),
        witness=names.witness(m.witness, "sectors"),
        request=worst_request(names, site, m, _change(plain), packed),
        fault=f"structures of {array if site.array.parameter is None else site.array}",
        severity=m.ratio,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _change(plain: bool) -> str:
    return "neighbouring lanes at neighbouring elements" if plain else "an array for each field"


def _of_bytes(array: str, step: int | None) -> str:
    """What moves whole structures that are copied in parts of words."""
    return (
        f"each thread copies all {step} bytes of its structure in parts of words, as its type is "
        f"aligned no better: keep words in it, or align it (`__align__({VECTOR})`), so that it "
        f"goes in vectors; or let the block copy the structures of {array} through shared memory"
    )


def _vector(kernel: Kernel, site: AccessSite, step: int | None) -> int:
    """The widest access of which a whole structure is some, where each thread moves all of it."""
    if step is None or not _is_whole(kernel, site):
        return 0
    return next(
        (size for size in (VECTOR, VECTOR // 2) if step % size == 0 and size > site.size), 0
    )


def _help(array: str, plain: bool, vector: int) -> str:
    if vector and not plain:
        return (
            f"each thread moves all of its structure: declare it `__align__({vector})`, so that it "
            f"goes in vectors of {vector} bytes; or keep each field of {array} in an array of its "
            "own, or let the block copy its structures through shared memory"
        )
    if plain:
        return (
            f"let neighbouring threads access neighbouring elements of {array}; where each needs "
            f"its own run of it, move that in vectors of {VECTOR} bytes, or let the block copy it "
            "through shared memory"
        )
    return (
        f"keep each field of {array} in an array of its own (a structure of arrays), so that "
        "neighbouring threads access neighbouring words; or let the block copy its structures "
        "through shared memory"
    )
