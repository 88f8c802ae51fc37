"""The other places of a finding about several accesses."""

from tests.rules.test_rules import HERE, lint


def test_what_a_loop_goes_through_at_last_is_no_other_place() -> None:
    source = HERE / "CU107" / "last_stores.cu"
    [found] = [f for f in lint(source) if f.code == "CU107"]
    lines = source.read_text().splitlines()
    along = [r.place.line for r in found.related if r.message == "counted together with this one"]
    assert any("best[k] = best[k - 1]" in lines[n - 1] for n in along)
    assert not any("out[" in lines[n - 1] for n in along)
