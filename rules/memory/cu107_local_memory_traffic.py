"""## What it does
Finds arrays of a thread that live in local memory because they are indexed dynamically, and
registers that the compiler has to spill.

## Why it is slow
Registers cannot be indexed. An array in a kernel stays in registers only if all its indices are
constants once loops are unrolled; otherwise it lives in local memory, which is global memory by
another name: each access goes through L1, and often on to L2. Values for which no registers are
left go there too.

## Example
```cuda
__global__ void vote(int *out, const int *in, int n)
{
    int votes[16] = {};
    for (int k = 0; k < n; k++)
        votes[in[k * 16384 + blockIdx.x * blockDim.x + threadIdx.x] & 15]++;
    int best = 0;
    for (int c = 1; c < 16; c++)
        if (votes[c] > votes[best])
            best = c;
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

void launch(int *out, const int *in) { vote<<<64, 256>>>(out, in, 100); }
```

## Use instead
```cuda
__global__ void vote(int *out, const int *in, int n)
{
    __shared__ int votes[16][256];
    for (int c = 0; c < 16; c++)
        votes[c][threadIdx.x] = 0;
    for (int k = 0; k < n; k++)
        votes[in[k * 16384 + blockIdx.x * blockDim.x + threadIdx.x] & 15][threadIdx.x]++;
    int best = 0;
    for (int c = 1; c < 16; c++)
        if (votes[c][threadIdx.x] > votes[best][threadIdx.x])
            best = c;
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

void launch(int *out, const int *in) { vote<<<64, 256>>>(out, in, 100); }
```
Where the number of iterations is known, unroll the loop instead (`#pragma unroll`): then every
index is a constant, and the array stays in registers.

## How it is confirmed
For arrays: the compiled kernel accesses local memory at a statement that names an array declared in
the kernel, ptxas (the assembler within NVRTC, asked for machine code) gives the kernel a stack, so
that the array was not promoted away, and in the simulation the load unit, which takes one request a
cycle, needs at least {FLOOR:%} of the time in which warps issue for the accesses. The golden
execution keeps the array in registers: no accesses. For spills: ptxas reports at least
{MINIMUM_SPILLS} bytes of them per thread, and to move each once is {MIN_WASTE} of the instructions
that a warp executes: how often they are moved is not known. The slow paths of `sinf` and similar
functions have a small local array of their own, which is not reported. A stack, as walks of trees
have one, is a note: no constants index it.

## When to ignore it
When the array is too large for registers and for shared memory, or when the launch bounds that
cause the spills are there for a reason that was measured.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Local Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#local-memory
- CUDA C++ Programming Guide, "Device Memory Accesses" and "Launch Bounds"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from perflint.analysis.model import AccessSite
from perflint.analysis.pressure import register_pressure
from perflint.analysis.symbols import LOADED, Base, Loop
from perflint.base.constructs import Constructs, Declaration, contains, within
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.grammar import table
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.measure import counted, figure
from perflint.rules.memory.local_stacks import STACK, is_stack
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Resources,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
)
from perflint.rules.shared_declarations import element_size
from perflint.rules.steady import whole_share
from perflint.rules.written_numbers import number
from perflint.sim.tracers.arrivals import Arrivals
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU107",
    name="local-memory-traffic",
    summary="A dynamically indexed array or spilled registers live in local memory.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "local-memory", "registers"),
    tracers=("Instruction", "Arrivals"),
    measures="local accesses per warp",
    scope="blocks",
    floor=0.10,  # of the time in which warps issue: the load unit works beside them
    sums=True,
)

#: Bytes of spills a thread, stores and loads together, that are worth a word: a few that ptxas puts
#: outside loops cost nothing.
MINIMUM_SPILLS = 32
REGISTER = 4  #: bytes
#: The load unit takes one request a cycle, in which the schedulers issue four instructions.
SMALL = "the load unit takes them in {share:.1%} of the time in which the kernel's warps issue"
#: How often spills are moved stands in no table of ptxas: once each is the least.
ONCE = "moved once each, spills are {share:.1%} of what a warp executes, and more is not known"
NO_PLACE = "neither registers nor, for each warp, shared memory have room for so long an array"
#: ptxas is asked, which takes another compilation, where PTX keeps so much of the limit alive. Of
#: 120 kernels of Rodinia, llm.c and cuda-samples, the allocated registers were 0.5 to 1.3 times it.
PRESSURE = 0.75
MOST_REGISTERS = 255
IN_REGISTERS = MOST_REGISTERS * REGISTER  #: bytes that a thread's registers hold at most
WARP = 32
REGISTERS_PER_BLOCK = 65536
#: Arrays of up to so many bytes fit into registers.
FITTING = 128
#: Bytes of shared memory that every GPU gives a block without being asked for more.
SHARED_BYTES = 48 << 10
#: `[1][0]`, behind the name of an array.
_NUMBERS = r"(?:\s*\[\s*\d+\s*\])+"
_BY_NUMBER = pattern(r"\w+" + _NUMBERS)
#: Qualifiers of arrays that lie elsewhere.
_ELSEWHERE = frozenset({"__shared__", "__constant__", "static", "constexpr", "extern"})


@dataclass(frozen=True)
class _Array:
    """An array that a kernel declares."""

    declaration: Declaration


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    arrays: dict[Declaration, list[AccessSite]] = {}
    spans: dict[AccessSite, Span] = {}
    for site in kernel.facts.sites:
        if site.space == "local":
            for declaration, span in _local_arrays(kernel, site):
                arrays.setdefault(declaration, []).append(site)
                spans[site] = span
    for declaration, sites in arrays.items():
        main = next(filter(_is_indexed, sites), None)
        if main is not None:
            ordered = (main, *(site for site in sites if site is not main))
            pcs = tuple(sorted({pc for site in sites for pc in site.pcs}))
            name = f"local array {declaration.name}"
            inlined = spans[main] != kernel.statement(main.location)
            place = spans[main] if inlined else None  # where the kernel hands the array on
            yield Suspicion(
                name,
                kernel,
                pcs,
                ordered,
                span=place,
                about=_Array(declaration),
                declared=declaration.span,
            )
    if _may_spill(kernel):
        yield Suspicion("spills", kernel)


def _local_arrays(kernel: Kernel, site: AccessSite) -> Iterator[tuple[Declaration, Span]]:
    """The local arrays named in the innermost statement, of those around an access, that has any.

    The slow paths of `sinf` and the like access local memory at statements that name none.
    """
    for location in site.location.chain() if site.location else ():
        span = kernel.statement(replace(location, inlined_at=None))
        constructs = kernel.constructs(str(span.path)) if span else None
        function = constructs.function_at(span.line, span.column) if constructs and span else None
        if constructs is None or function is None or span is None:
            continue
        names = {name.text for name in within(constructs.names, span)}
        found = [
            each
            for each in within(constructs.declarations, function.body)
            if each.name in names and each.extents and _ELSEWHERE.isdisjoint(each.qualifiers)
            if not _has_constant_indices(constructs, each, function.body)
        ]
        if found:
            yield from ((each, span) for each in found)
            return


def _has_constant_indices(constructs: Constructs, array: Declaration, body: Span) -> bool:
    """Whether all that a function does with an array is to name elements of it by numbers.

    The compiler makes registers of it: what the statement moves in local memory is another array,
    as one that a pointer of the function leads to. A macro that is given the array may do the same.
    """
    begins = {
        (each.span.line, each.span.column): each.text
        for each in within(constructs.subscripts, body)
    }
    given = {
        part.span
        for call in within(constructs.calls, body)
        for position, part in enumerate(call.arguments)
        if _names_elements(constructs, call.name, position)
    }
    uses = [each.span for each in within(constructs.names, body) if each.text == array.name]
    uses = [span for span in uses if not contains(array.span, span)]
    return bool(uses) and all(
        _BY_NUMBER.fullmatch(begins.get((span.line, span.column), "")) is not None or span in given
        for span in uses
    )


def _names_elements(constructs: Constructs, name: str, position: int) -> bool:
    """Whether a macro names elements of what it is given by numbers, and does nothing else with it.

    It may hand it on to a function, which is inlined and indexes it by its loop's counter.
    """
    macros = [each for each in constructs.function_macros if each.name == name]
    return bool(macros) and all(
        position < len(each.parameters)
        and not re.search(rf"\b{each.parameters[position]}\b(?!{_NUMBERS}(?!\s*\[))", each.body)
        for each in macros
    )


def _is_indexed(site: AccessSite) -> bool:
    """Whether an address has more in it than a variable and a constant."""
    return any(
        address is None or not all(isinstance(symbol, Base) for symbol in address.symbols)
        for address in site.addresses
    )


def _may_spill(kernel: Kernel) -> bool:
    """Whether so many values are alive at once that some may find no register."""
    function = kernel.facts.kernel
    most = PRESSURE * _registers_allowed(kernel)
    written = sum(len(table.writes(each)) for each in function.instructions)
    return written >= most and register_pressure(function) >= most


def _registers_allowed(kernel: Kernel) -> int:
    """Registers that a thread may have at most, by the kernel's own bounds."""
    directives = kernel.facts.kernel.directives
    allowed = directives.get("maxnreg", (MOST_REGISTERS,))[0]
    if threads := prod(directives.get("maxntid", ())) if "maxntid" in directives else 0:
        blocks = directives.get("minnctapersm", (1,))[0]
        allowed = min(allowed, _of_each(threads, blocks))
    return allowed


