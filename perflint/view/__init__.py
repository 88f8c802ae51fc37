"""`perflint view`: what a kernel does to memory, as one self-contained HTML page."""
