"""A package that cannot be imported here: what is above a module of kernels is not run."""

__version__ = "1.2"

import absent_models  # noqa: E402, F401

raise RuntimeError("not to be run")
