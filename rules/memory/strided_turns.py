"""Edits that deal a loop's turns out to neighbouring threads: a run of each becomes a stride.

`for (int i = t * n; i < (t + 1) * n; i++)`, where `t` numbers the threads of a grid or of a block,
has a thread walk along a run of its own. With `i = t; i < threads * n; i += threads` neighbouring
threads have neighbouring elements, of the same ones. Whether each is treated by itself, whoever
does it, a run beside the original tells.
"""

from __future__ import annotations

import re

from perflint.analysis.model import AccessSite
from perflint.base.constructs import Constructs, FunctionSource, LoopSource, contains, within
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.memory.packed_turns import leaves
from perflint.rules.protocol import Edit, Kernel

_FIRST = pattern(r"(?P<head>(?:[\w\s]+?\s)?(?P<index>\w+)\s*=\s*)(?P<first>[^,;]+)")
_ONE_ON = r"(?:{0}\s*\+\+|\+\+\s*{0}|{0}\s*\+=\s*1)"
_NAME = pattern(r"[A-Za-z_]\w*")
_PLAIN = pattern(r"[\w.]+")
#: What numbers threads, blanks left out, and how many there are.
_THREADS = {
    "threadIdx.x": "blockDim.x",
    **dict.fromkeys(
        (
            "blockIdx.x*blockDim.x+threadIdx.x",
            "blockDim.x*blockIdx.x+threadIdx.x",
            "threadIdx.x+blockIdx.x*blockDim.x",
            "threadIdx.x+blockDim.x*blockIdx.x",
        ),
        "gridDim.x * blockDim.x",
    ),
}


def strided_turns(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The edits of the innermost such loop around an access; none where there is none."""
    at = kernel.statement(kernel.facts.kernel.instructions[site.pcs[0]].location)
    constructs = kernel.constructs(str(at.path)) if at is not None else None
    function = kernel.function
    if at is None or constructs is None or function is None:
        return ()
    if constructs.function_at(at.line, at.column) != function:
        return ()
    around = [loop for loop in within(constructs.loops, function.body) if contains(loop.body, at)]
    around.sort(key=lambda loop: (loop.span.line, loop.span.column), reverse=True)
    found = (_edits(constructs, function, loop) for loop in around)
    return next((edits for edits in found if edits), ())


def _edits(constructs: Constructs, function: FunctionSource, loop: LoopSource) -> tuple[Edit, ...]:
    if loop.initial is None or loop.condition is None or loop.update is None:
        return ()
    if leaves(constructs, loop):
        return ()
    begins = _FIRST.fullmatch(loop.initial.text)
    if begins is None:
        return ()
    index, first = begins["index"], begins["first"].strip()
    if not re.fullmatch(_ONE_ON.format(index), loop.update.text.strip()):
        return ()
    if any(c.text == index for c in within(constructs.changes, loop.body)):
        return ()
    run = _run(constructs, function, first)
    if run is None:
        return ()
    thread, length = run
    threads = _THREADS[_value(constructs, function, thread)]
    parts = [part.strip() for part in loop.condition.text.split("&&")]
    ends = [_end(constructs, function, part, index, first, run) for part in parts]
    if "||" in loop.condition.text or sum(end is not None for end in ends) != 1:
        return ()
    last = f"{threads} * {length}"
    condition = " && ".join(
        part if end is None else f"{index} < {end.format(last)}"
        for part, end in zip(parts, ends, strict=True)
    )
    return (
        Edit(loop.initial.span, f"{begins['head']}{thread}"),
        Edit(loop.condition.span, condition),
        Edit(loop.update.span, f"{index} += {threads}"),
    )


def _run(constructs: Constructs, function: FunctionSource, first: str) -> tuple[str, str] | None:
    """The thread's number and the length of its run, of where that begins: `t * n`."""
    factors = [f.strip() for f in _value(constructs, function, first, blanks=True).split("*")]
    if len(factors) != 2 or not all(map(_PLAIN.fullmatch, factors)):
        return None
    for thread, length in (factors, factors[::-1]):
        if _value(constructs, function, thread) in _THREADS:
            return thread, length
    return None


def _end(
    constructs: Constructs,
    function: FunctionSource,
    part: str,
    index: str,
    first: str,
    run: tuple[str, str],
) -> str | None:
    """Where a run ends, with {} for that; None where a part of a condition says something else."""
    below = re.fullmatch(rf"{index}\s*<\s*(.+)", part)
    if below is None:
        return None
    thread, length = run
    begin = {first, f"{thread}*{length}", f"{length}*{thread}"}
    ends = {f"{each}+{length}" for each in begin} | {f"{length}+{each}" for each in begin}
    for after in (f"({thread}+1)", f"(1+{thread})"):
        ends |= {f"{after}*{length}", f"{length}*{after}"}
    text = _value(constructs, function, below[1])
    if text in ends:
        return "{}"
    least = re.fullmatch(r"min\((.+),([^,]+)\)", text)
    for one, other in ((least[1], least[2]), (least[2], least[1])) if least else ():
        if _value(constructs, function, one) in ends:
            return f"min({{}}, {other})"
    return None


def _value(
    constructs: Constructs, function: FunctionSource, text: str, *, blanks: bool = False
) -> str:
    """What a name stands for that is declared with a value and never changed; else the text."""
    text = text.strip()
    named = [d for d in within(constructs.declarations, function.body) if d.name == text]
    changed = any(c.text == text for c in within(constructs.changes, function.body))
    if _NAME.fullmatch(text) and len(named) == 1 and not changed:
        value = _initial(constructs, named[0].span, text)
        text = value or text
    return text if blanks else re.sub(r"\s", "", text)


def _initial(constructs: Constructs, declared: Span, name: str) -> str:
    """The value that a declaration of one variable gives it; "" where that is not seen."""
    statement = constructs.statement_at(declared)
    if statement is None or len([*within(constructs.declarations, statement.span)]) != 1:
        return ""
    found = re.search(rf"\b{name}\s*=\s*([^=;]+);?\s*$", statement.text)
    return found[1].strip() if found else ""
