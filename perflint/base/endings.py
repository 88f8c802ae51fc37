"""How a run is ended from outside, and what is then said."""

from __future__ import annotations


class TerminatedError(BaseException):
    """SIGTERM or SIGHUP: end, and end what was started."""


#: What a run that is asked to end raises, wherever it is.
ENDINGS = (KeyboardInterrupt, TerminatedError)
NOT_REACHED = "the run was ended before it was checked"


def word(error: BaseException) -> str:
    """`interrupted` or `terminated`."""
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "terminated"


def again(said: str) -> BaseException:
    """The exception that a word stands for."""
    return KeyboardInterrupt() if said == "interrupted" else TerminatedError()
