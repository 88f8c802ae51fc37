"""What kernels are tried with, against the `// tried:` comments of the case files.

Strict both ways: every launch that is tried is marked with all its worlds, and nothing else is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perflint.base.span import Span
from perflint.cli.discovery import discover
from perflint.frontend.source.launches.launch_sites import NEVER
from perflint.lint.experiment import share
from perflint.lint.options import CheckOptions
from perflint.work.launch_listing import KernelLaunches
from perflint.work.pipeline import listing

CASES = Path(__file__).parent / "cases"
_EXPECTED = re.compile(r"// tried: (.*)$")
_PASSED = re.compile(r"// passed: (.*)$")


def listed(*paths: Path) -> list[KernelLaunches]:
    options = CheckOptions(rules=frozenset(), root=paths[0].parent, jobs=1)
    return listing(discover(paths).files, options)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.cu")), ids=lambda p: p.stem)
def test_every_launch_is_tried_as_marked(path: Path) -> None:
    found = defaultdict(set)
    for kernel in listed(path):
        assert not kernel.reason
        for launch in kernel.launches:
            assert launch.place is not None
            ending = " contradicts" if launch.broken else ""
            found[launch.place[1]].add(" | ".join(launch.worlds) + ending)
    expected = defaultdict(set)
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if match := _EXPECTED.search(line):
            expected[number] |= set(match[1].split(" ; "))
    assert found == expected


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("struct_arguments", 12),
        ("passed_objects", 1),
        ("wrapped_bytes", 5),
        ("host_arrays", 17),
        ("widths", 1),
    ],
)
def test_what_is_behind_arguments_is_passed_as_marked(name: str, count: int) -> None:
    path = CASES / f"{name}.cu"
    found = {
        launch.place[1]: {f"{q.name}={q.value}" for q in launch.quantities}
        for kernel in listed(path)
        for launch in kernel.launches
        if launch.place is not None
    }
    lines = path.read_text(encoding="utf-8").split("\n")
    marked = {n: match[1] for n, line in enumerate(lines) if (match := _PASSED.search(line))}
    assert len(marked) == count
    for number, text in marked.items():
        assert set(text.split(", ")) <= found[number], number


PROGRAM = """
#include <cstdlib>
__global__ void plain(float *a, int n, float by) { a[2 * threadIdx.x * n] += by; }
void run(float *a, int count, float by) { plain<<<count / 64, 64>>>(a, count, by); }
int main(int argc, char **argv) {
    if (argc != 3) { return 1; }
    run(nullptr, atoi(argv[1]), atof(argv[2]));
}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "app: app.cu\n\tnvcc -o app app.cu\nrun: app\n\t./app 640 0.25\n"),
        ("run.sh", "#!/bin/sh\n./app 640 0.25\n"),
        (
            "CMakeLists.txt",
            "add_executable(app app.cu)\nadd_test(NAME small COMMAND app 640 0.25)\n",
        ),
    ],
)
def test_what_a_file_beside_it_runs_a_program_with_is_tried(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "app.cu").write_text(PROGRAM)
    (tmp_path / name).write_text(text)
    (kernel,) = listed(tmp_path / "app.cu")
    (launch,) = kernel.launches
    assert launch.worlds == ("plain<<<10, 64>>>(n=640, by=0.25)",)
    assert any(name in text for text in launch.supposing)
    assert {q.origin for q in launch.quantities if q.name in ("grid", "n", "by")} == {"read"}


@pytest.mark.parametrize("words", ["width=640 by=2", "--width 640 --by 2", "--width=640 --by=2"])
def test_options_that_a_map_keeps_are_among_the_words_of_a_run(words: str, tmp_path: Path) -> None:
    key = "--" if words.startswith("--width ") else ""
    (tmp_path / "app.cu").write_text(
        "#include <map>\n#include <string>\n__global__ void plain(float *a, int n) {}\n"
        "int main(int argc, char **argv) {\n"
        f'  std::map<std::string, std::string> kv{{{{"{key}width", "19"}}}};\n'
        "  for (int i = 1; i < argc; ++i) kv[name_of(argv[i])] = value_of(argv[i]);\n"
        f'  int width = std::stoi(kv["{key}width"]), by = std::stoi(kv["{key}by"]);\n'
        "  plain<<<64, 64>>>(nullptr, width * by);\n"
        "}\n"
    )
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n./app {words}\n")
    (kernel,) = listed(tmp_path / "app.cu")
    assert [launch.worlds for launch in kernel.launches] == [("plain<<<64, 64>>>(n=1280)",)]


