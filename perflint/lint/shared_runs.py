"""Runs that neighbouring lanes may walk together, as a loaded index of a loaded index says."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.analysis.gathers import loads_of_index, walked
from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Opaque
from perflint.base.patterns import pattern
from perflint.rules.case import Case

#: What many neighbours have in common, of what is named so.
_GROUP = pattern(
    r"(?:batch|seg(?:ment)?|group|class|label|cluster|bucket|bin|cell|type|species|frame|image|scene"
    r"|sample|molecule|graph|owner|parent|block|tile|chunk|partition)(?:e?s)?"
)
_WORD = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def shared_run(case: Case) -> str:
    """The array that says for each lane which group's run it walks: `offsets[batch[i]] + k`.

    Or which row of a table: `n * batch[i] + k`.
    """
    site, kernel = case.suspicion.site, case.suspicion.kernel
    sites = case.figures[0].trial.facts.sites
    run = walked(site, sites)
    starts = loads_of_index(run, sites) if run is not None and kernel is not None else ()
    for start in starts:
        if run is not None and kernel is not None and _picks_a_row(run, start):
            name = kernel.names.array(start)
            if _is_of_a_group(name):
                return name
        for picks in loads_of_index(start, sites):
            name = kernel.names.array(picks) if kernel is not None else ""
            if _is_of_a_group(name) or _has_places(picks, sites):
                return name
    return ""


def _is_of_a_group(name: str) -> bool:
    return any(_GROUP.fullmatch(word.lower()) for word in _WORD.findall(name))


def _picks_a_row(run: AccessSite, start: AccessSite) -> bool:
    """Whether what one access loads is the number of a row of the other's: `k + n * class[i]`."""
    terms = run.address.terms.items() if run.address is not None else ()
    return any(
        isinstance(symbol, Opaque) and symbol.pc in start.pcs
        for monomial, factor in terms
        if len(monomial) > 1 or abs(factor) > run.size
        for symbol in monomial
    )


def _has_places(picks: AccessSite, sites: Sequence[AccessSite]) -> bool:
    """Whether another array gives each lane its place in what `picks` says.

    `out[offsets[batch[i]] + place[i]]`: lanes that share a batch have a place each.
    """
    for site in sites:
        loads = tuple(loads_of_index(site, sites))
        starts = any(picks in loads_of_index(each, sites) for each in loads)
        if starts and any(not each.loaded_address and each.array != picks.array for each in loads):
            return True
    return False
