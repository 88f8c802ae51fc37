"""Patterns that are compiled late are those that the standard library compiles."""

import copy
import pickle
import re

import pytest

from perflint.base.patterns import pattern


@pytest.mark.parametrize("text", ["a1b22", ""])
def test_it_finds_what_the_pattern_finds(text: str) -> None:
    late, early = pattern(r"\d+"), re.compile(r"\d+")
    for _ in range(2):  # when it is made, and then
        assert late.findall(text) == early.findall(text)
        assert late.sub("-", text) == early.sub("-", text)
    assert (late.pattern, late.flags, late.groups) == (early.pattern, early.flags, early.groups)


def test_flags_and_bytes() -> None:
    assert pattern("A", re.IGNORECASE).fullmatch("a")
    assert pattern(rb"\s").split(b"a b") == [b"a", b"b"]


def test_a_wrong_one_is_told_when_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.search("")


@pytest.mark.parametrize("used", [False, True])
def test_it_can_be_copied_and_sent(used: bool) -> None:
    late = pattern(r"b+")
    if used:
        late.search("")
    for other in (copy.deepcopy(late), pickle.loads(pickle.dumps(late))):
        assert other.findall("abba") == ["bb"]
