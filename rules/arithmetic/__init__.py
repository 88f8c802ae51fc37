"""Rules on the arithmetic that instructions do."""
