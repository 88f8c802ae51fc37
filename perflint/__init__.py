"""perflint: finds performance bugs in CUDA and PTX, and proves each by simulating the kernel."""

__version__ = "0.1.0"
