"""Where a kernel declares an array of shared memory."""

from __future__ import annotations

from perflint.analysis.model import AccessSite
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import Declaration, within
from perflint.rules.protocol import Kernel

_SIZES = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "bool", "uchar", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "ushort", "half", "__half"), 2),
    **dict.fromkeys(("float", "int", "unsigned", "unsigned int", "uint", "uchar4", "char4"), 4),
    **dict.fromkeys(("double", "float2", "int2", "uint2", "long long", "unsigned long long"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}


def element_size(type_name: str) -> int:
    """Bytes of an array's element by its type as written; 0 for one that is not known."""
    return _SIZES.get(type_name, 0)


def declaration_of(
    kernel: Kernel, site: AccessSite, *, dynamic: bool = False
) -> Declaration | None:
    """The declaration of a shared array in the kernel's own text.

    `dynamic`: it may be one whose size the launch says.
    """
    if kernel.function is None:
        return None
    constructs = kernel.own_constructs
    name = variable_name(site.array.name)
    for each in within(constructs.declarations if constructs else (), kernel.function.body):
        sized = each.extents or (dynamic and "extern" in each.qualifiers)
        if each.name == name and "__shared__" in each.qualifiers and sized:
            return each
    return None
