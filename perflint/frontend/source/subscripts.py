"""Memory accesses as written in kernels and device functions: `a[i]`, `*(p + i)`, `p->x`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.declarations import Function, call_of
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.model import Subscript
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import spell, tokenize
from perflint.frontend.source.language.trees import Source, children_of
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

MACRO_LIMIT = 2_000  #: uses of macros that are expanded in one function
SUBSCRIPT_LIMIT = 20_000  #: accesses read from one file
#: Accesses × statements of one function: to find a node's parent, the tree is searched.
SEARCH_LIMIT = 100_000_000
_CLIMB_LIMIT = 32

# CUDA's atomic functions, C++'s on atomics, and their vector and scope variants.
_ATOMIC = pattern(r"atomic[A-Z]\w*|__(?:nv_)?atomic_\w+|red_\w+")
# Loads and stores with cache hints (CUDA C++ Programming Guide, load and store functions).
_HINTED_LOADS = {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"}
_HINTED_STORES = {"__stwb", "__stcg", "__stcs", "__stwt"}
_CASTS = {"reinterpret_cast", "static_cast", "const_cast"}
_MARKS = {"[", "*", "->"}  #: without one of these a macro's body accesses nothing
_UNEVALUATED = ("sizeof_expression", "decltype", "alignof_expression")


def subscripts_of(file: File) -> tuple[Subscript, ...]:
    """Every access in a file's kernels and device functions, in text order."""
    result: list[Subscript] = []
    for function in file.declarations.functions:
        if not function.on_device or function.body is None:
            continue
        accesses = _Accesses(file, function)
        limit = SEARCH_LIMIT // max(1, function.body.child_count)
        for node in accesses.each()[: min(limit, SUBSCRIPT_LIMIT - len(result))]:
            result += accesses.access(node)
        calls = accesses.calls()[: min(limit, SUBSCRIPT_LIMIT - len(result))]
        for node in calls:
            result += accesses.pointer_argument(node)
        written = {(s.array, s.span.line) for s in result}
        for node in calls[:MACRO_LIMIT]:
            result += (
                s for s in accesses.behind_macro(node) if (s.array, s.span.line) not in written
            )
    return tuple(sorted(result, key=lambda s: (s.span.line, s.span.column, s.span.end_column)))


class _Accesses:
    def __init__(self, file: File, function: Function) -> None:
        self._file = file
        self._source: Source = file.source
        self._function = function
        self._body: Body = file.body(function)
        self._pointers = {p.name for p in function.parameters if p.pointers}

    def each(self) -> list[Node]:
        """What accesses something in the function's body, in text order."""
        return self._inside(self._body.accesses)

    def calls(self) -> list[Node]:
        """The calls in the function's body, in text order."""
        return self._inside(self._body.calls)

    def _inside(self, nodes: Sequence[Node]) -> list[Node]:
        body = self._function.body
        assert body is not None
        return [n for n in nodes if n.start_byte >= body.start_byte]

    def access(self, node: Node) -> list[Subscript]:
        """The access that a subscript, dereference or arrow makes, unless it is part of one."""
        whole = _whole(node)
        if whole is None:
            return []
        array = self._base(node, 0)
        if not array or array == "this":
            return []
        directions = _directions(self._source, whole)
        if directions is None:
            return []
        return [self._subscript(whole, array, *directions)]

    def pointer_argument(self, node: Node) -> list[Subscript]:
        """`atomicAdd(p + i, 1)`, `__ldg(p + i)`: an access without brackets."""
        call = call_of(self._source, node)
        if call is None or not call.arguments or call.through_object:
            return []
        kind = _access_function(call.name)
        target = call.arguments[0]
        if kind is None or target.type == "pointer_expression":
            return []
        array = self._base(target, 0)
        return [self._subscript(target, array, *kind)] if array else []

    def behind_macro(self, node: Node) -> list[Subscript]:
        """The accesses that the use of a function-like macro expands to, placed at the use."""
        call = call_of(self._source, node)
        macros = self._file.macros_at(node.start_byte)
        macro = macros.get(call.name) if call is not None else None
        if macro is None or not macro.known or _MARKS.isdisjoint(t.text for t in macro.body):
            return []
        try:
            expansion = spell(expand(tokenize(self._source.text_of(node)), macros))
        except ExpansionError:
            return []
        inner = File(Preprocessed(self._file.path, f"void expansion() {{ {expansion} ; }}", {}))
        functions = inner.declarations.functions
        if len(functions) != 1 or functions[0].body is None:
            return []
        within = _Accesses(inner, functions[0])
        result = []
        for access in within.each():
            whole, array = _whole(access), within._base(access, 0)
            if whole is None or not array or array == "this":
                continue
            outer = whole
            while outer.parent is not None and outer.parent.type == "parenthesized_expression":
                outer = outer.parent
            is_all = outer.parent is not None and outer.parent.parent == functions[0].body
            directions = (
                _directions(self._source, node) if is_all else _directions(inner.source, whole)
            )
            if directions is not None:
                result.append(self._subscript(node, array, *directions))
        return result

    def _subscript(
        self, node: Node, array: str, load: bool, store: bool, atomic: bool
    ) -> Subscript:
        text = " ".join(self._source.text_of(node).split())
        return Subscript(
            array=array,
            text=text,
            span=self._source.line_span(node),
            store=store,
            load=load,
            atomic=atomic,
            function=self._function.name,
            origin=self._origin(array, node.start_byte, 0),
            space=self._space(array, node.start_byte),
        )

    def _base(self, node: Node | None, depth: int) -> str:
        """The name that an address starts from; "" where there is none."""
        if node is None or depth > _CLIMB_LIMIT:
            return ""
        kind = node.type
        if kind in ("identifier", "field_identifier"):
            return self._source.text_of(node)
        if kind in ("subscript_expression", "pointer_expression", "update_expression"):
            return self._base(node.child_by_field_name("argument"), depth + 1)
        if kind == "field_expression":
            base = self._base(node.child_by_field_name("argument"), depth + 1)
            is_own = node.children[:1] and node.children[0].type == "this"
            return self._base(node.child_by_field_name("field"), depth + 1) if is_own else base
        if kind == "cast_expression":
            return self._base(node.child_by_field_name("value"), depth + 1)
        if kind == "parenthesized_expression":
            children = children_of(node)
            return self._base(children[0], depth + 1) if len(children) == 1 else ""
        if kind == "qualified_identifier":
            return self._base(node.child_by_field_name("name"), depth + 1)
        if kind == "binary_expression":
            return self._side(node, depth)
        if kind == "call_expression":
            call = call_of(self._source, node)
            if call is not None and call.name in _CASTS and len(call.arguments) == 1:
                return self._base(call.arguments[0], depth + 1)
        return ""

    def _side(self, node: Node, depth: int) -> str:
        """The pointer of `p + i` or `i + p`: the side that is declared as one, else the left."""
        left = self._base(node.child_by_field_name("left"), depth + 1)
        right = self._base(node.child_by_field_name("right"), depth + 1)
        if right and not self._is_pointer(left) and self._is_pointer(right):
            return right
        return left

    def _is_pointer(self, name: str) -> bool:
        if name in self._pointers:
            return True
        definitions = self._body.definitions.get(name, ())
        return any(d.declares and (d.pointers or d.extents) for d in definitions)

    def _origin(self, array: str, at: int, depth: int) -> str | None:
        """Where a local pointer came from, if all that is assigned to it starts from one name."""
        declaration = self._body.visible(array, at)
        if declaration is None or declaration.extents or depth > 8:
            return None
        if not declaration.pointers and declaration.type != "auto":
            return None
        values = [d.value for d in self._body.writes(array, declaration) if d.value is not None]
        bases = {self._base(value, 0) for value in values} - {array}
        if len(bases) != 1 or "" in bases:
            return None
        base = bases.pop()
        return self._origin(base, declaration.start, depth + 1) or base

    def _space(self, array: str, at: int) -> str | None:
        declaration = self._body.visible(array, at)
        if declaration is None:
            if array in self._body.parameters:
                return None
            declaration = next(iter(self._file.variables.get(array, ())), None)
            return declaration.space or None if declaration is not None else None
        if declaration.space:
            return declaration.space
        return "local" if declaration.extents and not declaration.pointers else None


