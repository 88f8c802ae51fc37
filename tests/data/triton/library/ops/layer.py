"""The kernel of another module is launched here."""

from .norm import launched_elsewhere


def shifted(x, n: int = 1024):
    launched_elsewhere[(n // 256,)](x, x.new_empty(n), BLOCK=256)
