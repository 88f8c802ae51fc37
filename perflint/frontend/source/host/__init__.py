"""What the host code computes: values, objects, calls, options, and runs of it on paper."""
