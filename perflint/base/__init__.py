"""Leaves that several layers share. Nothing here imports another part of perflint."""
