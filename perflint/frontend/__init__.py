"""Front ends: from a `.cu` or `.ptx` file to PTX text and the facts of its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.frontend.model import Compilation, EntryOrigin

if TYPE_CHECKING:
    from perflint.frontend.nvrtc.pool import Limits, Pool, WorkerError
    from perflint.resources import Resources

__all__ = ["Limits", "Pool", "WorkerError", "compile_file", "origin_of", "read_ptx", "resources"]


def compile_file(
    path: Path,
    *,
    arch: str = "sm_80",
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    std: str = "c++17",
    root: Path | None = None,
    pool: Pool | None = None,
    before: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> Compilation:
    """Compile a `.cu` or `.cuh` file to PTX with NVRTC, without a build's help.

    `include` and `define` are a compiler's -I and -D (`NAME` or `NAME=VALUE`), `before` its
    -include, `options` others that change code (`--use_fast_math`). `root` is the
    project's folder, in which headers are looked for by name; a git repository around the file
    counts as one without being named. `pool` holds the workers that compile; by default one that
    this process shares.

    Whatever is wrong with the file is in the result: its `errors` (genuine ones are the user's),
    the kernels `lost`, and `remarks` on what was assumed. PTX locations name the user's files,
    with symbolic links resolved. Raises ValueError for an `arch` that is not one.
    """
    from perflint.frontend.nvrtc import cuda_file

    return cuda_file.compile_file(
        path,
        arch=arch,
        include=include,
        define=define,
        std=std,
        root=root,
        pool=pool,
        before=before,
        options=options,
    )


def read_ptx(path: Path, *, arch: str = "sm_80") -> Compilation:
    """A `.ptx` file as it is, with the facts of those of its sources that can be read."""
    from perflint.frontend import ptx_file

    return ptx_file.read_ptx(path, arch=arch)


def resources(compilation: Compilation) -> Mapping[str, Resources]:
    """What ptxas made of a compiled file's kernels, by PTX entry name; {} where nobody can tell.

    Costs another compilation. Only NVRTC's own compilations have it.
    """
    if compilation.job is None:
        return {}
    from perflint.frontend.nvrtc import resources

    return resources.measure(compilation.job)


def origin_of(entry: str) -> EntryOrigin:
    """The kernel that a PTX entry's name says it is: `_ZN2ns4kernEPf` is `kern`."""
    from perflint.frontend.mangling import nested_name

    return EntryOrigin(nested_name(entry)[-1])


def __getattr__(name: str) -> object:
    """Pool, Limits and WorkerError, imported when first asked for."""
    if name in {"Limits", "Pool", "WorkerError"}:
        from perflint.frontend.nvrtc import pool

        return getattr(pool, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
