"""Rules on what the compiler could know, or keep in registers."""
