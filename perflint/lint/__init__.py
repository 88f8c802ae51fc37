"""Linting one kernel: what rules measure becomes a verdict, and a verdict a finding."""
