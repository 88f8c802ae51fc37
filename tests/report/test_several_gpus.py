"""One finding for all GPUs that a fault was found on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perflint.base.span import Span
from perflint.lint.findings import Finding
from perflint.work.gather import unique

LOAD = Finding(
    code="CU101",
    name="uncoalesced-global-access",
    level="warning",
    verdict="confirmed",
    message="load touches 32 sectors",
    place=Span(Path("k.cu"), 4, 5, 4, 9),
    kernel="k",
    arch="sm_80",
    identity="load",
)


def test_the_same_on_all_is_said_once() -> None:
    (found,) = unique([LOAD, replace(LOAD, arch="sm_90"), replace(LOAD, arch="sm_70")])
    assert (found.arch, found.archs) == ("sm_80", ("sm_80", "sm_90", "sm_70"))
    assert found.notes == ("the same on sm_90, sm_70",)
    assert found.message_among(("sm_80", "sm_90", "sm_70")).endswith("(sm_80, sm_90, sm_70)")


def test_what_another_gpu_says_else_is_a_note() -> None:
    other = replace(LOAD, arch="sm_90", message="load touches 16 sectors")
    (found,) = unique([LOAD, other])
    assert found.notes == ("on sm_90: load touches 16 sectors",)


def test_one_that_is_confirmed_stands_for_one_that_is_not() -> None:
    open_ = replace(LOAD, verdict="undecided", level="note", reason="too short", arch="sm_70")
    (found,) = unique([open_, LOAD])
    assert (found.verdict, found.arch, found.archs) == ("confirmed", "sm_80", ("sm_80",))
    assert found.notes == ("on sm_70 that is not settled: too short",)


def test_one_gpu_needs_no_word() -> None:
    assert unique([LOAD]) == (LOAD,)


def test_what_several_kernels_do_in_one_function_is_one_finding() -> None:
    """A function that kernels share stands in each with other arrays and figures."""
    half = replace(
        LOAD, kernel="b", identity="load of b", message="load touches 16 sectors", severity=-1.0
    )
    (found,) = unique([half, LOAD])
    assert (found.message, found.notes) == (LOAD.message, ("also in b",))


def test_two_accesses_of_one_kernel_at_a_place_are_two_findings() -> None:
    assert len(unique([LOAD, replace(LOAD, identity="load of another")])) == 2
