"""What a result depends on besides the sources: what was asked for, and what answers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perflint.base.patterns import pattern
from perflint.cache.tree import Content, Memo, Status, content, status_of
from perflint.frontend.nvrtc.library import CompilerMissingError, find_toolchain
from perflint.frontend.source.project.user_files import standing
from perflint.lint.options import CheckOptions
from perflint.lint.rule_packages import packages
from perflint.lint.translation_units import Unit

#: Options that bear on no file's result; what the build's database says stands in the units, and
#: what is kept without fixes tells so itself (`run`).
_ASIDE = frozenset(
    {"jobs", "cluster", "progress", "partial", "cache", "database", "given", "fixes"}
)
PACKAGES = ("perflint", "perflint.grammar", "perflint.rules", "perflint.sim")
#: The distributions that a result depends on, as their metadata folders are called.
DEPENDENCIES = pattern(
    r"(?:nvidia_|lark|numpy|pycparser|tree_sitter|z3_solver)[\w.+!-]*\.(?:dist|egg)-info",
    re.IGNORECASE,
)


def asked(units: Sequence[Unit], options: CheckOptions, root: Path) -> bytes:
    """All that one run was asked for. Launches in any of its files serve the others' kernels."""
    given = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in _ASIDE}
    here = [os.path.realpath(each) for each in (Path.cwd(), options.root, root)]
    return _plain([given, here, units, standing()]).encode("utf-8", "surrogateescape")


def _plain(value: Any) -> str:
    """A text that is the same for equal values, in every process."""
    if is_dataclass(value) and not isinstance(value, type):
        inside = [f"{f.name}={_plain(getattr(value, f.name))}" for f in fields(value)]
        return f"{type(value).__name__}({', '.join(inside)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{_plain(k)}: {_plain(v)}' for k, v in value.items()))}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return repr(value)


def program(before: Memo) -> tuple[bytes, Memo]:
    """perflint itself, its rules and GPUs, the compiler, and what they are made with.

    By contents too: a new installation of the same, as continuous integration makes it, is the
    same. With what is to be remembered of them.
    """
    parts = [sys.version, sys.platform, *sorted(installed())]
    read: dict[str, Content] = {}
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            states = _files(os.path.realpath(folder))
            read |= {path: content(path, status, before) for path, status in states}
    for added in packages()[1:]:
        read |= {str(p): content(str(p), status_of(p.stat()), before) for _, p in added.files()}
    parts += [f"{path} {read[path].digest}" for path in sorted(read)]
    try:
        toolchain = find_toolchain()
        library = toolchain.library.resolve()  # its name tells a toolkit's version
        parts += [f"{library} {library.stat().st_size}"]
        parts += map(os.path.realpath, toolchain.includes)
    except CompilerMissingError:
        parts.append("no compiler")
    return "\n".join(parts).encode("utf-8", "surrogateescape"), Memo.lasting(read)


def installed() -> Iterator[str]:
    """Names and versions of what is installed, which the names of metadata folders tell."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - names are enough
        except OSError:
            continue
        yield from (name for name in names if DEPENDENCIES.fullmatch(name))


def _files(folder: str) -> Iterator[tuple[str, Status]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield entry.path, status_of(entry.stat())
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
