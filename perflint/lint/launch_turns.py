"""How often a program comes to a kernel's launches: never, once, or as it may.

Read of the program's text alone: who calls whom, and what stands in a loop. A function whose name
stands elsewhere than in calls may be called by anything, so that nothing is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.declarations import Declarations, declarations_of
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.language.trees import Source
from perflint.frontend.source.project.linkage import may_be_linked
from perflint.frontend.source.project.neighbours import companions, related
from perflint.lint.never_launched import MAIN, PROGRAM, live_code

if TYPE_CHECKING:
    from tree_sitter import Node

#: Text larger than this is no host code that launches: it is not read for loops.
LARGEST = 1 << 19

#: What is in one of these may run more than once.
_LOOPS = {
    *("for_statement", "while_statement", "do_statement", "for_range_loop", "lambda_expression"),
}
_STRING = pattern(r'"(?:\\.|[^"\\\n])*"')
_EXPORTED = pattern(r"\b(?:JNIEXPORT|dllexport|virtual|override|operator)\b")
_OF_C = pattern(r'extern\s*"C"')
_SET_UP = pattern(r"init|initiali[sz]e|initiali[sz]ation|setup|prepare|calibrate|calibration")
#: … and in that of one that tries what the others of its library are for.
_TRIES = pattern(r"tests?|testing")
#: Words in the name of a kernel that makes what others work on, or that looks at what they made.
_BESIDE = pattern(
    r"init|initiali[sz]e|initiali[sz]ation|setup|generate|fill|seed|populate|randomi[sz]e|verify"
    r"|verification|validate|validation|check|quanti[sz]e|preprocess"
)
#: … and in that of a function that launches all that it needs for this.
_PREPARES = pattern(
    r"init|initiali[sz]e|setup|generate|populate|randomi[sz]e|load|prepare|preprocess|quanti[sz]e"
)
#: … and of one that makes it of nothing: it loads nothing.
_MAKES = pattern(r"gen|generate|make|create|synthesi[sz]e|paint")
#: What begins and ends a capture of a stream's work.
_CAPTURES = ("cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph")
_CAPTURED = ("cudaStreamEndCapture",)
_NAME = pattern(r"[A-Za-z_]\w*")
_WORD = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

#: How often something is come to: 0, 1, `SEVERAL`; `LOOP` where a loop does so, and `UNKNOWN` where
#: callers may be out of sight.
SEVERAL = 2
LOOP = 1_000
UNKNOWN = -1


def texts_of_program(
    kernel: SourceKernel, files: Iterable[SourceFacts], launching: Iterable[Path] = ()
) -> dict[Path, str]:
    """The files that may be of one program with a kernel's, with their texts.

    `launching` are files that launch it: its own may be a header of another folder.
    """
    read = tuple(files)
    found: dict[Path, str] = {}
    for near in dict.fromkeys((kernel.name_span.path, *launching)):
        found |= {each.path: each.text for each in read if related(each.path, near)}
        own = found.get(near, "")
        found |= {
            path: text
            for path, text in companions(near, PROGRAM).items()
            if path not in found and may_be_linked(near, own, path, text)
        }
    return found


def hardly_launched(
    kernel: SourceKernel,
    files: Iterable[SourceFacts],
    launching: Iterable[Path] = (),
    loads: bool = True,
) -> str:
    """Why what a kernel wastes is hardly paid for, by where its launches stand; "" where it may be.

    Only a program whose one `main` is in sight tells. Of a library, and where constructors and the
    like launch it, the kernel's name may tell. `loads` says whether it reads global memory.
    """
    program = Program(texts_of_program(kernel, files, launching))
    if not loads and program.makes(kernel.name):
        return "it reads nothing, its name says that it makes data, and others are launched again"
    times = program.times(kernel.name) if program.mains == 1 else UNKNOWN
    if times == UNKNOWN:
        if program.sets_up(kernel.name):
            return "no loop launches it, and its name says that it sets up what others work on"
        if program.mains != 1 and program.tries(kernel.name, kernel.name_span.path):
            return "its name says that it is a test, and others of its file are launched"
        if program.constructs(kernel.name) and program.works_on:
            return "constructors alone launch it, and other kernels do what is done again and again"
        if program.mains == 1 and program.constructs_outside(kernel.name):
            return "constructors alone launch it, and others are launched in loops inside of loops"
        return ""
    if times == 0 and (functions := program.callers(kernel.name)):
        if not program.uses(kernel.name_span.path):
            return ""  # the `main` may be another program's
        return f"nothing in this program calls `{functions[0]}`, which launches it"
    outside = times == LOOP and program.is_outside(kernel.name)
    if times not in (1, SEVERAL) and not outside:
        return ""
    work = any(
        not _is_beside(each) and program.times(each) not in (0, UNKNOWN)
        for each in program.kernels - {kernel.name}
    )
    if _is_beside(kernel.name, _BESIDE if work else _SET_UP):
        often = "it is launched once" if times == 1 else "no loop launches it"
        if outside:
            often = "others are launched in loops inside of its"
        return f"{often}, and its name says that it prepares or checks what others do"
    if work and (function := program.prepares(kernel.name)):
        return f"`{function}` alone launches it, whose name says that it prepares what others do"
    return ""


def _is_beside(name: str, words: re.Pattern[str] = _BESIDE) -> bool:
    """Whether a kernel's name says that the work is other kernels'."""
    return any(words.fullmatch(word.lower()) for word in _WORD.findall(name))


@dataclass(frozen=True)
class _Call:
    """A call or a launch, and where it stands."""

    function: str  #: "" outside of all functions
    looped: int  #: how many loops of that function are around it
    constructs: bool = False  #: whether that function is a constructor


class Program:
    """Who calls whom in some files."""

    def __init__(self, texts: Mapping[Path, str]) -> None:
        self._texts = texts
        self._known: dict[str, int] = {}

    @cached_property
    def mains(self) -> int:
        """How many of the files have a `main`: several are several programs."""
        return sum(MAIN.search(live_code(text)) is not None for text in self._texts.values())

    @cached_property
    def _files(self) -> list[Declarations]:
        return [_read(p, t) for p, t in self._texts.items() if len(t) <= LARGEST]

    @cached_property
    def kernels(self) -> frozenset[str]:
        """The names of all kernels that are defined in it."""
        return frozenset(
            f.name for file in self._files for f in file.functions if "__global__" in f.qualifiers
        )

    @cached_property
    def launched(self) -> frozenset[str]:
        """The names of all that is launched in it."""
        return frozenset(name for file in self._files for name in _launched(file))

    def sets_up(self, name: str) -> bool:
        """Whether a kernel's name says that it is run before others, and no loop launches it."""
        turns = any(call.looped for call in self._calls(name))
        return not turns and _is_beside(name, _SET_UP)

    def tries(self, name: str, path: Path) -> bool:
        """Whether a kernel's name says that it is a test, and those of what launches it do.

        Beside others of its file: `TestHypotheses` may be what a search is made of.
        """
        callers = self.callers(name)
        if not callers or not all(_is_beside(each, _TRIES) for each in callers):
            return False
        beside = (f for file in self._files if file.source.path == path for f in file.functions)
        kernels = {f.name for f in beside if "__global__" in f.qualifiers} & self.launched
        return _is_beside(name, _TRIES) and not all(_is_beside(each, _TRIES) for each in kernels)

    def makes(self, name: str) -> bool:
        """Whether a kernel's name says that it makes data for others, and no loop launches it."""
        others = any(self._calls(each) for each in self.kernels - {name})
        once = self.constructs(name) or self.times(name) in (1, SEVERAL)
        once = once or (self.times(name) == LOOP and self.is_outside(name))
        return others and once and _is_beside(name, _MAKES)

    def prepares(self, name: str) -> str:
        """The function that alone launches a kernel, if its name says that it prepares; else ""."""
        callers = self.callers(name)
        alone = len(callers) == 1 and _is_beside(callers[0], _PREPARES)
        return callers[0] if alone else ""

    def is_outside(self, name: str) -> bool:
        """Whether other kernels are launched in more loops, one inside of the other."""
        mine = self._depth(name)
        return any(self._depth(each) > mine for each in self.kernels - {name})

    def constructs_outside(self, name: str) -> bool:
        """Whether constructors alone come to a kernel, and others are launched in more loops.

        In what a constructor launches besides, the work may be that is done once.
        """
        mine = self._depth(name)
        return self.constructs(name, looped=True) and any(
            self._depth(each) > mine and not self.constructs(each, looped=True)
            for each in self.kernels
        )

    def _depth(self, name: str, above: frozenset[str] = frozenset()) -> int:
        """How many loops at most are around the launches of a kernel, its callers' included."""
        if name in above or name == "main":
            return 0
        calls = self._calls(name)
        return max((c.looped + self._depth(c.function, above | {name}) for c in calls), default=0)

    @cached_property
    def works_on(self) -> bool:
        """Whether kernels that no constructor launches may be launched more than once."""
        others = (name for name in self.launched if not self.constructs(name, looped=True))
        return any(self.mains != 1 or self.times(name) not in (0, 1) for name in others)

    def constructs(
        self, name: str, looped: bool = False, above: frozenset[str] = frozenset()
    ) -> bool:
        """Whether constructors alone come to a function or a kernel, and `looped` or in no loop."""
        calls = self._calls(name)
        if not calls or name in above or len(calls) + self._declared(name) < self._mentioned(name):
            return False
        return all(
            (looped or not each.looped)
            and (each.constructs or self.constructs(each.function, looped, above | {name}))
            for each in calls
        )

    def uses(self, path: Path) -> bool:
        """Whether its `main` comes to any host function that a file defines, or may come to it."""
        functions = (f for file in self._files if file.source.path == path for f in file.functions)
        return any(f.name in self._named_from_main for f in functions if not f.on_device)

    @cached_property
    def _named_from_main(self) -> frozenset[str]:
        """The host functions that `main` names, those that these name, and so on.

        One that is only named may be called later: a window's callbacks are.
        """
        bodies: dict[str, set[str]] = {}
        for file in self._files:
            for each in file.functions:
                if not each.on_device:
                    words = _NAME.findall(file.source.text_of(each.node))
                    bodies.setdefault(each.name, set()).update(words)
        found, waiting = set[str](), ["main"]
        while waiting:
            more = bodies.get(waiting.pop(), set()) & bodies.keys() - found
            found |= more
            waiting += more
        return frozenset(found)

    def callers(self, name: str) -> list[str]:
        """The host functions in which something is called or launched."""
        return sorted({each.function for each in self._calls(name) if each.function})

    def _calls(self, name: str) -> list[_Call]:
        return [each for file in self._files for each in _calls_of(file, name)]

    def times(self, name: str) -> int:
        """How often a run of the program comes to a function or a kernel."""
        if name == "main":
            return 1
        if name not in self._known:
            self._known[name] = UNKNOWN  # what calls itself
            self._known[name] = self._counted(name)
        return self._known[name]

    def _counted(self, name: str) -> int:
        calls = self._calls(name)
        if not name or len(calls) + self._declared(name) < self._mentioned(name):
            return UNKNOWN
        total = 0
        for call in calls:
            entered = self.times(call.function)
            if entered == UNKNOWN:
                return UNKNOWN
            total += LOOP if call.looped and entered else entered
        return LOOP if total >= LOOP else min(total, SEVERAL)

    def _declared(self, name: str) -> int:
        """How often a name is declared; few enough for no count where it is exported."""
        found = 0
        for file in self._files:
            for each in (*file.by_name.get(name, ()), *file.prototypes.get(name, ())):
                start = each.node.start_byte
                head = file.source.slice(max(0, start - 40), each.name_node.end_byte)
                if _EXPORTED.search(head) or each.constructs or name.startswith("~"):
                    return -LOOP
                if _OF_C.search(head) and not (self.mains == 1 and self._calls(name)):
                    return -LOOP  # what nothing in sight calls, another program may
                found += 1
            for declared in file.methods.get(name, ()):
                if _EXPORTED.search(file.source.text_of(declared)) or _is_derived(declared):
                    return -LOOP
                found += 1
        return found

    def _mentioned(self, name: str) -> int:
        word = re.compile(rf"\b{re.escape(name)}\b")
        texts = (t for t in self._texts.values() if name in t)
        return sum(len(word.findall(_STRING.sub('""', live_code(text)))) for text in texts)


