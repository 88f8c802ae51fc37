"""Numbers as the launch line shows them."""

import pytest

from perflint.lint.launch_text import spell_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1024, "1024"),
        (1.399999976158142, "1.4"),  # 1.4f
        (9.999999747378752e-05, "0.0001"),
        (-1.0000000150474662e30, "-1e+30"),
        (0.1, "0.1"),
        (1.00000001, "1.00000001"),  # a double, which no float is
        (16777216.0, "16777216.0"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
    ],
)
def test_a_float_is_shown_as_it_was_written(value: float, text: str) -> None:
    assert spell_number(value) == text
