"""Code that was written for the 16 banks and half warps of the first CUDA GPUs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    MacroSource,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.protocol import Edit, Kernel

#: What such code defines: the value then, and the one for 32 banks and whole warps (CUDA C++
#: Programming Guide, "Shared Memory" of each compute capability: 16 banks before 2.0, 32 since).
_DEFINED = {
    "NUM_BANKS": ("16", "32"),
    "LOG_NUM_BANKS": ("4", "5"),
    "HALF_WARP": ("16", "32"),
    "HALF_WARP_SIZE": ("16", "32"),
}
BANKS = 32
_WORD = pattern(r"[A-Za-z_]\w*")


def old_banks(kernel: Kernel) -> tuple[tuple[Span, str], ...]:
    """Each definition that is for 16 banks and that the kernel is made with, and what to say."""
    return tuple(
        (
            each.span,
            f"`{each.name}` is {each.body}, for 16 banks and half warps: 32 banks want "
            f"{_DEFINED[each.name][1]}",
        )
        for each in _definitions(kernel)
    )


def bank_edits(kernel: Kernel) -> tuple[Edit, ...]:
    """These definitions with the values for 32 banks."""
    return tuple(Edit(each.span, _DEFINED[each.name][1]) for each in _definitions(kernel))


def _definitions(kernel: Kernel) -> list[MacroSource]:
    """Those of the kernel's file and of the files that launch it."""
    if kernel.arch.banks != BANKS or kernel.function is None:
        return []
    spans = [kernel.function.span, *(each.span for each in kernel.launches if each.span)]
    read = [kernel.constructs(str(path)) for path in dict.fromkeys(span.path for span in spans)]
    files = [constructs for constructs in read if constructs is not None]
    used = _words(kernel.function, files)
    return [macro for each in files for macro in _defined(each, used)]


def _words(function: FunctionSource, files: Collection[Constructs]) -> set[str]:
    """The names in a kernel, in its launches, and in the macros and functions that it uses."""
    bodies = {m.name: m.body for each in files for m in (*each.macros, *each.function_macros)}
    functions = {f.name: f for each in files for f in each.functions}
    found: set[str] = set()
    waiting = {function.name}
    while waiting - found:
        name = (waiting - found).pop()
        found.add(name)
        waiting.update(_WORD.findall(bodies.get(name, "")))
        if name in functions:
            inside = functions[name].span
            waiting.update(n.text for each in files for n in _inside(each.names, inside))
    launches = [x for each in files for x in each.launches if x.callee.startswith(function.name)]
    texts = [part.text for x in launches for part in x.configuration]
    return found | {word for text in texts for word in _WORD.findall(text)}


def _inside(names: Sequence[Fragment], span: Span) -> Iterator[Fragment]:
    return (each for each in within(names, span) if each.span.path == span.path)


def _defined(constructs: Constructs, used: Collection[str]) -> Iterator[MacroSource]:
    for macro in (*constructs.macros, *constructs.constants):
        value = _DEFINED.get(macro.name)
        if value and macro.body.strip("() ") == value[0] and macro.name in used:
            yield macro
