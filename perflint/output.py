"""Standard output that may be full or closed."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class OutputError(Exception):
    """Standard output takes no more: a full disk, a closed descriptor. The message says which."""


@contextmanager
def writing() -> Iterator[None]:
    """Turn what goes wrong with writing into OutputError; a reader gone stays BrokenPipeError.

    On Windows a closed pipe is EINVAL.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise BrokenPipeError from error
        raise OutputError(error.strerror or str(error)) from error
