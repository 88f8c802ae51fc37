"""A program's host code run from `main` on, with the words that some file says it is run with."""
