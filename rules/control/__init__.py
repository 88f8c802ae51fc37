"""Rules on branches and barriers."""
