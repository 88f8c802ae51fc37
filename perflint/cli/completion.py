"""`perflint completion`: the script that lets a shell complete perflint's commands and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_PERFLINT_COMPLETE"


def script(cli: click.Command, shell: str) -> str:
    """What a shell is to evaluate."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    return found(cli, {}, "perflint", VARIABLE).source()


def complete(cli: click.Command, environment: Mapping[str, str]) -> int | None:
    """Answer a shell that asks through the environment; None if none does."""
    instruction = environment.get(VARIABLE, "")
    if not instruction:
        return None
    from click.shell_completion import get_completion_class

    shell, _, what = instruction.partition("_")
    found = get_completion_class(shell)
    if found is None or what != "complete":
        return 1
    made: Any = found(cli, {}, "perflint", VARIABLE)
    click.echo(made.complete())
    return 0
