"""What a translation unit declares at file scope, parsed and typed when it is first asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.csubset.c_parser import Definition, parse_function, parse_unit
from perflint.frontend.csubset.items import Item, outside_brackets, split_items
from perflint.frontend.csubset.stream import OutsideError, read_stream
from perflint.frontend.csubset.types import INT, Type, typed, vector
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.preprocessor import directives
from perflint.frontend.source.language.tokens import Token, spell

#: Types of the C library that device code uses.
_MORE_TYPES = {"clock_t": c_types.LONG}
Fold = Callable[[Any, "Unit"], "int | float | None"]


@dataclass(frozen=True, eq=False)
class Global:
    """A variable at file scope."""

    space: str  #: `const`, `global`, `shared`; "" for one of the host's
    item: Item
    node: Any  #: pycparser's Decl


class Unit:
    """The declarations of a translation unit. `fold` evaluates a constant expression's tree."""

    def __init__(self, tokens: Sequence[Token], fold: Fold) -> None:
        self._fold = fold
        self.functions: dict[str, list[Item]] = {}
        self.kernels: list[Item] = []
        self._type_items: dict[str, Item] = {}
        self._enumerator_items: dict[str, Item] = {}
        self._variable_items: dict[str, Item] = {}
        for item in (*split_items(tokens), *prelude_types()):
            self._add(item)
        self._types: dict[str, Type | None] = {}
        self._enumerators: dict[str, int] = {}
        self._globals: dict[str, Global | None] = {}
        self._definitions: dict[int, Definition] = {}
        self._running: set[str] = set()

    def _add(self, item: Item) -> None:
        if item.is_kernel:
            self.kernels.append(item)
        elif item.kind == "function":
            self.functions.setdefault(item.name, []).append(item)
        elif item.kind == "type":
            for name in _type_names(item.tokens):
                self._type_items.setdefault(name, item)
            for name in _enumerator_names(item.tokens):
                self._enumerator_items.setdefault(name, item)
        else:
            for name in _variable_names(item.tokens):
                # A definition is worth more than an `extern` declaration.
                if name not in self._variable_items or not item.has("extern"):
                    self._variable_items[name] = item

    # --- types -------------------------------------------------------------------------------

    def is_type(self, name: str) -> bool:
        """Whether a name is a type's."""
        return name in self._type_items or name in c_types.TYPES or name in _MORE_TYPES

    def type(self, name: str) -> Type:
        """A typedef, struct or enum by name. Raises OutsideError for one that is not C."""
        if name not in self._types:
            if name in self._running:
                raise OutsideError(f"recursive type {name}")
            self._running.add(name)
            try:
                self._types[name] = self._find_type(name)
            finally:
                self._running.discard(name)
        found = self._types[name]
        if found is None:
            raise OutsideError(f"type {name}")
        return found

    def _find_type(self, name: str) -> Type | None:
        item = self._type_items.get(name)
        known = vector(name) or c_types.TYPES.get(name) or _MORE_TYPES.get(name)
        if item is None or (item in prelude_types() and known is not None):
            return None if known is None or getattr(known, "kind", "") == "opaque" else known
        if item.template:
            raise OutsideError("template", item.tokens[0])
        align = _alignment(item.tokens)
        for node in parse_unit(item.tokens, self.is_type):
            if getattr(node, "name", None) == name:
                return typed(node.type, self, align=align)
            tagged = getattr(node, "type", None)
            while tagged is not None and type(tagged).__name__ not in ("Struct", "Union", "Enum"):
                tagged = getattr(tagged, "type", None)
            if tagged is not None and tagged.name == name:
                return INT if type(tagged).__name__ == "Enum" else typed(tagged, self, align=align)
        return None

    def fold(self, node: Any) -> int | float | None:
        """The value of a constant expression's tree; None if it has none."""
        return self._fold(node, self)

    # --- names -------------------------------------------------------------------------------

    def enumerator(self, name: str) -> int | None:
        """The value of an enumerator, or None."""
        if name not in self._enumerators and name in self._enumerator_items:
            for node in parse_unit(self._enumerator_items[name].tokens, self.is_type):
                self._enumerators.update(_enumerators(node, self.fold))
        return self._enumerators.get(name)

    def variable(self, name: str) -> Global | None:
        """A variable at file scope, or None. Raises OutsideError if its declaration is not C."""
        if name not in self._globals:
            item = self._variable_items.get(name)
            self._globals[name] = None if item is None else self._find_variable(name, item)
        return self._globals[name]

    def _find_variable(self, name: str, item: Item) -> Global | None:
        if item.template:
            raise OutsideError("template", item.tokens[0])
        spaces = {"__constant__": "const", "__shared__": "shared", "__device__": "global"}
        space = next((s for word, s in spaces.items() if item.has(word)), "")
        for node in parse_unit(item.tokens, self.is_type):
            if type(node).__name__ == "Decl" and node.name == name:
                return Global(space, item, node)
        return None

    def definition(self, item: Item) -> Definition:
        """A function, parsed. Raises OutsideError where it is not C."""
        if id(item) not in self._definitions:
            if item.template:
                raise OutsideError("template", item.tokens[0])
            self._definitions[id(item)] = parse_function(item, self.is_type)
        return self._definitions[id(item)]


