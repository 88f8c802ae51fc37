"""`perflint why`: what was suspected of a line, tried, measured and objected."""
