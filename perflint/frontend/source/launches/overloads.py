"""Which of several kernels of one name fits what a launch passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.instances import WrittenType, type_of, unpacked
from perflint.frontend.source.language.declarations import Function

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: Begins the spelling of a type that is a parameter which nothing gives: it is no other type.
_OPEN = "typename"
#: Words of types that mean the same everywhere, so that two spellings are two types.
_PLAIN = frozenset(
    {_OPEN, "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"}
)


def like_arguments(
    kernels: Sequence[Function], arguments: Sequence[str], place: Environment
) -> Sequence[Function]:
    """The kernels that take as many arguments, of such types; all where none does."""
    if len(kernels) < 2:
        return kernels
    given = unpacked(arguments, place)
    counted = [k for k in kernels if _least(k) <= len(given) <= len(k.parameters)]
    if len({tuple(p.written for p in k.parameters) for k in counted}) < 2:
        return counted or kernels
    passed = [type_of(text, there) or _open_type(text, there) for text, there in given]
    return [k for k in counted if _fits(k, passed)] or counted or kernels


def _open_type(text: str, place: Environment) -> WrittenType | None:
    """The type of a variable whose type is a parameter that nothing gives: none but itself."""
    if not text.isidentifier():
        return None
    words, depth = place.declared_words(text)
    return (f"{_OPEN} {words}", depth) if place.is_template_type(words) else None


def _least(kernel: Function) -> int:
    return sum(p.default is None and "..." not in p.written for p in kernel.parameters)


def _fits(kernel: Function, passed: Sequence[WrittenType | None]) -> bool:
    """Whether no pointer that is passed is to something else than its parameter's is."""
    types = {p.name for p in kernel.template if p.is_type}
    bound: dict[str, str] = {}
    for parameter, given in zip(kernel.parameters, passed, strict=False):
        if given is None or not (parameter.pointers or given[1]):
            continue  # numbers are converted
        rest = given[1] - parameter.pointers
        if rest < 0 or (rest and parameter.type not in types):
            return False
        spelled = given[0] + "*" * rest
        if parameter.type in types:
            if bound.setdefault(parameter.type, spelled) != spelled:
                return False
        elif parameter.type != spelled and _is_plain(parameter.type, spelled):
            return False
    return True


def _is_plain(type_: str, spelled: str) -> bool:
    """Whether two different spellings are two types, as no name in them stands for another."""
    return _PLAIN.issuperset((*type_.split(), *spelled.split()[:1]))
