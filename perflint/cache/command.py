"""`perflint cache`: where results are kept, and how to be rid of them."""

from __future__ import annotations

from pathlib import Path

import click

from perflint.base.user_error import UserError
from perflint.cache.store import clean, directory


@click.group(name="cache")
def cache_command() -> None:
    """Manage the results that are kept of earlier runs.

    They are found again by the contents of all that they depend on, and the oldest are thrown away
    beyond 512 MB. PERFLINT_CACHE_DIR names another directory.
    """


@cache_command.command(name="dir")
def dir_command() -> int:
    """Print the directory in which results are kept."""
    click.echo(str(_directory()))
    return 0


@cache_command.command(name="clean")
def clean_command() -> int:
    """Forget all results that are kept."""
    where = _directory()
    try:
        freed = clean(where)
    except OSError as error:
        raise UserError(f"{where}: {error.strerror}") from error
    click.echo(f"{where}: freed {freed / 2**20:.1f} MB" if freed else f"{where}: was empty")
    return 0


def _directory() -> Path:
    if (where := directory()) is None:
        raise UserError("there is no home directory; set PERFLINT_CACHE_DIR")
    return where
