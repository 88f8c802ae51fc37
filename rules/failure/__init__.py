"""Rules on what could not be checked, and on comments to perflint."""
