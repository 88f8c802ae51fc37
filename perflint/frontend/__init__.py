"""Front ends: from a `.cu` or `.ptx` file to PTX text and the facts of its source."""