LOOPED = """#include <string>
#include <vector>
__global__ void plain(float *a, int n, int fast, int by, int size) {{}}
struct Options {{ int n, fast, by, size; }};
{before}
int main(int argc, char **argv) {{
  int n = 70, fast = 0, by = 2, size = 1;
  {loop}
  plain<<<64, 64>>>(nullptr, n, fast, by, size);
}}
"""
BY_TEXT = """for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) n = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-f")) fast = 1;
    else if (!strncmp(argv[i], "--by=", 5)) by = 2 * atoi(argv[i] + 5);
    else if (!strcmp(argv[i], "-s")) {
      if (++i < argc && !strcmp(argv[i], "small")) size = 0; else size = 3;
    }
    else { return 1; }
  }"""
BY_STRING = """for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "-n" || arg == "--count") n = std::stoi(argv[++i]);
    if (arg == "-f") fast = 1;
    if (arg.rfind("--by=", 0) == 0) { by = std::stoi(arg.substr(5)); by *= 1; by = by * 2; }
    if (arg == "-s" && std::string(argv[i + 1]) == "small") size = 0;
  }"""
BY_WORDS = """std::vector<std::string> args(argv + 1, argv + argc);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "-n") n = std::stoi(args[i + 1]);
    else if (args[i] == "-f") fast = 1;
    else if (args[i].rfind("--by=", 0) == 0) by = std::stoi(args[i].substr(5)) * 2;
    else if (args[i] == "-s") size = strcmp(args[++i].c_str(), "small") ? 3 : 0;
  }"""
BY_LETTER = """for (int i = 1; i < argc; i++) {
    if (argv[i][0] != '-') continue;
    switch (argv[i][1]) {
      case 'n': n = atoi(argv[i + 1]); break;
      case 'f': fast = 1; break;
      case '-': by = 2 * atoi(argv[i] + 5); break;
      case 's': if (!strcmp(argv[++i], "small")) size = 0; break;
    }
  }"""
GETOPT = """int c;
  static struct option rows[] = {{"by", required_argument, 0, 'b'}, {"fast", no_argument, 0, 'f'}};
  while (1) {
    c = getopt_long(argc, argv, "n:fb:s:", rows, NULL);
    if (c == -1) break;
    switch (c) {
      case 'n': n = atoi(optarg); break;
      case 'f': fast = 1; break;
      case 'b': by = 2 * strtol(optarg, NULL, 10); break;
      case 's': size = strcmp(optarg, "small") ? 3 : 0; break;
      default: return 1;
    }
  }"""
IN_A_FUNCTION = """Options read(int ac, char *av[]) {
  Options o;
  o.n = 70; o.fast = 0; o.by = 2; o.size = 1;
  for (int i = 1; i < ac; i++) {
    char *arg = av[i];
    if (strcmp(arg, "-n") == 0) { if (++i < ac) o.n = atoi(av[i]); }
    else if (strcmp(arg, "-f") == 0) o.fast = 1;
    else if (strncmp(arg, "--by=", 5) == 0) o.by = 2 * atoi(arg + 5);
    else if (strcmp(arg, "-s") == 0) { ++i; o.size = strcmp(av[i], "small") == 0 ? 0 : 3; }
  }
  return o;
}"""
CHAIN = """
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-n")) N = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-f")) F = 1;
    else if (!strncmp(argv[i], "--by=", 5)) B = 2 * atoi(argv[i] + 5);
    else if (!strcmp(argv[i], "-s")) { ++i; S = strcmp(argv[i], "small") == 0 ? 0 : 3; }
  }
}"""


def chained(head: str, names: Sequence[str]) -> str:
    """A function whose options are kept in variables of these names."""
    body = CHAIN
    for letter, name in zip("NFBS", names, strict=True):
        body = re.sub(rf"\b{letter} = ", f"{name} = ", body)
    return f"void read({head}) {{{body}"


BY_POINTER = chained("int argc, char **argv, Options *o", ("o->n", "o->fast", "o->by", "o->size"))
BY_REFERENCE = chained("int argc, char **argv, Options &o", ("o.n", "o.fast", "o.by", "o.size"))
POINTED = chained("int argc, char **argv, int *n, int *f, int *b, int *s", ("*n", "*f", "*b", "*s"))
MADE = "Options o = {70, 0, 2, 1}; read(argc, argv, "
COPIED = "); n = o.n; fast = o.fast; by = o.by; size = o.size;"
GLOBALS = "int n0 = 70, fast0 = 0, by0 = 2, size0 = 1;\n" + chained(
    "int argc, char **argv", ("n0", "fast0", "by0", "size0")
)
FROM_IT = "Options o = read(argc, argv); n = o.n; fast = o.fast; by = o.by; size = o.size;"


