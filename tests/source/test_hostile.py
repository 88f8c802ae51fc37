"""Any text has source facts, soon."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from perflint.frontend import read_facts
from perflint.frontend.nvrtc.cuda_file import _before_calls
from perflint.frontend.source.facts import read
from perflint.frontend.source.language import trees
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import Names
from perflint.frontend.source.language.macro_comments import without_macro_comments
from perflint.frontend.source.language.model import SourceFacts

_HEAD = "__global__ void k(int *a, int n) { a[n] = n; }\n"


def _read(text: str) -> SourceFacts:
    return read(Path("hostile.cu"), text)


def _launch(value: str, before: str = "") -> SourceFacts:
    return _read(f"{before}\n{_HEAD}void f() {{ k<<<1, {value}>>>(0, 1); }}\n")


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ("", "(" * 10_000 + "1" + ")" * 10_000),
        ("", "-" * 10_000 + "1"),
        ("", "1 ? " * 3_000 + "1" + " : 2" * 3_000),
        ("", "+".join(["1"] * 50_000)),
        ("#define A A\n", "A"),
        ("#define A B\n#define B A\n", "A + B"),
        ("#define A(x) A(x) A(x)\n", "A(A(A(A(1))))"),
        ("#define A0 1\n" + "".join(f"#define A{i + 1} A{i} + A{i}\n" for i in range(60)), "A60"),
        ("".join(f"#define A{i} A{i + 1}\n" for i in range(5_000)), "A0"),
        ("#define F(x) F2(x, x)\n#define F2(a, b) F(a) + F(b)\n", "F(F(F(1)))"),
    ],
)
def test_monstrous_expressions_have_no_value(before: str, value: str) -> None:
    facts = _launch(value, before)
    assert [site.block.value for site in facts.launches] in ([None], [])


def test_mutual_definitions_have_no_value() -> None:
    facts = _read(
        f"{_HEAD}const int a = b, b = a;\nvoid f(int n) {{ int m = m + 1; k<<<a, m>>>(0, b); }}\n"
        "int g(int x) { return g(x); }\nvoid h() { k<<<g(1), 1>>>(0, 0); }\n"
        "typedef T U;\ntypedef U T;\nvoid i() { k<<<1, sizeof(T)>>>(0, 0); }\n"
    )
    assert [site.block.x.value or site.grid.x.value for site in facts.launches] == [None, 1, 1]
    assert facts.launches[0].grid.x.value is None
    assert facts.launches[1].grid.x.value is None
    assert facts.launches[2].block.x.value is None


def test_chains_of_doubling_variables_end() -> None:
    chain = "int v0 = 1;" + "".join(f"int v{i + 1} = v{i} + v{i} - v{i};" for i in range(200))
    facts = _read(f"{_HEAD}void f() {{ {chain} k<<<1, v200>>>(0, 1); }}\n")
    assert facts.launches[0].block.x.value in (1, None)


def test_many_callers_give_few_launch_sites() -> None:
    calls = "".join(f"void c{i}() {{ f({i + 1}, {i}); f({i}, {i}); }}\n" for i in range(300))
    facts = _read(f"{_HEAD}void f(int n, int m) {{ k<<<n, m>>>(0, n); }}\n{calls}")
    assert 1 <= len(facts.launches) <= 16


def test_recursive_calls_end() -> None:
    facts = _read(
        f"{_HEAD}void g(int n);\nvoid f(int n) {{ g(n + 1); k<<<1, n>>>(0, n); }}\n"
        "void g(int n) { f(n); }\n"
    )
    assert [site.block.value for site in facts.launches] == [None]


@pytest.mark.parametrize("seed", range(4))
def test_garbage(seed: int) -> None:
    generator = random.Random(seed)
    words = ["__global__", "void", "k", "(", ")", "{", "}", "<<<", ">>>", "[", "]", "#if", "\n"]
    words += ["#define A", "*", "a", "->", ",", ";", "case", "switch", "dim3", "=", "1", "template"]
    _read(" ".join(generator.choice(words) for _ in range(3_000)))
    _read("".join(chr(generator.randrange(1, 0x2FF)) for _ in range(5_000)))


def test_binary_and_empty() -> None:
    assert _read("\0\1\2__global__ void k() {}").kernels == ()
    assert _read("") == SourceFacts(Path("hostile.cu"), "")
    assert _read("\ufeff\r\n\r\r\n").launches == ()
    assert _read('/* "').kernels == _read('"').kernels == _read('R"(').kernels == ()
    assert [k.name for k in _read(_HEAD.replace("\n", "\r\n") * 2).kernels] == ["k", "k"]


def test_unpaired_surrogates() -> None:
    facts = _read('const char *s = "\udce9";\n' + _HEAD)
    assert [k.name for k in facts.kernels] == ["k"]


def test_a_large_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = _read(_HEAD * 3_000)
    assert len(facts.kernels) == 3_000
    monkeypatch.setattr(trees, "SIZE_LIMIT", 1_000)
    assert _read(_HEAD * 1_000).kernels == ()


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ("#define A \\\n", "/* x "),
        ("#define A \\\n/**/\n", "/* x */ "),
        ("#define A \\\n/**/\n", r'"\"\"\"'),
        ("#define A \\\n/**/\n", "\n#"),
        ("", "\\\n"),
    ],
)
def test_comments_of_macros_are_found_in_one_pass(before: str, piece: str) -> None:
    begin = time.thread_time()
    without_macro_comments((before + piece * 100_000).encode())
    assert time.thread_time() - begin < 2  # by hundreds where each begins a search


def test_a_long_table_is_looked_through_once_for_calls() -> None:
    functor = "struct Of { __device__ int operator ()(int n) const; };"
    code = f"{functor} const int t[] = {{{'1, ' * 200_000}}}; int g(Of of);".encode()
    begin = time.thread_time()
    assert list(_before_calls(code)) == [b" __device__ int "]
    assert time.thread_time() - begin < 2  # by hundreds where each number begins a search


@pytest.mark.parametrize("quote", ["'\"'", r"'\"'", r'"\""'])
def test_a_quote_in_a_macro_begins_no_text(quote: str) -> None:
    text = f"#define A(x) \\\n  f({quote}); /* a */ \\\n  g(x);\n"
    assert without_macro_comments(text.encode()).decode() == text.replace("/* a */", " " * 7)


def test_the_parser_is_cut_off_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1_000_000))
    monkeypatch.setattr(time, "thread_time", lambda: float(next(clock)))
    facts = _read(_HEAD * 20_000)
    assert 0 < len(facts.kernels) < 20_000


def test_the_text_of_what_was_parsed_is_there_however_late_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = ("typedef typename C::Index Row;\n" * 2_000).encode()
    tree = trees.parse(text)

    def later() -> float:
        raise AssertionError("the clock decides what a node's text is")

    monkeypatch.setattr(time, "thread_time", later)
    last = tree.root_node.children[-1]
    assert last.text == b"typedef typename C::Index Row;"


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.cu", Path("/dev/zero")):
        with pytest.raises(ValueError):
            read(path)


def test_includes_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "self.h").write_text('#include "self.h"\n#include "a.cu"\n#define SELF 3\n')
    (tmp_path / "big.h").write_text("#define BIG 1\n" + " " * (2 << 20))
    (tmp_path / "deep0.h").write_text("#define DEEP 1\n")
    for i in range(40):
        (tmp_path / f"deep{i + 1}.h").write_text(f'#include "deep{i}.h"\n')
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "zero.h").symlink_to("/dev/zero")
    text = (
        '#include "self.h"\n#include "big.h"\n#include "deep40.h"\n#include "pipe.h"\n'
        '#include "zero.h"\n#include "/etc/hostname"\n#include "."\n#include ""\n#include SELF\n'
        "void f() { k<<<1, 1>>>(SELF, BIG, DEEP); }\n"
    )
    (tmp_path / "a.cu").write_text(text)
    facts = read_facts(tmp_path / "a.cu", root=tmp_path)
    (site,) = facts[tmp_path / "a.cu"].launches
    assert [argument.value for argument in site.arguments] == [3, 1, None]


def test_folding_gives_up_on_long_text() -> None:
    assert fold("1 + " * 100_000 + "1", Names()) is None
