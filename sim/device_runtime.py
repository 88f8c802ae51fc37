"""The device runtime (libcudadevrt) linked to modules that only declare its functions.

nvcc's linker does so for every program; a module that a compiler gives alone has the declarations
of what kernels ask of it: to launch kernels, to wait for the grid.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from perflint.grammar import parse
from perflint.grammar.model import Module


@cache
def _device_runtime() -> Module:
    """The functions of NVIDIA's device runtime that are known, as PTX of ours."""
    return parse((Path(__file__).parent / "device_runtime.ptx").read_text(), "device runtime")


#: How the names of its functions begin, for modules that declare none are not searched.
_PREFIXES = ("__cudaCDP2", "cudaCG")


def _asks_the_runtime(module: Module) -> bool:
    """Is some function only declared that the device runtime gives?"""
    declared = [n for n, f in module.functions.items() if f.declaration and n.startswith(_PREFIXES)]
    given = _device_runtime().functions if declared else {}
    return any(name in given and not given[name].declaration for name in declared)


def linked(*modules: Module) -> Module:
    """Several objects as one module: what one declares, another defines (nvcc's -rdc=true)."""
    runtime = [_device_runtime()] if any(map(_asks_the_runtime, modules)) else []
    first, *others = [*modules, *runtime]
    functions, variables = dict(first.functions), dict(first.variables)
    for module in others:
        for name, function in module.functions.items():
            if name not in functions or functions[name].declaration:
                functions[name] = function
        for name, variable in module.variables.items():
            if name not in variables or variables[name].linkage == "extern":
                variables[name] = variable
    return replace(first, functions=functions, variables=variables) if others else first