@pytest.mark.parametrize(
    ("before", "loop"),
    [
        ("", BY_TEXT),
        ("", BY_STRING),
        ("", BY_WORDS),
        ("", BY_LETTER),
        ("", GETOPT),
        (IN_A_FUNCTION, FROM_IT),
        (BY_POINTER, f"{MADE}&o{COPIED}"),
        (BY_REFERENCE, f"{MADE}o{COPIED}"),
        (POINTED, "read(argc, argv, &n, &fast, &by, &size);"),
        (GLOBALS, "read(argc, argv); n = n0; fast = fast0; by = by0; size = size0;"),
    ],
    ids=[
        "text",
        "string",
        "words",
        "letter",
        "getopt",
        "function",
        "pointer",
        "reference",
        "pointers",
        "globals",
    ],
)
@pytest.mark.parametrize(
    ("words", "world"),
    [
        (None, "n=70, fast=0, by=2, size=1"),  # nobody says how it is run: by its defaults
        ("", "n=70, fast=0, by=2, size=1"),
        ("-n 640 --by=3", "n=640, fast=0, by=6, size=1"),
        ("-f -s small", "n=70, fast=1, by=2, size=0"),
    ],
)
def test_options_are_what_the_words_of_a_run_make_of_them(
    before: str, loop: str, words: str | None, world: str, tmp_path: Path
) -> None:
    (tmp_path / "app.cu").write_text(LOOPED.format(before=before, loop=loop))
    if words is not None:
        (tmp_path / "run.sh").write_text(f"#!/bin/sh\n./app {words}\n")
    (kernel,) = listed(tmp_path / "app.cu")
    assert [launch.worlds for launch in kernel.launches] == [(f"plain<<<64, 64>>>({world})",)]


def test_an_option_that_cannot_be_read_is_none_that_was_left_out(tmp_path: Path) -> None:
    loop = 'for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = size_of(argv[++i]).rows;'
    (tmp_path / "app.cu").write_text(LOOPED.format(before="", loop=loop))
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app -n big\n")
    (kernel,) = listed(tmp_path / "app.cu")
    (launch,) = kernel.launches
    assert {q.origin for q in launch.quantities if q.name == "n"} == {"assumed"}


KEYED = """#include <fstream>
#include <map>
#include <string>
__global__ void plain(float *a, int n, int mode) {}
struct Sizes { int n = 700, by = 2, mode = 0; };
void keep(std::map<std::string, std::string> &kv, const std::string &word) {
  size_t at = word.find('=');
  if (at != std::string::npos) kv[word.substr(0, at)] = word.substr(at + 1);
}
void fill(std::map<std::string, std::string> &kv, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.find('=') != std::string::npos) { keep(kv, word); continue; }
    std::ifstream in(word);
    std::string line;
    while (std::getline(in, line)) keep(kv, line);
  }
}
int main(int argc, char **argv) {
  std::map<std::string, std::string> kv;
  fill(kv, argc, argv);
  Sizes s;
  if (kv.count("n")) s.n = std::stoi(kv["n"]);
  if (kv.find("by") != kv.end()) s.by = std::stoi(kv["by"]);
  if (kv["mode"] == "fast") s.mode = 1;
  plain<<<64, 64>>>(nullptr, s.n * s.by, s.mode);
}
"""


@pytest.mark.parametrize(
    ("runs", "kept", "worlds"),
    [
        ("./app n=40 by=3 mode=fast", "", {(120, 1)}),
        ("./app by=3 mode=slow", "", {(2100, 0)}),  # n is not among the words
        ("./app sizes.cfg by=5", "# sizes\nn=90\nby=3\nmode=fast\n", {(450, 1)}),
        ("./app n=40 by=3\n./app n=40 by=3 mode=fast", "", {(120, 0)}),  # now this, now that
    ],
)
def test_options_that_a_map_keeps_are_as_the_first_run_has_them(
    runs: str, kept: str, worlds: set[tuple[int, int]], tmp_path: Path
) -> None:
    (tmp_path / "app.cu").write_text(KEYED)
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n{runs}\n")
    (tmp_path / "sizes.cfg").write_text(kept)
    (kernel,) = listed(tmp_path / "app.cu")
    assert {world for launch in kernel.launches for world in launch.worlds} == {
        f"plain<<<64, 64>>>(n={n}, mode={mode})" for n, mode in worlds
    }


