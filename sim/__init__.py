"""The simulator: architectures, device memory, the SIMT emulator, its trace, and hardware models."""
