"""Nodes by their kinds: all of a tree, in text order, what holds another one first."""

from __future__ import annotations

from perflint.frontend.source.language.node_kinds import DEPTH_LIMIT, kinds, nodes_of
from perflint.frontend.source.language.trees import parse_whole

TEXT = b"int f(int n) { return a[n + b[n] + 1](2)[3]; }\nint g();\n"


def _found(called: dict[str, str], text: bytes = TEXT) -> dict[str, list[str]]:
    found = nodes_of(parse_whole(text).root_node, kinds(**called))
    return {name: [(n.text or b"").decode() for n in nodes] for name, nodes in found.items()}


def test_what_begins_at_one_place_comes_from_without_to_within() -> None:
    found = _found({"access": "subscript_expression", "sum": "binary_expression"})
    whole = "a[n + b[n] + 1](2)[3]"
    assert found["access"] == [whole, whole.partition("(")[0], "b[n]"]
    assert found["sum"] == ["n + b[n] + 1", "n + b[n]"]


def test_a_node_may_have_several_names_and_a_name_several_kinds() -> None:
    found = _found({"all": "function_definition declaration", "made": "function_definition"})
    assert [text[:5] for text in found["all"]] == ["int f", "int g"]
    assert found["made"] == found["all"][:1]
    assert _found({"loop": "for_statement"}) == {}


def test_only_what_is_under_the_node_counts() -> None:
    first, second = parse_whole(TEXT).root_node.children
    called = kinds(name="identifier")
    assert [n.text for n in nodes_of(second, called)["name"]] == [b"g"]
    assert len(nodes_of(first, called)["name"]) == 6


def test_what_lies_too_deep_is_left_out() -> None:
    text = b"int x = " + b"(" * (2 * DEPTH_LIMIT) + b"1" + b")" * (2 * DEPTH_LIMIT) + b";"
    found = nodes_of(parse_whole(text).root_node, kinds(nested="parenthesized_expression"))
    assert 0 < len(found["nested"]) <= DEPTH_LIMIT
