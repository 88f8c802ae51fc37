"""## What it does
Finds threads that access neighbouring scalars of global memory one by one where one vector access
would do: `a[2 * i]` and `a[2 * i + 1]`, the fields of a structure of up to 16 bytes, a short row.

## Why it is slow
Each of the accesses touches every sector that the whole pair or row lies in: two loads of a float
at a distance of 8 bytes touch 8 sectors each, and a `float2` load touches these 8 once. The second
one pays only if the cache has lost them by then, but either way it is one more request, with as
many sectors to look up.

## Example
```cuda
__global__ void magnitude(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float re = in[2 * i];
        float im = in[2 * i + 1];
        out[i] = re * re + im * im;
    }
}
```

## Use instead
```cuda
__global__ void magnitude(float *out, const float2 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 z = in[i];
        out[i] = z.x * z.x + z.y * z.y;
    }
}
```
A vector's address must be a multiple of its size. What `cudaMalloc` returns is a multiple of 256
bytes; a pointer into the middle of an array may not be. A structure of two or four fields is moved
as a vector once it is declared `__align__(8)` or `__align__(16)`.

## How it is confirmed
The addresses of a group of accesses differ by constants that lie within the distance of
neighbouring threads, and the compiler has not merged them. The sectors of their requests are
counted together in a simulation, and the golden execution touches each sector of the group once: it
is confirmed, under CU101's conditions, if the accesses touch at least {WORST_RATIO} times as many.
The group is one finding, at its first access, and CU101 does not report its accesses. Where the
launches pass what an allocation returned, so that the alignment is known, the accesses are edited
to be parts of a vector, or the structure they are in to be aligned as one, compiled and run again:
if results are the same and sectors fewer, the edit is the finding's fix.
What each thread does once, beside a loop whose length nobody can say, is a note.

## When to ignore it
When the pointer is not aligned to the vector's size, or the kernel computes so much that a few
requests are no matter: where vectors take a small share of its cycles from the load unit, it is a
note. Where the kernel has the vector access as well, nothing is reported: the scalars are for what
is not aligned.

## Options
None.

## References
- CUDA C++ Programming Guide, "Device Memory Accesses", size and alignment requirement
- NVIDIA, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access",
  https://developer.nvidia.com/blog/cuda-pro-tip-increase-performance-with-vectorized-memory-access/
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A.2, figure 3a
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Monomial, Polynomial
from perflint.analysis.symbols import Loop, Special
from perflint.rules import advice
from perflint.rules.access_case import access_case, access_notes, measurement
from perflint.rules.access_shapes import (
    VECTOR,
    WORD,
    Shape,
    group_suspicion,
    groups,
    in_words,
    is_built_in,
    shapes,
    type_words,
)
from perflint.rules.case import Case, Decision
from perflint.rules.measure import Measurement, figure
from perflint.rules.memory.aligned_records import align_edits
from perflint.rules.memory.vector_edits import in_rows, is_aligned, vector_edits, whole_load
from perflint.rules.mending import mended, tries
from perflint.rules.neighbours import is_copied
from perflint.rules.open_loops import beside_open_loops
from perflint.rules.protocol import (
    Edit,
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.vector_alignment import if_aligned
from perflint.rules.worst_request import whole_elements, worst_request
from perflint.sim.tracers.accesses import AccessCounter

RULE = Rule(
    code="CU102",
    name="adjacent-scalar-access",
    summary="A thread accesses neighbouring scalars one by one where a vector would do.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "coalescing", "vectorization"),
    tracers=("AccessCounter",),
    measures="sectors of the group",
    claim="pattern",
    scope="blocks",
    change="requests",
    on_chip=True,  # L1 and L2 have each sector after its first part was asked for
)

#: Sectors of the group's requests by those that the group lies in.
WORST_RATIO = 1.5

#: CUDA's vectors by the type of an element: as the source says it, else as the PTX does.
_VECTORS = {"float": "float", "double": "double", "int": "int", "unsigned int": "uint",
            "unsigned": "uint", "long long": "longlong", "unsigned long long": "ulonglong",
            "f32": "float", "f64": "double", "u32": "uint", "s32": "int", "b32": "float",
            "u64": "ulonglong", "s64": "longlong", "b64": "double"}  # fmt: skip


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site, shape in groups(kernel, "adjacent"):
        if not _has_vectors(kernel, shape):
            yield group_suspicion(kernel, site, shape)


@lru_cache(maxsize=16)
def _suspected(kernel: Kernel) -> int:
    """How many groups of a kernel are suspected."""
    return sum(1 for _ in suspect(kernel))


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """Why neighbouring scalars are all right here, or what the shape is if there are none."""
    known = shapes(kernel).get(site.pcs)
    if known is None or known.kind != "adjacent":
        return in_words(kernel, site)
    if _has_vectors(kernel, known):
        return "the same elements are moved as vectors as well"
    return "it is looked at with the others of its element"


def _has_vectors(kernel: Kernel, shape: Shape) -> bool:
    """Whether the same elements are moved as vectors as well, where they are aligned to it."""
    site = shape.group[0]
    assert shape.step is not None
    moved = _moved_by(kernel, site.kind, min(shape.step, VECTOR))
    return site.address is not None and _beside_turns(site.address) in moved


@lru_cache(maxsize=16)
def _moved_by(kernel: Kernel, kind: str, width: int) -> frozenset[frozenset[tuple[Monomial, int]]]:
    """Where accesses of so many bytes or more move something, but for turns of their loops."""
    wide = (s for s in kernel.facts.sites if s.kind == kind and s.size >= width)
    addresses = (s.address for s in wide if s.may_be_global)
    return frozenset(_beside_turns(each) for each in addresses if each is not None)


def _beside_turns(address: Polynomial) -> frozenset[tuple[Monomial, int]]:
    """An address's terms that are not of turns of loops, indices and numbers alone: two that have
    the same ones differ, if at all, by such only."""
    return frozenset(
        (monomial, factor)
        for monomial, factor in address.terms.items()
        if not all(isinstance(each, (Loop, Special)) for each in monomial)
    )


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The accesses as parts of vectors, or the structure aligned to be moved as one."""
    kernel, shape = suspicion.kernel, suspicion.about
    assert isinstance(shape, Shape) and kernel is not None
    ways = _edits(kernel, shape)
    return tries(decision, *(ways or (align_edits(kernel, shape),)))


