"""What programs are told when they are run: their words, their options, and their defaults."""
