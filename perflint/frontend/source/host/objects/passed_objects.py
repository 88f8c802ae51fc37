"""What is asked of a parameter, asked of the object that the caller passes.

`Packed(Spec &spec) : n(spec.values.numel())` in `Packed(first)`: two objects have numbers of their
own, and one has the same wherever it goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.reaching_definitions import PARAMETER

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: The name of what is asked, and what may be passed for it.
_ASKED = pattern(r"([A-Za-z_]\w*)\s*(?:\.|->)")
_PASSED = pattern(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*\w+)*")


def of_argument(place: Environment, text: str) -> Value | None:
    """The value of `spec.values.numel()` where `spec` is a parameter whose caller is known."""
    asked = _ASKED.match(text)
    function, body = place.function, place.body()
    if asked is None or function is None or body is None or function.parameter(asked[1]) is None:
        return None
    if body.reaching(asked[1], place.at) is not PARAMETER:
        return None
    given = place.argument(function, function.position(asked[1]))
    if given is None or _PASSED.fullmatch(given[0]) is None:
        return None
    with place.session.look_up(("asked", text, place.key)) as allowed:
        return fold(f"{given[0]} {text[asked.end(1) :]}", given[1]) if allowed else None
