"""Objections to the values that a kernel was tried with. See `perflint.lint.objections`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from perflint.analysis.extents import decided_by, pitches
from perflint.analysis.gathers import (
    data_choose,
    distances_by_arguments,
    loaded_distance,
    loads_of_index,
    rows_of_unknown_length,
    scaled,
)
from perflint.analysis.model import AccessSite, KernelFacts, LoopFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANE, TID_X, TID_Y, TID_Z, Loop, Opaque, Parameter
from perflint.base.english import listed
from perflint.lint.shared_runs import shared_run
from perflint.rules.case import Case
from perflint.rules.open_loops import hangs_on_unknown
from perflint.rules.protocol import Kernel, Trial
from perflint.sim.launch import Dim3

#: Elements that any gather packs: a warp's 32 hit few of their sectors.
SMALL_WORLD = 128
WARP = 32


def unknown_constants(case: Case) -> str:
    """A `__constant__` variable was read that only the host could have set, and its address, or a
    branch of the kernel, may rest on it.
    """
    faults = [f for t in case.trials for f in t.run.faults]
    unknown = {f.pc for f in faults if f.kind == "unwritten-constant"}
    if not case.proved and unknown and _may_rest_on(case, unknown):
        return "it depends on __constant__ memory whose contents are not known"
    return ""


def _may_rest_on(case: Case, loads: Set[int]) -> bool:
    """Whether addresses of a case, or ways through its kernel, may come from some loads.

    What a loop or data pick from a table is data: that decides how often, as loaded data do. A
    single number may be a size.
    """
    facts, sites = case.figures[0].trial.facts, case.suspicion.sites
    own = [at for site in sites for at in site.addresses or (site.address,)]
    known = [at for at in own if at is not None]
    if not known or len(known) < len(own):
        return True
    if any(isinstance(a, Opaque) and not a.is_loaded for at in known for a in at.atoms):
        return True
    known += [guard for site in sites for guard in site.guards]
    ways = [*(branch.condition for branch in facts.branches), *(loop.last for loop in facts.loops)]
    picked = {pc for site in facts.sites for pc in site.pcs if _is_picked(site)}
    return _hold(known, loads) or _hold((way for way in ways if way is not None), loads - picked)


def _is_picked(site: AccessSite) -> bool:
    """Whether an access goes to one element of an array after another, or where data say."""
    atoms = site.address.atoms if site.address is not None else ()
    return any(isinstance(atom, Loop | Opaque) for atom in atoms)


def _hold(formulas: Iterable[Polynomial], loads: Set[int]) -> bool:
    """Whether what some loads gave is in a formula."""
    atoms = (atom for formula in formulas for atom in formula.atoms)
    return any(isinstance(atom, Opaque) and atom.pc in loads for atom in atoms)


def invented_data(case: Case) -> str:
    """Values that are invented decide how often it is reached, or what it is."""
    return case.data or _beside_nothing(case)


def _beside_nothing(case: Case) -> str:
    """What speaks against runs in which a kernel has nothing to loop over.

    What stands beside that loop is then all of the kernel. A size that is read as 0 is set where
    nobody sees it.
    """
    if case.proved or not case.bad:
        return ""
    empty = [_empty(case, figure.trial) for figure in case.bad]
    return f"with {empty[0]} = 0 a loop of the kernel does not turn at all" if all(empty) else ""


def _empty(case: Case, trial: Trial) -> str:
    """The argument that is 0 where no loop over memory turns; "" in a launch that was made."""
    kernel = case.suspicion.kernel
    if kernel is None or kernel.function is None or trial.run.launch.image is not None:
        return ""
    if not trial.complete:
        return ""  # what it did not come to may turn often
    facts, names = trial.facts, kernel.function.parameters
    # NULL is no size
    sizes = [p for p, value in trial.values.items() if value == 0 and "*" not in names[p].type]
    if not sizes:
        return ""
    inside = {pc for loop in facts.loops for pc in loop.pcs}
    over_memory = {pc for site in facts.sites for pc in site.pcs if pc in inside}
    if any(map(trial.run.requests.get, over_memory)):
        return ""  # one loop turns, of which another may be what unrolling left over
    own = set(case.suspicion.pcs)
    bounds = [
        _asked(facts, loop)
        for loop in facts.loops
        if own.isdisjoint(loop.pcs) and not over_memory.isdisjoint(loop.pcs)
    ]
    zero = [p for p in sorted(sizes) if any(p in each for each in bounds)]
    return f"`{names[zero[0]].name}`" if zero else ""


def _asked(facts: KernelFacts, loop: LoopFacts) -> set[int]:
    """The parameters that bound a loop: compared on the way to it, and out of it.

    One whose bits are looked at, as in `i >> c & 1`, is no size.
    """
    turns = set(loop.pcs)
    compared = [
        each
        for branch in facts.branches
        if branch.condition is not None
        if branch.pc in turns or any(turns.issubset(arm) for arm in branch.arms)
        for each in decided_by(branch.condition.symbol)
    ]
    atoms = [
        atom
        for each in compared
        for side in (each.left, each.right)
        for atom in (side.symbols if each.test in ("eq", "ne") else side.atoms)
    ]
    return {atom.index for atom in atoms if isinstance(atom, Parameter)}


def fine_with_other_values(case: Case) -> str:
    """It is fine in a trial with other plain values. What is proved cannot be: few lanes came.

    Where an address is loaded, a world so small that all elements are neighbours says nothing.
    """
    plain = [t for t in _fine(case) if not t.identity and not t.unit_stride]
    if case.suspicion.sites and _is_gather(case.suspicion.site):
        plain = [t for t in plain if not 0 < t.size <= SMALL_WORLD]
    plain += _fine_in_other_shapes(case)
    return f"it is fine with {plain[0].name}" if plain else ""


def _fine_in_other_shapes(case: Case) -> list[Trial]:
    """Trials with other blocks that did not come to it, but for which its formula says it is."""
    blocks = {each.trial.run.launch.block for each in case.figures}
    return [
        each.trial
        for each in case.formulas
        if not each.bad and each.trial in case.unreached
        if blocks and each.trial.run.launch.block not in blocks
    ]


def _is_gather(site: AccessSite) -> bool:
    """Whether a load or store goes where data say; atomics of a small histogram are fine."""
    return site.kind in ("load", "store") and site.loaded_address


def _fine(case: Case) -> list[Trial]:
    return [] if case.proved else [each.trial for each in case.figures if not each.bad]


def stride_of_one(case: Case) -> str:
    """A stride that no launch fixes may be 1, and it is fine then.

    So may a factor by which a thread's index is multiplied as a float. In shared memory any odd
    number is fine.
    """
    if unit := next((t.unit_stride for t in _fine(case) if t.unit_stride), ()):
        return _fine_if(unit)
    if all(trial.exact for trial in case.trials):
        return ""
    kernel, site = case.suspicion.kernel, next(iter(case.suspicion.sites), None)
    apart = distances_by_arguments(site) if site is not None else ()
    if kernel is not None and any(_is_open(kernel, distance) for distance in apart):
        return (
            "its lanes lie apart by an argument that no launch fixes, and an odd number of "
            "elements has no conflict"
        )
    if case.proved:
        return ""
    floats = any(_has_floats(trial) for trial in case.trials)
    if site is not None and not site.loaded_address and scaled(site, below_one=floats):
        return "its index is rounded from a float, and neighbours' may be neighbours"
    return ""


def _is_open(kernel: Kernel, distance: Polynomial) -> bool:
    """Whether a distance hangs on an argument that no launch gives, and on no field of a struct."""
    parameters = kernel.facts.kernel.parameters
    asked = [each for each in distance.atoms if isinstance(each, Parameter)]
    fields = any(parameters[each.index].dimensions for each in asked)
    return not fields and hangs_on_unknown(kernel, distance)


def _has_floats(trial: Trial) -> bool:
    """Whether a kernel has arguments that are no integers: scales, lengths of cells."""
    return any(each.type.startswith("f") for each in trial.facts.kernel.parameters)


def _fine_if(strides: Sequence[str]) -> str:
    are = "is" if len(strides) == 1 else "are"
    return f"it is fine if {listed(strides)} {are} 1, and no launch fixes that"


def loaded_address(case: Case) -> str:
    """Its address is loaded data, and there are data for which it is fine."""
    if any(t.identity for t in _fine(case)):
        return "its address depends on loaded data, and is fine where a[i] = i"
    kernel = case.suspicion.kernel
    if kernel is not None and kernel.made_up and any(f.trial.identity for f in case.figures):
        return "its address depends on loaded data, and nobody tells how far these reach"
    site, trials = case.suspicion.site, case.trials
    recorded = all(trial.run.launch.image is not None for trial in trials)
    if not trials or recorded or case.proved:
        return ""
    if site.rounded_address:
        return "its index comes from loaded floats, and those of neighbours may lie near each other"
    if loaded_distance(site):
        return "its lanes lie apart by loaded data, and an odd number of elements has no conflict"
    if rows_of_unknown_length(site) and not all(trial.exact for trial in trials):
        return (
            "loaded data choose rows whose length nothing tells, and the banks are a matter of it"
        )
    if group := shared_run(case):
        return f"neighbouring lanes may walk the same run: {group} says which, and may say the same"
    if site.may_be_global and data_choose(site, trials[0].facts.sites):
        what = "each lane's own loaded data choose" if site.loaded_address else "a hash chooses"
        who = "its" if site.loaded_address else "each lane's"
        return f"{what} {who} element, and no layout of the array packs it"
    return ""


def friendlier_values(case: Case) -> str:
    """Runs with friendlier values ended before they came to it."""
    if case.proved:
        return ""
    made = [each.trial.reached_with for each in case.figures]
    tame = any(each.trial.identity for each in case.figures)
    if made and all(made) and not tame:
        return f"only {made[0]}, chosen for it, came to it, and no formula says it of other values"
    plain = [t for t in case.unreached if not t.identity and not t.unit_stride]
    plain = [t for t in plain if not any(_has_values_of(t, each.trial) for each in case.figures)]
    if plain and not any(each.full for each in case.figures):
        return f"few lanes came to it, and none with {plain[0].name}"
    missed = any(t.identity for t in case.unreached) and not tame
    if case.suspicion.site.loaded_address and missed:
        return "its address depends on loaded data, and no run with a[i] = i came to it"
    for trial in (t for t in case.unreached if t.unit_stride):
        formula = next((each for each in case.formulas if each.trial is trial), None)
        if formula is None:
            return f"no run with {listed(trial.unit_stride)} = 1 came to it"
        if not formula.bad:
            return _fine_if(trial.unit_stride)
    return ""


def _has_values_of(trial: Trial, other: Trial) -> bool:
    """Whether a run's block and arguments are another one's: only data and grid may differ."""
    return trial.values == other.values and trial.run.launch.block == other.run.launch.block


def stride_of_a_struct(case: Case) -> str:
    """Its strides are fields of a struct passed by value, as tensors' accessors have them.

    Those that nothing tells are invented, and the innermost is 1 mostly. A matrix' pitch is not,
    along whose rows another index runs: were it 1, rows would overlap. So it is with those by which
    the elements lie apart that say which one is accessed: what data that lie in order are, is a
    matter of their stride.
    """
    site = case.suspicion.site
    if case.proved or not case.figures:
        return ""
    first = case.figures[0].trial
    if _invents_stride(site, first):
        return "its stride is a field of a struct that is passed by value, and may be 1"
    if any(_invents_stride(each, first) for each in loads_of_index(site, first.facts.sites)):
        return "what it loads its index from has a stride that is a field of a struct, and may be 1"
    return ""


def _invents_stride(site: AccessSite, trial: Trial) -> bool:
    """Whether neighbouring lanes' elements lie apart by a struct's field that nothing tells."""
    facts, apart = trial.facts, _lanes_along(trial.run.launch.block)
    parameters = facts.kernel.parameters
    for monomial in site.address.terms if site.address is not None else ():
        fields = [s for s in monomial if isinstance(s, Parameter)]
        own = any(s.depends & apart for s in monomial)
        if not own or len(fields) != 1 or not parameters[fields[0].index].dimensions:
            continue
        place = fields[0].index, fields[0].offset
        if place not in trial.fields and place not in pitches(facts.sites):
            return True
    return False


def _lanes_along(block: Dim3) -> int:
    """The indices in which lanes of one warp differ: where rows are shorter, those along y, too."""
    x, y, _ = block
    return LANE | TID_X | (TID_Y if x < WARP else 0) | (TID_Z if x * y < WARP else 0)
