"""Edits that let a warp load together what each of its threads walks along alone.

`for (int k = 0; k < n; k++) sum += a[row * n + k] * x[k]`, a row for each thread, reads a sector of
its own for each lane and turn. Here the warp loads the next 32 bytes of all its lanes' rows into
shared memory, neighbouring lanes neighbouring elements, and then each lane takes its turns from
there. Lanes that are not there, as guards leave them out, have no part in it. Only a loop that
counts by one to what the launch says, and reads the array at one index in it, which goes along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    LoopSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.rules.memory.packed_turns import is_used_behind, leaves
from perflint.rules.protocol import Edit, Kernel

SECTOR, WARP = 32, 32
#: Bytes of shared memory that a block may have for it.
MOST = 16 << 10
_BEGINS = pattern(r"(?:(?P<type>[\w\s]+?)\s+)?(?P<index>\w+)\s*=\s*0")
_BELOW = pattern(r"(?P<index>\w+)\s*<\s*(?P<bound>[\w.]+)")
_POINTER = pattern(r"(?:const\s+)?(?P<type>\w+)(?:\s+const)?\s*\*\s*(?:\w+)?")
_WORD = pattern(r"[A-Za-z_]\w*")
_NEW = (
    "begins",
    "rows",
    "lane",
    "first",
    "active",
    "present",
    "before",
    "start",
    "part",
    "row",
    "warp",
)


def staged_rows(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The edits of the innermost loop around a load; none where it is more than that."""
    constructs, function, written = kernel.own_constructs, kernel.function, kernel.accesses(site)
    if constructs is None or function is None or site.kind != "load" or not written:
        return ()
    at = written[0].span
    index = site.array.parameter
    if index is None or index in kernel.facts.written_parameters or site.size not in (4, 8):
        return ()
    around = [loop for loop in within(constructs.loops, function.body) if contains(loop.body, at)]
    loop = max(around, key=lambda each: (each.span.line, each.span.column), default=None)
    warps = _warps(kernel)
    kind = _POINTER.fullmatch(function.parameters[index].type.strip())
    if loop is None or kind is None or not warps or loop.keyword != "for":
        return ()
    if warps * WARP * (SECTOR + site.size) > MOST or function.template:
        return ()
    names = {name.text for name in within(constructs.names, function.span)}
    if not names.isdisjoint(_NEW) or leaves(constructs, loop) or not loop.in_block:
        return ()
    return tuple(
        _edits(constructs, function, loop, function.parameters[index].name, kind["type"],
               warps, SECTOR // site.size)
    )  # fmt: skip


def _warps(kernel: Kernel) -> int:
    """Of the blocks that all launches have, along x alone; 0 where that is not so."""
    blocks = {launch.block for launch in kernel.launches}
    block = blocks.pop() if len(blocks) == 1 else (0, 0, 0)
    known = not any(launch.assumed for launch in kernel.launches)
    return block[0] // WARP if known and block[1:] == (1, 1) and block[0] % WARP == 0 else 0


def _edits(
    constructs: Constructs,
    function: FunctionSource,
    loop: LoopSource,
    array: str,
    kind: str,
    warps: int,
    many: int,
) -> Iterator[Edit]:
    """The loop in pieces of as many turns as a sector has elements."""
    begins = _BEGINS.fullmatch(loop.initial.text if loop.initial is not None else "")
    below = _BELOW.fullmatch(loop.condition.text.strip("()") if loop.condition is not None else "")
    counter = begins["index"] if begins is not None else ""
    one_on = rf"{counter}\s*\+\+|\+\+\s*{counter}|{counter}\s*\+=\s*1"
    update = loop.update.text if loop.update is not None else ""
    if begins is None or below is None or below["index"] != counter:
        return
    if not re.fullmatch(one_on, update) or not _is_fixed(constructs, function, below["bound"]):
        return
    reads = [s for s in within(constructs.subscripts, loop.body) if s.text.startswith(f"{array}[")]
    used = sum(name.text == array for name in within(constructs.names, loop.body))
    index = reads[0].text[len(array) + 1 : -1] if reads else ""
    along = rf"(?:.*[^*/%<>&|^-]\s*\+\s*)?{counter}|{counter}\s*\+.*"
    if used != len(reads) or len({read.text for read in reads}) != 1:
        return
    if len(re.findall(rf"\b{counter}\b", index)) != 1 or not re.fullmatch(along, index, re.DOTALL):
        return
    changed = {c.text for c in within(constructs.changes, loop.body)}
    declared = [d for d in within(constructs.declarations, function.body) if d.name == counter]
    kind_of = begins["type"] or (declared[0].type if len(declared) == 1 else "")
    outside = not begins["type"] and is_used_behind(constructs, function, loop, counter)
    if changed & {counter, *_WORD.findall(index)} or not kind_of or outside:
        return
    yield from _written(
        loop, reads, kind_of.strip(), counter, below["bound"], array, kind, index, warps, many
    )


def _is_fixed(constructs: Constructs, function: FunctionSource, bound: str) -> bool:
    """Whether a bound is a number or a parameter that nobody changes: the same for all lanes."""
    changed = {change.text for change in within(constructs.changes, function.body)}
    declared = {each.name for each in within(constructs.declarations, function.body)}
    return bound.isdigit() or (bound.isidentifier() and bound not in changed | declared)


def _written(
    loop: LoopSource,
    reads: Sequence[Fragment],
    type_: str,
    counter: str,
    bound: str,
    array: str,
    kind: str,
    index: str,
    warps: int,
    many: int,
) -> Iterator[Edit]:
    line = loop.line_start or f"\n{' ' * (loop.span.column - 1)}"
    deeper, deepest = f"{line}    ", f"{line}        "
    at_first = re.sub(rf"\b{counter}\b", "first", index)
    begin = replace(loop.span, end_line=loop.body.line, end_column=loop.body.column)
    yield Edit(
        begin,
        f"__shared__ {kind} rows[{warps}][{WARP}][{many} + 1];"
        f"{line}const int warp = threadIdx.x / {WARP}, lane = threadIdx.x % {WARP};"
        f"{line}for ({type_} first = 0; first < {bound}; first += {many}) {{"
        f"{deeper}const unsigned active = __activemask();"
        f"{deeper}const int present = __popc(active);"
        f"{deeper}const int before = __popc(active & ((1u << lane) - 1));"
        f"{deeper}const auto start = {at_first};"
        f"{deeper}for (int part = before; part - before < {WARP * many}; part += present) {{"
        f"{deepest}const int row = part / {many} % {WARP};"
        f"{deepest}const auto begins = __shfl_sync(active, start, row);"
        f"{deepest}if (part < {WARP * many} && active >> row & 1"
        f" && first + part % {many} < {bound})"
        f"{deepest}    rows[warp][row][part % {many}] = {array}[begins + part % {many}];"
        f"{deeper}}}"
        f"{deeper}__syncwarp(active);"
        f"{deeper}for ({type_} {counter} = first; {counter} < {bound}"
        f" && {counter} < first + {many}; {counter}++) ",
    )
    for read in reads:
        yield Edit(read.span, f"rows[warp][lane][{counter} - first]")
    yield Edit(loop.body.behind, f"{deeper}__syncwarp(active);{line}}}")
