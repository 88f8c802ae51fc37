"""What functions of C's and C++'s library make of text: `strcmp`, `atoi`, `std::string::substr`.

Text is a Python string, a letter its code, a null pointer None. UNKNOWN is what cannot be told.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from perflint.base.patterns import pattern
from perflint.frontend.source.host.options.program_arguments import ARGV, READERS, counts
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.streams import DIGITS, Stream
from perflint.frontend.source.project.command_lines import number

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


class Unknown:
    """What cannot be told; it is nothing but itself."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()
NPOS = (1 << 64) - 1  #: std::string::npos
MOST_TEXT = 1 << 16  #: characters

_LITERAL = pattern(r'(?:u8|[uUL])?("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_ESCAPE = pattern(r"\\(.)", re.DOTALL)
#: A row of `struct option`: `{"size", required_argument, 0, 'n'}` (getopt_long(3)).
_LONG = pattern(r'\{\s*"([\w-]+)"\s*,\s*(\w+)\s*,\s*[^,{}]*,\s*([^,{}]+?)\s*\}')
_NO_VALUE = ("0", "no_argument")
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"
_LEADING, _WHOLE = pattern(rf"\s*{_NUMBER}"), pattern(_NUMBER)

_BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift},
    **{">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor},
    **{"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt},
    **{"<=": operator.le, ">=": operator.ge},
}


def unquoted(text: str) -> Any:
    """The text of literals that stand beside each other; UNKNOWN for raw ones."""
    parts = _LITERAL.findall(text)
    if _LITERAL.sub("", text).strip():
        return UNKNOWN
    inside = "".join(part[1:-1] for part in parts)
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[1]), inside)


def truth(value: Any) -> Any:
    """Whether a value counts as true: a pointer to text does, a null pointer does not."""
    if value is UNKNOWN or isinstance(value, (list, dict)):
        return UNKNOWN
    if isinstance(value, Stream):
        return UNKNOWN if value.holds is None else value.holds
    return True if isinstance(value, str) else bool(value)


def operated(sign: str, left: Any, right: Any) -> Any:
    """What a binary operator makes of two values."""
    if UNKNOWN in (left, right):
        return UNKNOWN
    if isinstance(left, str) and isinstance(right, dict):  # an array of characters
        return UNKNOWN
    if sign in ("==", "!=") and (left is None or right is None or isinstance(left, str)):
        same = left == right
        return int(same == (sign == "=="))
    if isinstance(left, (str, list)) or isinstance(right, str):
        return _of_text(sign, left, right)
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return UNKNOWN
    if sign in ("/", "%"):
        return _divided(sign, left, right)
    if sign in ("<<", ">>") and not 0 <= right < 64:
        return UNKNOWN
    found = _BINARY.get(sign)
    try:
        value = found(left, right) if found is not None else UNKNOWN
    except TypeError:  # of bits of floats
        return UNKNOWN
    if isinstance(value, int) and abs(value) > NPOS:
        return UNKNOWN
    return int(value) if isinstance(value, bool) else value


def _of_text(sign: str, left: Any, right: Any) -> Any:
    """`text + 5` is text from its sixth letter on, `argv + 1` all but the first word."""
    if sign != "+":
        return UNKNOWN
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= MOST_TEXT else UNKNOWN
    text, by = (left, right) if isinstance(left, (str, list)) else (right, left)
    return text[by:] if isinstance(by, int) and 0 <= by <= len(text) else UNKNOWN


def _divided(sign: str, left: float, right: float) -> Any:
    if not right:
        return UNKNOWN
    if isinstance(left, float) or isinstance(right, float):
        return left / right if sign == "/" else UNKNOWN
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if sign == "/" else left - quotient * right


def element(of: Any, key: Any) -> Any:
    """`text[k]`, `words[k]`, `map[key]`; the letter behind a text is 0."""
    if isinstance(of, str) and isinstance(key, int):
        return ord(of[key]) if 0 <= key < len(of) else 0 if key == len(of) else UNKNOWN
    if isinstance(of, list) and isinstance(key, int):
        return of[key] if 0 <= key < len(of) else UNKNOWN
    return of.get(key, UNKNOWN) if isinstance(of, dict) else UNKNOWN


