"""The compiler knows the files by aliases: their own names for what leaves us."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_FILE = re.compile(r'^(\s*\.file\s+\d+\s+)"([^"\n]*)"', re.MULTILINE)
_ALIAS = re.compile(r"(?<![\w-])perflint-[0-9a-f]+(?:-\d+)?\.\w+\b")


def readable(text: str, aliases: Mapping[str, Path]) -> str:
    """A message with the files' own names."""
    return _ALIAS.sub(lambda m: aliases[m[0]].name if m[0] in aliases else m[0], text)


def with_real_paths(ptx: str, aliases: Mapping[str, Path]) -> str:
    """PTX whose `.file` directives name the user's files.

    The compiler prefixes its working directory to the names of what is no file: the aliases, our
    headers (`perflint/NAME`) and its own (`__nv_nvrtc_builtin_header.h`).
    """

    def put(match: re.Match[str]) -> str:
        name = match[2].replace("\\", "/")
        path = aliases.get(name.rsplit("/", 1)[-1])
        if path is not None:
            shown = path.as_posix().replace("\\", "\\\\").replace('"', '\\"')
        else:
            own = re.search(r"(?:^|/)(perflint/\w+\.h|__nv_\w+(?:\.h)?)$", name)
            shown = own[1] if own else match[2]
        return f'{match[1]}"{shown}"'

    return _FILE.sub(put, ptx)
