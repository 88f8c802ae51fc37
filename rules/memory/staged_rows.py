"""Edits that let a warp load together what each of its threads walks along alone.

`for (int k = 0; k < n; k++) sum += a[row * n + k] * x[k]`, a row for each thread, reads a sector of
its own for each lane and turn. Here the warp loads the next 32 bytes of all its lanes' rows into
shared memory, neighbouring lanes neighbouring elements, and then each lane takes its turns from
there. Warps of which a guard leaves lanes out go on as before. Only a loop of one statement that
counts by one to what the launch says, and reads the array at one index in it, which goes along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    FunctionSource,
    LoopSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.rules.memory.packed_turns import is_used_behind, leaves, statement_of
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
    alone = statement_of(constructs, loop)
    if alone is not None:
        read, bound = reads[0].text, below["bound"]
        yield from _written(
            loop, alone, read, kind_of.strip(), counter, bound, array, kind, index, warps, many
        )


def _is_fixed(constructs: Constructs, function: FunctionSource, bound: str) -> bool:
    """Whether a bound is a number or a parameter that nobody changes: the same for all lanes."""
    changed = {change.text for change in within(constructs.changes, function.body)}
    declared = {each.name for each in within(constructs.declarations, function.body)}
    return bound.isdigit() or (bound.isidentifier() and bound not in changed | declared)


def _written(
    loop: LoopSource,
    alone: StatementSource,
    read: str,
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
    deeper, deepest, last = (f"{line}{'    ' * depth}" for depth in (1, 2, 3))
    at_first = re.sub(rf"\b{counter}\b", "first", index)
    once = WARP // many
    turn = alone.text.replace(read, "rows[warp][lane][part]")
    named = re.search(rf"\b{counter}\b", turn)
    declared = f"{last}const {type_} {counter} = first + part;" if named else ""
    yield Edit(
        loop.span,
        f"__shared__ {kind} rows[{warps}][{WARP}][{many} + 1];"
        f"{line}const int warp = threadIdx.x / {WARP}, lane = threadIdx.x % {WARP};"
        f"{line}for ({type_} first = 0; first < {bound}; first += {many}) {{"
        f"{deeper}if (__activemask() == 0xffffffffu && first + {many - 1} < {bound}) {{"
        f"{deepest}const auto start = {at_first};"
        "\n#pragma unroll"
        f"{deepest}for (int part = 0; part < {many}; ++part) {{"
        f"{last}const int row = part * {once} + lane / {many};"
        f"{last}rows[warp][row][lane % {many}] ="
        f" {array}[__shfl_sync(0xffffffffu, start, row) + lane % {many}];"
        f"{deepest}}}"
        f"{deepest}__syncwarp();"
        "\n#pragma unroll"
        f"{deepest}for (int part = 0; part < {many}; ++part) {{{declared}{last}{turn}{deepest}}}"
        f"{deepest}__syncwarp();"
        f"{deeper}}} else"
        f"{deepest}for ({type_} {counter} = first; {counter} < {bound}"
        f" && {counter} < first + {many}; ++{counter}){last}{alone.text}"
        f"{line}}}",
    )
