"""The command `perflint dev`: what contributors ask of the code, and skeletons."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(name="dev")
def dev_command() -> None:
    """For who works on perflint itself: see CONTRIBUTING.md."""


@dev_command.command(name="objections")
def objections_command() -> int:
    """Print the table rule × objection, which docs/architecture.md holds."""
    from perflint.dev.objections import page

    click.echo(page(), nl=False)
    return 0


@dev_command.command(name="new-rule")
@click.argument("code")
@click.argument("name")
def new_rule_command(code: str, name: str) -> int:
    """Write a rule that works, to be made into yours, and its test source.

    CODE is CU and three digits, the first of them a family's; NAME is kebab-case and reads as
    "allow X". Works in a checkout and overwrites nothing.
    """
    from perflint.dev.new_rule import checkout, new_rule

    here = Path.cwd()
    for path in new_rule(code, name, here):
        click.echo(f"wrote {path.relative_to(checkout(here))}")
    click.echo(f"try: pytest tests/rules/test_rules.py -k {code}")
    return 0


@dev_command.command(name="facts")
@click.argument("place")
@click.option("--arch", default="sm_80", help="The GPU to compile for.  [default: sm_80]")
def facts_command(place: str, arch: str) -> int:
    """Print what `suspect` sees of a kernel: FILE:KERNEL, or FILE for all of them.

    Access sites with address expressions, strides and guards; loops, branches, doubles.
    """
    from perflint.dev.facts import page

    click.echo(page(place, arch), nl=False)
    return 0
