"""Folding of C expressions (C17 6.3 to 6.6; LP64)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.frontend.source.language.c_types import DOUBLE, INT, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import Names
from perflint.frontend.source.language.macros import Macro, parse_define
from perflint.frontend.source.language.preprocessor import INCLUDE_COUNT, preprocess


def _macros(*lines: str) -> dict[str, Macro]:
    parsed = [parse_define(line) for line in lines]
    return {macro.name: macro for macro in parsed if macro is not None}


NAMES = Names(
    _macros(
        "N 512",
        "TWICE (2 * N)",
        "BARE N + 1",
        "DIV_UP(a, b) (((a) + (b)-1) / (b))",
        "MAX(a, b) ((a) > (b) ? (a) : (b))",
        "CAT(a, b) a##b",
        "FIRST(a, ...) a",
        "REST(a, ...) FIRST(__VA_ARGS__, 0)",
        "EMPTY",
        "LOOP LOOP + 1",
        "A B",
        "B A",
        "CALL DIV_UP",
        "REAL float",
    ),
    {"n": Value(1000, INT), "x": Value(2.5, DOUBLE), "minus": Value(-7, INT)},
)

KNOWN = [
    ("1", 1),
    ("0x1F + 010 + 0b11", 42),
    ("1'000'000", 1_000_000),
    ("1 << 20", 1 << 20),
    ("std::numeric_limits<int>::max()", (1 << 31) - 1),
    ("std::numeric_limits<int>::min() + 1", -((1 << 31) - 1)),
    ("std::numeric_limits<unsigned char>::max()", 255),
    ("'A' + 1", 66),
    ("true + false", 1),
    ("-7 / 2", -3),
    ("-7 % 2", -1),
    ("7 % -2", 1),
    ("7u / 2", 3),
    ("2 - 3u", 4294967295),
    ("-1 < 1u", 0),
    ("4294967295u + 1", 0),
    ("4294967295u * 4294967295u", 1),
    ("3000000000 + 3000000000", 6_000_000_000),
    ("0xFFFFFFFF + 1", 0),
    ("0xFFFFFFFF + 1l", 1 << 32),
    ("-1 / 2u", 2147483647),
    ("~0", -1),
    ("~0u >> 28", 15),
    ("-8 >> 1", -4),
    ("!0 + !5", 1),
    ("(char)300", 44),
    ("(unsigned char)-1", 255),
    ("(short)40000", -25536),
    ("(int)4294967295u", -1),
    ("(bool)7", 1),
    ("(int)-2.9", -2),
    ("5 / 2.0", 2.5),
    ("1 / 3.0f", 0.3333333432674408),
    ("(float)0.1 == 0.1", 0),
    ("1.5f", 1.5),
    ("1e3", 1000.0),
    (".5 + 1.", 1.5),
    ("3 > 2 ? 10 : 20", 10),
    ("0 && unknown", 0),
    ("1 || unknown", 1),
    ("unknown ? 4 : 4", 4),
    ("0 ? unknown : 3", 3),
    ("(1, 2, 3)", 3),
    ("sizeof(int) * 3", 12),
    ("sizeof(float4) + sizeof(double *) + sizeof(unsigned long long)", 32),
    ("sizeof(int[8])", 32),
    ("sizeof(size_t) - 9", 0xFFFFFFFFFFFFFFFF),
    ("N * N", 262144),
    ("TWICE + 1", 1025),
    ("2 * BARE", 1025),
    ("DIV_UP(n, 256)", 4),
    ("DIV_UP(DIV_UP(n, 4), MAX(3, 25))", 10),
    ("CAT(N, ) + CAT(1, 2)", 524),
    ("REST(1, 2, 3)", 2),
    ("EMPTY 3 EMPTY", 3),
    ("CALL(10, 3)", 4),
    ("(REAL)1 / 2", 0.5),
    ("float(7) / 2", 3.5),
    ("int(3.9) + unsigned(2)", 5),
    ("size_t{5} * 2", 10),
    ("static_cast<unsigned int>(n) / 3", 333),
    ("static_cast<std::size_t>(4) + ::std::max(1, 2)", 6),
    ("std::min<int>(n, 64)", 64),
    ("max(2u, 1)", 2),
    ("(unsigned int)ceil(((float)1000) / ((float)32))", 32),
    ("(size_t)(ceil( ((float)4096)/ ((float)n) ))", 5),
    ("ceilf(2.1f) + floor(-2.5) + sqrt(16.0)", 4.0),
    ("pow(2, 10)", 1024.0),
    ("log2(256)", 8.0),
    ("abs(minus)", 7),
    ("x * 2", 5.0),
]

UNKNOWN = [
    "",
    "unknown",
    "unknown + 1",
    "1 +",
    "2147483647 + 1",
    "-2147483647 - 2",
    "65536 * 65536",
    "1 << 31",
    "1 << 32",
    "1 << -1",
    "1 / 0",
    "1 % 0",
    "1.0 / 0",
    "(int)1e10",
    "(unsigned)-1.5",
    "sqrt(-1.0)",
    "LOOP",
    "A",
    "DIV_UP(1)",
    "DIV_UP(1, 2, 3)",
    "f(3)",
    "n.x",
    "p->x",
    "a[3]",
    "&n",
    "*n",
    "n = 3",
    "argc > 1 ? atoi(argv[1]) : 1024",
    "unknown && 1",
    "unknown || 0",
    "unknown ? 4 : 5",
    "sizeof(Unseen)",
    '"text"',
    "[&] { return 3; }()",
    "1; int y = 2",
    "1) + (2",
    "08",
    "1.0 % 2",
    "3 & 1.5",
    "std::numeric_limits<int>::digits",
    "99999999999999999999",
    "'ab'",
    "(int *)0",
]


@pytest.mark.parametrize(("text", "value"), KNOWN)
def test_known(text: str, value: float) -> None:
    folded = fold(text, NAMES)
    assert folded is not None
    assert folded.number == value
    assert type(folded.number) is type(value)


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown(text: str) -> None:
    assert fold(text, NAMES) is None


def test_a_macro_of_unknown_value_hides_a_constant() -> None:
    names = Names({"N": Macro("N", (), known=False)}, {"N": Value(3, INT)})
    assert fold("N", names) is None


@dataclass(frozen=True)
class Known:
    """An expression and what C makes of it: the value (None: undefined) and whether unsigned."""

    text: str
    value: int | None
    unsigned: bool


def _wrapped(value: int, unsigned: bool) -> int | None:
    if unsigned:
        return value % 2**32
    return value if -(2**31) <= value < 2**31 else None


def _leaf(value: int, unsigned: bool) -> Known:
    return Known(f"{value}u" if unsigned else str(value), value, unsigned)


def _combined(left: Known, op: str, right: Known) -> Known:
    text = f"({left.text} {op} {right.text})"
    shifted = op in ("<<", ">>")
    unsigned = left.unsigned if shifted else left.unsigned or right.unsigned
    if left.value is None or right.value is None:
        return Known(text, None, unsigned and op not in ("<", "=="))
    a, b = left.value, right.value
    if not shifted and unsigned:
        a, b = a % 2**32, b % 2**32
    value: int | None
    if op in ("<", "=="):
        return Known(text, int(a < b if op == "<" else a == b), False)
    if shifted:
        value = None if not 0 <= b < 32 else a << b if op == "<<" else a >> b
    elif op in ("/", "%"):
        quotient = int(abs(a) // abs(b)) * (1 if a * b >= 0 else -1) if b else 0
        value = None if b == 0 else quotient if op == "/" else a - quotient * b
    else:
        value = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op]
    return Known(text, None if value is None else _wrapped(value, unsigned), unsigned)


def _negated(operand: Known) -> Known:
    value = None if operand.value is None else _wrapped(-operand.value, operand.unsigned)
    return Known(f"(-{operand.text})", value, operand.unsigned)


_LEAVES = st.builds(_leaf, st.one_of(st.integers(0, 9), st.integers(0, 2**31 - 1)), st.booleans())
_OPERATORS = st.sampled_from(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "=="])
_EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.builds(_combined, inner, _OPERATORS, inner), inner.map(_negated)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(_EXPRESSIONS)
def test_integer_arithmetic_is_that_of_c(expression: Known) -> None:
    folded = fold(expression.text, Names())
    assert (None if folded is None else folded.number) == expression.value
    if folded is not None:
        assert folded.type.signed is not expression.unsigned


CONDITIONALS = [
    ("#ifdef X\n#define V 1\n#else\n#define V 2\n#endif", "2"),
    ("#define X\n#ifdef X\n#define V 1\n#else\n#define V 2\n#endif", "1"),
    ("#define X 3\n#if X > 2 && defined(X)\n#define V 1\n#elif X\n#define V 2\n#endif", "1"),
    ("#define X 0\n#if X\n#define V 1\n#elif !X\n#define V 2\n#else\n#define V 3\n#endif", "2"),
    ("#if UNDEFINED\n#define V 1\n#else\n#define V 2\n#endif", "2"),
    ("#if 0\n#if 1\n#define V 1\n#else\n#define V 2\n#endif\n#else\n#define V 3\n#endif", "3"),
    ("#define V 1\n#undef V\n#define V 2", "2"),
    ("#define V 1 // one\n", "1"),
    ("/* #define V 0\n*/ #define V 2 /* two */", "2"),
    ("#define V \\\n  4", "4"),
    ("#define F(x) (x > 1)\n#if F(2)\n#define V 1\n#endif", "1"),
    ("#if defined __linux__ && !defined(_WIN32)\n#define V 1\n#endif", "1"),
    ("#if __CUDA_ARCH__ >= 800\n#define V 1\n#else\n#define V 2\n#endif", None),
    ("#define V 1\n#ifdef __CUDA_ARCH__\n#undef V\n#endif", None),
    ("#if __CUDA_ARCH__ >= 800\n#define V 1\n#endif\n#undef V\n#define V 5", "5"),
    ("#if __CUDA_ARCH__ || 1\n#define V 1\n#else\n#define V 2\n#endif", "1"),
    ("#if __CUDA_ARCH__\n#elif 1\n#define V 1\n#else\n#define V 2\n#endif", None),
    ("#if (\n#define V 1\n#else\n#define V 2\n#endif", None),
    ("#endif\n#else\n#define V 1", "1"),
    ("#if 0\n#define V 1", None),
]


def test_a_librarys_headers_leave_room_for_the_programs_own() -> None:
    texts = {f"part{n}.h": f"#define PART{n} {n}\n" for n in range(1_000)}
    texts["library.h"] = "".join(f'#include "part{n}.h"\n' for n in range(500))
    texts["own.h"] = "#define BLOCK 128\n"

    def find(source: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        return (Path(name), texts[name]) if name in texts else None

    text = '#include <library.h>\n#include "own.h"\n'
    text += "".join(f'#include "part{n}.h"\n' for n in range(500, 1_000))
    unit, *included = preprocess(Path("m.cu"), text, find)
    assert "BLOCK" in unit.final
    assert len(included) == 2 * INCLUDE_COUNT - 1  # neither is read without end


@pytest.mark.parametrize(("text", "value"), CONDITIONALS)
def test_conditionals(text: str, value: str | None) -> None:
    (unit,) = preprocess(Path("m.cu"), text, lambda *_: None)
    macro = unit.final.get("V")
    known = macro is not None and macro.known
    assert (" ".join(t.text for t in macro.body) if macro and known else None) == value
