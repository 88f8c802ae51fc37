"""Whether launches pass arrays that overlap, as far as their arguments' texts tell."""

from __future__ import annotations

import re
from itertools import combinations

from perflint.rules.protocol import Kernel, KnownLaunch

#: Words of an argument that name no array: casts and accessors.
_NO_ARRAY = frozenset(
    {
        *(
            "char",
            "const",
            "double",
            "float",
            "int",
            "long",
            "short",
            "signed",
            "size_t",
            "unsigned",
        ),
        *("void", "const_cast", "reinterpret_cast", "static_cast", "raw_pointer_cast", "thrust"),
    }
)


def may_alias(kernel: Kernel) -> bool:
    """Whether some launch may pass arrays that overlap: one twice, or nobody knows which."""
    assert kernel.function is not None
    written = kernel.facts.written_parameters
    pointers = [i for i, p in enumerate(kernel.function.parameters) if p.pointer]
    pairs = [(a, b) for a, b in combinations(pointers, 2) if a in written or b in written]
    return any(
        (launch.assumed and launch.span is None)  # invented whole
        or len(launch.argument_texts) != len(kernel.function.parameters)
        or any(_array(launch, a) == _array(launch, b) for a, b in pairs)
        for launch in kernel.launches
    )


def _array(launch: KnownLaunch, parameter: int) -> str:
    """The array that a pointer argument points into: `d_a` of `(float *)d_a + n`."""
    words: list[str] = re.findall(r"[A-Za-z_](?:\w|\.|->)*", launch.argument_texts[parameter])
    return next((word for word in words if word not in _NO_ARRAY), "?")
