"""What stands around a file: the files of its program, and how it is built and run."""