def _of_each(threads: int, blocks: int) -> int:
    """Registers that are there for each thread of some blocks at once."""
    return REGISTERS_PER_BLOCK // (threads * max(1, blocks))


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # in the golden execution everything is in registers: there are no accesses
    kernel, trial = suspicion.kernel, original[0]
    assert kernel is not None
    found = kernel.resources()
    unknown = "what ptxas makes of it is not known"
    if not isinstance(suspicion.about, _Array):
        if found is None:
            return nothing(suspicion, unknown)
        spilled = found.spill_stores + found.spill_loads
        bad = spilled >= MINIMUM_SPILLS
        executed_each = trial.run.warp_instructions / trial.run.warps
        share = min(1.0, spilled / REGISTER / max(1.0, executed_each))
        doubt = ONCE.format(share=share) if share < kernel.min_waste else ""
        shown = Figure(trial, spilled, 0.0, bad, detail=found)
        return Case(suspicion, (shown,), measures="spilled bytes per thread", doubt=doubt)
    if found is not None and not found.stack:
        return nothing(suspicion, "ptxas made registers or constants of it")
    executed = trial.tracer(Instruction).executed
    accesses = sum(executed[pc][0] for pc in suspicion.pcs if pc in executed)
    share = min(1.0, ISSUED_PER_CYCLE * whole_share(trial, suspicion.pcs))
    came = max(1, trial.tracer(Arrivals).warps(suspicion.pcs))
    shown = Figure(trial, accesses / came, 0.0, True, share=share, detail=found)
    doubt = STACK if is_stack(kernel, suspicion.about.declaration) else "" if found else unknown
    if not doubt and _has_no_place(suspicion, trial):
        doubt = NO_PLACE
    return Case(suspicion, (shown,) if accesses else (), small=SMALL, doubt=doubt)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, shown = suspicion.kernel, decision.shown
    found = shown.detail
    assert kernel is not None and (found is None or isinstance(found, Resources))
    if not isinstance(suspicion.about, _Array):
        assert found is not None
        return _spills(kernel, found)
    declaration = suspicion.about.declaration
    fixed = _is_fixed(kernel, declaration)
    threads = shown.trial.run.launch.threads_per_block
    least = "" if shown.trial.complete else "at least "
    size = _bytes(kernel, declaration)
    return Told(
        f"`{declaration.name}` lives in local memory because it is indexed dynamically: "
        f"{least}{counted(shown.measured, 'access')} per warp{_instead(size, found)}",
        label="indexed at run time",
        evidence=(Evidence("local accesses per warp", shown.measured, 0.0, "requests"),),
        notes=(f"ptxas gives each thread a stack of {found.stack} bytes",) if found else (),
        help=_help(declaration, found, suspicion.sites, threads, size, fixed=fixed),
        fault="tables of constants" if fixed else f"local {declaration.name}",
        severity=shown.share,
    )


