"""Code that was written for the 16 banks and half warps of the first CUDA GPUs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from perflint.base.constructs import Constructs, MacroSource
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


def old_banks(kernel: Kernel) -> tuple[str, ...]:
    """A note for each definition of the kernel's file that is for 16 banks, and used in it."""
    return tuple(
        f"`{each.name}` is {each.body} at {each.span.path.name}:{each.span.line}, for 16 banks and "
        f"half warps: 32 banks want {_DEFINED[each.name][1]}"
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
    used = {name.text for each in files for name in each.names}
    return [macro for each in files for macro in _defined(each, used)]


def _defined(constructs: Constructs, used: Collection[str]) -> Iterator[MacroSource]:
    for macro in (*constructs.macros, *constructs.constants):
        value = _DEFINED.get(macro.name)
        if value is None or macro.body.strip("() ") != value[0]:
            continue
        if macro.name in used or any(macro.name in m.body for m in constructs.function_macros):
            yield macro
