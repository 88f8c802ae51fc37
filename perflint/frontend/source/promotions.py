"""`pow(float, int)`, which NVRTC and nvcc type differently.

NVRTC has an overload of its own, which stays in float. Under nvcc the host's <cmath> decides, and
since C++11 (26.8 [c.math]) mixed arguments are promoted to double.
"""

from __future__ import annotations

from perflint.frontend.source.c_types import basic_type
from perflint.frontend.source.choices import Session, UndecidedError
from perflint.frontend.source.environment import Environment
from perflint.frontend.source.files import File
from perflint.frontend.source.instances import type_of
from perflint.frontend.source.project import Project


def mixed_powers(project: Project, file: File) -> tuple[int, ...]:
    """The lines of `pow(float, int)` in a file's device code."""
    lines = set()
    for call in file.declarations.calls.get("pow", ()):
        function = file.declarations.function_at(call.node.start_byte)
        if function is None or not function.on_device or len(call.arguments) != 2:
            continue
        place = Environment(Session(project), file, call.node.start_byte)
        try:
            base, exponent = (type_of(file.source.text_of(a), place) for a in call.arguments)
        except UndecidedError:
            continue
        whole = basic_type(tuple(exponent[0].split())) if exponent and not exponent[1] else None
        if base == ("float", 0) and whole is not None and whole.kind == "int":
            lines.add(call.node.start_point[0] + 1)
    return tuple(sorted(lines))
