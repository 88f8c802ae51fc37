"""Whether something in sight may write to a variable: through a reference, a macro, a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.body_writes import COPIED_FROM, READS
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.macros import Macro
from perflint.frontend.source.language.reaching_definitions import Body, body_of
from perflint.frontend.source.project.files import File

#: Functions that cannot write to a variable given by name: C's, the CUDA libraries', and names
#: that the CUDA samples' helper headers made customary.
_BY_VALUE = pattern(
    r"cuda?[A-Z]\w*|cu(?:blas|fft|rand|sparse|solver|dnn)\w+|nccl\w+|gl[A-Z]\w*|glut\w+|MPI_\w+"
    r"|v?[fs]?n?printf|puts|fputs|perror|fread|fwrite|malloc|calloc|realloc|free|mem(?:set|cpy|cmp)"
    r"|exit|abort|assert|s?rand|usleep|sleep|omp_\w+|str\w+|atoi|atof"
    # <math.h> (ISO C, 7.12); C++ has min, max, clamp, gcd and lcm, which only read
    r"|(?:f?abs|f?min|f?max|a?(?:sin|cos|tan)h?|atan2|exp2?|expm1|log(?:2|10|1p|b)?|pow|sqrt|cbrt"
    r"|hypot|erfc?|[tl]gamma|ceil|floor|trunc|l{0,2}r(?:ound|int)|nearbyint|fmod|remainder|fdim|fma"
    r"|copysign|ldexp|is(?:nan|inf|finite))[fl]?|clamp|gcd|lcm"
    r"|(?:static|const|reinterpret|dynamic)_cast"
    r"|resize|reserve|assign|push_back|emplace(?:_back)?|insert|at|fill(?:_n)?|to_string"
    r"|glfw[A-Z]\w*|SDL_\w+|hip[A-Z]\w*|sdk\w+|check\w*|findCudaDevice|gpuDeviceInit|getLastCudaError|dim3|make_\w+|numeric_cast"
    r"|(?:unsigned|int|long|float|double|size_t|u?int\d+_t|vector|thrust|complex)"
)
#: CUB's algorithms on the device: after the temporary storage and the arrays all is by value.
_CUB = pattern(
    r"(?:Stable)?Sort(?:Pairs|Keys)(?:Descending)?|(?:Ex|In)clusive(?:Sum|Scan)(?:ByKey)?"
    r"|ReduceByKey|Histogram(?:Even|Range)"
)
_CUB_ARRAYS = 4  #: the first arguments of those
#: Behind a macro's parameter, these write to its argument.
_WRITES = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}

_DEEPEST = 4  #: calls that an array is followed through


@dataclass(frozen=True)
class Touched:
    """What a method may write of its own object."""

    plainly: frozenset[str]  #: members that it assigns itself
    otherwise: frozenset[str]  #: members that it hands on, or that its own methods write
    all: bool  #: whatever else the object has, too


class Writes:
    """What is written where in a project."""

    def __init__(self, neighbours: Callable[[str], list[File]]) -> None:
        """`neighbours` answers the files in which a word may stand."""
        self._neighbours = neighbours
        self._known: dict[tuple[str, str], bool] = {}

    def takes_reference(self, name: str, position: int, near: File, unseen: bool = True) -> bool:
        """Whether a function may write to the variable given as its argument.

        One that is not in sight may with `unseen`, unless it is known to be a C function.
        """
        found = [
            function
            for file in near.family
            for function in (
                *file.declarations.prototypes.get(name, ()),
                *file.declarations.by_name.get(name, ()),
            )
        ]
        if not found and name in near.unit.final:
            return self._macro_writes(near.unit.final[name], position, near)
        if not found:
            by_value = _BY_VALUE.fullmatch(name) is not None
            return (
                unseen and not by_value and not (_CUB.fullmatch(name) and position >= _CUB_ARRAYS)
            )
        return any(
            position < len(function.parameters) and function.parameters[position].reference
            for function in found
        )

    def may_fill(self, name: str, position: int, near: File, depth: int = 0) -> bool:
        """Whether a function may write to the elements of the array given as its argument."""
        found = [f for file in near.family for f in file.declarations.by_name.get(name, ())]
        if not found:
            return COPIED_FROM.get(name) != position and not READS.fullmatch(name)
        for function in found:
            if position >= len(function.parameters):
                return True
            parameter = function.parameters[position]
            body = body_of(function)
            if "const" in parameter.written.split():
                continue
            if body.definitions.get(parameter.name) or depth > _DEEPEST:
                return True
            given = body.passed.get(parameter.name, ())
            if any(self.may_fill(callee, at, near, depth + 1) for callee, at in given):
                return True
        return False

    def fills(self, name: str, position: int, depth: int = 0) -> bool:
        """Whether a function in sight writes to members of what its argument points to."""
        for file in self._neighbours(name):
            for function in file.declarations.by_name.get(name, ()):
                if position >= len(function.parameters) or function.body is None:
                    continue
                parameter, body = function.parameters[position], body_of(function)
                if parameter.pointers != 1 or "const" in parameter.written.split():
                    continue
                written = (d.member for d in body.definitions.get(parameter.name, ()))
                if any(member is not None and member[0] not in "[*" for member in written):
                    return True
                given = body.passed.get(parameter.name, ()) if depth < _DEEPEST else ()
                if any(self.fills(callee, at, depth + 1) for callee, at in given):
                    return True
        return False

    def _macro_writes(self, macro: Macro, position: int, near: File) -> bool:
        """Whether a function-like macro may write to the variable that is its argument."""
        parameters = macro.parameters or ()
        if not macro.known or not position < len(parameters):
            return not (macro.known and macro.variadic)
        body = [t.text for t in macro.body]
        for index, word in enumerate(body):
            if word != parameters[position]:
                continue
            before = body[index - 1] if index else ""
            after = body[index + 1] if index + 1 < len(body) else ""
            if after in _WRITES or before in ("++", "--", ">>"):
                return True
            if before == "&" and (index < 2 or not re.match(r"[\w)\]]", body[index - 2])):
                return True
            if before in ("(", ",") and after in (")", ","):
                callee, place = _call_around(body, index)
                is_self = callee in ("", macro.name) or callee in near.unit.final
                if not is_self and self.takes_reference(callee, place, near):
                    return True
        return False

    def is_written(self, name: str, definition: Definition, owner: File) -> bool:
        """Whether a function in sight may write to a variable outside of functions."""
        class_ = _class_at(owner, definition.start)
        key = (name, class_)
        if key not in self._known:
            self._known[key] = any(
                self.escapes(name, body, class_, owner)
                or (
                    not _has_its_own(function, name, class_, file)
                    and self._writes_outside(name, body, file)
                )
                for file in self._neighbours(name)
                for function in file.functions_naming(name)
                for body in (file.body(function),)
            ) or (not class_ and self.is_given_away(name))
        return self._known[key]

    def escapes(self, name: str, body: Body, class_: str, owner: File) -> bool:
        """Whether a function writes to `object.name`, the object being of the class perhaps.

        It is not where its own type has a member of that name.
        """
        if name not in body.escaping:
            return False
        types = {kind.split("<")[0].rsplit("::", 1)[-1].strip() for kind in body.through[name]}
        others = {
            _class_at(file, d.start)
            for file in (*owner.family, *self._neighbours(name))
            for d in file.variables.get(name, ())
            if _class_at(file, d.start) not in ("", class_)
        }
        return not class_ or not types <= others

    def _writes_outside(self, name: str, body: Body, file: File) -> bool:
        """Whether a function writes to `name`, which is none of its own variables."""
        if name in body.parameters:
            return False
        if any(
            body.visible(name, d.start) is None
            for d in body.definitions.get(name, ())
            if not d.declares
        ):
            return True
        return body.visible(name, body.end - 1) is None and any(
            self.takes_reference(function, position, file)
            for function, position in body.passed.get(name, ())
        )

    def is_given_away(self, name: str) -> bool:
        """Whether the address of a global stands in a table: `{"size", &size}`."""
        address = re.compile(rf"&\s*{re.escape(name)}\b")
        return any(
            address.search(file.source.text_of(node))
            for file in self._neighbours(name)
            for node in file.declarations.globals
        )


def _class_at(file: File, at: int) -> str:
    """The class whose body a byte offset lies in; "" for none."""
    return next((s.name for s in reversed(file.declarations.scopes_at(at)) if s.is_class), "")


def _has_its_own(function: Function, name: str, class_: str, file: File) -> bool:
    """Whether a plain `name` in a method means a member of another class than `class_`."""
    own = function.qualified.split("::")[-2:-1]
    if not own or own == [class_]:
        return False
    return any(_class_at(file, d.start) == own[0] for d in file.variables.get(name, ()))


def _call_around(body: Sequence[str], index: int) -> tuple[str, int]:
    """(function, position) of the call that the word at `index` is an argument of."""
    depth = position = 0
    for at in range(index - 1, -1, -1):
        if body[at] in (")", "]", "}"):
            depth += 1
        elif body[at] in ("(", "[", "{"):
            if depth == 0:
                callee = body[at - 1] if at and body[at] == "(" else ""
                return callee if callee.isidentifier() else "", position
            depth -= 1
        elif body[at] == "," and depth == 0:
            position += 1
    return "", 0