def _whole(node: Node) -> Node | None:
    """The whole member expression `a[i].x`; None if the node is an inner part of an access."""
    current = node
    for _ in range(_CLIMB_LIMIT):
        parent = current.parent
        if parent is None:
            return current
        if parent.type == "parenthesized_expression":
            outer = _whole_parenthesised(parent)
            if outer is None:
                return current
            current = outer
            continue
        is_argument = parent.child_by_field_name("argument") == current
        if parent.type == "subscript_expression" and is_argument:
            return None
        if parent.type == "field_expression" and is_argument:
            operator = parent.child_by_field_name("operator")
            if operator is not None and operator.type == ".":
                current = parent
                continue
        return current
    return current


def _whole_parenthesised(node: Node) -> Node | None:
    """`(*p)` where a member or a subscript follows; None where the brackets only group."""
    parent = node.parent
    if parent is None or parent.type not in ("field_expression", "subscript_expression"):
        return None
    return node if parent.child_by_field_name("argument") == node else None


def _directions(source: Source, node: Node) -> tuple[bool, bool, bool] | None:
    """(load, store, atomic) by what surrounds an access; None if it is none."""
    current, parent = node, node.parent
    address = False
    for _ in range(_CLIMB_LIMIT):
        if parent is None or parent.type in _UNEVALUATED:
            return None
        if parent.type == "assignment_expression" and not address:
            if parent.child_by_field_name("left") != current:
                break
            operator = parent.child_by_field_name("operator")
            return (operator is not None and operator.type != "=", True, False)
        if parent.type == "update_expression" and not address:
            return True, True, False
        if parent.type == "pointer_expression":
            operator = parent.child_by_field_name("operator")
            if operator is not None and operator.type == "&":
                address = True
            else:
                break  # `*a[i]`: the pointer itself is loaded
        elif parent.type == "argument_list":
            call = call_of(source, parent.parent) if parent.parent is not None else None
            if not address:
                break
            if call is not None and call.name in _CASTS:
                current, parent = parent, parent.parent
                continue
            return _access_function(call.name) if call is not None else None
        elif parent.type not in ("parenthesized_expression", "cast_expression", "call_expression"):
            break
        current, parent = parent, parent.parent
    if address:
        return None  # only the address is taken: what happens there is not to be seen here
    if parent is not None and parent.type == "init_declarator":
        declarator = parent.child_by_field_name("declarator")
        if declarator is not None and declarator.type == "reference_declarator":
            before = parent.parent
            constant = before is not None and "const" in source.text_of(before).split("=")[0]
            return True, not constant, False
    return True, False, False


def _access_function(name: str) -> tuple[bool, bool, bool] | None:
    """(load, store, atomic) of what a function does with its first, pointer, argument."""
    if _ATOMIC.fullmatch(name):
        return False, False, True
    if name in _HINTED_LOADS:
        return True, False, False
    return (False, True, False) if name in _HINTED_STORES else None
