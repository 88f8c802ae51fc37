"""Calls of the host code: what goes in, what comes back, and where control leaves."""
