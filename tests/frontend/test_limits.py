"""What is refused for its size is said to be, at once; what only looks dear is read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file, csubset
from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.enclosing_declaration import enclosing
from perflint.frontend.source import facts
from perflint.frontend.source.language.macros import ExpansionError, Macro, expand, parse_define
from perflint.frontend.source.language.preprocessor import preprocess
from perflint.frontend.source.language.tokens import closing_angle, tokenize

KERNEL = "__global__ void k(int *a, int n) { a[threadIdx.x] = %s; }\n"
REFUSED = {
    "nesting": ("(" * 100_000 + "n" + ")" * 100_000, "it nests brackets 100,001 deep"),
    "operands": ("n+" * 200_000 + "n", "an expression in it has 4000"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_texts_that_no_program_is_are_refused_by_size(
    case: str, tmp_path: Path, pool: Pool
) -> None:
    expression, reason = REFUSED[case]
    path = tmp_path / "a.cu"
    path.write_text(KERNEL % expression)
    for found in (compile_file(path, pool=pool), csubset.compile_file(path)):
        (error,) = found.errors
        assert reason in error.message and not error.genuine


def test_comments_and_tables_are_no_expressions(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "a.cu"
    table = ", ".join(str(n) for n in range(40_000))
    path.write_text(f"/*{'x ' * 100_000}*/\n__device__ int t[] = {{{table}}};\n" + KERNEL % "t[n]")
    found = compile_file(path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]


def test_the_declaration_in_a_deep_tree_is_found() -> None:
    code = (KERNEL % ("n<" * 16_000 + "n")).encode()
    for column in (5, 40_000 // 2, len(code) - 5):
        found = enclosing(code, 1, column)
        assert found is not None and (found.kind, found.name) == ("kernel", "k")


def test_a_chain_of_comparisons_is_no_template_list() -> None:
    tokens = tokenize("a<" * 4_000 + "a")
    assert all(closing_angle(tokens, i) is None for i in range(1, len(tokens), 2))


@pytest.mark.parametrize("body", ["x##x", "#x #x"])
def test_macros_that_double_a_word_end(body: str) -> None:
    defines = [f"D0(x) {body}", *(f"D{n + 1}(x) D{n}(D{n}(x))" for n in range(12))]
    macros: dict[str, Macro] = {m.name: m for d in defines if (m := parse_define(d)) is not None}
    with pytest.raises(ExpansionError):
        expand(tokenize("D12(w)"), macros)


def test_tables_of_macros_are_the_same_in_any_order() -> None:
    text = "".join(f"#define M{n % 90} {n}\n#undef M{(n * 7) % 90}\n" for n in range(300))
    (unit,) = preprocess(Path("a.cu"), text, lambda *_: None)
    (fresh,) = preprocess(Path("a.cu"), text, lambda *_: None)
    forward = [unit.macros_at(line) for line in range(1, 600)]
    backward = [fresh.macros_at(line) for line in range(599, 0, -1)]
    assert forward == backward[::-1]


def test_what_was_parsed_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    node = syntax.parse((KERNEL % "n").encode()).children[0]
    late = time.monotonic() + 1_000
    monkeypatch.setattr(time, "monotonic", lambda: late)
    assert syntax.function_name(node) == "k"
    assert syntax.parse(b"int f();" * 10_000).child_count in (0, 10_000)


def test_template_arguments_that_hang_on_themselves_are_given_up() -> None:
    """Each of two functions calls the other with what it was called with."""
    text = (
        "template <typename T> __global__ void k(T *p) { p[threadIdx.x] = T(); }\n"
        "template <typename A, typename B> void one(A a, B b);\n"
        "template <typename A, typename B>\n"
        "void two(A a, B b) { one(b, a); k<A><<<1, 32>>>(&a); k<<<1, 32>>>(&b); }\n"
        "template <typename A, typename B> void one(A a, B b) { two(b, a); two(a, b); }\n"
    )
    read = facts.read(Path("a.cu"), text)
    assert [s.instance for s in read.launches] == [None, None]