def _edits(kernel: Kernel, shape: Shape) -> tuple[tuple[Edit, ...], ...]:
    """Ways to edit that make the accesses one: each access, or a load before all of them."""
    plain = is_built_in(kernel, shape.group[0]) or in_rows(kernel, shape)
    if shape.step not in (2 * WORD, VECTOR) or not plain:
        return ()
    vector, size = vector_type(kernel, shape), shape.group[0].size
    count = int(vector[-1])
    if count * size != shape.step:
        return ()
    ways = (f(kernel, shape, vector, count) for f in (vector_edits, whole_load))
    return tuple(filter(None, ways))


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    case = beside_open_loops(access_case(suspicion, original, "global", _bad))
    kernel = suspicion.kernel
    assert kernel is not None
    most = _suspected(kernel)  # others of the kernel are not mended by vectors
    figures = tuple(replace(f, peers=min(f.peers, most)) for f in case.figures)
    return replace(case, figures=figures, left=_left(suspicion.about))


def _left(shape: object) -> float:
    """The share of a group's requests that vectors leave: all, of elements that none divides."""
    assert isinstance(shape, Shape) and shape.step is not None
    return min(1.0, shape.step // _widest(shape) / len(shape.offsets))


def _widest(shape: Shape) -> int:
    """Bytes of the widest vectors that fill an element, or of its parts."""
    assert shape.step is not None
    wide = (each for each in (VECTOR, 2 * WORD) if shape.step % each == 0)
    return next(wide, shape.group[0].size)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, shape = suspicion.site, suspicion.kernel, suspicion.about
    assert isinstance(shape, Shape) and kernel is not None and shape.step is not None
    m, trial = measurement(decision), decision.shown.trial
    names, parts = kernel.names, len(shape.offsets)
    array, kinds = names.array(site), f"{site.kind}s"
    measured = m.per_request * parts
    vector = vector_type(kernel, shape)
    edits = _edits(kernel, shape)
    what = f"access them as one `{vector}`" if edits else "align the structure"
    safe = not edits or is_aligned(kernel, shape)
    if not safe:
        what += f" (it must be aligned to {shape.step} bytes)"
    mend = mended(decision, what, _sectors, safe=safe)
    if mend.fix is not None and mend.fix.edits == whole_load(
        kernel, shape, vector, int(vector[-1])
    ):
        # what is stored in between is elsewhere as far as runs tell, not as far as pointers do
        what = f"load them as one `{vector}` before (nothing in between may store to them)"
        mend = replace(mend, fix=replace(mend.fix, message=what, safe=False))
    golden = _golden(m, site.size, shape.step)
    return Told(
        message=f"{parts} {kinds} of neighbouring scalars of {array} touch {figure(measured)} "
        f"sectors together where {figure(golden)} would do",
        label=names.stride(site, trial.run, m.witness),
        evidence=(Evidence("sectors of the group", measured, golden, "sectors"),),
        notes=access_notes(decision),
        help=_help(kernel, site.kind, shape, array),
        witness=names.witness(m.witness, "sectors"),
        request=worst_request(
            names,
            site,
            m,
            _change(vector, shape, kinds),
            whole_elements(shape.step) if shape.whole else None,
        ),
        fault=_fault(kernel, shape, f"{kinds} of neighbours in {array}"),
        severity=measured / max(1.0, golden),
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _fault(kernel: Kernel, shape: Shape, else_: str) -> str:
    """What is at fault: of Triton's kernels a tile's index, that of all which go where it says."""
    if kernel.names.language == "triton":
        return "elements that Triton could not join"
    return _structure(kernel, shape) or else_


def _structure(kernel: Kernel, shape: Shape) -> str:
    """The structure, in words, of which the elements are: how it lies is at fault in all arrays."""
    words = type_words(kernel, shape.group[0])
    plain = is_built_in(kernel, shape.group[0]) or in_rows(kernel, shape)
    declared = shape.whole and words and not plain
    return f"structure {' '.join(words)}" if declared else ""


def _change(vector: str, shape: Shape, kinds: str) -> str:
    """What moves whole elements, in words."""
    vectors = (shape.step or 0) // VECTOR
    what = f"one of {vectors} {vector}" if vectors > 1 else f"one {vector}"
    return f"{what} a lane in place of {len(shape.offsets)} {kinds}"


def _golden(m: Measurement, size: int, step: int) -> float:
    """Sectors of whole elements, each once; of several vectors each, once for each vector."""
    if step > VECTOR and step % VECTOR == 0:
        return m.lanes / m.requests * (step // VECTOR)
    return m.golden_per_request * step / size


def _sectors(trial: Trial) -> int:
    """Sectors of global memory that a whole run moved."""
    counts = trial.tracer(AccessCounter).counts.values()
    return sum(c.measured for c in counts if c.space == "global")


def _bad(m: Measurement) -> bool:
    return min(m.measured, m.aligned) >= WORST_RATIO * m.golden


def _help(kernel: Kernel, kind: str, shape: Shape, array: str) -> str:
    """What to write, and on which condition."""
    step = shape.step
    assert step is not None
    site = shape.group[0]
    if kernel.names.language == "triton":
        return advice.one_by_one(advice.verb(site), array)
    if step % 8 or (step > VECTOR and step % VECTOR):
        if any(is_copied(each, kernel.facts.sites) for each in shape.group):
            return advice.of_a_copy(array)
        copied = (
            f"no vector has {step} bytes: let the block copy its elements through shared memory"
        )
        if site.array.parameter is not None and not kernel.is_allocated(site.array.parameter):
            return copied  # their layout is the caller's
        return (
            f"{copied}; or keep an array for each of the {step // site.size} parts, or pad the "
            f"elements of {array} to {VECTOR} bytes and move them as vectors"
        )
    width = min(step, VECTOR)
    vector = vector_type(kernel, shape)
    aligned = if_aligned(kernel.names, site, width)
    condition = f"{aligned} (a pointer into the middle of an array may not be)"
    if _structure(kernel, shape) and _is_others(kernel, site):
        return (
            f"let one access move each element: declare the structure `__align__({width})` where "
            f"it is the program's own, or {advice.verb(site)} a library's as one `{vector}`, "
            f"{condition}"
        )
    if _structure(kernel, shape):
        return (
            f"declare the structure `__align__({width})`, so that one access moves it whole, "
            f"{condition}"
        )
    verb = {"load": "read", "store": "write"}.get(kind, "access")
    count = "one" if step <= VECTOR else str(step // VECTOR)
    accesses = f"`{vector}` {kind}" if count == "1" or step <= VECTOR else f"`{vector}` {kind}s"
    return f"{verb} them with {count} {accesses}, {condition}"


def _is_others(kernel: Kernel, site: AccessSite) -> bool:
    """Whether a structure may be a library's: `glm::vec2`, or what a template is given."""
    index, function = site.array.parameter, kernel.function
    if index is None or function is None:
        return False
    return function.template or "::" in function.parameters[index].type


def vector_type(kernel: Kernel, shape: Shape) -> str:
    """CUDA's vector type for a group's elements: `float2`."""
    site = shape.group[0]
    assert shape.step is not None
    count = min(shape.step, VECTOR) // site.size
    index = site.array.parameter
    known = None if index is None else kernel.facts.element_types.get((index, 0))
    written = " ".join(type_words(kernel, site))
    fallback = "float" if site.size == WORD else "double"
    base = _VECTORS.get(written) or _VECTORS.get(known or "", fallback)
    if site.size == 2 * WORD and base in ("float", "int", "uint"):
        base, count = base, 2 * count  # an element is itself a vector of two words
    return f"{base}{count}"
