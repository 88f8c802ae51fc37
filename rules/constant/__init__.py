"""Rules on constant memory and read-only data."""
