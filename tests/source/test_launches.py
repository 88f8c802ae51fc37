"""Launch sites, against the `// launch:` comments of the case files, strict both ways."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from perflint.frontend import read_facts
from perflint.frontend.source.facts import read
from perflint.frontend.source.host.calls import instances
from perflint.frontend.source.host.values import loops
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.model import Dim3Expression, LaunchSite, SourceFacts
from perflint.frontend.source.launches.kernel_launches import launches_of

CASES = Path(__file__).parent / "cases"
_EXPECTED = re.compile(r"// launch: (.*)$")


def _dim3(dim3: Dim3Expression) -> str:
    values = [dim3.x.value, dim3.y.value, dim3.z.value]
    if values[0] is None and values[1:] in ([None, None], [1, 1]):
        return "?"
    return "(" + ",".join("?" if v is None else str(v) for v in values) + ")"


def _described(site: LaunchSite, facts: SourceFacts, wanted: str) -> str:
    """The site in the comment's words: only the parts that `wanted` mentions."""
    name = site.kernel
    if site.template_arguments is not None or site.instance is not None:
        name += f"<{','.join(site.instance)}>" if site.instance is not None else "<?>"
    parts = [name, f"grid={_dim3(site.grid)}", f"block={_dim3(site.block)}"]
    if "shared=" in wanted:
        parts.append(f"shared={site.shared.value}")
    parameters = next(k.parameters for k in facts.kernels if k.name == site.kernel)
    for parameter, argument in zip(parameters, site.arguments, strict=True):
        if f" {parameter.name}=" not in wanted:
            continue
        value = "?" if argument.value is None else str(argument.value)
        if argument.allocation is not None:
            value = f"{argument.allocation}B"
        parts.append(f"{parameter.name}={value}")
    parts += [f"if {condition}" for condition in site.supposing]
    return " ".join(parts)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.cu")), ids=lambda p: p.stem)
def test_every_launch_is_read_as_marked(path: Path) -> None:
    facts = read(path)
    sites: dict[int, list[LaunchSite]] = {}
    for site in facts.launches:
        sites.setdefault(site.span.line, []).append(site)
    expected = {}
    for number, line in enumerate(facts.text.split("\n"), 1):
        match = _EXPECTED.search(line)
        if match:
            expected[number] = sorted(part.strip() for part in match[1].split("|"))
    found = {
        line: sorted(_described(site, facts, " ".join(expected.get(line, []))) for site in of_line)
        for line, of_line in sites.items()
    }
    assert found == expected


def _read(text: str) -> SourceFacts:
    return read(Path("memory.cu"), text)


def _texts(*facts: SourceFacts) -> dict[Path, str]:
    return {fact.path: fact.text for fact in facts}


def test_span_and_texts() -> None:
    facts = _read('void f() {\n\tns::k<int, 4>\n  <<<n + 1, /* é */ b>>>("é", x);\n}\n')
    (site,) = facts.launches
    span = site.span
    assert (span.line, span.column, span.end_line, span.end_column) == (2, 2, 3, 33)
    assert (site.kernel, site.template_arguments) == ("k", ("int", "4"))
    assert (site.grid.text, site.block.text, site.function) == ("n + 1", "b", "f")
    assert [a.text for a in site.arguments] == ['"é"', "x"]


def test_values_come_through_callers() -> None:
    facts = _read(
        "__global__ void k(int n);\n"
        "void f(int n) { k<<<1, n>>>(n); }\n"
        "void g(int m) { f(2 * m); }\n"
        "int main() { g(16); }\n"
    )
    (site,) = facts.launches
    assert site.block.value == (32, 1, 1)


def test_callers_and_headers_in_other_files() -> None:
    header = read(Path("/p/include/sizes.h"), "#define THREADS 96\nvoid run(int n);\n")
    main = read(Path("/p/main.cpp"), '#include "include/sizes.h"\nint main() { run(1 << 8); }\n')
    unrelated = read(Path("/q/main.cpp"), "int main() { run(3); }\n")
    text = (
        "#include <sizes.h>\n__global__ void k(int);\nvoid run(int n) { k<<<n, THREADS>>>(n); }\n"
    )
    facts = read(Path("/p/kernels.cu"), text, _texts(header, main, unrelated))
    assert [(s.grid.value, s.block.value) for s in facts.launches] == [((256, 1, 1), (96, 1, 1))]


def test_a_fragment_sees_what_its_includers_define() -> None:
    includer = read(Path("/p/a.cu"), '#define BLOCK 64\n#define ODD 1\n#include "part.cuh"\n')
    second = read(Path("/p/b.cu"), '#define BLOCK 64\n#define ODD 3\n#include "part.cuh"\n')
    text = "__global__ void k(int);\nvoid f() { k<<<ODD, BLOCK>>>(1); }\n"
    alone, one, both = (
        read(Path("/p/part.cuh"), text, _texts(*others)).launches[0]
        for others in ((), (includer,), (includer, second))
    )
    assert (alone.grid.value, alone.block.value) == (None, None)
    assert (one.grid.value, one.block.value) == ((1, 1, 1), (64, 1, 1))
    assert (both.grid.value, both.block.value) == (None, (64, 1, 1))
    between = read(Path("/p/between.cu"), '#include "part.cuh"\n')
    root = read(Path("/p/main.cu"), '#define ODD 5\n#define BLOCK 3\n#include "between.cu"\n')
    through = read(Path("/p/part.cuh"), text, _texts(between, root)).launches[0]
    assert (through.grid.value, through.block.value) == ((5, 1, 1), (3, 1, 1))


