"""What a command refuses, in one line."""

from __future__ import annotations

from typing import Any

import click

from perflint.base.plain_text import one_line


class UserError(click.ClickException):
    """Something the user can put right: one line on stderr, exit 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"perflint: {one_line(self.format_message())}", err=True)
