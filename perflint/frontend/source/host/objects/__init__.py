"""Structs, classes and containers of the host code: their members, and what these hold."""
