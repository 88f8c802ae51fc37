"""Rules on what differs from one GPU to the next."""
