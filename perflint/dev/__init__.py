"""Commands for contributors: `perflint dev`."""