def _is_derived(member: Node) -> bool:
    """Whether the class around a member has bases, through which it may be called."""
    class_ = member.parent.parent if member.parent is not None else None
    return class_ is None or any(c.type == "base_class_clause" for c in class_.named_children)


@lru_cache(maxsize=256)
def _read(path: Path, text: str) -> Declarations:
    return declarations_of(Source(path, live_code(text), frozenset()))


def _loops_around(node: Node) -> int:
    found, outer = 0, node.parent
    while outer is not None:
        found += outer.type in _LOOPS
        outer = outer.parent
    return found


def _launched(file: Declarations) -> Iterable[str]:
    return (n for n, calls in file.calls.items() if any(_is_launch(c.node) for c in calls))


def _is_launch(call: Node) -> bool:
    return any(each.type == "kernel_call_syntax" for each in call.children)


def _calls_of(file: Declarations, name: str) -> list[_Call]:
    calls = []
    for call in file.calls.get(name, ()):
        around = file.function_at(call.node.start_byte)
        looped = _loops_around(call.node)
        if around is None:
            calls.append(_Call("", looped))
            continue
        captured = _is_captured(file, call.node)  # a graph's launches run it again
        calls.append(
            _Call(around.name, looped + captured, bool(around.constructs) and not captured)
        )
    return calls


def _is_captured(file: Declarations, call: Node) -> bool:
    """Whether what is called goes into a graph: it stands between a capture's begin and end."""
    begins, ends = (
        [each.node.start_byte for name in names for each in file.calls.get(name, ())]
        for names in (_CAPTURES, _CAPTURED)
    )
    before = max((at for at in begins if at < call.start_byte), default=None)
    return before is not None and not any(before < at < call.start_byte for at in ends)
