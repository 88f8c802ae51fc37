"""`perflint profile`: one launch of one kernel, run whole, and what the tracers saw of it."""
