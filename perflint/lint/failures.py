"""What is said of failures, and of paths: light, for runs in which no file need be checked."""

from __future__ import annotations

import os
from pathlib import Path

from perflint.base.span import Span
from perflint.lint.findings import Finding
from perflint.lint.ruleset import Ruleset
from perflint.rules.protocol import Failure


def failed(failure: Failure, place: Span, rules: Ruleset) -> Finding | None:
    """What the rules on failures say of one."""
    for rule in rules.failure:
        for suspicion in rule.suspect(failure):
            told = rule.describe(suspicion)
            return Finding(
                code=rule.RULE.code,
                name=rule.RULE.name,
                level=rule.RULE.level,
                verdict="confirmed",
                message=told.message,
                place=place,
                help=told.help,
                identity=suspicion.identity,
            )
    return None


def shown(path: Path, root: Path) -> Path:
    """A path as reports have it: relative to the working directory where it lies below it."""
    absolute = Path(os.path.realpath(path))
    try:
        return absolute.relative_to(os.path.realpath(root))
    except ValueError:
        return absolute
