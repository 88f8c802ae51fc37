"""All handlers of instructions that are more than arithmetic; each family's file adds its own."""

from __future__ import annotations

from perflint.sim import (
    cluster_emission,
    copy_emission,
    emission,
    matrix_emission,
    mbarrier_emission,
    tensor_emission,
    tensor_memory_emission,
    texture_emission,
    warpgroup_emission,
)

#: Files whose import registers handlers.
FAMILIES = (
    emission,
    cluster_emission,
    copy_emission,
    matrix_emission,
    mbarrier_emission,
    tensor_emission,
    tensor_memory_emission,
    texture_emission,
    warpgroup_emission,
)
HANDLERS = emission.HANDLERS
