"""All handlers of instructions that are more than arithmetic; each family's file adds its own."""

from __future__ import annotations

from perflint.sim import emission, matrix_emission

#: Files whose import registers handlers.
FAMILIES = (emission, matrix_emission)
HANDLERS = emission.HANDLERS
