"""Static analysis of PTX: what is true of a kernel for every launch."""
