"""The edit that pads the structures of a shared array: `struct padded_tile : Body { … }`.

A structure of its own takes what the array's one has, and a gap behind it; uses stay as they are.
Only where each of them is a subscript: through a pointer the elements would lie elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import within
from perflint.base.records import dataclass
from perflint.rules.array_uses import uses_of
from perflint.rules.protocol import Edit, Kernel, Trial
from perflint.rules.shared_declarations import declaration_of, element_size
from perflint.rules.shared_layouts import Layout, Tile, cost, requests_of, start_of
from perflint.rules.worst_request import Change, laid_out
from perflint.sim.banks import WORD

#: Words of a gap that are tried, the fewest first.
GAPS = (1, 2, 4)


@dataclass(frozen=True)
class PaddedRecords:
    """Elements with a gap behind each."""

    ways: tuple[tuple[Edit, ...], ...]  #: the edits of each gap that helps, the best first
    free: bool  #: whether no conflict is left
    moved: Change


def padded_records(
    kernel: Kernel, site: AccessSite, sites: Sequence[AccessSite], trial: Trial, step: int
) -> PaddedRecords | None:
    """The gap that frees most of the conflicts of structures of `step` bytes; None for no such."""
    declared, constructs = declaration_of(kernel, site), kernel.own_constructs
    if declared is None or constructs is None or kernel.function is None or step % WORD:
        return None
    beside = within(constructs.declarations, kernel.function.body)
    alone = [d for d in beside if d.type_span == declared.type_span]
    plain = declared.type.isidentifier() and "volatile" not in declared.qualifiers
    if element_size(declared.type) or not plain or len(alone) > 1 or len(declared.extents) != 1:
        return None
    if not uses_of(constructs, kernel.function, declared.name):
        return None
    requests, rule = requests_of(sites, trial), kernel.arch.shared_rule
    tile = Tile(site.array.name, 0, step, WORD)
    layouts: list[Layout] = [tile.padded(words) for words in GAPS]
    now = cost(requests, rule)
    left = [cost(requests, rule, layout).measured - now.golden for layout in layouts]
    # what a gap parts of the vectors that ptxas makes of neighbouring parts, the runs tell
    better = [i for i in range(len(GAPS)) if left[i] < (now.measured - now.golden) / 2]
    better.sort(key=lambda i: (left[i], GAPS[i]))
    name, of = f"padded_{declared.name}", declared.type
    if not better or any(each.text == name for each in constructs.names):
        return None
    statement = constructs.statement_of(declared.span)
    at = replace(statement, end_line=statement.line, end_column=statement.column)
    records = (
        f"struct {name} : {of} {{ using {of}::operator=; int gap[{GAPS[i]}]; }}; " for i in better
    )
    ways = tuple((Edit(at, record), Edit(declared.type_span, name)) for record in records)
    best = better[0]
    moved = laid_out(layouts[best], start_of(sites, trial))
    return PaddedRecords(ways, not left[best], moved)
