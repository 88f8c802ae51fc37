"""What decides about a kernel: the worlds it is tried in, and the verdict on what was seen."""
