"""Rules on requests to global and local memory."""