def _compared(a: Any, b: Any) -> Any:
    if not isinstance(a, str) or not isinstance(b, str):
        return UNKNOWN
    return (a > b) - (a < b)


def _compared_first(a: Any, b: Any, count: Any) -> Any:
    if not isinstance(count, int) or not isinstance(a, str) or not isinstance(b, str):
        return UNKNOWN
    return _compared(a[:count], b[:count])


def _letter(code: Any) -> str:
    """The letter of a code; of what is none one that no text has."""
    return chr(code) if isinstance(code, int) and 0 <= code < 0x110000 else "\uffff"


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _read(name: str, values: Sequence[Any]) -> Any:
    if not values or not isinstance(values[0], str):
        return UNKNOWN
    base = values[2] if len(values) > 2 and name.startswith("strto") else 10
    found = number(values[0], READERS[name]) if base in (0, 10) else None
    return UNKNOWN if found is None else found.number


#: Functions by name; those that read numbers are READERS.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "strcmp": _compared,
    "strncmp": _compared_first,
    "strcasecmp": lambda a, b: _compared(_lower(a), _lower(b)),
    "strncasecmp": lambda a, b, n: _compared_first(_lower(a), _lower(b), n),
    "strlen": lambda a: len(a) if isinstance(a, str) else UNKNOWN,
    "strstr": lambda a, b: _from(a, b),
    "strchr": lambda a, c: _from(a, _letter(c)),
    "string": lambda *a: a[0] if a else "",
    "string_view": lambda *a: a[0] if a else "",
    "to_string": lambda a: str(a) if isinstance(a, int) else UNKNOWN,
    "isdigit": lambda c: int(_letter(c).isdigit()) if isinstance(c, int) else UNKNOWN,
    "max": lambda a, b: max(a, b) if UNKNOWN not in (a, b) else UNKNOWN,
    "min": lambda a, b: min(a, b) if UNKNOWN not in (a, b) else UNKNOWN,
    **dict.fromkeys(("move", "forward"), lambda a: a),
    **dict.fromkeys(("printf", "fprintf", "puts", "fputs", "perror"), lambda *_: UNKNOWN),
}


def is_known(name: str) -> bool:
    """Whether `called` tells what a function returns."""
    return name in FUNCTIONS or name in READERS


def _from(text: Any, part: Any) -> Any:
    if not isinstance(text, str) or not isinstance(part, str):
        return UNKNOWN
    at = text.find(part)
    return None if at < 0 else text[at:]


def read(values: Sequence[Any]) -> Any:
    """What a function that is not in sight makes of a word that is a number: that number."""
    word = values[0] if len(values) == 1 else None
    if not isinstance(word, str) or not _WHOLE.fullmatch(word):
        return UNKNOWN
    found = number(word, c_types.LLONG if word.lstrip("+-").isdigit() else c_types.DOUBLE)
    return UNKNOWN if found is None else found.number


#: Of a format: whether it is left out, its width, a letter or a set; space; other text.
_SCANS = pattern(
    r"%(\*?)(\d*)(?:hh?|ll?|[zjL])?(?:([diufgeEGcs])|(\[\^?\]?[^\]]*\]))|(\s+)|([^%\s]+|%%)"
)
_SCANNED = {
    **dict.fromkeys("diu", pattern(r"\s*([-+]?\d+)")),
    **dict.fromkeys("fgeEG", pattern(rf"\s*({_NUMBER})")),
    "s": pattern(r"\s*(\S+)"),
    "c": pattern(r"(.)", re.DOTALL),
}


