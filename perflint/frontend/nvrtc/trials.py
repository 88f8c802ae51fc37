"""Which assumed template arguments do not compile, found for all that are left in one call.

Where the first two guesses at a template's arguments were refused, the rest are asked for together.
Their messages tell which are refused: as each instance is, by the arguments that it stands with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from perflint.base.patterns import pattern
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.nvrtc.templates import Instance

_COMMA = pattern(r",(?![^<(]*[>)])")
_SUFFIX = pattern(r"(?<=\d)[uUlL]+\Z")


def settle_trials(session: Session, diagnostics: Sequence[Diagnostic] | None) -> bool:
    """Go on with the first of each kernel's instances on trial that no message is about.

    `diagnostics` are those of a call with all of them, None if it compiled. False where there was
    no trial. One of which nothing is told goes on as before there were trials: in its turn.
    """
    trials, session.trials = session.trials, {}
    for kernel, tried in trials.items():
        bad = {i.expression for i in refused(tried, diagnostics or ())}
        session.settle(kernel, tried, bad)
        if not any(d.absent for d in diagnostics or ()):
            session.note_refused(bad)
    return bool(trials)


def refused(tried: Sequence[Instance], diagnostics: Iterable[Diagnostic]) -> list[Instance]:
    """Those of one template's instances that messages are about."""
    lists = [i.arguments for i in tried]
    differ = [n for n, each in enumerate(zip(*lists, strict=False)) if len(set(each)) > 1]
    about = re.compile(rf'\b{re.escape(tried[0].kernel)}[<(][^"]*\[with ([^"]*)\]"')
    text = "\n".join(f"{d.context}\n{d.text}" for d in diagnostics)
    given = [
        [_plain(part.partition("=")[2]) for part in _COMMA.split(found)]
        for found in about.findall(text)
    ]
    at = {tuple(values[n] for n in differ) for values in given if max(differ) < len(values)}
    named = "".join(text.split())
    return [
        i
        for i in tried
        if tuple(_plain(i.arguments[n]) for n in differ) in at
        or f'expressionwas:"{"".join(i.expression.split())}"' in named
    ]


def _plain(argument: str) -> str:
    return _SUFFIX.sub("", "".join(argument.split()))
