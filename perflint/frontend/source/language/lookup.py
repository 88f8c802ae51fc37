"""Where an expression looks up its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.macros import Macro


@dataclass(frozen=True)
class Declared:
    """What a declaration says of a name: `float *a[4]` is (FLOAT, 1, (4,))."""

    type: CType | None
    pointers: int = 0
    extents: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Hidden:
    """An expression that names and constants do not tell the value of."""

    text: str
    called: str = ""  #: the function that it calls
    base: str = ""  #: the variable that a member or element is taken of: `p` of `p->n`, `p[i]`
    fields: tuple[str, ...] = ()  #: the members, from that variable on: `shape`, `x`
    depth: int = 0  #: subscripts and dereferences
    subscripts: int = 0  #: those of the last member: `a.b[i]` has one


class Names:
    """Where an expression looks up its names: macros and constants, here.

    Every answer may be None: unknown.
    """

    def __init__(
        self,
        macros: Mapping[str, Macro] | None = None,
        constants: Mapping[str, Value] | None = None,
    ) -> None:
        self._macros, self._constants = macros or {}, constants or {}

    @property
    def macros(self) -> Mapping[str, Macro]:
        """The macros in force."""
        return self._macros

    def variable(self, name: str) -> Value | None:
        """The value of a variable, a constant or an enumerator."""
        return self._constants.get(name)

    def member(self, name: str, field: str) -> Value | None:
        """The value of `name.field`."""
        return None

    def path(self, text: str) -> Value | None:
        """The value of a member that is reached otherwise: `a->b`, `a.b.c`, `f(n).b`."""
        return None

    def element(self, name: str, value: Value | None, index: str) -> Value | None:
        """The value of `name[index]`; `value` is the index's."""
        return None

    def listed(self, text: str, value: Value | None) -> Value | None:
        """The value of an element of what an expression lists; `value` is the index's."""
        return None

    def call(
        self, name: str, texts: Sequence[str], arguments: Sequence[Value | None]
    ) -> Value | None:
        """The value of a function's call; `texts` are the arguments as C."""
        return None

    @property
    def inventing(self) -> bool:
        """Whether values that reading cannot tell are roots, with numbers of their own."""
        return False

    def reading(self) -> AbstractContextManager[None]:
        """While it lasts nothing is a root: a condition is decided by what is known."""
        return nullcontext()

    def unreadable(self, hidden: Hidden) -> Value | None:
        """The root that an expression is, which cannot be read."""
        return None

    def chosen(self, condition: str) -> bool | None:
        """Whether a condition was chosen to hold; None where it was not asked for."""
        return None

    def branch(self, condition: str, clamped: bool = False) -> bool | None:
        """Whether a condition of unknown value is taken to hold.

        `clamped`: of a bound and what it bounds, `n < 64 ? n : 64`. Of a grid the bound is rare.
        """
        return None

    def bounded(self, condition: str) -> bool | None:
        """As `branch`, of the condition under which `min` is not the bound that is known."""
        return None

    def type(self, name: str) -> CType | None:
        """The type of this name."""
        return None

    def assumes_type(self, name: str) -> bool:
        """Whether a name is a type parameter that no call in sight gives, and is assumed here."""
        return False

    def declared(self, name: str) -> Declared | None:
        """What the declaration of a variable says."""
        return None


def type_of_words(words: Sequence[str], names: Names) -> CType | None:
    """The scalar type that a declaration's words name, typedefs followed."""
    kept = tuple(w for w in words if w not in ("const", "volatile", "constexpr", "static"))
    basic = c_types.basic_type(kept)
    if basic is None and len(kept) == 1:
        return names.type(kept[0])
    return basic
