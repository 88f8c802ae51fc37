"""The files of a run shared out among processes, and their results put together."""
