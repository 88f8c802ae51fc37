"""What may speak against a suspicion: pure questions to a case, each answered by a reason or "".

Their order, and against what they hold, is `perflint.lint.verdict`'s business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import partial

from perflint.analysis.extents import pitches
from perflint.analysis.gathers import (
    data_choose,
    loaded_distance,
    loads_of_index,
    rows_of_unknown_length,
    scaled,
)
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANE, TID_X, TID_Y, TID_Z, Loop, Opaque, Parameter
from perflint.base.constructs import within
from perflint.base.english import listed, readable
from perflint.base.patterns import pattern
from perflint.grammar.model import Location
from perflint.lint.printing import PRINTS, prints
from perflint.lint.shared_runs import shared_run
from perflint.rules.case import Case, Figure
from perflint.rules.protocol import Kernel, Trial
from perflint.rules.small_tables import table_bytes
from perflint.sim.launch import Dim3

#: Elements that any gather packs: a warp's 32 hit few of their sectors.
SMALL_WORLD = 128
SECTOR = 32
WARP = 32


# --- there is nothing -----------------------------------------------------------------------------


def nothing_to_report(case: Case) -> str:
    """The rule itself finds nothing in the runs that is worth reporting."""
    return case.silent


def not_reached(case: Case) -> str:
    """No run came to it, and nothing proves it."""
    return "" if case.figures or case.proved else "no simulated warp reached it"


def nothing_wasted(case: Case) -> str:
    """It costs no more than the ideal in any trial, or hardly more."""
    return "" if case.bad or not case.figures else "in no run does it cost much more than the ideal"


def only_missing_lanes(case: Case) -> str:
    """Data merely leave out lanes of an access that a full warp would pack.

    Without full warps the sectors of a few scattered lanes say nothing of the pattern, unless they
    are more than a packed full warp would need.
    """
    site, bad = case.suspicion.site, case.bad
    if not bad or not site.data_dependent or case.proved or any(each.full for each in bad):
        return ""
    packed = -(-WARP * site.size // SECTOR) + 1
    holes = (
        not any(each.bad for each in case.formulas)
        if case.formulas
        else all(each.measured <= packed for each in bad)
    )
    return "only lanes are missing: a full warp would be packed" if holes else ""


# --- the run is not the real one ------------------------------------------------------------------


def wrong_launch(case: Case) -> str:
    """Some run overran its shared memory, other than by invented data, or nothing launches it so.

    What a launch was read supposing may contradict what its place asks for.
    """
    supposed = next((each.contradicted for each in case.launch if each.contradicted), "")
    if supposed:
        said = readable(supposed)
        return f"its launch was read supposing {said}, and no values tried meet that there"
    if not case.proved and any(each.replaced for each in case.launch):
        return "what is read of its launch makes no grid, and other numbers may be fine"
    if _overruns_an_array(case):
        return (
            "accesses left the shared array that they are to, so its numbers or data are not real"
        )
    if any(map(_overruns, case.launch)) or _overruns_as_written(case):
        return "the run overran its shared memory, so its launch is not the real one"
    return ""


def _overruns_an_array(case: Case) -> bool:
    """Whether in all runs that bear out what is said of shared memory it is an overrun.

    Numbers that are made up may be more than the source has room for: an access leaves its own
    array, or others' stores leave theirs. What is picked by a loaded index is no matter of these.
    """
    own = {pc for site in case.suspicion.sites if site.space == "shared" for pc in site.pcs}
    return bool(own and case.bad) and all(_leaves_arrays(each.trial, own) for each in case.bad)


def _leaves_arrays(trial: Trial, own: Set[int]) -> bool:
    left = {fault.pc for fault in trial.run.faults if fault.kind == "array-overrun"}
    return any(
        left & {*site.pcs} & (own if site.kind == "load" else left)
        for site in trial.facts.sites
        if not site.loaded_address
    )


def _overruns_as_written(case: Case) -> bool:
    """Whether each thread stores its element of a shared array that has fewer than the block.

    Where nothing comes of what is stored the compiler leaves it out, and no run can show it.
    """
    kernel = case.suspicion.kernel
    function, constructs = (kernel.function, kernel.own_constructs) if kernel else (None, None)
    if function is None or constructs is None:
        return False
    statements = [*within(constructs.statements, function.body)]
    if any(each.text.startswith("return") for each in statements):
        return False
    plain = [each.text for each in statements if each.block == function.body]
    numbers = {each.name: each.body for each in constructs.macros}
    sizes = [
        numbers.get(each.extents[0].text, each.extents[0].text)
        for each in within(constructs.declarations, function.body)
        if "__shared__" in each.qualifiers
        and len(each.extents) == 1
        and any(text.startswith(f"{each.name}[threadIdx.x] = ") for text in plain)
    ]
    least = min((int(size) for size in sizes if size.isdecimal()), default=0)
    return bool(least) and any(trial.run.launch.block[0] > least for trial in case.launch)


def _overruns(trial: Trial) -> bool:
    return any(
        f.kind == "shared-overrun" and not _is_invented(trial, f.pc) for f in trial.run.faults
    )


def _is_invented(trial: Trial, pc: int) -> bool:
    return any(site.loaded_address for site in trial.facts.sites if pc in site.pcs)


def broken_run(case: Case) -> str:
    """A run under the conditions that bear it out ended in a deadlock or a trap."""
    names = {each.trial.name for each in case.bad}
    stops = (trial.run.stop for trial in case.launch if trial.name in names)
    for stop in stops:
        if stop is not None and stop.reason in ("deadlock", "trap"):
            return f"the run ended in a {stop.reason}, as the real one would not"
    return ""


def misaligned(case: Case) -> str:
    """Its own accesses met addresses that no GPU accepts."""
    if "misaligned" in _faults(case):
        return "it met misaligned addresses, which cannot be the real ones"
    return ""


def out_of_region(case: Case) -> str:
    """Its own accesses left their allocation though the launch says all of it.

    A loop whose turns are invented data leaves it under any launch, and what has a size that was
    invented is left by any launch that does not know of it.
    """
    site = next(iter(case.suspicion.sites), None)
    if site is not None and (site.data_dependent or _is_made_up(site, _trials(case.figures))):
        return ""
    if "out-of-region" in _faults(case) and all(t.exact for t in _trials(case.figures)):
        return "it left its allocation: an error, or a launch that was misread"
    return ""


def _is_made_up(site: AccessSite, trials: Sequence[Trial]) -> bool:
    """Whether an array is a parameter's whose allocation an invented number is in."""
    parameter = site.array.parameter
    return parameter is not None and not any(parameter in trial.sized for trial in trials)


