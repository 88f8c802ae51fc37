"""Words and conditions as people write them."""

from __future__ import annotations

import pytest

from perflint.base.english import listed, readable


@pytest.mark.parametrize(
    ("words", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_words_are_listed(words: list[str], text: str) -> None:
    assert listed(words) == text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('not `! strcmp ( cmd . method , "a ( b" )`', '`strcmp(cmd.method, "a ( b")`'),
        ('`kv [ "way" ] == "far"`', '`kv["way"] == "far"`'),
        ("`( a + b ) * c -> d > std :: max ( x , 4 )`", "`(a + b) * c->d > std::max(x, 4)`"),
        ("not `! a && b`", "`!a && b` is false"),
        ("not `n > 4`", "`n > 4` is false"),
        ("not `! a . empty ( )`", "`a.empty()`"),
        ("it is run as `make && ./a (x)`", "it is run as `make && ./a (x)`"),
    ],
)
def test_conditions_stand_as_they_are_written(code: str, text: str) -> None:
    assert readable(code) == text
