"""One file through the front end that was asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from perflint import frontend
from perflint.frontend.model import Compilation
from perflint.options import CheckOptions


def compile_unit(
    path: Path, *, arch: str, options: CheckOptions, root: Path, pool: frontend.Pool
) -> Compilation:
    """The file's PTX and source facts: `.ptx` as it is, the rest by `options.frontend`.

    `root` is the folder below which headers are looked for by name.
    """
    if path.suffix == ".ptx":
        return frontend.read_ptx(path, arch=arch)
    if options.frontend == "source":
        source = import_module("perflint.frontend.csubset")
        compiled: Compilation = source.compile_file(
            path, arch=arch, include=options.include, define=options.define, root=root
        )
        return compiled
    return frontend.compile_file(
        path, arch=arch, include=options.include, define=options.define, root=root, pool=pool
    )
