"""What expressions of the host code are worth at one place."""
