"""What worlds are looked for with: formulas are computed as often as it takes."""

from __future__ import annotations

import pytest

from perflint.frontend.source.language.c_types import INT, Value
from perflint.frontend.source.language.terms import Applied, Constant, Root, Unknown
from perflint.lint import world_model
from perflint.lint.world_model import Launching


def test_a_formula_is_computed_once_for_what_its_own_roots_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    roots = tuple(Root(name, INT, 1) for name in ("n", "m"))
    more = Applied("+", (Unknown(0), Constant(Value(3, INT))))
    launching = Launching(roots, {}, (), (more,), (), 1, ())
    computed: list[object] = []
    evaluate = world_model.evaluate
    monkeypatch.setattr(
        world_model, "evaluate", lambda *given: computed.append(given) or evaluate(*given)
    )
    assert [launching.number(more, (n, m)) for n in (1, 2) for m in (5, 6, 7)] == [4] * 3 + [5] * 3
    assert len(computed) == 2
    assert launching.number(more, (2**31 - 1, 5)) is None  # C gives it none, and that is kept, too
    assert launching.number(more, (2**31 - 1, 6)) is None
    assert len(computed) == 3
