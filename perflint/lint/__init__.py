"""Linting one kernel: the worlds it is tried in, and what becomes of what rules measure."""
