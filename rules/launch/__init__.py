"""Rules on the shape of a launch."""
