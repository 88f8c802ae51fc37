"""A compiled file compiled once more, with other text in it: by the call that compiled it at last.

What it took to find that call out, which headers to add and what to leave out, is not done again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.diagnostics import with_real_paths
from perflint.frontend.nvrtc.library import CompilerMissingError
from perflint.frontend.nvrtc.pool import Pool, WorkerError, shared_pool


def text_given(compilation: Compilation, path: Path) -> str | None:
    """What the compiler was given of a file, places as in the file; None if it was given none."""
    job, name = compilation.job, _name(compilation, path)
    if job is None or name is None:
        return None
    return job.source if name == job.name else job.headers.get(name)


def compile_again(
    compilation: Compilation, texts: Mapping[Path, str], pool: Pool | None = None
) -> str | None:
    """PTX of a compiled file with other texts in the place of those that were given.

    None where that does not compile, or by nothing that can be repeated.
    """
    job = compilation.job
    named = {_name(compilation, path): text for path, text in texts.items()}
    if job is None or None in named:
        return None
    headers = {name: named.get(name, text) for name, text in job.headers.items()}
    other = replace(job, source=named.get(job.name, job.source), headers=headers)
    try:
        outcome = (pool or shared_pool()).compile(other)
    except (WorkerError, CompilerMissingError):
        return None
    return with_real_paths(outcome.ptx, compilation.aliases) if outcome.code == 0 else None


def _name(compilation: Compilation, path: Path) -> str | None:
    """What the compiler knows a file by."""
    real = os.path.realpath(path)
    names = (name for name, file in compilation.aliases.items() if os.path.realpath(file) == real)
    return next(names, None)
