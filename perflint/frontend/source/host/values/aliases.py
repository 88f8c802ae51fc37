"""What a name stands for: one value that is reached by several names is one root.

`const Level &l = levels[i]; k<<<levels[i].w, 64>>>(l.w)` has one width, not two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.origins import followed
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: Where an expression was followed to a place that several names may lead to: `levels[i]`, `a.b`.
_PLACE = pattern(r"[A-Za-z_][\w\s.:\[\]()+*-]*(?:->[\w\s.:\[\]()+*-]*)*")


def elsewhere_named(place: Environment, text: str) -> Value | None:
    """The value of a member under the name that it has where its object comes from.

    None where that is the name that it has here.
    """
    found = followed(text, place)
    if not found.path or not _PLACE.fullmatch(found.text):
        return None
    name = f"{found.text}.{'.'.join(found.path)}"
    if found.place.function is place.function and _plain(name) == _plain(text):
        return None
    with place.session.look_up(("alias", _plain(name), found.place.key)) as allowed:
        return fold(name, found.place) if allowed else None


def _plain(text: str) -> str:
    return "".join(text.replace("->", ".").split())
