"""What a function does with an array of its own or of its caller's, use by use.

A use is plain where it reads the array, sets it in a way that can be read, or is nothing to its
contents. An array with one other use counts as unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from perflint.base.records import dataclass
from perflint.frontend.source.host.values.allocations import ALLOCATORS
from perflint.frontend.source.language.body_writes import COPIED_FROM, operator_of
from perflint.frontend.source.language.declarations import Call, Function, call_of
from perflint.frontend.source.language.trees import Source, children_of, spelled

if TYPE_CHECKING:
    from tree_sitter import Node

#: `fill`: every byte, by memset; `copy`: of another array; `element`: an assignment to one;
#: `same` and `count`: std::fill and std::iota; `declared`: with its declaration; `allocated`:
#: by what an assignment has on its right; `given`: to a function or a kernel.
#: `returned`: what its function returns is this array.
Kind = Literal[
    "fill", "copy", "element", "same", "count", "declared", "allocated", "given", "returned"
]


@dataclass(frozen=True, eq=False)
class Use:
    """A use of an array that may set it."""

    kind: Kind
    node: Node  #: the call, the assignment or the declarator
    call: Call | None = None
    position: int = 0  #: of `given`: which argument
    launch: bool = False  #: of `given`: a kernel's


#: Functions that get a pointer and leave what it points to alone.
_HARMLESS = frozenset(ALLOCATORS) | {
    *("free", "cudaFree", "cudaFreeAsync", "cudaFreeHost", "cuMemFree", "cuMemFree_v2"),
    *("cudaMemPrefetchAsync", "cudaMemAdvise", "cudaHostRegister", "cudaHostUnregister"),
    *("printf", "fprintf", "assert"),
}
_FILLS = frozenset(("memset", "cudaMemset", "cudaMemsetAsync", "cuMemsetD8", "cuMemsetD8_v2"))
#: Copies (to, from, …).
_COPIES = frozenset(("memcpy", *(name for name, at in COPIED_FROM.items() if at == 1)))
_SIZES = frozenset(("size", "empty", "length", "capacity", "max_size"))
_COMPARISONS = frozenset(("==", "!=", "&&", "||"))
_WRAPPERS = frozenset(("parenthesized_expression", "cast_expression"))


#: Mentions of a variable in one function from which on nobody reads what becomes of it.
MOST_MENTIONS = 500


@lru_cache(maxsize=1024)
def uses(function: Function, name: str) -> tuple[Use, ...] | None:
    """The uses of a variable of a function that may set the array behind it.

    In text order; None where one of its uses is not plain, or where it is mentioned more than
    MOST_MENTIONS times. It is told by its name alone: a function that declares it twice has no
    plain uses of it.
    """
    source, found, declared = function.source, list[Use](), False
    reader = _Reader(source)
    for count, node in enumerate(spelled(function.node, source.bytes, name)):
        if count == MOST_MENTIONS:
            return None
        if node.type != "identifier":
            continue
        read = reader.use(node)
        if read is None or (read == "declared" and declared):
            return None
        if read == "declared":
            declared = True
        else:
            found += read
    return tuple(found)


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._calls: dict[int, Call | None] = {}  #: by their nodes: some have many arguments

    def use(self, node: Node) -> Sequence[Use] | Literal["declared"] | None:
        """What one mention is: nothing to the contents (`()`), uses, or None for any other."""
        outer = node.parent
        if outer is None:
            return None
        if outer.type.endswith("declarator") and outer.child_by_field_name("value") != node:
            return self._declared(outer)
        if outer.type in ("declaration", "parameter_declaration", "optional_parameter_declaration"):
            return "declared"
        if outer.type == "field_expression":
            return self._method(outer)
        if outer.type == "subscript_expression" and outer.child_by_field_name("argument") == node:
            return self._element(outer)
        return self._pointer(node)

    def _declared(self, declarator: Node) -> Sequence[Use] | Literal["declared"] | None:
        while declarator.parent is not None and declarator.parent.type.endswith("declarator"):
            declarator = declarator.parent
        value = declarator.child_by_field_name("value")
        if value is None:
            return "declared"
        if value.type in ("argument_list", "initializer_list"):  # its elements, or their number
            return [Use("declared", declarator)]
        return [Use("allocated", value)]

    def _pointer(self, node: Node) -> Sequence[Use] | None:
        """What is done with a pointer to the array's first element."""
        outer = node.parent
        while outer is not None and (
            outer.type in _WRAPPERS
            or (outer.type == "pointer_expression" and operator_of(outer) == "&")
        ):
            node, outer = outer, outer.parent
        if outer is None:
            return None
        if outer.type == "argument_list":
            return self._argument(node, outer)
        if outer.type == "return_statement":
            return [Use("returned", outer)]
        if outer.type == "assignment_expression" and outer.child_by_field_name("left") == node:
            value = outer.child_by_field_name("right")
            plain = operator_of(outer) == "=" and value is not None
            return [Use("allocated", value)] if plain and value is not None else None
        if outer.type == "binary_expression" and operator_of(outer) in _COMPARISONS:
            return ()
        if outer.type == "unary_expression" and operator_of(outer) == "!":
            return ()
        if outer.type == "pointer_expression":  # `*a`
            sized = outer.parent is not None and outer.parent.parent is not None
            parents = (outer.parent, outer.parent.parent) if sized and outer.parent else ()
            return () if any(p and p.type == "sizeof_expression" for p in parents) else None
        return () if outer.type in ("delete_expression", "sizeof_expression") else None

    def _argument(self, node: Node, arguments: Node) -> Sequence[Use] | None:
        whole = arguments.parent
        if whole is None:
            return None
        if whole.id not in self._calls:
            self._calls[whole.id] = call_of(self._source, whole)
        call = self._calls[whole.id]
        if call is None:
            return None
        position = [a.id for a in call.arguments].index(node.id) if node in call.arguments else -1
        launch = any(c.type == "kernel_call_syntax" for c in whole.children)
        if call.name in _HARMLESS:
            return ()
        if call.name in _FILLS:
            return [Use("fill", whole, call)] if position == 0 else None
        if call.name in _COPIES:
            return [Use("copy", whole, call)] if position == 0 else ()
        if position < 0 or call.through_object:
            return None
        return [Use("given", whole, call, position, launch)]

    def _method(self, field: Node) -> Sequence[Use] | None:
        """`a.data()`, `a.size()`, `a.begin()`: of a container on the host."""
        name = field.child_by_field_name("field")
        called = field.parent
        if name is None or called is None or called.type != "call_expression":
            return None
        method = self._source.text_of(name)
        if method in _SIZES:
            return ()
        if method == "data":
            return self._pointer(called)
        if method in ("begin", "end"):
            return self._range(called, method)
        return None

    def _range(self, called: Node, method: str) -> Sequence[Use] | None:
        """`std::fill(a.begin(), a.end(), 1)`, `std::iota(a.begin(), a.end(), 0)`."""
        outer = called.parent.parent if called.parent is not None else None
        call = call_of(self._source, outer) if outer is not None else None
        if outer is None or call is None or call.name not in ("fill", "iota"):
            return None
        if len(call.arguments) != 3:
            return None
        kind: Kind = "same" if call.name == "fill" else "count"
        return [Use(kind, outer, call)] if method == "begin" else ()

    def _element(self, access: Node) -> Sequence[Use] | None:
        outer = access.parent
        node = access
        while outer is not None and outer.type in _WRAPPERS:
            node, outer = outer, outer.parent
        if outer is None or outer.type in ("subscript_expression", "update_expression"):
            return None  # of an array of arrays, or `a[i]++`
        if outer.type == "pointer_expression" and operator_of(outer) == "&":
            index = "".join(self._source.text_of(c) for c in children_of(access)[1:])
            return self._pointer(outer) if index.strip("[] ") == "0" else None
        if outer.type == "field_expression":
            return None  # an array of structures
        if outer.type == "argument_list":  # it may take a reference
            call = call_of(self._source, outer.parent) if outer.parent is not None else None
            return () if call is not None and call.name in _HARMLESS else None
        if outer.type == "assignment_expression" and outer.child_by_field_name("left") == node:
            return [Use("element", outer)]
        shifts_in = outer.type == "binary_expression" and operator_of(outer) == ">>"
        return None if shifts_in else ()