@pytest.mark.parametrize("more", ['kv["n"] = argv[4];', 'kv.emplace("n", argv[4]);'])
def test_what_a_map_is_given_is_among_its_keys(more: str, tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(KEYED.replace("  Sizes s;", f"  {more}\n  Sizes s;"))
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app by=3 --size 90\n")
    (kernel,) = listed(tmp_path / "app.cu")
    (launch,) = kernel.launches  # there is no fourth word: what the key leads to is not known
    assert {q.origin for q in launch.quantities if q.name == "n"} <= {"assumed", "computed"}


def test_what_one_caller_is_excluded_by_may_hold_for_another() -> None:
    kernels = listed(CASES / "ways_in.cu")
    supposed = {k.title: [launch.supposing for launch in k.launches] for k in kernels}
    asked = '`kv [ "way" ] == "far"`'
    assert supposed == {
        "told_ways<FarWay>": [(asked,)],
        "told_ways<NearWay>": [(f"not {asked}",)],
    }


def test_what_a_gpu_answers_is_supposed_once() -> None:
    (kernel,) = listed(CASES / "answered_once.cu")
    answered = "`width > prop . maxThreadsPerBlock` is true, as an A100 answers"
    assert [launch.supposing for launch in kernel.launches] == [(answered,)]


def test_without_such_a_file_the_programs_arguments_are_roots(tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(PROGRAM)
    (kernel,) = listed(tmp_path / "app.cu")
    (launch,) = kernel.launches
    assert launch.worlds == (
        "plain<<<20, 64>>>(n=1280, by=1.5)",
        "plain<<<1, 64>>>(n=96, by=1.5)",
    )
    by_name = {q.name: q for q in launch.quantities}
    assert by_name["grid"].of == ("atoi(argv[1])",)
    assert by_name["n"].origin == "assumed"


OPTIONS = """
#include <cstdlib>
#include <unistd.h>
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }
int main(int argc, char **argv) {
    int n = 96, c;
    while ((c = getopt(argc, argv, "n:")) != -1)
        switch (c) {
        case 'n': n = atoi(optarg); break;
        }
    plain<<<1, 64>>>(nullptr, n);
}
"""


@pytest.mark.parametrize(("words", "value"), [("", 96), ("-n 640", 640), ("-n640", 640)])
def test_options_are_what_a_program_is_run_with(words: str, value: int, tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(OPTIONS)
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n./app {words}\n")
    (kernel,) = listed(tmp_path / "app.cu")
    (launch,) = kernel.launches
    assert launch.worlds[0] == f"plain<<<1, 64>>>(n={value})"


def test_turns_of_one_launch_share_what_is_left_by_the_first() -> None:
    """The budget is divided by launch sites; only further turns of one get less."""

    def plan(line: int | None) -> Any:
        span = None if line is None else Span(Path("a.cu"), line, 1, line, 9)
        return SimpleNamespace(shape=SimpleNamespace(span=span))

    def shares(*lines: int | None) -> list[int]:
        tried = [plan(line) for line in lines]
        return [share(tried, number) for number in range(len(tried))]

    assert shares(1, 1, 1) == [1, 3, 3]
    assert shares(1, 2, 1) == [2, 2, 3]
    assert shares(None, None) == [2, 2]


def test_a_fragment_by_itself_is_tried_as_its_includers_launch_it(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(
        "#pragma once\n__global__ void k(float *a, int n) { a[threadIdx.x] += n; }\n"
    )
    (tmp_path / "main.cu").write_text(
        '#include "k.cuh"\nint main() { k<<<32, 128>>>(nullptr, 4096); }\n'
    )
    (kernel,) = listed(tmp_path / "k.cuh")
    (launch,) = kernel.launches
    assert launch.place == (tmp_path / "main.cu", 2)
    assert launch.worlds == ("k<<<32, 128>>>(n=4096)",)


def test_a_launch_that_the_values_in_sight_exclude_says_so(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(float *a, int n) { a[threadIdx.x] += n; }\n"
        "int main() { bool more = false; if (more) k<<<32, 128>>>(nullptr, 4096); }\n"
    )
    (kernel,) = listed(tmp_path / "k.cu")
    (launch,) = kernel.launches
    assert launch.worlds == ("k<<<32, 128>>>(n=4096)",)
    assert launch.supposing == (NEVER,)


def test_a_header_of_another_folder_is_launched_where_it_is_included(tmp_path: Path) -> None:
    kernels, user = tmp_path / "common" / "cuda", tmp_path / "torch" / "cuda"
    for folder in (kernels, user):
        folder.mkdir(parents=True)
    (kernels / "k.cuh").write_text(
        "#pragma once\n__global__ void k(float *a, int n) { a[threadIdx.x] += n; }\n"
    )
    (user / "k.cu").write_text('#include "k.cuh"\nvoid run() { k<<<32, 128>>>(nullptr, 4096); }\n')
    (kernel,) = [each for each in listed(tmp_path) if each.title]
    assert [launch.worlds for launch in kernel.launches] == [("k<<<32, 128>>>(n=4096)",)]


#: Beside `kernels.cu`: what defines, calls or launches what stands there or is declared there.
_MAIN = """\
#include "kernels.cuh"
int main() { scale<<<divided(10000, 128), 128>>>(nullptr, 12); shift(nullptr, 9); }
"""
_BESIDE = [
    ({}, ("?", "?")),  # nothing in sight
    ({"u.cu": "int divided(int a, int b)\n{ return (a + b - 1) / b; }\n"}, ("?", "?")),
    (
        {"u.cu": "int divided(int a, int b) { return (a + b - 1) / b; }\n", "main.cu": _MAIN},
        ("scale<<<79, 128>>>(n=12)", "shift_kernel<<<1, 32>>>(n=9)"),
    ),
    # another program, with a function of that name
    ({"x.cu": "void shift(float *a, int n) {}\nint main() { shift(nullptr, 5); }"}, ("?", "?")),
]


@pytest.mark.parametrize(("beside", "wanted"), _BESIDE)
def test_a_file_by_itself_is_tried_as_among_its_neighbours(
    beside: dict[str, str], wanted: tuple[str, str], tmp_path: Path
) -> None:
    files = {
        "kernels.cuh": "#pragma once\nint divided(int a, int b);\nvoid shift(float *a, int n);\n"
        "__global__ void scale(float *a, int n);\n",
        "kernels.cu": '#include "kernels.cuh"\n'
        "__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }\n"
        "__global__ void shift_kernel(float *a, int n) { a[threadIdx.x] += n; }\n"
        "void shift(float *a, int n) { shift_kernel<<<divided(n, 32), 32>>>(a, n); }\n",
        **beside,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    alone = [k for k in listed(tmp_path / "kernels.cu") if k.title]
    together = [k for k in listed(tmp_path) if k.title]
    for kernel, among, worlds in zip(alone, together, wanted, strict=True):
        assert kernel.launches == among.launches
        if worlds != "?":
            assert [launch.worlds for launch in kernel.launches] == [(worlds,)]


def test_programs_that_share_a_header_launch_kernels_of_their_own(tmp_path: Path) -> None:
    """Which other programs a run has says nothing of a kernel of the same name as theirs."""
    files = {
        "common/twice.h": "#pragma once\n__device__ inline int twice(int a) { return 2 * a; }\n",
        "adding/add_kernel.cuh": "__global__ void work(int *sum) { atomicAdd(sum, 1); }\n",
        "adding/add.cu": '#include "../common/twice.h"\n#include "add_kernel.cuh"\n'
        "int main() { int *s; cudaMalloc(&s, 44); work<<<64, 256>>>(s); }\n",
        "moving/move.cu": '#include "../common/twice.h"\n'
        "template <class T> __global__ void work(T *out, T *in, int n)\n"
        "{ for (int i = threadIdx.x; i < n; i += 32) out[i] = in[i]; }\n"
        "int main() { int *a, *b; cudaMalloc(&a, 4000); cudaMalloc(&b, 4000);\n"
        "work<int><<<1, 32>>>(a, b, 1000); }\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (alone,) = (k for k in listed(tmp_path / "moving") if k.title)
    (among,) = (k for k in listed(tmp_path) if k.title == alone.title)
    assert [launch.worlds for launch in among.launches] == [("work<int><<<1, 32>>>(n=1000)",)]
    assert alone.launches == among.launches


def test_a_block_is_read_from_the_source_of_a_header_and_with_cuda_switched_on(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "include" / "gpu").mkdir(parents=True)
    (tmp_path / "src" / "gpu").mkdir(parents=True)
    (tmp_path / "src" / "draw").mkdir()
    (tmp_path / "include" / "gpu" / "shapes.hpp").write_text(
        "#ifdef USE_CUDA\n#define EDGE 16\n#endif\n"
        "void shape(dim3 &threads, dim3 &blocks, int w, int h);\n"
    )
    (tmp_path / "src" / "gpu" / "shapes.cpp").write_text(
        '#include "gpu/shapes.hpp"\n'
        "void shape(dim3 &threads, dim3 &blocks, int w, int h) {\n"
        "#ifdef USE_CUDA\n"
        "    threads = dim3{EDGE, EDGE, 1};\n"
        "    blocks = dim3{(w + EDGE - 1) / EDGE, (h + EDGE - 1) / EDGE, 1};\n"
        "#endif\n"
        "}\n"
    )
    source = tmp_path / "src" / "draw" / "draw.cu"
    source.write_text(
        '#include "gpu/shapes.hpp"\n'
        "__global__ void draw(float *a, int w, int h) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;\n"
        "    if (x < w && y < h) a[y * w + x] = 1;\n"
        "}\n"
        "void run(float *a, int w, int h) {\n"
        "    dim3 threads, blocks;\n"
        "    shape(threads, blocks, w, h);\n"
        "    draw<<<blocks, threads>>>(a, w, h);\n"
        "}\n"
    )
    options = CheckOptions(rules=frozenset(), root=tmp_path, jobs=1)
    (kernel,) = listing([source], options)
    (launch,) = kernel.launches
    assert launch.worlds == (
        "draw<<<(80, 72), (16, 16)>>>(w=1280, h=1152)",
        "draw<<<(6, 10), (16, 16)>>>(w=96, h=160)",
    )


def test_a_launch_on_more_conditions_than_are_tried_is_read_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    ways = "".join(f"    if (option({n})) threads = {32 * n};\n" for n in range(1, 31))
    (tmp_path / "k.cu").write_text(
        "bool option(int);\n"
        "__global__ void k(float *a, int n) { a[2 * threadIdx.x] += n; }\n"
        f"void run(float *a, int n) {{\n    int threads = 64;\n{ways}"
        "    k<<<n, threads>>>(a, 8);\n}\n"
    )
    (kernel,) = listed(tmp_path / "k.cu")
    assert not kernel.reason
    (launch,) = kernel.launches
    assert launch.place is not None and launch.place[1] == 35
    assert {q.name: q.value for q in launch.quantities}["n"] == "8"


def test_what_is_defined_behind_one_of_many_headers_is_followed(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    names = [f"part_{i}" for i in range(60)]
    for name in names:
        (parts / f"{name}.h").write_text(f"int {name}(int rows);\n")
        text = f'#include "{name}.h"\nint {name}(int rows) {{ return rows / 8; }}\n'
        (parts / f"{name}.cpp").write_text(text)
    main = tmp_path / "all.cu"
    includes = "".join(f'#include "parts/{name}.h"\n' for name in names)
    main.write_text(
        f"{includes}__global__ void k(float *a) {{ a[threadIdx.x * 2] = 1; }}\n"
        "void run(float *a) { k<<<part_59(800), 64>>>(a); }\n"
    )
    (kernel,) = listed(main)
    assert [launch.worlds for launch in kernel.launches] == [("k<<<100, 64>>>()",)]


def test_a_launch_in_another_file_is_of_the_namesake_that_takes_its_arguments(
    tmp_path: Path,
) -> None:
    (tmp_path / "kernels.cu").write_text(
        "__global__ void add(float *a, int n) { a[2 * threadIdx.x] += n; }\n"
        "__global__ void add(float *a, int n, float b) { a[2 * threadIdx.x] += n * b; }\n"
    )
    (tmp_path / "kernels.cuh").write_text(
        "__global__ void add(float *a, int n);\n__global__ void add(float *a, int n, float b);\n"
    )
    (tmp_path / "run.cu").write_text(
        '#include "kernels.cuh"\n'
        "void run(float *a) {\n    add<<<4, 64>>>(a, 7);\n    add<<<5, 32>>>(a, 9, 2.5f);\n}\n"
    )
    kernels = listed(tmp_path / "kernels.cu", tmp_path / "run.cu")
    worlds = {(k.line, world) for k in kernels for each in k.launches for world in each.worlds}
    assert worlds == {(1, "add<<<4, 64>>>(n=7)"), (2, "add<<<5, 32>>>(n=9, b=2.5)")}
