"""The table of options (`perflint.cli.settings`) as options of click."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from perflint.cli.option_kinds import Origin
from perflint.cli.settings import Option, line_options, options

LINE = Origin("command line", Path())


class Word(click.ParamType[Any]):
    """One word of the command line, read as an option's kind says."""

    def __init__(self, option: Option) -> None:
        self.name = option.metavar or option.name
        self._kind = option.kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            if not self._kind.split:
                return self._kind.of_text(value, LINE)
            parts = tuple(
                self._kind.of_text(part, LINE) for part in value.replace(",", " ").split()
            )
        except (TypeError, ValueError) as error:
            self.fail(str(error), param, ctx)
        if not parts:
            self.fail(f"{value!r} names nothing", param, ctx)
        return parts


def parameter(option: Option) -> click.Option:
    """An option of the table for click. Those not given are None, or ()."""
    names = [option.short] * bool(option.short) + [option.field]
    if option.kind.flag and option.file:
        names.append(f"--{option.name}/--no-{option.name}")
    else:
        names.append(f"--{option.name}")
    default = f"  [default: {option.default_text}]" if option.default_text else ""
    if option.kind.flag:
        return click.Option(names, is_flag=True, default=None, help=option.help)
    return click.Option(
        names,
        multiple=option.kind.many,
        type=Word(option),
        metavar=option.metavar,
        help=option.help + default,
    )


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the command line sets, by the fields of `Settings`."""
    found: dict[str, Any] = {}
    for option in line_options():
        value = values.get(option.field)
        if value is None or value == ():
            continue
        split = option.kind.split
        found[option.field] = tuple(part for parts in value for part in parts) if split else value
    return found


def shared(*names: str, **changed: Any) -> Callable[[click.Command], click.Command]:
    """Options of `check` for another command; `changed` holds what differs, by name."""

    def add(command: click.Command) -> click.Command:
        for name in names:
            command.params.append(parameter(replace(options()[name], **changed.get(name, {}))))
        return command

    return add
