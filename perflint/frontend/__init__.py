"""Front ends: from a `.cu` or `.ptx` file to PTX text and the facts of its source."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.base.resources import Resources
    from perflint.frontend.mangling import origin_of
    from perflint.frontend.model import Compilation
    from perflint.frontend.nvrtc.again import compile_again, text_given
    from perflint.frontend.nvrtc.cuda_file import compile_file
    from perflint.frontend.nvrtc.pool import Limits, Pool, WorkerError
    from perflint.frontend.ptx_file import read_ptx
    from perflint.frontend.translation_unit import read_facts

__all__ = [
    "Limits",
    "Pool",
    "WorkerError",
    "compile_again",
    "compile_file",
    "make_ready",
    "origin_of",
    "read_facts",
    "read_ptx",
    "resources",
    "text_given",
]

#: Where each of them is, imported when it is first asked for: the parsers are heavy.
_HOMES = {
    **dict.fromkeys(("compile_again", "text_given"), "nvrtc.again"),
    "compile_file": "nvrtc.cuda_file",
    "origin_of": "mangling",
    "read_facts": "translation_unit",
    "read_ptx": "ptx_file",
    **dict.fromkeys(("Limits", "Pool", "WorkerError"), "nvrtc.pool"),
}


def make_ready() -> None:
    """Start the compiler, which takes a while, without waiting for it."""
    from perflint.frontend.nvrtc.pool import shared_pool

    shared_pool().make_ready()


def resources(compilation: Compilation) -> Mapping[str, Resources]:
    """What ptxas made of a compiled file's kernels, by PTX entry name; {} where nobody can tell.

    Costs another compilation. Only NVRTC's own compilations have it.
    """
    if compilation.job is None:
        return {}
    from perflint.frontend.nvrtc import resources

    return resources.measure(compilation.job)


def image(compilation: Compilation) -> bytes:
    """The cubin of a compiled file; b"" where there is none. As `resources` has its figures."""
    if compilation.job is None:
        return b""
    from perflint.frontend.nvrtc import resources

    return resources.image(compilation.job)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"perflint.frontend.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
