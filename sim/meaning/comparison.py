"""Comparison and selection (PTX ISA 9.7.6 and 9.7.7)."""

from __future__ import annotations

import operator

import numpy as np

from perflint.sim.meaning.floating import flushed
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.values import DTYPE, Value, bf16_to_f32

_ORDERED: dict[str, Function] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
#: Unsigned spellings of the same comparisons, of unsigned integers only.
_ALIASES = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_UNORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}
_JOINS: dict[str, Function] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_FLAGS = " ".join([*_ORDERED, *_ALIASES, *_UNORDERED, "num nan", *_JOINS, "ftz"])


def comparison(name: str, ptx_type: str) -> Function | None:
    """The comparison `name` of two values of a type, giving booleans; None if there is none."""
    name = _ALIASES.get(name, name)
    floats = ptx_type[0] == "f" or ptx_type == "bf16"
    if not floats:
        return _ORDERED.get(name)
    if name == "ne":  # ordered: false where either is NaN, which NumPy's is not
        return lambda a, b: (a < b) | (a > b)
    if name == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    if name == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if name in _UNORDERED:
        if name == "neu":
            return operator.ne
        opposite = {"equ": "ne", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}[name]
        if opposite == "ne":
            return lambda a, b: ~((a < b) | (a > b))
        ordered = _ORDERED[opposite]
        return lambda a, b: ~ordered(a, b)
    return _ORDERED.get(name)


def _compare(form: Form, ptx_type: str) -> Function | None:
    """The comparison of a `setp` or `set` form, on values as they are held."""
    function = comparison(form.modifiers[0], ptx_type)
    if function is None or ptx_type.endswith("x2"):
        return None
    if ptx_type == "bf16":
        return lambda a, b: function(bf16_to_f32(a), bf16_to_f32(b))
    if "ftz" in form.flags and ptx_type in ("f32", "f16"):
        return lambda a, b: function(flushed(a), flushed(b))
    return function


@meaning("setp", flags=_FLAGS)
def _setp(form: Form) -> Meaning | None:
    t = form.type
    compare = _compare(form, t)
    if compare is None:
        return None
    return joined_with(form, compare, t)


def joined_with(form: Form, compare: Function, ptx_type: str) -> Meaning:
    """A comparison of two values as a predicate, joined with a third one where the form says so."""
    join = next((_JOINS[m] for m in form.modifiers[1:] if m in _JOINS), None)
    if join is None:
        return Meaning(compare, ("pred",), (ptx_type, ptx_type))

    def joined(a: Value, b: Value, c: Value) -> Value:
        return join(compare(a, b), c)

    return Meaning(joined, ("pred",), (ptx_type, ptx_type, "pred"))


def complement(form: Form) -> Meaning | None:
    """The second predicate of `setp p|q`: of the opposite comparison, joined the same way."""
    t = form.type
    compare = _compare(form, t)
    if compare is None:
        return None
    join = next((_JOINS[m] for m in form.modifiers[1:] if m in _JOINS), None)
    if join is None:
        return Meaning(lambda a, b: ~compare(a, b), ("pred",), (t, t))
    return Meaning(lambda a, b, c: join(~compare(a, b), c), ("pred",), (t, t, "pred"))


@meaning("set", flags=_FLAGS)
def _set(form: Form) -> Meaning | None:
    if len(form.types) != 2:
        return None
    result, t = form.types
    compare = _compare(form, t)
    if compare is None or result.endswith("x2"):
        return None
    dtype = DTYPE[result]
    if dtype.kind == "f":
        true, false = dtype.type(1), dtype.type(0)
    elif result == "bf16":
        true, false = dtype.type(0x3F80), dtype.type(0)
    else:
        true, false = np.array([-1]).astype(dtype)[0], dtype.type(0)
    join = next((_JOINS[m] for m in form.modifiers[1:] if m in _JOINS), None)
    if join is None:
        return Meaning(lambda a, b: np.where(compare(a, b), true, false), (result,), (t, t))
    return Meaning(
        lambda a, b, c: np.where(join(compare(a, b), c), true, false), (result,), (t, t, "pred")
    )


def _select(a: Value, b: Value, p: Value) -> Value:
    return np.where(p, a, b)


def _bits(ptx_type: str) -> str:
    """Selection moves bits; floats stay floats, so that no view is needed."""
    return "u" + ptx_type[1:] if ptx_type[0] in "sb" and ptx_type[1:].isdigit() else ptx_type


@meaning("selp")
def _selp(form: Form) -> Meaning:
    t = _bits(form.type)
    return Meaning(_select, (t,), (t, t, "pred"))


@meaning("slct", flags="ftz")
def _slct(form: Form) -> Meaning | None:
    if len(form.types) != 2:
        return None
    t, selector = _bits(form.types[0]), form.types[1]
    return Meaning(lambda a, b, c: np.where(c >= 0, a, b), (t,), (t, t, selector))
