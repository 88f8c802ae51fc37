"""Headers that a build writes from a template: `config.h` from `config.h.in`.

As CMake's `configure_file` does it: `@NAME@` and `${NAME}` are a variable's value, `#cmakedefine
NAME` is a macro where the variable is true. What no build file sets counts as false.
"""

from __future__ import annotations

import re
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.build_files import build_variable
from perflint.frontend.cmake_conditions import FALSE, OF_CUDA, TRUE

#: What a template's name has behind its header's.
SUFFIXES = (".in", ".cmake.in", ".cmakein", ".cmake")
_VARIABLE = pattern(r"@([A-Za-z_]\w*)@|\$\{([A-Za-z_]\w*)\}")
#: A line of its own, or many: code that the build writes.
_ALONE = pattern(r"^[ \t]*@([A-Za-z_]\w*)@[ \t]*$", re.MULTILINE)
_DEFINE = pattern(r"^([ \t]*#[ \t]*)cmakedefine(01)?[ \t]+(\w+)([^\n]*)", re.MULTILINE)


def is_template(path: Path) -> bool:
    """Whether a build may write a header from this file."""
    return path.name.endswith(SUFFIXES)


def configured(text: str, path: Path, root: Path) -> str:
    """The header that a template in a project becomes, line by line."""

    def value(name: str) -> str:
        return "1" if OF_CUDA.search(name) else build_variable(name, path, root) or ""

    def define(match: re.Match[str]) -> str:
        head, number, name, rest = match.groups()
        on = value(name).upper() not in FALSE
        if number:
            return f"{head}define {name} {int(on)}"
        return f"{head}define {name}{rest}" if on else f"{head}undef {name}"

    def plain(match: re.Match[str]) -> str:
        given = value(match[1] or match[2])
        return str(int(given.upper() in TRUE)) if given.upper() in TRUE | FALSE else given

    text = _ALONE.sub(lambda match: value(match[1]), _DEFINE.sub(define, text))
    return _VARIABLE.sub(plain, text)
