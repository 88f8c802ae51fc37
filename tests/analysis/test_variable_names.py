import pytest

from perflint.analysis.variable_names import variable_name


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_ZZ9transposePfE4tile", "tile"),
        ("_ZN3lib5tableE", "table"),
        ("table", "table"),
        ("_ZZ6reduceIfLi20EEvPT_S1_E16temp_storage_abc", "temp_storage_abc"),  # 20 is no length
    ],
)
def test_variable_name(mangled: str, name: str) -> None:
    assert variable_name(mangled) == name
