"""Is the user's code wrong, or is it we who lack a header, a flag or a feature?

Blaming the user falsely breaks a build; so a message counts as genuine only where everything
speaks for it. What stays doubtful makes a lost kernel (CU002) and not an error (CU001).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.enclosing_declaration import Declaration
from perflint.frontend.source.project.user_files import words

#: Names of C's and C++'s library that our pre-include does not have.
_LIBRARY = words(
    """
    atexit atof atoi atol atoll bsearch calloc clearerr clock_gettime difftime div errno exit
    fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread fscanf fseek ftell
    fwrite getchar getenv gettimeofday gmtime isalnum isalpha isblank iscntrl isdigit isgraph
    islower isprint ispunct isspace isupper isxdigit itoa labs ldiv llabs localtime longjmp
    lrand48 memchr memcmp memmove mktime nan nanf omp_get_thread_num omp_get_wtime perror
    putchar puts qsort raise rand rand_r random realloc remove rename rewind scanf setjmp sleep
    snprintf sprintf srand srand48 sscanf stderr stdin stdout strcat strchr strcmp strcpy strdup
    strerror strftime strlen strncat strncmp strncpy strrchr strstr strtod strtof strtok strtol
    strtoll strtoul strtoull swap system time tolower toupper usleep va_arg va_end va_start
    vector string array pair tuple cout cerr endl complex optional function make_pair make_tuple
    thrust cub cutlass cute nvinfer1 at c10 torch wchar_t ssize_t pthread_t div_t ldiv_t
    max_align_t byte
    """
)
_RESERVED = pattern(
    r"_|cuda|cu[A-Z]|cu(?:blas|fft|dnn|rand|sparse|solver)|nv|hip|CU|NV|MPI|[A-Z][A-Z0-9_]*$"
)
#: What the compiler says of code that is wrong whatever the headers hold. That a temporary is no
#: initial value of a reference is none: Microsoft's compiler takes it for one.
_WRONG = pattern(
    r'class "[^"]+" has no member|too (?:few|many) arguments in function call'
    r"|expression must be a modifiable lvalue|expression must (?:have|be) "
    r"|a value of type .* cannot be (?:used|assigned)|argument of type .* is incompatible"
    r'|"[^"]+" has already been declared in the current scope|no operator .* matches'
    r'|variable "[^"]+" has already been defined|a break statement|a continue statement'
    r"|return value type does not match|expected "
)
#: CUDA's own types have the members that they have, whatever a header says.
_BUILTIN = pattern(
    r'class "(?:dim3|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4])" has no member'
)
_COUNT = pattern(r"too (?:few|many) arguments in function call")
#: CUDA's makers of vectors, which programs overload: `make_float4(0)`.
_MAKER = pattern(r"\bmake_u?(?:char|short|int|long|longlong|float|double)[2-4]\s*\(")
#: More undefined names than this in one file are no slips: something is not in sight.
_SLIPS = 2
#: Names of headers that ours stand in for, which have not all of them.
_PYTORCH = pattern(r"\b(?:at|c10|torch)\s*::")
#: C++20's words in a program's text.
NEWER = pattern(rb"\b(?:requires|concept|consteval|constinit|co_(?:await|yield|return))\b")
_COMMENT = pattern(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_IDENTIFIER = pattern(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Doubts:
    """What may have come between the user's code and the compiler."""

    missing: bool  #: a header of the project's was not found, or a macro was guessed
    removed: Collection[str]  #: names that declarations we blanked had declared
    macros: Collection[str]  #: macros that the sources define
    fragment: bool  #: another file includes this one
    undefined: int  #: how many different names the compiler calls undefined
    words: dict[str, int]  #: how often each identifier stands in the sources
    newer: bool = False  #: they have words of C++20, which our parser stumbles over, too


def strays(line: bytes) -> Iterator[tuple[int, str]]:
    """Where a line has characters that neither C++'s names nor its grammar have, and which."""
    offset = 0
    for character in line.decode("utf-8", "replace"):
        if not character.isascii() and not f"a{character}".isidentifier():
            yield offset, character
        offset += len(character.encode())


def is_genuine(diagnostic: Diagnostic, declaration: Declaration, code: str, doubts: Doubts) -> bool:
    """Is this error in `declaration`, whose source is `code`, the user's own?"""
    if declaration.kind not in {"kernel", "device"} or diagnostic.context:
        return False
    line = _lines(code, declaration, diagnostic.line)
    words = set(_IDENTIFIER.findall(line)) | set(_IDENTIFIER.findall(diagnostic.text))
    if not words.isdisjoint(doubts.removed) or _PYTORCH.search(line):
        return False
    parser_agrees = any(abs(b - diagnostic.line) <= 1 for b in declaration.broken)
    if parser_agrees and diagnostic.syntax:
        return not (doubts.newer or (doubts.missing and _strange_macro(words, code, doubts)))
    if _COUNT.match(diagnostic.text) and _MAKER.search(line):
        return False  # what the sources are put together with may have one of that many
    if _BUILTIN.match(diagnostic.text):
        return not _strange_macro(words, code, doubts)
    if doubts.missing or doubts.fragment or "std::" in diagnostic.text + line:
        return False
    name = diagnostic.undefined
    if name is not None:
        return _misspelt(name, code, line, doubts)
    return bool(_WRONG.match(diagnostic.text)) and not _strange_macro(words, code, doubts)


def _lines(code: str, declaration: Declaration, line: int) -> str:
    """The source of a line of the declaration and of the one before it, comments left out."""
    index = line - declaration.line
    lines = _COMMENT.sub(lambda m: "\n" * m[0].count("\n"), code).split("\n")
    return "\n".join(lines[max(0, index - 1) : index + 1])


def _strange_macro(words: Collection[str], code: str, doubts: Doubts) -> bool:
    """Is there a word that looks like a macro which nothing defines?"""
    return any(
        len(w) > 1
        and w.isupper()
        and w not in doubts.macros
        and not w.startswith("__")
        and not re.search(rf"\w[ \t]*[ \t*&][ \t]*{w}[ \t]*[,;=)\[]", code)  # `int NH,`
        for w in words
    )


def _misspelt(name: str, code: str, line: str, doubts: Doubts) -> bool:
    """Is an undefined name a slip, and not one that a build's `-D` or a header defines?"""
    if _RESERVED.match(name) or name in _LIBRARY or doubts.undefined > _SLIPS:
        return False
    head = code.split("{")[0]
    if re.search(rf"\b{name}\b", head) or re.search(rf"\b{name}[ \t]+\w", line):
        return False  # it stands where a type stands
    all_words = _IDENTIFIER.findall(code)
    if name not in all_words:
        return False  # a macro made it
    if doubts.words.get(name, 0) > all_words.count(name):
        return False  # it stands elsewhere, too: perhaps declared, as texture references were
    known = {w for w in all_words if w != name}
    if len(name) > 2 and get_close_matches(name, known, n=1, cutoff=0.75):
        return True
    called = re.search(rf"\b{name}\s*\(", line)  # perhaps a function of a header not in sight
    return not called and doubts.words.get(name, 0) <= 2
