"""When Python looks for unreachable cycles: seldom, and not among what stays."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Objects that come to be, less those that go, between two looks at the young ones for cycles. Most
#: files are done before. With 300,000, what is unreachable held on to 50 MB in a process for many.
OBJECTS = 100_000


@contextmanager
def resting() -> Iterator[None]:
    """Look for none meanwhile, and never among what is imported: it stays."""
    enabled, imported = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > imported:
            gc.freeze()
        if enabled:
            gc.enable()


def seldom_from_now_on() -> None:
    """As `seldom`, for a process that then ends: to go back is to look through all that is left."""
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def seldom() -> Iterator[None]:
    """Look for them seldom, here and in the processes that are forked meanwhile.

    What is made of a file is many objects, few of them in cycles, and all gone when it is done: to
    look through them as often as Python would takes a tenth of the time.
    """
    before = gc.get_threshold()
    seldom_from_now_on()
    try:
        yield
    finally:
        gc.set_threshold(*before)
