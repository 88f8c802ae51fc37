import pytest

from perflint.rules.entry_types import takes_numbers


@pytest.mark.parametrize(
    ("entry", "numbers"),
    [
        ("_Z4kernPfS_i", True),
        ("_Z8solver_2iiPfS_S_S_", True),
        ("_ZN2ns4kernEPKfS1_PdS2_", True),
        ("_ZL4kernPKjPc", True),
        ("_Z4kernPK4CellPf", False),
        ("_Z4kern6float4Pf", False),
        ("_Z4kernILi3EEvPfi", True),
        ("_Z4kernI4CellEvPfi", False),
        ("_Z4kernIfEvPT_", True),
        ("_ZN2ns4kernI13__nv_bfloat16Li16EEEvPKT_S4_PS2_ffi", True),
        ("_Z4kernIdfEvPT_PT0_", True),
        ("_Z4kernI4CellEvPT_", False),
        ("_Z4kernIN2ns4HalfEEvPT_", False),
        ("_ZN2ns4kernENS_4CellEPf", False),
        ("_Z4kernPPFfiE", False),
        ("kern", False),
        ("_Z", False),
    ],
)
def test_takes_numbers(entry: str, numbers: bool) -> None:
    assert takes_numbers(entry) is numbers
