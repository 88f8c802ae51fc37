"""Launches as written, and their numbers: kernel, grid, block, arguments."""