def _help(
    declaration: Declaration,
    found: Resources | None,
    sites: Sequence[AccessSite],
    threads: int,
    size: int | None,
    *,
    fixed: bool,
) -> str:
    """What to do about an array of `size` bytes; `fixed`: its contents are constants."""
    name = declaration.name
    large = size is not None and size > IN_REGISTERS
    if fixed:
        return (
            f"the contents of `{name}` are constants, the same for all threads: declare it "
            "`__constant__` outside of the kernel, or `__device__ const` if the lanes of a warp "
            "have different indices; or compute what it holds from the index"
        )
    loaded = any(site.loaded_address for site in sites)
    if all(s.kind == "load" and _is_of_the_block(s) for s in sites if _is_indexed(s)):
        return (
            f"the index is the same for all threads of the block: where the contents of `{name}` "
            "are so, too, declare it `__constant__`, outside of the kernel"
        )
    if not loaded and found and found.stack <= FITTING and any(s.loop_depth for s in sites):
        return (
            f"unroll the loops that index `{name}` (`#pragma unroll`, with bounds known to the "
            "compiler), so that each index is a constant"
        )
    if found and found.stack * threads > SHARED_BYTES:
        if _is_counted(sites):
            return (
                f"keep one `{name}` for all threads of a block, in shared memory, and update it by "
                "atomics"
            )
        stored = any(site.kind == "store" and _is_indexed(site) for site in sites)
        if large:
            table = "" if stored else "; a table that is the same for all belongs in `__constant__`"
            return (
                f"no thread's registers hold `{name}`: make it as short as its use allows, let the "
                "lanes of a warp share one in shared memory, or compute again what it holds where "
                f"that is used{table}"
            )
        if stored:
            return (
                f"make `{name}` as short as its use allows, with a length that the compiler knows, "
                "so that unrolled loops index it by constants; or let a warp share one"
            )
        return (
            f"choose the elements of `{name}` by comparisons with constant indices; a table that "
            "is the same for all threads belongs in `__constant__` memory"
        )
    shared = f"keep `{name}` in shared memory, with threadIdx.x as the fastest varying index"
    return (
        shared
        if large
        else f"{shared}, or choose its elements by comparisons with constant indices"
    )


