"""## What it does
Finds loads, stores and atomics of global memory whose warp touches at least twice as many 32-byte
sectors as its bytes would fill: strides, rows that each thread walks alone, scattered indices. What
has a remedy of its own belongs to another rule: neighbouring scalars (CU102), elements below a word
(CU103), arrays of structures (CU104), offsets that only misalign (CU105), contended atomics
(CU108).

## Why it is slow
A warp's 32 addresses are served in sectors of 32 bytes. When neighbouring threads access
neighbouring words, 32 four-byte words come in 4 sectors. When they are a row apart, each word needs
a sector of its own: 32 sectors are moved, and 28 bytes of every 32 are thrown away unless the cache
still holds them when they are needed.

## Example
```cuda
__global__ void scale(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = 2.0f * in[x * h + y];
}
```

## Use instead
```cuda
__global__ void scale(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = 2.0f * in[y * w + x];
}
```
Where both directions are needed, as in a transpose, go through a tile in shared memory: read rows,
write rows, and transpose in the tile (mind CU201).

## How it is confirmed
The kernel is simulated with the launch found in the source (or a stated assumption), and the
sectors of each request of the access are counted. The golden execution moves the same bytes packed:
ceil(active lanes * bytes / 32) sectors. Full-warp requests are judged where there are any. The
finding is confirmed if the access costs at least {measure.SCATTERED} times the golden sectors
(partial warps: and {measure.LEAST_EXCESS} sectors more) with every size tried, for random and for
identity data, and if its excess is at least {MIN_WASTE} of the sectors that the kernel moves, or if
similar accesses together cause {verdict.JOINT_SHARE:%} of them. Sectors that are only due to a
misaligned start are not counted here. A parameter that is used as a stride and never compared with
anything may be 1: an access that is fine then stays undecided, unless a launch fixes the value.
Where neighbouring threads walk along overlapping windows a few bytes apart, as those of a filter
that halves an image do, L1 keeps what the next iteration uses: that is undecided as well.
Where each lane computes its index by rounding a loaded float (a particle's cell), neighbouring
lanes may hold similar values: that is undecided too. Where the address is a formula of the launch's
arguments, a note says for which of them the access is as bad with that block: proved, if no index
overflows.

Accesses of several arrays with one index are one finding: exchanging what goes along which axis
mends them all. What each thread reads of the elements that its neighbours read whole is not
reported: those sectors are in L1.

Where exchanging x and y in the whole kernel and its launch mends it, perhaps in blocks of 16×16 in
the place of smaller ones, part of the grid is run so, to its end in every world; and so where each
thread walks along a run of its own, `i = t * n` up to `(t + 1) * n`, with the turns dealt out to
neighbouring threads. A kernel that only copies what it transposes is run with a tile of shared
memory between its load and its store. That becomes a fix if the same bytes are left and less is
moved.

## When to ignore it
Textures used to be the cure for accesses of neighbouring threads that are near each other in two
dimensions. Since Volta the L1 is the texture cache, too, and takes plain loads by the sector, so
that a texture helps only where its layout in blocks does: a gather near one point of an image.
When the same warp soon uses the rest of the sectors from L1 (`profile` shows it), or when the
kernel is not worth the work. The numbers say how much is moved, not how long it takes.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#coalesced-access-to-global-memory
- Nsight Compute, source counters `memory_l2_theoretical_sectors_global` and `…_ideal`
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import prod

from perflint.analysis.gathers import walked, walks
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, TID_Y, Loop, Opaque, Parameter
from perflint.base.constructs import within
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules import advice, record_advice
from perflint.rules.access_case import access_case, access_notes, all_launches, measurement
from perflint.rules.access_shapes import (
    LARGEST_STRUCTURE,
    SECTOR,
    VECTOR,
    fields_of,
    in_words,
    is_built_in,
    owned,
    type_words,
)
from perflint.rules.case import Case, Decision
from perflint.rules.idle_axes import on_an_idle_axis
from perflint.rules.measure import SCATTERED, Measurement, figure, is_scattered
from perflint.rules.memory.exchanged_axes import exchanges, traffic, widened
from perflint.rules.memory.staged_rows import staged_rows
from perflint.rules.memory.strided_turns import strided_turns
from perflint.rules.memory.tiled_transpose import tiled_transpose
from perflint.rules.mending import Mended, mended, tries
from perflint.rules.neighbours import is_copied
from perflint.rules.protocol import (
    Edit,
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
    site_suspicion,
)
from perflint.rules.worst_request import packed, worst_request
from perflint.sim.accesses import Witness
from perflint.sim.launch import Dim3
from perflint.sim.tracers.accesses import AccessCounter

RULE = Rule(
    code="CU101",
    name="uncoalesced-global-access",
    summary="A warp touches at least twice as many sectors of global memory as its bytes fill.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "coalescing"),
    tracers=("AccessCounter",),
    measures="sectors per request",
    claim="pattern",
    change="requests",
)

THREAD_X = "threadIdx.x"
ROWS = "neighbouring threads differ in what is computed here, and are rows apart"

OVERLAP = "neighbouring threads walk along overlapping windows: L1 has what one leaves to the next"
FRAGMENT = (
    "its lanes have the rows of a tensor core's fragment, some bytes of each: only a detour by "
    "shared memory would pack them"
)
WARP = 32  #: more times the ideal sectors no request touches
#: Rows of a fragment that one request of a warp stores to.
FRAGMENT_ROWS = 8
DIAGONAL = "it goes along a diagonal, of which no order of the threads packs the elements"
PART = "the elements are pairs or vectors, of which it asks for a part: other code has the array so"
COLUMN = "all that it touches is a column of a matrix, which no order of the threads packs"
#: CUDA's vectors by the number of their parts, and the pairs that its libraries take.
_VECTOR = pattern(r"\bu?(char|short|int|long|longlong|float|double)([234])\b")
_PAIR = pattern(r"\bcu(?:fft)?(Float|Double)?Complex\b")
_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "longlong": 8, "double": 8}


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site in owned(kernel, ("scattered", "packed")):
        yield site_suspicion(kernel, site)


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """What a shape is that is not this rule's."""
    return in_words(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes packed, is counted in the original's run
    case = on_an_idle_axis(access_case(suspicion, original, "global", is_scattered))
    asked = (
        (_overlaps, OVERLAP),
        (_of_a_fragment, FRAGMENT),
        (_part_of_a_vector, PART),
        (_of_a_diagonal, DIAGONAL),
        (_down_a_column, COLUMN),
    )
    doubt = next((why for holds, why in asked if holds(case)), "")
    return replace(case, doubt=case.doubt or doubt)


def _of_a_fragment(case: Case) -> bool:
    """Whether a kernel stores what tensor cores have left in the lanes' registers, row by row."""
    site, kernel, shown = case.suspicion.site, case.suspicion.kernel, case.worst
    if site.kind != "store" or kernel is None or shown is None or shown.measured > FRAGMENT_ROWS:
        return False
    instructions = kernel.facts.kernel.instructions
    products = {i.index for i in instructions if i.opcode in ("mma", "wmma", "wgmma")}
    around = [set(loop.pcs) for loop in kernel.facts.loops if set(site.pcs) <= set(loop.pcs)]
    inner = min(around, key=len, default=set())
    return bool(products) and products.isdisjoint(inner)


def _of_a_diagonal(case: Case) -> bool:
    """Whether neighbours are a row and an element of it apart.

    `a[k * n + k]`, or the other way: `a[(d - k) * n + k]`, where an element may be a row itself.
    What is `n - 1` apart is a column of a matrix whose rows have so many.
    """
    stride = case.suspicion.site.strides.get("x")
    terms = sorted(stride.terms.items(), key=lambda term: len(term[0])) if stride else ()
    if len(terms) != 2:
        return False
    (element, along), (row, down) = terms
    if abs(along) != abs(down) or len(row) != len(element) + 1 or not set(element) <= set(row):
        return False
    return down < 0 < along or (along == down and not element)


def _down_a_column(case: Case) -> bool:
    """Whether what varies of an address goes by a matrix' pitch alone, in threads and in turns.

    Then the sectors hold nothing else that this access wants, in whatever order. That it is a
    matrix, and which column, an argument says.
    """
    site = case.suspicion.site
    pitch, address = site.strides.get("x"), site.address
    kernel = case.suspicion.kernel
    if address is None or pitch is None or pitch.constant is not None or kernel is None:
        return False
    near = [apart for apart in _apart(kernel, site) if abs(apart) < SECTOR]
    if len(near) * site.size >= SECTOR:  # the thread has what lies beside, too
        return False
    rows = any(launch.block[1] > 1 for launch in kernel.launches)
    if rows and not any(symbol.depends & TID_Y for symbol in address.symbols):
        return False  # with the axes exchanged, a warp asks for one element
    varies = {s for s in address.symbols if s.depends or isinstance(s, Loop | Opaque)}
    chosen = (
        monomial
        for monomial in address.terms
        if monomial and varies.isdisjoint(monomial) and pitch.symbols.isdisjoint(monomial)
    )
    if not any(isinstance(m[0], Parameter) and m[0].index != site.array.parameter for m in chosen):
        return False
    return all(_is_multiple(address.coefficient_of(symbol), pitch) for symbol in varies)


def _is_multiple(steps: Polynomial, pitch: Polynomial) -> bool:
    """Whether some steps are a number of pitches, or a symbol's."""
    (monomial, factor), *_ = sorted(pitch.terms.items(), key=lambda term: -len(term[0]))
    units = (Polynomial(1), *map(Polynomial.of, steps.symbols - pitch.symbols))
    for unit in units:
        one = (pitch * unit).terms
        lead = next((m for m in one if set(monomial) <= set(m)), None)
        times, rest = divmod(steps.terms.get(lead, 0), factor) if lead is not None else (0, 1)
        if times and not rest and steps == pitch * unit * times:
            return True
    return False


def _part_of_a_vector(case: Case) -> bool:
    """Whether neighbours ask for a part of elements that are declared as CUDA's vectors."""
    site, kernel = case.suspicion.site, case.suspicion.kernel
    parts = 0 if kernel is None else _declared_parts(kernel, site)
    if kernel is None or site.address is None or parts < 2:
        return False
    size = parts * site.size
    varying = (f for m, f in site.address.terms.items() if any(s.depends & LANES for s in m))
    if {abs(factor) for factor in varying} != {size}:  # neighbours are not an element apart
        return False
    asked = {offset % size for offset in _apart(kernel, site)}
    return len(asked) < parts


def _declared_parts(kernel: Kernel, site: AccessSite) -> int:
    """The parts of a vector that an array has as its elements, where its declaration says so."""
    index = site.array.parameter
    if kernel.function is None or index is None or index >= len(kernel.function.parameters):
        return 0
    declared = kernel.function.parameters[index].type
    if found := _VECTOR.search(declared):
        return int(found[2]) if _BYTES[found[1]] == site.size else 0
    pair = _PAIR.search(declared)
    return 2 if pair and _BYTES[(pair[1] or "float").lower()] == site.size else 0


def _overlaps(case: Case) -> bool:
    """Whether each thread walks along a row from a few bytes behind where its neighbour began.

    What one turn leaves of a sector the next ones take, of a warp's few lines in L1.
    """
    site, kernel, shown = case.suspicion.site, case.suspicion.kernel, case.worst
    if site.kind != "load" or site.loaded_address or kernel is None or shown is None:
        return False
    assert isinstance(shown.detail, Measurement)
    lanes = [lane for lane in shown.detail.witness.lanes if lane is not None]
    apart = {after - before for before, after in pairwise(lanes)}
    near = len(apart) == 1 and site.size < abs(*apart) <= VECTOR
    return near and any(map(_walks, _of_the_same_statement(kernel, site)))


def _walks(site: AccessSite) -> bool:
    """Whether a loop moves a load on by no more than a vector: it may be unrolled."""
    if site.address is None:
        return False
    steps = (site.address.terms.get((loop.counter,), 0) for loop in site.loops)
    return any(0 < abs(step) <= VECTOR for step in steps)


def _of_the_same_statement(kernel: Kernel, site: AccessSite) -> list[AccessSite]:
    """A load, and what the compiler made of it besides."""
    return [
        each
        for each in kernel.facts.sites
        if (each.kind, each.array, each.location) == (site.kind, site.array, site.location)
    ]


def _before_its_rest(kernel: Kernel, site: AccessSite) -> AccessSite:
    """A load, or of the turns that unrolling leaves over the load of the others.

    Where a loop's length is loaded, so is where what is left over begins, but not where a run does.
    """
    if not site.indirect or not _goes_on(site):
        return site
    others = (each for each in _of_the_same_statement(kernel, site) if not each.indirect)
    return next(filter(_goes_on, others), site)


def _apart(kernel: Kernel, site: AccessSite) -> frozenset[int]:
    """How far from a site the like accesses lie that are reached with it, in bytes; 0: itself."""
    if site.address is None:
        return frozenset()
    alike = (
        each
        for each in kernel.facts.sites
        if (each.kind, each.array, each.guards) == (site.kind, site.array, site.guards)
    )
    found = (address for each in alike for address in (each.address, *each.addresses))
    steps = ((address - site.address).constant for address in found if address is not None)
    return frozenset(step for step in steps if step is not None)


def _updated_parts(kernel: Kernel, site: AccessSite) -> int:
    """How many parts of its own element each thread updates, of which this is one; 0: loads."""
    stride = site.strides.get("x")
    step = stride.constant if stride is not None else None
    if site.kind != "atomic" or site.indirect or step is None:
        return 0
    return sum(abs(apart) < abs(step) for apart in _apart(kernel, site))


def _used(kernel: Kernel, site: AccessSite) -> int:
    """The bytes that a kernel uses of each element that neighbours are apart; 0: not known."""
    stride = site.strides.get("x")
    step = abs(stride.constant or 0) if stride is not None else 0
    return len(fields_of(kernel, site, step)) * site.size if step else 0


def _parts(kernel: Kernel, site: AccessSite) -> frozenset[int]:
    """Where the parts of an element lie that a loaded index picks, from this one on, in bytes.

    They are apart by constants, and one follows the other.
    """
    apart = _apart(kernel, site) if site.indirect else frozenset()
    first = last = 0
    while first - site.size in apart:
        first -= site.size
    while last + site.size in apart:
        last += site.size
    return frozenset(range(first, last + 1, site.size)) if apart else frozenset()


def _element(site: AccessSite) -> int:
    """Bytes from one element to the next, which a loaded index picks; 0 where that is not plain."""
    terms = site.address.terms.items() if site.address is not None else ()
    steps = {
        abs(factor)
        for monomial, factor in terms
        if any(isinstance(symbol, Opaque) and symbol.kind == "loaded" for symbol in monomial)
    }
    return steps.pop() if len(steps) == 1 else 0


def _picked_apart(site: AccessSite, trial: Trial) -> int:
    """Bytes from what a loaded index picks to what the next one does; 0 where that is not plain."""
    steps = set()
    for monomial, factor in site.address.terms.items() if site.address is not None else ():
        others = [s for s in monomial if not (isinstance(s, Opaque) and s.kind == "loaded")]
        if len(others) == len(monomial):
            continue
        given = (trial.values.get(s.index) for s in others if isinstance(s, Parameter))
        sizes = [value for value in given if isinstance(value, int)]
        steps.add(factor * prod(sizes) if len(sizes) == len(others) else 0)
    return steps.pop() if len(steps) == 1 else 0


def _is_part(site: AccessSite) -> bool:
    """Whether an access takes a part of an element that a loaded index picks."""
    return site.kind != "atomic" and site.size < _element(site) <= LARGEST_STRUCTURE


def _fault(kernel: Kernel, site: AccessSite, array: str, label: str, witness: Witness) -> str:
    """What is at fault: which threads go where, alike in all arrays; or how one array lies.

    Of a statement's copies, as an unrolled loop has them, the first says which threads go where.
    """
    near = _distance(site, witness) if kernel.names.language != "triton" else 0  # no structures
    if near and site.size < near <= LARGEST_STRUCTURE and site.kind != "atomic":
        return f"{array}, of {near} bytes each"
    site = _of_the_same_statement(kernel, site)[0]
    strides = {axis: found.text for axis, found in site.strides.items() if found is not None}
    apart = str(strides) if strides else label
    if site.loaded_address or site.address is None or site.kind == "atomic":
        return f"{array} {apart}"
    stride = site.strides.get("x")
    if stride is None:
        return _index(site) if _is_known(site) else f"{array} {apart}"
    step = abs(stride.constant or 0)
    rows = step <= site.size  # what scatters them is how short rows are, or an argument
    far = step > LARGEST_STRUCTURE and is_built_in(kernel, site)
    return apart if rows or far else f"{array} {apart}"


def _distance(site: AccessSite, witness: Witness) -> int:
    """Bytes between the elements of neighbouring threads; of most, where some clamp their index."""
    stride = site.strides.get("x")
    if site.loaded_address or stride is not None:
        return abs(stride.constant or 0) if stride is not None else 0
    if _is_known(site):
        return 0  # the index tells which threads go where, whatever lanes one request has
    lanes = [lane for lane in witness.lanes if lane is not None]
    apart = Counter(after - before for before, after in pairwise(lanes)).most_common(1)
    return abs(apart[0][0]) if apart and 2 * apart[0][1] > len(lanes) else 0


def _loop(kernel: Kernel, site: AccessSite) -> str:
    """The line of the loop around an access: copies of it have one."""
    header = site.loops[-1].counter.header
    at = next((each.location for each in kernel.facts.loops if each.header == header), None)
    return f"line {at.line}" if at is not None else f"loop {header}"


def _is_known(site: AccessSite) -> bool:
    """Whether nothing of an address is out of the analysis' sight."""
    atoms = site.address.atoms() if site.address is not None else None
    return atoms is not None and not any(isinstance(symbol, Opaque) for symbol in atoms)


def _index(site: AccessSite) -> str:
    """What of the address of a site differs among the lanes."""
    assert site.address is not None
    terms = site.address.terms.items()
    return Polynomial({m: f for m, f in terms if any(s.depends & LANES for s in m)}).text


def _goes_on(site: AccessSite) -> bool:
    """Whether a loop goes on from one element to the next: on each turn, or where data tell it."""
    terms = site.address.terms if site.address is not None else {}
    alone = ((m[0], factor) for m, factor in terms.items() if len(m) == 1)
    return walks(site) or any(
        isinstance(symbol, Opaque) and symbol.kind == "recurrence" and abs(factor) <= VECTOR
        for symbol, factor in alone
    )


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    kernel = suspicion.kernel
    assert kernel is not None
    dealt = tries(decision, strided_turns(kernel, suspicion.site), dealt=True)
    tiled = tries(decision, tiled_transpose(kernel, suspicion.site, decision))
    staged = tries(decision, staged_rows(kernel, suspicion.site), costly=True)
    return (*dealt, *exchanges(kernel, decision), *tiled, *staged)


def _mended(suspicion: Suspicion, decision: Decision) -> Mended:
    """The first way that every run bears out; rows that a warp loads together are weighed in
    cycles, as L1 may have their lines when they come again.
    """
    kernel = suspicion.kernel
    assert kernel is not None
    said, rows = _said(suspicion, decision), staged_rows(kernel, suspicion.site)
    mend = mended(_with(decision, rows, others=True), said, traffic)
    if mend.fix is not None and widened(decision, mend.fix.edits):
        return replace(mend, fix=replace(mend.fix, safe=False))
    if mend.fix is not None or not rows:
        return mend
    own = _with(decision, rows, others=False)
    staged = mended(own, said, partial(_cycles, kernel), safe=False)
    return staged if staged.fix is not None or not mend.unfixed else mend


def _with(decision: Decision, edits: tuple[Edit, ...], *, others: bool) -> Decision:
    """A decision with what came of some edits alone, or of all but these."""
    cures = tuple(
        each
        for each in decision.cures
        if not isinstance(each.variant, SourceEdit) or (each.variant.edits != edits) == others
    )
    return replace(decision, cures=cures)


def _cycles(kernel: Kernel, trial: Trial) -> float:
    """To issue all instructions, to look up lines in L1, and for shared memory."""
    counts = trial.tracer(AccessCounter).by_space.values()
    sectors = sum(count.measured for count in counts if count.space == "global")
    rates = kernel.arch.rates
    tags = max(1.0, rates["tags"].value) if "tags" in rates else 1.0
    issue = trial.run.warp_instructions / ISSUED_PER_CYCLE
    return float(issue + traffic(trial) - sectors * (1 - 1 / tags))


def _said(suspicion: Suspicion, decision: Decision) -> Callable[[tuple[Edit, ...]], str]:
    """What edits do: one of four ways."""
    kernel = suspicion.kernel
    assert kernel is not None
    ways = {
        strided_turns(kernel, suspicion.site): "deal the loop's turns out to neighbouring threads",
        tiled_transpose(kernel, suspicion.site, decision): "go through a tile in shared memory",
        staged_rows(kernel, suspicion.site): "let the warp load its lanes' rows together",
    }

    def said(edits: tuple[Edit, ...]) -> str:
        block = widened(decision, edits)
        wide = f", in blocks of {block}" if block else ""
        return ways.get(edits, f"exchange the kernel's x and y{wide}")

    return said


def _is_packed(site: AccessSite, axis: str) -> bool:
    """Whether threads along an axis access neighbouring elements of global memory."""
    stride = site.strides.get(axis)
    return site.may_be_global and stride is not None and stride.constant == site.size


def _counted_by_rows(kernel: Kernel, site: AccessSite, block: Dim3) -> tuple[tuple[Span, str], ...]:
    """The one statement that takes `threadIdx.x` for a row, where `threadIdx.y` might be that."""
    constructs, stride = kernel.own_constructs, site.strides.get("x")
    step = stride.constant if stride is not None else 0
    rows = step is None or abs(step) > LARGEST_STRUCTURE
    if constructs is None or kernel.function is None or not rows or block[1:] == (1, 1):
        return ()
    sites = kernel.facts.sites
    if any(_is_packed(each, "x") for each in sites):
        return ()  # a transpose: whichever index threadIdx.x counts, one side is scattered
    if not any(_is_packed(each, axis) for each in sites for axis in "yz"):
        return ()
    used = [c for c in within(constructs.coordinates, kernel.function.body) if c.text == THREAD_X]
    own = kernel.statement(site.location)
    if len(used) != 1 or own is None or used[0].span.line == own.line:
        return ()
    return ((constructs.statement_of(used[0].span), ROWS),)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    m, trial = measurement(decision), decision.shown.trial
    names = kernel.names
    array, measured, golden = names.array(site), figure(m.per_request), figure(m.golden_per_request)
    label = names.stride(site, trial.run, m.witness)
    mend = _mended(suspicion, decision)
    parts = _parts(kernel, site)
    walking = any(map(_goes_on, _of_the_same_statement(kernel, site)))
    whole_run = _before_its_rest(kernel, site)
    help_ = advice.uncoalesced(
        whole_run,
        trial.run.launch.block,
        array,
        m.witness,
        names.language,
        walking=walking,
        structures=bool(type_words(kernel, site)) and not is_built_in(kernel, site),
        used=_used(kernel, site),
        apart=_picked_apart(site, trial),
        copied=is_copied(site, kernel.facts.sites),
    )
    if (updated := _updated_parts(kernel, site)) > 1:
        help_ = record_advice.of_counters(updated, array)
    run = walked(site, kernel.facts.sites) if whole_run.indirect else None
    own_run = advice.of_a_run(advice.verb(site), array)
    fault, severity = _fault(kernel, site, array, label, m.witness), m.ratio
    if run is not None and run is not site and site.kind != "atomic":
        help_ = own_run = advice.of_a_run("read", names.array(run))  # it picks this one's elements
        severity = m.ratio - WARP  # told at the run, where that is told
    elif len(parts) > 1 and run is None and not walking and site.kind != "atomic":
        whole = len(parts) * site.size
        help_ = (
            record_advice.of_a_record(
                advice.verb(site),
                site.size,
                len(parts),
                array,
                _element(site),
                own=site.array.parameter is None or kernel.is_allocated(site.array.parameter),
            )
            if whole <= LARGEST_STRUCTURE
            else own_run  # a loop over it was unrolled
        )
    if help_ == own_run and site.loops:  # with one change all that the loop reads so is packed
        fault = f"runs of each thread's own, {_loop(kernel, site)}"
    elif len(parts) > 1 or _is_part(site):
        fault = f"{site.kind} parts of {array}"
    return Told(
        message=f"{advice.access(site.kind, array)} touches {measured} sectors per request "
        f"where {golden} would do",
        label=label,
        evidence=(Evidence("sectors per request", m.per_request, m.golden_per_request, "sectors"),),
        notes=access_notes(decision) + all_launches(site, names, decision, SCATTERED),
        help=advice.triton(site, m.witness, array) if names.language == "triton" else help_,
        witness=names.witness(m.witness, "sectors"),
        request=worst_request(names, site, m, "neighbouring lanes at neighbouring bytes", packed),
        places=_counted_by_rows(kernel, site, trial.run.launch.block),
        fault=fault,
        severity=severity,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )
