"""What is said of a command line that cannot be, and what to write in its place."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from perflint.base.plain_text import one_line

#: What stands elsewhere than users of other tools look for it.
_INSTEAD = {
    "--kernel": "a program is checked as a whole; `perflint why FILE:KERNEL` tells of one kernel",
    "--explain": "`perflint rule CODE` explains a rule",
    "--list-rules": "`perflint rule` lists the rules",
    "--list-checks": "`perflint rule` lists the rules",
}


def misplaced_command(arguments: Sequence[str], commands: Sequence[str]) -> str:
    """What to tell of a command that stands behind options, if check fails for it; "" if none does.

    `perflint -q profile k.cu` checks the file `profile`, which is seldom meant.
    """
    if not arguments[0].startswith("-"):
        return ""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    words = [word for word in arguments[1:end] if word in commands]
    word = next((word for word in words if not os.path.lexists(word)), "")
    return f"; a command stands before its options: perflint {word} …" if word else ""


def wrong_use(error: click.UsageError, misplaced: str) -> str:
    """The line that tells a user of it; `misplaced` is what is known of a misplaced command."""
    command = error.ctx.command_path if error.ctx else "perflint"
    message = one_line(error.format_message())
    if hint := misplaced or _instead(error):
        message = message.split(" Did you mean ")[0].rstrip(".") + hint
    return f"perflint: {message} (see {command} --help)"


def _instead(error: click.UsageError) -> str:
    """What to do in place of what was asked for; "" if nothing is known."""
    if isinstance(error, click.NoSuchOption) and error.option_name in _INSTEAD:
        return f"; {_INSTEAD[error.option_name]}"
    if isinstance(error, click.MissingParameter) and error.param and error.param.name == "launch":
        file = error.ctx.params.get("file", "FILE") if error.ctx else "FILE"
        return f"; `perflint launches {file}` shows those of the source"
    return ""
