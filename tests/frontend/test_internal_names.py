"""Names of what has internal linkage are the same, whichever process compiles."""

from __future__ import annotations

import re

import pytest

from perflint.frontend.nvrtc.internal_names import stable_names
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.pool import Pool
from perflint.frontend.nvrtc.resources import measure

FILE = "00000000_4_a_cu"
OWN = f"{FILE}_2daad092"


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (f"_ZN42_GLOBAL__N__{OWN}_119252akEPi", f"_ZN27_GLOBAL__N__{FILE}2akEPi"),
        (f"_ZN41_GLOBAL__N__{OWN}_11922akEPi", f"_ZN27_GLOBAL__N__{FILE}2akEPi"),
        (
            f"_ZN40_INTERNAL_{OWN}_1192542_GLOBAL__N__{OWN}_119252acE",
            f"_ZN25_INTERNAL_{FILE}27_GLOBAL__N__{FILE}2acE",
        ),
        # named after what others see of the file
        ("_ZN44_GLOBAL__N__00000000_13_perflint_0_cu__Z2sqf2kkEPf",) * 2,
        (f"_ZN99_GLOBAL__N__{OWN}_119252akEPi",) * 2,
        ("_ZN12_GLOBAL__N_12akEPi",) * 2,
        ("", ""),
    ],
)
def test_what_a_process_has_of_its_own_is_left_out(written: str, wanted: str) -> None:
    assert stable_names(written) == wanted


def test_a_long_file_name_has_three_digits() -> None:
    name = f"_GLOBAL__N__00000000_90_{'a' * 90}_2daad092_1234"
    assert stable_names(f"_ZN{len(name)}{name}2akEPi") == f"_ZN{len(name) - 14}{name[:-14]}2akEPi"


SOURCE = """
namespace {
__device__ int offset;
__constant__ int table[4];
__global__ void kernel(int *p) { p[threadIdx.x] = offset + table[p[0]]; }
}
"""


def test_figures_of_one_process_are_found_by_the_names_of_another() -> None:
    job = Job(SOURCE, "a.cu", expressions=("&kernel",))
    with Pool() as one, Pool() as other:
        compiled = one.compile(job)
        (entry,) = measure(job, other)
        again = other.compile(job)
    assert compiled.lowered == again.lowered == {"&kernel": entry}
    assert re.findall(r"entry (\w+)", compiled.ptx) == [entry]
    assert compiled.ptx == again.ptx
