"""Objections to a run: it is not the real one. See `perflint.lint.objections`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Opaque
from perflint.base.constructs import within
from perflint.base.english import readable
from perflint.rules.case import Case
from perflint.rules.protocol import Trial


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
    invented is left by any launch that does not know of it. Invented indices leave a table of
    constants, whose elements the program's own data pick.
    """
    site = next(iter(case.suspicion.sites), None)
    if site is not None and (site.data_dependent or _is_made_up(site, case.trials)):
        return ""
    if site is not None and _is_picked(site, case.trials):
        return ""
    if "out-of-region" in _faults(case) and all(t.exact for t in case.trials):
        return "it left its allocation: an error, or a launch that was misread"
    return ""


def _is_made_up(site: AccessSite, trials: Sequence[Trial]) -> bool:
    """Whether an array is a parameter's whose allocation an invented number is in."""
    parameter = site.array.parameter
    return parameter is not None and not any(parameter in trial.sized for trial in trials)


def _is_picked(site: AccessSite, trials: Sequence[Trial]) -> bool:
    """Whether several invented numbers together say which element of constant memory is read.

    What one says alone, as a cell's material does, may be the same for neighbours.
    """
    recorded = any(trial.run.launch.image is not None for trial in trials)
    atoms = site.address.atoms if site.address is not None else ()
    loaded = [each for each in atoms if isinstance(each, Opaque)]
    return site.space == "const" and site.loaded_address and len(loaded) > 1 and not recorded


def _faults(case: Case) -> set[str]:
    """The kinds of faults at the instructions that a case is about."""
    pcs = {pc for site in case.suspicion.sites for pc in site.pcs} | set(case.suspicion.pcs)
    return {f.kind for t in case.trials for f in t.run.faults if f.pc in pcs}
