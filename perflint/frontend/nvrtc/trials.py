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

#: Errors after which the compiler reads no further.
_MOST_ERRORS = 100
_COMMA = pattern(r",(?![^<(]*[>)])")
#: What declares a constant for a name expression.
_CONSTANT = pattern(r"\bconstexpr auto (\w+) =")
_SUFFIX = pattern(r"(?<=\d)[uUlL]+\Z")


def settle_trials(session: Session, diagnostics: Sequence[Diagnostic] | None) -> bool:
    """Go on with the first of each kernel's instances on trial that no message is about.

    `diagnostics` are those of a call with all of them, None if it compiled. False where there was
    no trial. One of which nothing is told goes on as before there were trials: in its turn. Where
    the compiler told no more for the number of errors, those that are left are on trial again.
    """
    trials, session.trials = session.trials, {}
    told = diagnostics or ()
    bad = {kernel: refused(tried, told) for kernel, tried in trials.items()}
    unheard = len(told) >= _MOST_ERRORS and any(bad.values())
    for kernel, tried in trials.items():
        expressions = {i.expression for i in bad[kernel]}
        if unheard and len(expressions) < len(tried):
            session.keep_on_trial(kernel, tried, expressions)
        else:
            session.settle(kernel, tried, expressions)
        session.note_refused(
            i.expression for i in bad[kernel] if not any(d.absent for d in messages_of(i, told))
        )
    return bool(trials)


def messages_of(instance: Instance, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The messages that an instantiation of a kernel led to; all where none says so."""
    diagnostics = list(diagnostics)
    about = re.compile(rf"\b{re.escape(instance.kernel)}[<(]")
    return [d for d in diagnostics if about.search(d.context)] or diagnostics


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
        if any(_is_told(i, differ, values) for values in at)
        or f'expressionwas:"{"".join(i.expression.split())}"' in named
    ]


def _is_told(instance: Instance, differ: Sequence[int], values: Sequence[str]) -> bool:
    """Whether a message's arguments, at these positions, are an instance's.

    Of a constant that a name stands for the compiler tells the value, which is not known here.
    """
    shown = _shown(instance)
    return tuple(shown[n] for n in differ) == tuple(values)


def _shown(instance: Instance) -> list[str | None]:
    """An instance's arguments as messages have them; None for a constant with a name of ours."""
    inner = instance.expression.partition("<")[2].rpartition(">")[0]
    parts = [_plain(part) for part in _COMMA.split(inner)]
    plain = [_plain(argument) for argument in instance.arguments]
    if len(parts) != len(plain) or instance.overload:
        return [*plain]
    ours = {name for each in instance.names for name in _CONSTANT.findall(each)}
    return [None if part.rpartition("::")[2] in ours else part for part in parts]


def _plain(argument: str) -> str:
    return _SUFFIX.sub("", "".join(argument.split()))