def _faults(case: Case) -> set[str]:
    """The kinds of faults at the instructions that a case is about."""
    pcs = {pc for site in case.suspicion.sites for pc in site.pcs} | set(case.suspicion.pcs)
    return {f.kind for t in _trials(case.figures) for f in t.run.faults if f.pc in pcs}


def _trials(figures: Sequence[Figure]) -> list[Trial]:
    return [each.trial for each in figures]


# --- the values are not the real ones -------------------------------------------------------------


def unknown_constants(case: Case) -> str:
    """A `__constant__` variable was read that only the host could have set, and its address, or a
    branch of the kernel, may rest on it.
    """
    faults = [f for t in _trials(case.figures) for f in t.run.faults]
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
    return case.data


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

    So may a factor by which a thread's index is multiplied as a float.
    """
    if unit := next((t.unit_stride for t in _fine(case) if t.unit_stride), ()):
        return _fine_if(unit)
    if case.proved or all(trial.exact for trial in _trials(case.figures)):
        return ""
    site = next(iter(case.suspicion.sites), None)
    floats = any(_has_floats(trial) for trial in _trials(case.figures))
    rounded = site is not None and not site.loaded_address and scaled(site, below_one=floats)
    return "its index is rounded from a float, and neighbours' may be neighbours" if rounded else ""


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
    site, trials = case.suspicion.site, _trials(case.figures)
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


#: What stands in for a library's device functions, by the library's name.
STAND_INS = {"perflint/curand_kernel.h": "cuRAND", "perflint/thrust_seq.h": "Thrust"}
#: `curandState`, `curandStatePhilox4_32_10_t`, `curandDirectionVectors32_t`.
_CURANDS = pattern(r"\bcurand(?:State|DirectionVectors)\w*")


def librarys_code(case: Case) -> str:
    """It stands in a library's code: its shared memory, or a function that perflint has written."""
    kernel = case.suspicion.kernel
    instructions = kernel.facts.kernel.instructions if kernel is not None else ()
    places = [instructions[pc].location for pc in case.suspicion.pcs]
    chains = [place.chain() if place is not None else () for place in places]
    own_banks = all(each.space == "shared" for each in case.suspicion.sites)
    of = partial(library, own_banks=bool(case.suspicion.sites) and own_banks)
    owners = [[*filter(None, map(of, chain))] for chain in chains]
    return f"it stands in {owners[0][0]}'s own code" if owners and all(owners) else ""


