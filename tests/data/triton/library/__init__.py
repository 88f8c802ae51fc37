"""A package that cannot be imported here: what is above a module of kernels is not run."""

import absent_models  # noqa: F401

raise RuntimeError("not to be run")
