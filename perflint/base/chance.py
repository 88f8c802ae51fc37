"""What a clock or a shortage of memory decided: such a result may be another one the next time.

Whoever cuts something short tells it here; `perflint.cache` keeps nothing of what was cut.
"""

from __future__ import annotations

_cuts = 0
_spoiled = False


def cut() -> None:
    """What this process is about to say of the item in work rests on chance."""
    global _cuts
    _cuts += 1


def spoil() -> None:
    """So does all that it says from now on: what was cut short is remembered for other items."""
    global _spoiled
    _spoiled = True


def spoiled() -> bool:
    """Whether all that this process says rests on chance."""
    return _spoiled


def cuts() -> int:
    """How many there were: the same number before and after a piece of work says that it is whole.

    Once something is spoiled, no two calls answer the same.
    """
    if _spoiled:
        cut()
    return _cuts