#: The block-wide functions of CUB, which lay out their own shared memory.
_CUB = pattern(r"/cub/(?:agent|block|detail|device|thread|warp)/")


def library(at: Location, *, own_banks: bool) -> str:
    """The library that a place is in, where a program has no choice of what it does; else ""."""
    cub = own_banks and _CUB.search(at.file) is not None
    return STAND_INS.get(at.file, "CUB" if cub else "")


def librarys_structure(case: Case) -> str:
    """Its elements are a library's structures, whose layout is not the source's to choose."""
    kernel, site = case.suspicion.kernel, case.suspicion.site
    name = kernel.names.plain_array(site) if kernel is not None else None
    function = kernel.function if kernel is not None else None
    types = [p.type for p in function.parameters if p.name == name] if function else []
    found = _CURANDS.search(" ".join(types))
    return f"its elements are cuRAND's `{found[0]}`, which has its layout" if found else ""


# --- the code or the launch is not the real one ---------------------------------------------------


def assumed_block(case: Case) -> str:
    """The block shape is perflint's own, and another would decide otherwise."""
    return case.assumed


def assumed_template(case: Case) -> str:
    """No launch gives the template arguments that it was compiled with."""
    kernel = case.suspicion.kernel
    if kernel is not None and kernel.assumed_template:
        return "its template arguments are assumed; no launch gives them"
    return ""


def hardly_launched(case: Case) -> str:
    """Its program is in sight, and never launches the kernel, or once as set-up; or it prints; or
    the build leaves the line out."""
    kernel = case.suspicion.kernel
    if kernel is None:
        return ""
    if kernel.never_launched:
        return "nothing in this program launches the kernel"
    if any(prints(figure.trial) for figure in case.figures):
        return PRINTS
    return kernel.hardly_launched() or _left_out(case, kernel)


def _left_out(case: Case, kernel: Kernel) -> str:
    """Why the build does not compile what a case stands on; "" where it does all of it."""
    instructions = kernel.facts.kernel.instructions
    span = case.suspicion.span
    places = [(str(span.path), span.line)] if span is not None else []
    for pc in case.suspicion.pcs:
        at = instructions[pc].location
        places += [(each.file, each.line) for each in (at.chain() if at is not None else ())]
    return next(filter(None, (kernel.left_out(path, line) for path, line in places)), "")


def cut_short(case: Case) -> str:
    """The run ended before it could tell, and in no loop that goes on as it began."""
    return case.cut


# --- it is worth nothing --------------------------------------------------------------------------


def tiny_launch(case: Case) -> str:
    """The whole launch has less than a warp of threads."""
    launches = [trial.run.launch for trial in _trials(case.figures)]
    most = max((each.block_count * each.threads_per_block for each in launches), default=WARP)
    s = "" if most == 1 else "s"
    few = f"the whole launch has {most} thread{s}, which is what is wrong with it"
    return few if most < WARP else ""


def only_a_table(case: Case) -> str:
    """It reads an array so small that L1 keeps it, at whatever address."""
    site, shown = case.suspicion.site, case.worst
    if shown is not None and site.loaded_address and (size := table_bytes(site, shown.trial)):
        return f"it reads a table of {size} bytes, which stay in L1"
    return ""


def rules_own(case: Case) -> str:
    """What only the rule knows: that ptxas does it by itself, that another kernel writes it."""
    return case.doubt


def little_of_program(case: Case) -> str:
    """Its kernel is little of what its program's launches take: raised once these are known."""
    return ""
