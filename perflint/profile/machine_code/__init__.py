"""Machine code of a kernel, and what its work takes of it at least (docs/worth.md)."""
