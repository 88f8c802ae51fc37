"""Sizes of tensors, after PyTorch: `t.size(0)`, `t.numel()`, `t.sizes()[1]`.

A tensor is followed to what made it: a list of sizes, or another tensor that it is like. What is
left has one size along each dimension, by whatever name it is asked for; its elements are as many
as these multiplied, and rows lie one behind the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.host.objects.passed_objects import of_argument
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.tokens import Token, bare, closing, spell, tokenize
from perflint.frontend.source.language.trees import argument_texts

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_METHODS = ("size", "stride", "numel", "dim", "ndimension")
#: Functions whose first argument lists the sizes of what they make.
_MADE = ("empty", "zeros", "ones", "full", "rand", "randn", "new_empty", "new_zeros", "new_ones",
         "new_full", "view", "reshape", "resize_")  # fmt: skip
_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "move")
#: Methods that give a tensor of the same sizes.
_SAME = ("contiguous", "to", "cuda", "clone", "detach", "type", "toType", "float", "half", "double",
         "type_as", "data", "fill_", "zero_", "expect_contiguous")  # fmt: skip
_STEPS = 12
_MOST_DIMENSIONS = 8


@dataclass(frozen=True, eq=False)
class _Tensor:
    """Where a tensor comes from: sizes as written, or the name of one of which no more is known."""

    text: str
    place: Environment
    sizes: tuple[str, ...] | None = None


def tensor_value(place: Environment, name: str, texts: Sequence[str]) -> Value | None:
    """The value of `t.size(0)`, with `t.size` as the name; None where that is no tensor's."""
    base, _, method = name.replace("->", ".").rpartition(".")
    if method not in _METHODS or not base or (method in ("size", "stride")) != (len(texts) == 1):
        return None
    index = None
    if texts:
        number = fold(texts[0], place)
        if number is None or number.term is not None or len(texts) > 1:
            return None
        index = int(number.number)
    member = "." in base and of_argument(place, f"{name}({', '.join(texts)})")
    if isinstance(member, Value):
        return member
    with place.session.look_up(("tensor", name, index, place.key)) as allowed:
        return _value(_followed(place, base), method, index) if allowed else None


def size_of_list(place: Environment, name: str, index: Value | None) -> Value | None:
    """The value of `sizes[0]` behind `auto sizes = t.sizes();`."""
    definition = place.reaching(name)
    if index is None or index.term is not None or definition is None or definition.value is None:
        return None
    text = place.definition_text(definition).replace(" ", "")
    if not text.endswith((".sizes()", "->sizes()")):
        return None
    base = text.removesuffix("sizes()").removesuffix("->").removesuffix(".")
    return tensor_value(place.moved(definition.start), f"{base}.size", (str(index.number),))


def _value(tensor: _Tensor, method: str, index: int | None) -> Value | None:
    if method == "size" and index is not None and index >= 0:
        return _size(tensor, index)
    rank = _rank(tensor)
    if method in ("dim", "ndimension"):
        return None if rank is None else Value(rank, c_types.LONG)
    if method == "numel":
        return None if rank is None else _product(tensor, range(rank))
    if index is None:
        return None
    if index < 0 and rank is not None:
        index += rank
    if method == "size":
        return _size(tensor, index)
    return None if rank is None or index < 0 else _product(tensor, range(index + 1, rank))


def _product(tensor: _Tensor, dimensions: range) -> Value | None:
    product: Value | None = Value(1, c_types.LONG)
    for dimension in dimensions:
        product = c_types.binary("*", product, _size(tensor, dimension))
    return product


def _size(tensor: _Tensor, index: int) -> Value | None:
    """A tensor's size along a dimension: as written, else a root."""
    if tensor.sizes is not None:
        if not -len(tensor.sizes) <= index < len(tensor.sizes):
            return None
        return c_types.convert(fold(tensor.sizes[index], tensor.place), c_types.LONG)
    place = tensor.place
    if not place.inventing:
        return None
    plain = tensor.text.isidentifier()
    owner = place.identity(tensor.text) if plain else (id(place.file), tensor.text)
    line = place.file.source.line_at(place.at)
    where = Span(place.file.path, line, 1, line, 2)
    written = f"{tensor.text}.size({index})"
    return place.session.roots.root(("tensor", owner, index), written, c_types.LONG, where)


def _rank(tensor: _Tensor) -> int | None:
    """How many dimensions a tensor has, as far as its function shows."""
    if tensor.sizes is not None:
        return len(tensor.sizes)
    function = tensor.place.function
    if function is None:
        return None
    return _shown_rank(function.source.text_of(function.node), tensor.text)


@lru_cache(maxsize=512)
def _shown_rank(text: str, tensor: str) -> int | None:
    """The dimensions of a tensor that a function's text names; asked for each size there."""
    if tensor not in text:
        return None
    name = rf"\b{re.escape(tensor)}\s*(?:\.|->)\s*"
    for pattern in (
        rf"{name}(?:dim|ndimension)\s*\(\s*\)\s*==\s*(\d)",
        rf"{name}(?:packed_)?accessor\w*\s*<[^<>,]+,\s*(\d)",
    ):
        if found := re.search(pattern, text):
            return int(found[1])
    asked = [int(n) for n in re.findall(rf"{name}(?:size|stride)\s*\(\s*(\d)\s*\)", text)]
    return max(asked) + 1 if asked else None


def _followed(place: Environment, text: str) -> _Tensor:
    """What made a tensor, through names, casts and tensors that it is like."""
    found = _Tensor("".join(text.split()), place)
    for _ in range(_STEPS):
        following = _back(found)
        if following is None:
            return found
        found = following
        if found.sizes is not None:
            return found
    return found


def _back(tensor: _Tensor) -> _Tensor | None:
    """One step back; None where there is none."""
    place = tensor.place
    tokens = bare(tokenize(tensor.text))
    if len(tokens) == 1 and tokens[0].kind == "name":
        return _of_name(tokens[0].text, place)
    if len(tokens) < 4 or tokens[-1].text != ")":
        return None
    start = _opening(tokens)
    name = tokens[start - 1].text if start else ""
    texts = argument_texts(spell(tokens[start:])) or []
    method = start > 2 and tokens[start - 2].text in (".", "->")
    if method and name in _SAME:
        return _Tensor(spell(tokens[: start - 2]), place)
    if name in _LIKE and texts:
        return _Tensor(texts[0], place)
    if name in _MADE and texts:
        listed = re.search(r"\{.*\}", texts[0])
        sizes = argument_texts(listed[0]) if listed else None
        if sizes and len(sizes) <= _MOST_DIMENSIONS and not any("- 1" in s for s in sizes):
            return _Tensor(tensor.text, place, tuple(sizes))
        if texts[0].replace(" ", "").endswith((".sizes()", "->sizes()")):
            return _Tensor(re.sub(r"\s*(\.|->)\s*sizes\s*\(\s*\)", "", texts[0]), place)
    return None


def _of_name(name: str, place: Environment) -> _Tensor | None:
    body, function = place.body(), place.function
    if body is None or function is None or not place.is_local(name):
        return None
    if body.visible(name, place.at) is None:
        passed = place.argument(function, function.position(name))
        return None if passed is None else _Tensor(*passed)
    definition = place.reaching(name)
    if definition is None or definition.value is None or not definition.known:
        return None
    return _Tensor(place.definition_text(definition), place.moved(definition.start))


def _opening(tokens: Sequence[Token]) -> int:
    """The index of the bracket that the last token closes; 0 where it closes none."""
    last = len(tokens) - 1
    return next((i for i in range(last) if tokens[i].text == "(" and closing(tokens, i) == last), 0)
