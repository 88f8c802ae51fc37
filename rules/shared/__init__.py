"""Rules on shared memory."""