def test_definitions_from_the_command_line() -> None:
    text = "__global__ void k(int);\n#ifdef FAST\nvoid f() { k<<<1, WIDTH>>>(1); }\n#endif\n"
    assert read(Path("m.cu"), text).launches == ()
    (site,) = read(Path("m.cu"), text, define={"FAST": "", "WIDTH": "40"}).launches
    assert site.block.value == (40, 1, 1)


def test_headers_on_the_include_path(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "b.h").write_text("enum { THREADS = 3 << 5 };\n")
    text = "#include <b.h>\n__global__ void k(int);\nvoid f() { k<<<1, THREADS>>>(1); }\n"
    (tmp_path / "a.cu").write_text(text)
    facts = read_facts(tmp_path / "a.cu", include=[tmp_path / "inc"])
    (site,) = facts[tmp_path / "a.cu"].launches
    assert site.block.value == (96, 1, 1)


def test_launches_of_joins_by_name_arguments_and_place() -> None:
    kernels = read(
        Path("/p/k.cuh"), "template <int B, bool U> __global__ void k(int *a) { a[B] = U; }"
    )
    host = read(
        Path("/p/main.cu"),
        "#define SIZE 128\nvoid f(int n) {\n  k<SIZE, true><<<1, SIZE>>>(0);\n"
        "  k<64, false><<<1, n>>>(0);\n  k<64, false><<<1, 64>>>(0);\n}\n",
    )
    elsewhere = read(Path("/q/main.cu"), "void f() { k<64, false><<<1, 7>>>(0); }")
    facts = [kernels, host, elsewhere]

    def lines(arguments: tuple[str, ...] | None) -> list[int]:
        return [s.span.line for s in launches_of("k", arguments, facts)]

    assert lines(("128", "true")) == [3]
    assert lines(("SIZE", "true")) == [3]
    assert lines(("64", "false")) == [5, 4]
    assert sorted(lines(None)) == [3, 4, 5]
    assert lines(("32", "true")) == []
    assert launches_of("other", None, facts) == ()


def test_arguments_in_doubt_are_not_counted() -> None:
    facts = _read(
        "__global__ void k(int a, int b, int c);\n"
        "void f() {\n"
        "  k<<<1, 2>>>(1,\n#if __CUDA_ARCH__ > 700\n  7,\n#endif\n  2);\n"
        "}\n"
    )
    (site,) = facts.launches
    assert [a.value for a in site.arguments] == [1, None]
    assert site.block.value == (2, 1, 1)


def test_launches_of_a_namesake_with_other_parameters_do_not_count() -> None:
    facts = _read(
        "__global__ void k(int n, int m = 3) {}\n"
        "template <class... T> __global__ void v(int n, T... more) {}\n"
        "void f() { k<<<1, 1>>>(); k<<<1, 2>>>(1); k<<<1, 3>>>(1, 2); k<<<1, 4>>>(1, 2, 3); }\n"
        "void g() { v<<<1, 5>>>(1, 2, 3); }\n"
    )

    def blocks(kernel: str) -> list[int | float | None]:
        return [s.block.x.value for s in launches_of(kernel, None, [facts])]

    assert blocks("k") == [2, 3]
    assert blocks("v") == [5]


@pytest.mark.parametrize(
    ("main", "grid"),
    [
        ("run(96); tuned = 32;", (64, 1, 1)),
        ("tuned = 32; run(96);", (32, 1, 1)),
        ("while (more()) { run(96); tuned = 32; }", None),
    ],
)
def test_callers_in_host_files_beside_the_source(
    main: str, grid: tuple[int, ...] | None, tmp_path: Path
) -> None:
    (tmp_path / "main.cpp").write_text(
        f"extern int tuned;\nvoid run(int n);\nint main() {{ {main} }}\n"
    )
    source = tmp_path / "k.cu"
    source.write_text(
        "int tuned = 64;\n__global__ void k(int);\nvoid run(int n) { k<<<tuned, n>>>(n); }\n"
    )
    (site,) = read(source).launches
    assert (site.grid.value, site.block.value) == (grid, (96, 1, 1))


def test_a_launch_whose_kernel_or_block_is_not_read_says_why() -> None:
    facts = _read(
        "__global__ void k(int n);\ntypedef void (*P)(int);\nP from_elsewhere();\n"
        "int width();\n"
        "void f(P p, int n) {\n  p<<<1, 32>>>(n);\n  from_elsewhere()<<<1, 32>>>(n);\n"
        "  k<<<1, n>>>(n);\n  int m = width();\n  k<<<1, dim3(32, m)>>>(n);\n"
        "  for (int i = 0; i < n; i++) m += 3;\n  k<<<1, m>>>(n);\n  k<<<1, 64>>>(n);\n"
        "  dim3 b;\n  b.x = THREADS;\n  b.y = 1;\n  k<<<1, b>>>(n);\n}\n"
        "template <int B> void g() { k<<<1, B>>>(1); }\n"
    )
    assert [(u.span.line, u.text, u.function, u.reason) for u in facts.unread] == [
        (6, "p", "f", "`p` is a parameter of `f`, whose callers are not in sight"),
        (7, "from_elsewhere()", "f",
         "the function that `from_elsewhere ( )` calls is not in sight"),
    ]  # fmt: skip
    assert [(s.span.line, s.unread) for s in facts.launches] == [
        (8, "`n` is a parameter of `f`, whose callers are not in sight"),
        (10, "what `width()` returns cannot be read"),
        (12, "`m` may have been changed on the way, in a loop, a branch or a call"),
        (13, ""),
        (17, "`THREADS` is not declared in sight"),
        (19, "no caller in sight gives the template argument `B`"),
    ]


@pytest.mark.parametrize("count", [20, 500])
def test_a_chooser_of_many_kernels_is_bounded_and_said(count: int) -> None:
    cases = "".join(f"    case {n}: return &k<{n}>;\n" for n in range(count))
    entries = ", ".join(f"k<{n}>" for n in range(count))
    facts = _read(
        "typedef void (*P)(int);\ntemplate <int N> __global__ void k(int n) {}\n"
        f"P pick(int n) {{\n  switch (n) {{\n{cases}  }}\n  return nullptr;\n}}\n"
        f"P table[] = {{{entries}}};\n"
        "void f(int n) { auto p = pick(n); p<<<1, 64>>>(n); }\n"
        "void g(int n) { table[n]<<<1, 96>>>(n); }\n"
        "void h() { pick(7)<<<1, 32>>>(7); }\n"
    )
    by_function = {
        name: [s for s in facts.launches if s.function == name] for name in ("f", "g", "h")
    }
    assert [len(sites) for sites in by_function.values()] == [16, 16, 1]
    assert by_function["h"][0].instance == ("7",)
    said = f"it may be one of {count} kernels, of which 16 are read"
    assert [(u.function, u.reason) for u in facts.unread] == [("f", said), ("g", said)]


def test_each_instance_gets_its_own_block() -> None:
    facts = _read(
        "template <typename T> constexpr int per_thread() { return 16 / sizeof(T); }\n"
        "template <typename T> __global__ void k(T *a) { a[threadIdx.x] += 1; }\n"
        "template <typename T> void run(T *a) { k<T><<<1, 1024 / per_thread<T>()>>>(a); }\n"
        "template void run<float>(float *);\ntemplate void run<double>(double *);\n"
    )
    blocks = {
        kind: [s.block.value for s in launches_of("k", (kind,), [facts])]
        for kind in ("float", "double")
    }
    assert blocks == {"float": [(256, 1, 1)], "double": [(512, 1, 1)]}


def test_a_loop_is_read_once_for_all_that_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    # a command line of many options: each of them is asked for behind the loop
    names = [f"n{i}" for i in range(24)]
    arms = " else ".join(
        f"if (a[i][1] == '{chr(97 + i)}') {{ {n} = atoi(a[i + 1]); }}" for i, n in enumerate(names)
    )
    text = f"""
    __global__ void k(int n) {{}}
    int main(int c, char **a) {{
        int {", ".join(f"{n} = {i}" for i, n in enumerate(names))};
        for (int i = 1; i < c; i += 2) {{ if (i + 1 >= c) {{ break; }} {arms} }}
        k<<<{" + ".join(names[:12])}, 64>>>({" * ".join(names[12:])});
    }}"""
    turns: list[object] = []
    read_turn = loops._read
    monkeypatch.setattr(loops, "_read", lambda *given: turns.append(given) or read_turn(*given))
    facts = _read(text)
    assert facts.launches[0].block.value == (64, 1, 1)
    assert 1 <= len(turns) <= 8  # in each evaluation once; once for each variable would be hundreds


def test_types_that_templates_pass_round_in_a_circle_are_asked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    deduce = instances.deduce

    def counted(function: Function, *rest: Any, **more: Any) -> dict[str, str]:
        asked.append(function.name)
        return deduce(function, *rest, **more)

    monkeypatch.setattr(instances, "deduce", counted)
    facts = read(
        Path("a.cu"),
        text="template <typename T> __global__ void k(T *x, T *y, T *z) { *x = *y + *z; }\n"
        "template <typename T> void a(T *x, T *y, T *z);\n"
        "template <typename T> void b(T *x, T *y, T *z) { a(x, y, z); }\n"
        "template <typename T> void a(T *x, T *y, T *z) {\n"
        "    b(x, y, z);\n"
        "    k<<<1, 32>>>(x, y, z);\n"
        "}\n",
    )
    assert [site.block.value for site in facts.launches] == [(32, 1, 1)]
    assert len(asked) <= 4
