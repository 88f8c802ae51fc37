"""Assumed blocks with an axis that the kernel does not read."""

from __future__ import annotations

from dataclasses import replace

from perflint.rules.case import Case


def on_an_idle_axis(case: Case) -> Case:
    """A case of accesses, in doubt where lanes along an assumed block's axis all do the same.

    Their requests have fewer addresses than the real block's.
    """
    kernel, shown = case.suspicion.kernel, case.worst
    if kernel is None or shown is None or case.assumed:
        return case
    block, reads = shown.trial.run.launch.block, shown.trial.facts.reads
    idle = [a for a, n in zip("yz", block[1:], strict=True) if n > 1 and f"%tid.{a}" not in reads]
    if not idle or block not in {each.block for each in kernel.launches if each.assumed}:
        return case
    why = f"its block is assumed, and the kernel does not read threadIdx.{idle[0]}"
    return replace(case, assumed=why)