def scanned(text: str, written: str, at: int = 0) -> tuple[list[Any], int] | None:
    """What `sscanf` reads of a text, from a place on, by a format, and where it stops.

    A letter's code for `%c`, text for `%s` and sets. None where the format is not followed.
    """
    found: list[Any] = []
    done = 0
    for match in _SCANS.finditer(written):
        if match.start() != done:
            return None
        done = match.end()
        left_out, width, letter, letters, space, plain = match.groups()
        if space:
            at += len(text[at:]) - len(text[at:].lstrip())
        elif plain:
            plain = plain.replace("%%", "%")
            if not text.startswith(plain, at):
                return found, at
            at += len(plain)
        else:
            wanted = _SCANNED[letter] if letter else _letters_of(letters)
            part = None if wanted is None else wanted.match(text, at)
            if wanted is None or (width and letter in ("d", "i", "u", "f", "g", "e", "c")):
                return None
            if part is None:
                return found, at
            read_ = part[1][: int(width)] if width else part[1]
            at = part.start(1) + len(read_)
            if not left_out:
                found.append(_as_scanned(letter, read_))
    return (found, at) if done == len(written) else None


def _as_scanned(letter: str | None, text: str) -> Any:
    if letter is None or letter == "s":
        return text
    if letter == "c":
        return ord(text)
    if letter in "diu":
        return int(text) if len(text) <= DIGITS else UNKNOWN
    return float(text)


def _letters_of(listed: str) -> re.Pattern[str] | None:
    """What a set of letters matches: `[^=\\n]`, `[a-z_]`."""
    inside = listed[1:-1]
    sign = "^" if inside.startswith("^") else ""
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside.removeprefix("^"))
    try:
        return re.compile(f"([{sign}{escaped}]+)")
    except re.error:
        return None


def behind_number(word: Any) -> Any:
    """Where `strtol` and its like stop."""
    found = _LEADING.match(word) if isinstance(word, str) else None
    return UNKNOWN if not isinstance(word, str) else word[found.end() :] if found else word


def called(name: str, values: Sequence[Any]) -> Any:
    """What a function of FUNCTIONS returns."""
    if name in READERS:
        return _read(name, values)
    try:
        return FUNCTIONS[name](*values)
    except TypeError:  # an overload with other parameters
        return UNKNOWN


def method(on: Any, name: str, values: Sequence[Any]) -> Any:
    """What a method of a string or a container returns."""
    if UNKNOWN in values and name not in ("push_back", "emplace_back"):
        return UNKNOWN
    if isinstance(on, str) and any(isinstance(v, float) for v in values):
        return UNKNOWN
    if isinstance(on, list):
        return _of_list(on, name, values)
    if not isinstance(on, str):
        return UNKNOWN
    texts = [_letter(v) if isinstance(v, int) else v for v in values[:1]]
    first = texts[0] if texts else ""
    if name in ("size", "length"):
        return len(on)
    if name in ("c_str", "data"):
        return on
    if name == "empty":
        return int(not on)
    if name == "at":
        return element(on, values[0])
    if name in ("front", "back"):
        return ord(on[0 if name == "front" else -1]) if on else UNKNOWN
    if name in ("find", "rfind") and isinstance(first, str):
        return _found(on, name, first, values[1:])
    if name in _OF_LETTERS and isinstance(first, str) and len(values) == 1:
        return _first_of(on, name, first)
    if name in ("starts_with", "ends_with") and isinstance(first, str):
        return int(on.startswith(first) if name == "starts_with" else on.endswith(first))
    if name == "substr":
        start, count = (*values, *(0, NPOS)[len(values) :])[:2]
        return on[start : start + count] if start <= len(on) else UNKNOWN
    if name == "compare" and len(values) == 3:
        return _compared(on[values[0] : values[0] + values[1]], values[2])
    return _compared(on, first) if name == "compare" and len(values) == 1 else UNKNOWN


#: Methods that write to their string.
_CHANGES = frozenset(
    ("resize", "erase", "clear", "pop_back", "push_back", "append", "assign", "insert", "replace")
)


