"""Calls of what no file in sight defines: the library's functions, macros, and others.

They may write through what they are given.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import started, text_functions
from perflint.frontend.source.host.execution.c_text import CText
from perflint.frontend.source.host.execution.char_arrays import text_of
from perflint.frontend.source.host.execution.classes import (
    class_of,
    named,
)
from perflint.frontend.source.host.execution.effect_summaries import Summaries
from perflint.frontend.source.host.execution.macro_writes import written
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    Frame,
    Reference,
)
from perflint.frontend.source.host.execution.streams import STREAMS
from perflint.frontend.source.host.execution.symbol_copies import BY_NAME
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Cells,
    lose,
)
from perflint.frontend.source.host.values import evaluator
from perflint.frontend.source.language.body_writes import COPIED_FROM
from perflint.frontend.source.language.c_types import ELEMENTS
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.streams import Stream

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.choices import Session
    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project

PLACES = (*evaluator.PLACES, "type_identifier")
#: Functions that ask something of a text; what others get of one may be the number in it.
_ASKS = pattern(r"_*(?i:is|has|are|check|valid|verif|exist|open|find|count|len|size|hash)")
#: Rows of a pitch begin at multiples of 512 bytes on every GPU to date.
_PITCH = 512
#: Functions that only read what they are given pointers to.
_SHOWS = pattern(r"v?f?printf|f?puts|fwrite|puts|str(?:n?cmp|len)|memcmp|cu(?:da)?LaunchKernel\w*")
#: Algorithms that write to nothing.
_ALGORITHMS = pattern(
    r"accumulate|reduce|inner_product|distance|(?:min|max|minmax)_element|(?:all|any|none)_of"
    r"|count(?:_if)?|find(?:_if)?|equal|is_sorted|binary_search|(?:lower|upper)_bound"
)
#: Functions that write only through pointers: of CUDA, its libraries, and C's.
_BY_POINTER = pattern(
    r"(?:cuda|cu|cublas|cufft|curand|cusparse|cusolver|nccl|nvtx|NVTX|thrust|__)[A-Z_]\w*"
    r"|make_\w+|dim3|MPI_\w+|omp_\w+|pthread_\w+"
    # C's own library (ISO C, section 7): it passes everything by value
    r"|(?:m|c|re|aligned_)alloc|posix_memalign|free|exit|_exit|abort|atexit|system|getenv|assert"
    r"|l{0,2}abs|l{0,2}div|ato(?:i|l|ll|f)|strto(?:l|ll|ul|ull|d|f|ld)|s?rand|d?rand48|srand48|qsort"
    r"|bsearch|str(?:n?cpy|n?cat|n?cmp|coll|r?chr|c?spn|pbrk|str|tok|len|error|n?casecmp|n?dup)"
    r"|mem(?:cpy|move|set|cmp|chr)|v?(?:f|s|sn)?printf|(?:f|s)?scanf|f?puts|fgets|f?getc|f?putc"
    r"|getchar|putchar|f(?:open|close|flush|read|write|seek|tell|eof|error)|rewind|perror|remove"
    r"|rename|time|clock|difftime|mktime|gmtime|localtime|(?:str|asc)f?time|gettimeofday|u?sleep"
    r"|is(?:alnum|alpha|digit|space|upper|lower|xdigit|punct|print)|to(?:upper|lower)"
    r"|(?:a?(?:sin|cos|tan)h?|atan2|exp2?|expm1|log(?:2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?|[tl]gamma"
    r"|ceil|floor|trunc|l{0,2}r(?:ound|int)|nearbyint|fmod|remainder|fabs|fmin|fmax|fdim|fma"
    r"|copysign|ldexp|is(?:nan|inf|finite))[fl]?"
    # of C++'s those that take references to what they only read
    r"|min|max|clamp|distance|accumulate|to_string|stoi|stol|stoul|stoull|stof|stod|gcd|lcm"
)


class Library(CText):
    """Calls of what is not in sight."""

    globals: Cells  #: variables out of functions, and static ones
    processes = 1  #: that MPI starts
    stored = 0  #: how often something known was stored that was not declared there
    chosen = 0  #: branches that were known to be taken, or not

    def __init__(self, words: Sequence[str], project: Project, session: Session) -> None:
        super().__init__(words, project, session)
        self.summaries = Summaries(project, self._only_reads)
        self._macro_writes: dict[tuple[int, int], frozenset[str] | None] = {}
        #: functions, by a file that calls them, that write through pointers at most
        self._reads: dict[tuple[int, str], bool] = {}
        #: what the function that runs has written to and may not have
        self._late: dict[tuple[int, Any], Reference] = {}

    @abstractmethod
    def _variable(self, name: str, frame: Frame) -> Reference | None:
        """Where a variable is kept."""

    @abstractmethod
    def _copied_to_symbol(self, node: Node, values: Sequence[Any], frame: Frame) -> None:
        """Keep what a call copies to a device variable."""

    @abstractmethod
    def _forget(self, node: Node, frame: Frame) -> None:
        """What a node that may run or not, and any number of times, leaves unknown."""

    def _of_library(
        self,
        function: Node,
        scopes: Sequence[str],
        last: str,
        name: str,
        arguments: Sequence[Node],
        frame: Frame,
    ) -> Any:
        """What a call gives of a function that is not in sight."""
        macro = frame.place.macros.get(last) if not scopes else None
        if macro is not None:
            return self._of_macro(macro, last, arguments, function.parent or function, frame)
        if last == "sscanf" and len(arguments) > 2:
            found = self._scanned(arguments, frame)
            self.stored += found is not UNKNOWN
            return found
        if (done := self._of_c_text(last, arguments, frame)) is not None:
            self.stored += 1
            return done[0]
        if last == "getline" and len(arguments) > 1:
            on = self.value(arguments[0], frame)
            if isinstance(on, Stream):
                return self.get_line(on, arguments, frame)
        if last == "swap" and len(arguments) == 2:
            places = [self._place(each, frame) for each in arguments]
            if places[0] is not None and places[1] is not None:
                one, other = places[0].get(), places[1].get()
                self._set(places[0], other, frame)
                self._set(places[1], one, frame)
            return None
        if self._kind(name, frame.place) is not None and len(arguments) == 1:
            return self._as_cast(name, arguments[0], frame)
        known = named(name).name
        if last in STREAMS:
            return self.stream(last, [self.value(each, frame) for each in arguments])
        if known in ELEMENTS or (known.startswith("make_") and known[5:] in ELEMENTS):
            values = [self.value(each, frame) for each in arguments]
            return self._vector(known.removeprefix("make_"), values)
        if known == "pair" or known == "make_pair":
            return self._construct("pair", arguments, frame, "(")
        if class_of(known, frame.place) is not None or named(name).is_array:
            return self._construct(name, arguments, frame, "(")
        values = [self.value(each, frame) for each in arguments]
        if last in BY_NAME and len(values) > 1:
            self._copied_to_symbol(function.parent or function, values, frame)
        if started.keeps_words(last, values, self.words):
            self._written(arguments[2:], values[2:], frame, by_name=False)
            return 0
        if started.grid_told(last, values, self.processes):
            return 0
        if len(values) == 2 and isinstance(values[1], Reference):
            group = frame.place.file.source.text_of(arguments[0])
            told = started.answered(last, group, self.processes)
            if told is not None:
                self._set(values[1], told, frame)
                return 0
        if text_functions.is_known(last):
            if last.startswith("strto") and len(values) > 1 and isinstance(values[1], Reference):
                values[1].set(text_functions.behind_number(text_of(values[0])))
                self.stored += 1
            return text_functions.called(last, [text_of(value) for value in values])
        if values and all(isinstance(v, (int, float)) for v in values):
            found = self._computed(f"{last}({', '.join(map(_spelled, values))})", frame)
            if found is not UNKNOWN:
                return found
        if last == "cudaMallocPitch" and len(values) == 4 and isinstance(values[1], Reference):
            self._written(arguments[:1], values[:1], frame, by_name=False)
            width = values[2] if isinstance(values[2], int) else None
            pitch = UNKNOWN if width is None else -(-width // _PITCH) * _PITCH
            self._set(values[1], pitch, frame)
            return UNKNOWN
        if _ALGORITHMS.fullmatch(last) and values and isinstance(values[0], Reference):
            return self._accumulated(arguments, values) if last == "accumulate" else UNKNOWN
        if _SHOWS.fullmatch(last):
            return UNKNOWN
        if (only := COPIED_FROM.get(last)) is not None:  # what is copied stays as it is
            others = [at for at in range(len(arguments)) if at != only]
            arguments, values = [arguments[at] for at in others], [values[at] for at in others]
        by_name = not self._only_reads(frame.place.file, last)
        if scopes[:1] == ["cub"]:  # only the bytes that it needs are given by reference
            self._written(arguments[1:2], values[1:2], frame, by_name=True)
            by_name = False
        self._written(arguments, values, frame, by_name)
        return UNKNOWN if _ASKS.match(last) else text_functions.read(values)

    def _accumulated(self, arguments: Sequence[Node], values: Sequence[Any]) -> Any:
        """`std::accumulate(v.begin(), v.end(), 1, std::multiplies<int>())`."""
        first, last, found = values[0], values[1], values[2] if len(values) > 2 else UNKNOWN
        within = first.within
        is_whole = isinstance(within, Array) and isinstance(last, Reference)
        keys = within.items_in_order() if is_whole and last.within is within else None
        if keys is None or (first.key, last.key) != (0, len(keys)) or len(values) > 4:
            return UNKNOWN
        by = arguments[3].text.decode() if len(values) > 3 and arguments[3].text else "plus"
        sign = "*" if "multiplies" in by else "+" if "plus" in by else ""
        for key in keys:
            found = text_functions.operated(sign, found, within[key])
        return found

    def _written_by(
        self, name: str, arguments: Sequence[Node], node: Node, frame: Frame
    ) -> frozenset[str] | None:
        """The variables that a macro's own words may write to; None where nobody can tell."""
        key = (id(frame.place.file), node.start_byte)
        if key not in self._macro_writes:
            source = frame.place.file.source
            given = [source.text_of(a) if a.type in PLACES else "0" for a in arguments]
            text = f"{name}({', '.join(given)})"
            self._macro_writes[key] = written(
                text, frame.place.macros, partial(self._only_reads, frame.place.file)
            )
        return self._macro_writes[key]

    def _only_reads(self, near: File, name: str) -> bool:
        """Whether a function writes to nothing that it is given but through pointers."""
        key = (id(near), name)
        if key not in self._reads:
            files = {id(f): f for f in (*near.family, *self.project.neighbours(name))}
            known = [file.declarations for file in files.values()]
            of_name = ((*d.by_name.get(name, ()), *d.prototypes.get(name, ())) for d in known)
            found = [f for each in of_name for f in each]
            by_value = not any(p.reference for f in found for p in f.parameters)
            self._reads[key] = by_value if found else _BY_POINTER.fullmatch(name) is not None
        return self._reads[key]

    def _of_macro(
        self, macro: Any, name: str, arguments: Sequence[Node], node: Node, frame: Frame
    ) -> Any:
        """A macro's call: its arguments are evaluated once, and folded into what it stands for."""
        words = [t.text for t in macro.body]
        values, doubted = [], []
        for position, each in enumerate(arguments):
            stored = self.stored
            values.append(self.value(each, frame))
            if self.stored != stored and not (macro.known and _runs_once(macro, position, words)):
                doubted.append(each)
        for each in doubted:  # it writes, who knows how often
            self._forget(each, frame)
        if doubted:
            return UNKNOWN
        names = self._written_by(name, arguments, node, frame) if macro.known else None
        if (
            not names
            and macro.known
            and values
            and all(isinstance(v, (int, float)) for v in values)
        ):
            found = self._computed(f"{name}({', '.join(map(_spelled, values))})", frame)
            if found is not UNKNOWN:
                return found
        if names is None:
            places = [a for a in arguments if a.type in PLACES]
            self._written(places, [self._place(a, frame) for a in places], frame, by_name=True)
        for variable in names or ():
            if (place := self._variable(variable, frame)) is not None:
                lose([place])
        return values[0] if len(values) == 1 else UNKNOWN

    def _computed(self, text: str, frame: Frame) -> Any:
        """A constant expression's number."""
        self.session.steps = 0
        found = fold(text, frame.place)
        return UNKNOWN if found is None or found.term is not None else found.number

    def _option(self, arguments: Sequence[Node], frame: Frame) -> Any:
        texts = [frame.place.file.source.text_of(each) for each in arguments]
        if len(texts) > 2 and not texts[2].startswith('"'):
            told = self.value(arguments[2], frame)
            texts[2] = f'"{told}"' if isinstance(told, str) else texts[2]
        self.session.steps = 0
        self.stored += 1
        return self.options.next(texts, frame.place)

    def _as_cast(self, written: str, node: Node | None, frame: Frame) -> Any:
        """What a cast to a type makes of an expression, be it an allocation."""
        if (made := self._allocated(written, node, frame)) is not None:
            return made
        value = self.value(node, frame)
        if written.rstrip().endswith(("*", "&")):
            return value
        kind = self._kind(written, frame.place)
        return self._given(written, value, frame, frame.place) if kind is not None else value

    def _written(
        self, arguments: Sequence[Node], values: Sequence[Any], frame: Frame, by_name: bool
    ) -> None:
        """What a call may write through its arguments is not known any more."""
        for argument, value in zip(arguments, values, strict=True):
            if isinstance(value, (Reference, Array, Stream)):
                lose([value])
            elif by_name and argument.type in PLACES:
                place = self._place(argument, frame)
                if place is not None and not isinstance(place.get(), str):
                    lose([Reference(place.within, place.key)])

    def _set(self, place: Reference, value: Any, frame: Frame) -> None:
        held = place.get()
        target = held if isinstance(held, Alias) else place
        if self.perhaps or self.unsure or self.loose:
            self._late[id(target.within), target.key] = target
        kept = not (isinstance(target.within, Array) and target.within.is_large)
        self.stored += kept and value is not UNKNOWN
        try:
            target.within[target.key] = value
        except (IndexError, TypeError):
            return

    @contextmanager
    def in_doubt(self, is_so: bool) -> Iterator[None]:
        """What runs now may not run in the program."""
        before = self.perhaps
        self.perhaps += is_so
        try:
            yield
        finally:
            self.perhaps = before


def _runs_once(macro: Any, position: int, words: Sequence[str]) -> bool:
    """Whether a macro's argument stands in its body once, and is no part of a choice."""
    names = macro.parameters or ()
    name = names[position] if position < len(names) else "__VA_ARGS__"
    uses = [before for before, word in pairwise(["", *words]) if word == name and before != "#"]
    return len(uses) == 1 and not {"?", "&&", "||"} & set(words)


def _spelled(number: float) -> str:
    if isinstance(number, int):
        return f"({number}{'' if abs(number) < 1 << 31 else 'LL'})"
    return f"({number!r})"