def _alignment(tokens: Sequence[Token]) -> int:
    """`__align__(16)` or `alignas(16)` of a type; 0 if there is none."""
    for at, token in enumerate(tokens[:-2]):
        if token.text in ("__align__", "alignas") and tokens[at + 2].text.isdigit():
            return int(tokens[at + 2].text)
    return 0


_TAG = pattern(r"\b(?:struct|class|union|enum) (?:\w+ \( \) )?(?!struct|class)([A-Za-z_]\w*)")
_DECLARED = pattern(r"\b([A-Za-z_]\w*) (?=[=\[,;])")
_FUNCTION_TYPE = pattern(r"\( \* ([A-Za-z_]\w*)")


def _type_names(tokens: Sequence[Token]) -> Iterator[str]:
    head = spell(list(outside_brackets(tokens)))
    yield from _TAG.findall(head)
    if tokens[0].text == "typedef":
        yield from _DECLARED.findall(head.rpartition("}")[2])
        yield from _FUNCTION_TYPE.findall(spell(tokens))
    elif tokens[0].text == "using" and len(tokens) > 3 and tokens[2].text == "=":
        yield tokens[1].text


def _enumerator_names(tokens: Sequence[Token]) -> Iterator[str]:
    if {"enum", "{"} <= {t.text for t in tokens}:
        for before, token in itertools.pairwise(tokens):
            if before.text in ("{", ",") and token.kind == "name":
                yield token.text


def _enumerators(node: Any, fold: Callable[[Any], int | float | None]) -> Iterator[tuple[str, int]]:
    while node is not None and type(node).__name__ != "Enum":
        node = getattr(node, "type", None)
    if node is None or node.values is None:
        return
    following = 0
    known: Mapping[str, int] = {}
    for enumerator in node.values.enumerators:
        if enumerator.value is not None:
            value = fold(enumerator.value)
            if value is None:
                value = known.get(getattr(enumerator.value, "name", ""))
            if value is None:
                return
            following = int(value)
        known = {**known, enumerator.name: following}
        yield enumerator.name, following
        following += 1


def _variable_names(tokens: Sequence[Token]) -> Iterator[str]:
    """The names that a declaration may declare: what stands before `=`, `[`, `,` or `;`."""
    yield from _DECLARED.findall(spell(list(outside_brackets(tokens))))


@lru_cache(maxsize=1)
def _text() -> str:
    return files("perflint.frontend").joinpath("headers", "pre.h").read_text("utf-8")


@lru_cache(maxsize=1)
def prelude_macros() -> Mapping[str, str]:
    """Constants of <limits.h>, <float.h>, <math.h> and <stdint.h>, as the compiler is given them.

    The macros of the header that the NVRTC front end puts before every source; those with
    parameters are left out.
    """
    found: dict[str, str] = {}
    for _, _, word, rest in directives(_text()):
        name, _, body = rest.strip().partition(" ")
        if word == "define" and name.isidentifier() and body.strip():
            found[name] = body.strip()
    return found


@lru_cache(maxsize=1)
def prelude_types() -> tuple[Item, ...]:
    """The header's plain typedefs: `u_int32_t` and the like."""
    tokens = read_stream(Path("pre.h"), _text(), lambda *_: None, {}, "sm_80")
    return tuple(
        item
        for item in split_items(tokens)
        if item.kind == "type" and not item.template and item.tokens[0].text == "typedef"
    )
