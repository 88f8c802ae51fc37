"""Tracers: one file each, fed by the emulator with batches of requests."""