def _instead(size: int | None, found: Resources | None) -> str:
    """What would do in the place of local memory, in words: registers, where the array fits."""
    if size is not None and size > IN_REGISTERS:
        return f"; its {figure(size)} bytes fit into no thread's registers"
    if size is None and found is not None and found.stack > IN_REGISTERS:
        return ""  # whether it is this array of the stack that is so large is not known
    return " where registers need none"


def _bytes(kernel: Kernel, declaration: Declaration) -> int | None:
    """The bytes of an array, where its declaration says them in numbers that are in sight."""
    constructs = kernel.constructs(str(declaration.span.path))
    lengths = [number(extent.text, constructs) for extent in declaration.extents]
    known = [length for length in lengths if length is not None]
    size = element_size(declaration.type)
    return size * prod(known) if size and len(known) == len(lengths) else None


def _has_no_place(suspicion: Suspicion, trial: Trial) -> bool:
    """Whether registers have no room for an array, nor shared memory for one of each warp.

    Constants, and counters that a block can share, have another place.
    """
    kernel, about = suspicion.kernel, suspicion.about
    assert kernel is not None and isinstance(about, _Array)
    size = _bytes(kernel, about.declaration)
    if size is None or size <= IN_REGISTERS:
        return False
    indexed = [site for site in suspicion.sites if _is_indexed(site)]
    table = all(s.kind == "load" and _is_of_the_block(s) for s in indexed)
    if table or _is_fixed(kernel, about.declaration):
        return False
    warps = -(-trial.run.launch.threads_per_block // WARP)
    copies = 1 if _is_counted(suspicion.sites) else warps
    return size * copies > SHARED_BYTES


def _is_fixed(kernel: Kernel, declaration: Declaration) -> bool:
    """Whether an array is a constant one, whose initial value names nothing but types."""
    span = declaration.span
    constructs = kernel.constructs(str(span.path))
    if "const" not in declaration.qualifiers or constructs is None or not declaration.extents:
        return False
    end = declaration.extents[-1].span
    behind = Span(span.path, end.end_line, end.end_column, span.end_line, span.end_column)
    return any(within(constructs.literals, behind)) and not any(within(constructs.names, behind))


def _is_of_the_block(site: AccessSite) -> bool:
    """Whether the index is the same for all threads, and from one turn of a loop to the next."""
    address = site.address
    return address is not None and not (
        site.uniformity != "uniform" or any(isinstance(s, Loop) for s in address.atoms)
    )


def _is_counted(sites: Sequence[AccessSite]) -> bool:
    """Whether an element that data choose is read and written by one statement: a histogram."""
    chosen = [site for site in sites if _is_picked(site) and site.location is not None]
    loads = {(s.location, s.address) for s in chosen if s.kind == "load"}
    return any((s.location, s.address) in loads for s in chosen if s.kind == "store")


def _is_picked(site: AccessSite) -> bool:
    """Whether data alone pick the element: a length of rows that is loaded does not."""
    terms = site.address.terms if site.address is not None else {}
    return any(len(m) == 1 and m[0].depends & LOADED for m in terms)


def _spills(kernel: Kernel, found: Resources) -> Told:
    spilled = found.spill_stores + found.spill_loads
    return Told(
        f"{figure(found.spill_stores)} bytes of registers per thread are spilled to local memory, "
        f"and {figure(found.spill_loads)} bytes loaded back, with {found.registers} registers on "
        f"{found.arch}",
        label="spills",
        evidence=(Evidence("spilled per thread", spilled, 0.0, "bytes"),),
        help=_more_registers(kernel),
        severity=spilled,
    )


def _more_registers(kernel: Kernel) -> str:
    """What would give a thread more registers: a smaller one of the kernel's own bounds, if any."""
    directives = kernel.facts.kernel.directives
    if _registers_allowed(kernel) >= MOST_REGISTERS:
        return "keep fewer values live at a time: split the kernel, or unroll its loops less"
    if "maxnreg" in directives:
        return "allow more registers in `__maxnreg__`, or keep fewer values live at a time"
    threads, blocks = prod(directives["maxntid"]), directives.get("minnctapersm", (1,))[0]
    if blocks > 1:
        fewer = -(-blocks // 2)
        each = min(MOST_REGISTERS, _of_each(threads, fewer))
        return (
            f"ask for fewer than {blocks} blocks in `__launch_bounds__`: with {fewer} of "
            f"{threads} threads each thread may have {each} registers"
        )
    return "ask for fewer threads in `__launch_bounds__`, so that each may have more registers"
