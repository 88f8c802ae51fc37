"""Where a kernel declares an array of shared memory."""

from __future__ import annotations

from perflint.analysis.model import AccessSite
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import Declaration, within
from perflint.rules.protocol import Kernel


def declaration_of(kernel: Kernel, site: AccessSite) -> Declaration | None:
    """The declaration of a shared array in the kernel's own text."""
    if kernel.function is None:
        return None
    constructs = kernel.constructs(str(kernel.function.span.path))
    name = variable_name(site.array.name)
    for each in within(constructs.declarations if constructs else (), kernel.function.body):
        if each.name == name and "__shared__" in each.qualifiers and each.extents:
            return each
    return None
