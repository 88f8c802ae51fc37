"""Rules on the L1 cache."""
