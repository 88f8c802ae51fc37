"""A program's host code run from `main` on, with the words that some file says it is run with.

What a value is, is asked some hundred thousand times in a run: of a tuple of types, which is there,
and not of `int | float`, which Python would make anew each time.
"""
