"""The whole analysis of one kernel, pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.analysis.addresses import Addresses
from perflint.analysis.branches import branches, loops
from perflint.analysis.cfg import control_flow
from perflint.analysis.communication import communicates
from perflint.analysis.data_roles import data_roles
from perflint.analysis.elements import ElementTypes
from perflint.analysis.extents import extents, pitches
from perflint.analysis.fixpoint import BudgetExceededError, FlowGraph
from perflint.analysis.halving import halved_axes
from perflint.analysis.lines_of_readers import with_lines_of_readers
from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts, LoopAround
from perflint.analysis.nests import guards, loops_around
from perflint.analysis.parameter_roles import parameter_roles
from perflint.analysis.precision import double_uses
from perflint.analysis.provenance import Scope, pointer_parameters, provenance
from perflint.analysis.ranges import value_ranges
from perflint.analysis.sites import (
    RawAccess,
    access_sites,
    address_definitions,
    raw_accesses,
)
from perflint.analysis.ssa import static_single_assignment
from perflint.analysis.symbols import LANE, TID_X, Parameter
from perflint.analysis.uniformity import dependences
from perflint.grammar import table
from perflint.grammar.inlining import written_out
from perflint.grammar.model import Function, Module, Symbol


def kernel_facts(
    module: Module, kernel: Function, told: frozenset[int] = frozenset()
) -> KernelFacts:
    """See `perflint.analysis.analyse`."""
    try:
        return _facts(module, with_lines_of_readers(written_out(module, kernel)), told)
    except (ValueError, table.UnknownInstructionError, BudgetExceededError) as error:
        raise AnalysisError(f"{kernel.name}: {error}") from error


def _facts(module: Module, kernel: Function, told: frozenset[int]) -> KernelFacts:
    scope = Scope.of(module, kernel)
    flow = control_flow(kernel)
    ssa = static_single_assignment(kernel, flow)
    bases = provenance(scope, ssa, FlowGraph.of([d.inputs for d in ssa.definitions]))
    pointers = pointer_parameters(scope, ssa, bases)
    dependence = dependences(scope, flow, ssa, bases, pointers, told)
    wanted = [*address_definitions(scope, flow, ssa), *dependence.conditions.values()]
    found = value_ranges(kernel, flow, ssa, dependence.conditions)
    addresses = Addresses(scope, flow, ssa, dependence, bases, pointers, wanted, found)
    accesses = raw_accesses(scope, flow, ssa, dependence, bases, pointers, addresses)
    sites = access_sites(scope, flow, dependence, accesses)
    sites = _in_their_nests(addresses, sites, accesses)
    types = ElementTypes(kernel, ssa)
    jumps, turns = branches(kernel, addresses, dependence), loops(kernel, addresses, dependence)
    for raw in accesses:
        for base in raw.candidates:
            if isinstance(base, Parameter):
                pointers |= {base}
                types.add(base.index, base.offset, kernel.instructions[raw.pc])
    return KernelFacts(
        module=module,
        kernel=kernel,
        sites=sites,
        reads=_special_registers(kernel),
        pointer_parameters=frozenset(
            p.index for p in pointers if not kernel.parameters[p.index].dimensions
        ),
        pointer_fields=_pointer_fields(kernel, pointers),
        element_types=types.result(),
        bare_strides=_bare_strides(kernel, sites),
        communicates=communicates(kernel, flow, ssa, dependence, _depends(accesses)),
        extents=extents(kernel, ssa) | {index for index, _ in pitches(sites)},
        unseen=_unseen(module, kernel),
        doubles=double_uses(kernel, ssa),
        branches=jumps,
        loops=turns,
        written_parameters=_written(kernel, accesses),
        roles=parameter_roles(kernel, ssa, sites),
        halved_axes=halved_axes(kernel, ssa),
        data_roles=data_roles(kernel, ssa, accesses, sites, jumps, turns),
        told=told,
    )


def _written(kernel: Function, accesses: Sequence[RawAccess]) -> frozenset[int]:
    """The pointer parameters that a store or an atomic may go through."""
    out: set[int] = set()
    for raw in accesses:
        if raw.access.kind == "load" or raw.space not in ("global", "generic"):
            continue
        targets = {base for base in raw.candidates if isinstance(base, Parameter)}
        if len(targets) < len(raw.candidates) or not targets:
            return frozenset(range(len(kernel.parameters)))  # it may go anywhere
        out |= {target.index for target in targets}
    return frozenset(out)


def _unseen(module: Module, kernel: Function) -> tuple[str, ...]:
    """The functions that are called and were not written out, though they may touch memory."""
    out: dict[str, None] = {}
    for call in (i.call for i in kernel.instructions):
        if call is None:
            continue
        if not isinstance(call.target, Symbol):
            out["a function pointer"] = None
        elif (callee := module.functions.get(call.target.name)) and callee.instructions:
            out[call.target.name] = None
    return tuple(out)


def _in_their_nests(
    addresses: Addresses, sites: Sequence[AccessSite], accesses: Sequence[RawAccess]
) -> tuple[AccessSite, ...]:
    """The sites with their guards and loops."""
    by_block = guards(addresses)
    loops: dict[int, tuple[LoopAround, ...]] = {}
    blocks = {raw.pc: raw.block for raw in accesses}
    out = []
    for site in sites:
        block = blocks[site.pcs[0]]
        if block not in loops:
            loops[block] = loops_around(addresses, block)
        out.append(replace(site, guards=by_block[block], loops=loops[block]))
    return tuple(out)


def _depends(accesses: Sequence[RawAccess]) -> list[int]:
    return [raw.depends for raw in accesses if raw.space in ("global", "generic", "shared")]


def _special_registers(kernel: Function) -> frozenset[str]:
    return frozenset(
        name
        for instruction in kernel.instructions
        for name in table.reads(instruction)
        if name not in kernel.registers
    )


def _pointer_fields(kernel: Function, pointers: frozenset[Parameter]) -> dict[int, tuple[int, ...]]:
    fields: dict[int, set[int]] = {}
    for pointer in pointers:
        if kernel.parameters[pointer.index].dimensions:
            fields.setdefault(pointer.index, set()).add(pointer.offset)
    return {index: tuple(sorted(offsets)) for index, offsets in sorted(fields.items())}


def _bare_strides(kernel: Function, sites: Sequence[AccessSite]) -> frozenset[int]:
    """Scalar parameters that a thread stride is a constant multiple of: `a[threadIdx.x * n]`.

    Where neighbours are at no fixed distance, all that are a factor of something of the threads'
    own, as in `a[i % w * stride_x + i / w * stride_y]`.
    """
    found: set[Parameter] = set()
    for site in sites:
        step = site.strides["x"]
        if site.space == "shared":
            continue
        if step is not None and len(step.terms) == 1:
            ((monomial, _),) = step.terms.items()
            found |= {s for s in monomial if isinstance(s, Parameter) and len(monomial) == 1}
        elif step is None and site.address is not None:
            for monomial in site.address.terms:
                own = [s for s in monomial if s.depends & (TID_X | LANE)]
                factors = {s for s in monomial if isinstance(s, Parameter)}
                found |= factors if len(own) == len(factors) == 1 and len(monomial) == 2 else set()
    return frozenset(p.index for p in found if not kernel.parameters[p.index].dimensions)
