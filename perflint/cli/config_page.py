"""`perflint config`: what is in force, and who says so."""

from __future__ import annotations

import json
from typing import Any

from perflint.cli.option_kinds import as_toml
from perflint.cli.request import Request
from perflint.cli.settings import Option, options, origins


def text(request: Request) -> str:
    """The settings as a configuration file would have them, each with its origin."""
    files = [source.origin.title for source in request.sources[:-1]]
    rows = [(_setting(option, request), _origin(option, request)) for option in _shown()]
    width = min(60, max(len(setting) for setting, _ in rows))
    rules = ", ".join(sorted(request.rules)) or "none"
    return "".join(
        f"{line}\n"
        for line in (
            f"# configuration: {', '.join(files) or 'no file'}",
            f"# rules: {rules}",
            "",
            *(f"{setting:{width}}  # {origin}" for setting, origin in rows),
        )
    )


def data(request: Request) -> str:
    """The same as JSON: the value as TOML would have it, and its origin, by name."""
    found: dict[str, Any] = {
        "files": [source.origin.title for source in request.sources[:-1]],
        "rules": sorted(request.rules),
        "options": {
            option.name: {
                "value": None if _unset(option, request) else _value(option, request),
                "origin": _origin(option, request),
            }
            for option in _shown()
        },
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _shown() -> list[Option]:
    return [option for option in options().values() if option.file]


def _unset(option: Option, request: Request) -> bool:
    return getattr(request.settings, option.field) is None


def _value(option: Option, request: Request) -> str:
    return as_toml(option.kind, getattr(request.settings, option.field))


def _setting(option: Option, request: Request) -> str:
    if _unset(option, request):  # TOML has no word for it
        return f"# {option.name} is not set"
    return f"{option.name} = {_value(option, request)}"


def _origin(option: Option, request: Request) -> str:
    found = origins(request.sources).get(option.field)
    if found:
        return found
    return f"default: {option.shown}" if option.shown else "default"
