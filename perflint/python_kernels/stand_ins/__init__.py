"""What stands in for packages of which the kernels' module only needs shapes and names."""
