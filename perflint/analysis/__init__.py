"""Static analysis of one kernel: what is true for every launch.

`analyse(module, kernel)` is the way in; what it needs is imported when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.analysis.model import KernelFacts
    from perflint.grammar.model import Function, Module


def analyse(module: Module, kernel: Function, told: frozenset[int] = frozenset()) -> KernelFacts:
    """Everything the rules may know of a kernel before it runs.

    Calls of device functions are written out: simulate the `kernel` of the facts, not the one
    given, for its instructions to be those of the sites. What is loaded through the pointer
    parameters `told` counts as no data: the program tells it, and the kernel does not write it.

    Raises AnalysisError (`perflint.analysis.model`) for a kernel that it cannot make sense of: an
    unknown instruction, a branch to nowhere, no instructions at all.
    """
    from perflint.analysis.passes import kernel_facts

    return kernel_facts(module, kernel, told)
