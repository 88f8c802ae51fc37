"""Metrics of many profiled runs in one file, and what differs between two of them."""
