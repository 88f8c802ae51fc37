"""What may speak against a suspicion: pure questions to a case, each answered by a reason or "".

Their order, and against what they hold, is `perflint.lint.verdict`'s business.
"""

from __future__ import annotations

from functools import partial
from math import prod

from perflint.base.patterns import pattern
from perflint.grammar.model import Location
from perflint.lint.printing import PRINTS, prints
from perflint.rules.case import Case
from perflint.rules.protocol import Kernel
from perflint.rules.small_tables import table_bytes

SECTOR = 32
WARP = 32
#: Null pointers as they are written.
NULL = pattern(r"\(?\s*(?:NULL|nullptr|0|\([^()]*\*\s*\)\s*(?:NULL|0))\s*\)?")


# --- there is nothing -----------------------------------------------------------------------------


def nothing_to_report(case: Case) -> str:
    """The rule itself finds nothing in the runs that is worth reporting."""
    return case.silent


def not_reached(case: Case) -> str:
    """No run came to it, and nothing proves it."""
    return "" if case.figures or case.proved else "no simulated warp reached it"


def nothing_wasted(case: Case) -> str:
    """It costs no more than the ideal in any trial, or hardly more."""
    if case.bad or not case.figures:
        return ""
    why = next((each.fine for each in case.figures if each.fine), "")
    return why or "in no run does it cost much more than the ideal"


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


# --- it is a library's ----------------------------------------------------------------------------


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
    return case.assumed or _fills_no_warp(case)


def _fills_no_warp(case: Case) -> str:
    """Why figures tell nothing that are all of less than a warp, as no block of a person's is."""
    trials = [figure.trial for figure in case.bad]
    if case.proved or not trials:
        return ""
    threads = [prod(trial.run.launch.block) for trial in trials]
    if not all(t.assumed_block and n < WARP for t, n in zip(trials, threads, strict=True)):
        return ""
    return f"its block of {threads[0]} threads comes of numbers that are assumed, and fills no warp"


def assumed_template(case: Case) -> str:
    """No launch gives the template arguments that it was compiled with."""
    kernel = case.suspicion.kernel
    if kernel is not None and kernel.assumed_template:
        return "its template arguments are assumed; no launch gives them"
    return ""


def hardly_launched(case: Case) -> str:
    """Its program hardly launches the kernel, or it prints or writes nowhere, or is not built.

    Hardly: never, or once as set-up, where all of the program is in sight.
    """
    kernel = case.suspicion.kernel
    if kernel is None:
        return ""
    if kernel.never_launched:
        return "nothing in this program launches the kernel"
    if any(prints(figure.trial) for figure in case.figures):
        return PRINTS
    if _writes_nowhere(kernel):
        return "its launches give it null pointers to write to: it is there for the time it takes"
    return kernel.hardly_launched() or _left_out(case, kernel)


def _writes_nowhere(kernel: Kernel) -> bool:
    """Whether all that a kernel does with memory is a store, behind a condition, to null pointers.

    It would crash if that ever held: the store keeps the compiler from leaving out the rest.
    """
    facts, launches = kernel.facts, kernel.launches
    sites = [each for each in facts.sites if each.may_be_global]
    if not sites or any(each.kind != "store" or not each.guards for each in sites):
        return False
    written = {each.array.parameter if each.array.offset is None else None for each in sites}
    if None in written or not launches or any(each.assumed for each in launches):
        return False
    given = [
        each.argument_texts[at : at + 1] for each in launches for at in written if at is not None
    ]
    return all(text and NULL.fullmatch(text[0]) for text in given)


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
    launches = [trial.run.launch for trial in case.trials]
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
