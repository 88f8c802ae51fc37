"""What a program is told by name: `--rows=64`, `--rows 64`, and the lines of a file it is told.

The file is the one that a word of the run names, beside what says how the program is run; where it
is not there, what a README shows of it: `cloth.ini:` before a block of `rows = 64` lines.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.project import option_files
from perflint.frontend.source.project.command_lines import CommandLine, number
from perflint.frontend.source.project.user_files import UnreadableError, read_text

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_LARGEST = 64 << 10
_MOST_ROWS = 60  #: of one file that a page shows
_FILE = pattern(r"[\w./-]*\w\.(?:ini|cfg|conf|json|params?|inp|txt|toml|yaml|yml)\Z")
_SECTION = pattern(r"\s*\[([\w.-]+)\]\s*\Z")
_ROW = pattern(r"\s*([\w.-]+)\s*[=:]\s*\"?([-+.\w]+)\"?\s*(?:[#;].*)?\Z")
_MEMBER = pattern(r"\"([\w.-]+)\"\s*:\s*\"?([-+.\w]+)\"?")
_GETS = pattern(
    r"(?:get|as|arg|opt|param|value|read|int|integer|uint|long|size|float|double|real|number|num"
    r"|lookup|find|flag|setting)\w*",
    re.IGNORECASE,
)
_KEY = pattern(r'"([\w.-]+)"')


def settings(place: Environment) -> dict[str, str]:
    """What a program's first run tells it, by name without dashes; {} where none is in sight."""
    lines = program_arguments.runs_of(place)
    return dict(_settings(lines[0])) if lines else {}


def told(place: Environment) -> str:
    """How the program is run, for people."""
    return program_arguments.told(place, program_arguments.main_file(place))


@lru_cache(maxsize=64)
def _settings(line: CommandLine) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for word, following in pairwise((*line.arguments, "")):
        name, sign, value = word.partition("=")
        if sign:
            found.append((name.lstrip("-"), value))
        elif word[:1] == "-" and following and not re.match(r"-\D", following):
            found.append((name.lstrip("-"), following))
        named = value if sign else word
        if _FILE.match(named):
            found += _of_file(named, line.path)
    return tuple(found)


def _of_file(named: str, page: Path) -> list[tuple[str, str]]:
    """The settings in a file that a run names, or in what a page shows of it."""
    told = option_files.options(named, page.parent)
    if told is not None:
        return [(o.partition("=")[0], o.partition("=")[2]) for o in told]
    try:
        rows = read_text(page, _LARGEST).splitlines()
    except UnreadableError:
        return []
    base = re.escape(named.rpartition("/")[2])
    heads = [i for i, row in enumerate(rows) if re.fullmatch(rf"\W*{base}\W*", row.strip())]
    return _shown(rows[heads[0] + 1 : heads[0] + 1 + _MOST_ROWS]) if len(heads) == 1 else []


def _shown(rows: list[str]) -> list[tuple[str, str]]:
    """The settings of a block, fenced or indented, that a page goes on with."""
    found: list[tuple[str, str]] = []
    section, fenced, begun = "", False, False
    for row in rows:
        if row.lstrip().startswith(("```", "~~~")):
            if begun or fenced:
                break
            fenced = True
            continue
        if not row.strip():
            if begun and not fenced:
                continue
            continue
        if not fenced and row[:1] not in (" ", "\t"):
            break  # prose again
        begun = True
        if (heading := _SECTION.match(row)) is not None:
            section = f"{heading[1]}."
        elif (pair := _ROW.match(row)) is not None and '"' not in row[: row.find(pair[1])]:
            found += [(f"{section}{pair[1]}", pair[2])] + ([(pair[1], pair[2])] if section else [])
        else:
            found += _MEMBER.findall(row)
    return found


def asked(place: Environment, name: str, texts: list[str]) -> Value | None:
    """The value of `args.integer("rows", 64)`: what the run tells, else the default.

    None for any other call, and where no file tells what the program is run with.
    """
    last = re.split(r"\.|->|::", name)[-1]
    keys = [match[1] for text in texts[:-1] if (match := _KEY.fullmatch(text.strip())) is not None]
    if len(texts) < 2 or len(keys) != 1 or not _GETS.fullmatch(last.partition("<")[0]):
        return None
    known = settings(place)
    default = fold(texts[-1], place)
    if not known or default is None:
        return None
    said = known.get(keys[0].lstrip("-"))
    if said is None:
        return default
    found = number(said, default.type)
    if found is not None:
        place.session.note("runs", told(place))
    return found