def changed(on: str, name: str, values: Sequence[Any]) -> Any:
    """What a string is behind a method that writes to it; None where the method does not."""
    if name not in _CHANGES:
        return None
    numbers = [v for v in values if isinstance(v, int)]
    texts = [v for v in values if isinstance(v, str)]
    if name == "clear":
        return ""
    if name == "pop_back" and on:
        return on[:-1]
    if name == "push_back" and len(numbers) == 1:
        return on + _letter(numbers[0])
    if name == "resize" and values == numbers[:1] and numbers[0] <= len(on):
        return on[: numbers[0]]
    if name == "erase" and len(values) == len(numbers) < 3:
        start, count = (*numbers, *(0, NPOS)[len(numbers) :])[:2]
        return on[:start] + on[start + count :]
    if name in ("append", "assign") and values == texts[:1]:
        return (on if name == "append" else "") + texts[0]
    return UNKNOWN


def _found(on: str, name: str, part: str, more: Sequence[Any]) -> Any:
    if name == "find":
        at = on.find(part, *more[:1])
    else:
        at = on.rfind(part, 0, more[0] + len(part)) if more else on.rfind(part)
    return NPOS if at < 0 else at


_OF_LETTERS = ("find_first_of", "find_first_not_of", "find_last_of", "find_last_not_of")


def _first_of(on: str, name: str, letters: str) -> int:
    """Where the first or last letter stands that is one of some, or none of them."""
    wanted = "not" not in name
    found = [i for i, letter in enumerate(on) if (letter in letters) == wanted]
    return NPOS if not found else found[0 if "first" in name else -1]


def _of_list(on: list[Any], name: str, values: Sequence[Any]) -> Any:
    if name == "size":
        return len(on)
    if name == "empty":
        return int(not on)
    if name == "at":
        return element(on, values[0])
    if name in ("front", "back") and on:
        return on[0 if name == "front" else -1]
    if name in ("push_back", "emplace_back") and len(values) == 1:
        on.append(values[0])
        return None
    return UNKNOWN


class Options:
    """The options of a program's words as getopt and getopt_long take them, one after the other."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._at, self._letters = 0, ""
        self.argument: Any = None  #: `optarg`

    def next(self, texts: Sequence[str], place: Environment) -> Any:
        """What the next call returns, for arguments as written: a letter, a row's value, or -1."""
        takes = unquoted(texts[2]) if len(texts) > 2 else UNKNOWN
        if not isinstance(takes, str):
            return UNKNOWN
        if self._letters:
            return self._letter(takes)
        while self._at < len(self._words) and self._words[self._at][:1] != "-":
            self._at += 1  # getopt moves what is no option to the end
        if self._at >= len(self._words) or self._words[self._at] in ("--", "-"):
            return -1
        word = self._words[self._at]
        self._at += 1
        if word[:2] == "--":
            return self._long(word[2:], place)
        self._letters = word[1:]
        return self._letter(takes)

    def _letter(self, takes: str) -> Any:
        letter, self._letters = self._letters[0], self._letters[1:]
        self.argument = None
        if f"{letter}:" in takes:
            self.argument = self._letters or self._following()
            self._letters = ""
        return ord(letter) if letter in takes else ord("?")

    def _following(self) -> Any:
        self._at += 1
        return self._words[self._at - 1] if self._at <= len(self._words) else UNKNOWN

    def _long(self, word: str, place: Environment) -> Any:
        name, sign, value = word.partition("=")
        rows = {m[1]: (m[2], m[3]) for m in _LONG.finditer(place.file.source.text)}
        if name not in rows:
            return ord("?")
        needs, given = rows[name]
        self.argument = value if sign else None if needs in _NO_VALUE else self._following()
        text = unquoted(given) if given[:1] == "'" else UNKNOWN
        if isinstance(text, str) and len(text) == 1:
            return ord(text)
        found = place.variable(given) if given.isidentifier() else None
        return UNKNOWN if found is None else found.number


def arguments(place: Environment, name: str, words: Sequence[str]) -> Any:
    """`argv` or `argc`, as the function around a place calls them; None for any other name."""
    function = place.function
    if function is None or all(p.name != name for p in function.parameters):
        return None
    if ARGV.search(function.parameters[function.position(name)].written):
        return ["", *words]
    return len(words) + 1 if name in counts(place) else None
