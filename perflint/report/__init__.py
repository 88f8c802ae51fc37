"""Report formats: one file each. A module here with a function `render` is a format.

Its name, with dashes, is what `--output-format` takes, the first line of its docstring what
`--help` says, and `render(result, context)` returns the whole report as text.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from perflint.base.streams import without_brackets
from perflint.lint.findings import Result
from perflint.report.context import Context


class Render(Protocol):
    """What a report format provides."""

    def __call__(self, result: Result, context: Context) -> str: ...


def formats() -> dict[str, str]:
    """Every format's name and its one-line description, without importing one."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "\ndef render(" in text:  # to parse them all would take as long as to import one
            summary = text.removeprefix('"""').partition("\n")[0].removesuffix('"""')
            found[path.stem.replace("_", "-")] = summary
    return found


#: How a format writes `#` otherwise, so that its data stays what it is.
_NUMBER_SIGNS = {
    **dict.fromkeys(("json", "json-lines", "editor", "sarif", "gitlab", "rdjson"), "\\u0023"),
    "junit": "&#35;",
}


def harmless(name: str, text: str) -> str:
    """A report whose text commands no runner, should it be printed to a CI's log."""
    sign = _NUMBER_SIGNS.get(name)
    if sign is None or "##" not in text:
        return without_brackets(text)
    return text.replace("##", f"#{sign}")


def load(name: str) -> Render:
    """The `render` of one of `formats()`."""
    return cast(Render, import_module(f"perflint.report.{name.replace('-', '_')}").render)
