"""What programs are run with, as the files near their sources say."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.base import bounds
from perflint.frontend.source.project.command_lines import MOST, command_lines
from perflint.frontend.source.project.shell_words import split

MAIN = "int main(int argc, char **argv) { return 0; }\n"


def found(folder: Path, files: dict[str, str], source: str = "app.cu") -> list[str]:
    """The arguments of each command line, joined; the source is empty unless it is given."""
    for name, text in {source: MAIN, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return [" ".join(line.arguments) for line in command_lines(folder / source, folder)]


#: A folder's files by name, and what `app.cu` is run with.
ONE_FOLDER: dict[str, tuple[dict[str, str], list[str]]] = {
    "a script": ({"run": "./app 512 -x 2 data/in.txt\n"}, ["512 -x 2 data/in.txt"]),
    "quotes": ({"run.sh": "./app 'a b' \"c\" d\\ e\n"}, ["a b c d e"]),
    "redirections": ({"run": "./app 64 2>&1 >out.txt <in | tee log\n"}, ["64"]),
    "a digit is no descriptor": ({"run": "./app 64 2 > out\n"}, ["64 2"]),
    "chains": ({"run": "make && ./app 1; ./app 2 || ./app 3 &\n"}, ["1", "2", "3"]),
    "wrappers": (
        {
            "run": "time -p ./app 1\nOMP_NUM_THREADS=4 mpirun -np 2 ./app 2\ntimeout 60 ./app 3\n"
            "nsys profile -o app ./app 4\n$LAUNCHER ./app 5\nbash -c './app 6 7'\n"
        },
        ["1", "2", "3", "4", "5", "6 7"],
    ),
    "not runs": (
        {"run": "echo ./app 1\nrm -f app 2\ncp app 3\nchmod +x ./app\ngcc -o app 4.c\n# ./app 5\n"},
        [],
    ),
    "continued": ({"run": "./app \\\n  -n 64 \\\n  -m 32\n"}, ["-n 64 -m 32"]),
    "here-documents": ({"run": "cat > x <<EOF\n./app 1\nEOF\n./app $((1 << 3))\n"}, ["8"]),
    "a script's variables": (
        {"run": 'N=64\nexport M=${M:-32}\nD="$HOME/data"\n./app $N "$M" $D/a.txt "$@"\n'},
        ["64 32 $HOME/data/a.txt"],
    ),
    "unknown numbers": ({"run": "./app $N\n./app $1\n./app $(nproc)\n"}, []),
    "an answer is kept": ({"run": "result=$(./app 64 | tail -1)\n"}, ["64"]),
    "arithmetic": ({"run": "N=6\n./app $((N * 2 + 1)) $(( 7 / 2 ))\n"}, ["13 3"]),
    "loops": (
        {"run": "for n in 16 32; do\n  for m in 1 2; do ./app $n $m; done\ndone\n"},
        ["16 1", "16 2", "32 1", "32 2"],
    ),
    "a counted loop": ({"run": "for ((i=0; i<4; i++)); do ./app $i; done\n"}, []),
    "a run rule": (
        {"Makefile": "N ?= 64\nEXE = app\n$(EXE): app.cu\n\tnvcc $< -o $@\n"
         "run: $(EXE)\n\t@./$< $(N) $$((2*3))\n"},
        ["64 6"],
    ),
    "make's own answers": (
        {"Makefile": "SRC = $(wildcard *.cu)\nOBJ := $(SRC:.cu=.o)\nprog: $(OBJ)\n\tnvcc -o $@ $^\n"
         "S = $(addprefix -n ,$(A))\nA += 4\nrun:\n\t$(LAUNCH) ./prog $(S) $(MORE)\n"},
        ["-n 4"],
    ),
    "what make sets itself": (
        {"Makefile": "X = app tool\ntool: app.cu\n\t$(CC) -o $@ $<\n"
         "clean:\n\t$(RM) $(X)\n\t$(X)\n"},
        ["tool"],
    ),
    "only for help": ({"run": "./app -h\n./app --help\n./app -h 5\n"}, ["-h 5"]),
    "a variable that another file may set": (
        {"Makefile": "include ~/config.mk\nrun:\n\t./app $(N)\n\t$(PREFIX) ./app 7\n"},
        ["7"],
    ),
    "an included Makefile": (
        {"Makefile": "EXE := other\nFILES := app.cu\ninclude build.inc\n",
         "build.inc": "all:\n\tnvcc -o $(EXE) $(FILES)\n", "run": "./other 3\n./thing 4\n"},
        ["3"],
    ),
    "branches of a Makefile": (
        {"Makefile": "ifdef BIG\nN = 1\nelse\nN = 2\nendif\nM = 3\nM = 4\n"
         "run:\n\t./app $(N) $(M)\n"},
        ["1 4"],
    ),
    "a Makefile's endless variables": (
        {"Makefile": "A = $(B) $(B)\nB = $(A) $(A)\nrun:\n\t./app $(A)\n\t./app 5\n"},
        ["5"],
    ),
    "CMake's tests": (
        {"CMakeLists.txt": "project(tool)\nset(SRC app.cu util.cu)\n"
         "add_executable(${PROJECT_NAME} ${SRC})\n"
         "add_test(NAME a COMMAND tool 64 \"b c\" WORKING_DIRECTORY x)\nadd_test(b tool 32) # c\n"
         "add_test(NAME c COMMAND $<TARGET_FILE:tool> 16)\nadd_test(NAME d COMMAND other 8)\n"
         "foreach(n 4 2)\nadd_test(NAME e${n} COMMAND tool ${n})\nendforeach()\n"
         "add_test(NAME f COMMAND tool ${UNKNOWN})\nadd_test(NAME g COMMAND tool)\n"},
        ["64 b c", "32", "16", "4", "2", ""],
    ),
    "a project's own CMake function": (
        {"CMakeLists.txt": "add_sample(NAME tool SOURCES app.cu TEST_ARGS 64 -v LABELS slow)\n"},
        ["64 -v"],
    ),
    "another name for the output": (
        {"CMakeLists.txt": "add_executable(t app.cu)\n"
         "set_target_properties(t PROPERTIES OUTPUT_NAME tool)\n", "run.sh": "build/tool 9\n"},
        ["9"],
    ),
    "a compiler's command": ({"README": "nvcc -O3 app.cu -o tool\n./tool 5\n"}, ["5"]),
    "two programs": (
        {"b.cu": MAIN, "Makefile": "tool: app.o x.o\n\tld -o tool app.o x.o\n"
         "b: b.cu\n\tnvcc -o b b.cu\n",
         "run": "./b 1\n./tool 2\n./what 3\n"},
        ["2"],
    ),
    "the only program": (
        {"util.cu": "int f();\n", "run": "./configure --x\n./build.sh 2\n./whatever 3\n./bin 4\n",
         "build.sh": "make\n", "bin": ""},
        ["3"],
    ),
    "not the only program": ({"b.cu": MAIN, "run": "./whatever 3\n"}, []),
    "Bazel": (
        {"BUILD": 'cuda_binary(\n  name = "tool",  # (\n  srcs = ["app.cu"],\n  args = ["-n", "5"],'
         '\n)\ncc_test(name = "other", srcs = ["b.cc"], args = ["6"])\n'},
        ["-n 5"],
    ),
    "Meson": (
        {"meson.build": "exe = executable('tool', 'app.cu', dependencies : dependency('cuda'))\n"
         "test('small', exe, args : ['5', '6'])\ntest('none', exe)\ntest('b', b, args: ['7'])\n"},
        ["5 6"],
    ),
    "test arguments": (
        {"test_args.json": '{"x": {"args": ["1"]}, "app": {"runs": [{"args": ["-m=0", 2]}, '
         '{"args": "3 4"}]}}'},
        ["-m=0 2", "3 4"],
    ),
    "tests in a list": ({"tests.json": '[{"program": "app", "args": [5]}]'}, ["5"]),
    "broken JSON": ({"tests.json": '[{"program": "app", "args": [5]'}, []),
    "settings": ({"ci_test.yml": "steps:\n  - run: ./app 64\n  - name: ./app\n"}, ["64", ""]),
    "Python": (
        {"run.py": 'import os\nos.system("./app 1 2")\ncall(["./app", "-n", 4, n])\n'
         "call(['./app', '-n', 8])\nos.system(f'./app {n}')\nprint('./app is here, see a/b')\n"},
        ["-n 8", "1 2"],
    ),
    "a page": (
        {"README.md": "# app\nRun `./app 1`, or ./app 2 for two. Then:\n\n```sh\n$ ./app 3\napp 4\n"
         "```\n    ./app 5 file.txt\n    $ ./app 6\nuser@host:~$ ./app 7\napp 8\n"},
        ["1", "2", "3", "4", "5 file.txt", "6", "7"],
    ),
    "descriptions of arguments": (
        {"README.md": "./app <n>\n./app [options] 5\n./app N M\n./app width height\n"
         "Usage: ./app size\n./app 1 ... 5\n./app -n {4}\n`./app fast|slow`\n"
         "./app \"a file name\"\n"},
        [],
    ),
    "the source's own comment": (
        {"app.cu": "/*\n * Run:\n *   ./app 1\n */\n// ./app 2\n"
         f"const char *s = \"./app 3\";\n{MAIN}"},
        ["1", "2"],
    ),
    "the same twice": ({"run": "./app 5\n./app 5\n./app\n./app 6\n"}, ["5", "6", ""]),
    "bytes that are no text": ({"run": "\x00\x01./app 5\n"}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", ONE_FOLDER)
def test_in_one_folder(tmp_path: Path, case: str) -> None:
    files, expected = ONE_FOLDER[case]
    assert found(tmp_path, files) == expected


#: The files of a tree, a source in it, and what that is run with.
TREES: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "above": ({"a/run": "src/sim 1\n", "run_all.sh": "./sim 2\n"}, "a/src/sim.cu", ["1", "2"]),
    "beside": ({"scripts/run.sh": "../sim 1\n"}, "src/sim.cu", ["1"]),
    "too far above": ({"run": "./sim 1\n"}, "a/b/c/d/sim.cu", []),
    "made elsewhere": (
        {"top/cuda/Makefile": "EXE := app_cuda\n$(EXE): main.o\n\tnvcc -o $@ $?\n",
         "top/run": "# ./app_cuda 1\ncuda/app_cuda 2\n./main 3\n"},
        "top/cuda/main.cu", ["2"],
    ),
    "another program of that name": (
        {"ocl/sim.c": MAIN, "run.sh": "cd ocl\n./sim 1\ncd ../cuda\n./sim 2\n../ocl/sim 3\n",
         "cuda/run": "../ocl/sim 4\n"},
        "cuda/sim.cu", ["2"],
    ),
    "a common name": ({"run": "./main 1\n", "a/run": "./main 2\n"}, "a/main.cu", ["2"]),
    "the build's names count above": (
        {"a/Makefile": "tool: app.cu\n\tnvcc -o $@ $<\n", "run": "a/app 1\na/tool 2\n"},
        "a/app.cu", ["2"],
    ),
    "CMake's variables from above": (
        {"CMakeLists.txt": "set(SIZE 64)\nadd_subdirectory(a)\n",
         "a/CMakeLists.txt": "add_executable(t app.cu)\nadd_test(NAME t COMMAND t ${SIZE})\n"},
        "a/app.cu", ["64"],
    ),
    "the project's sources from above": (
        {"CMakeLists.txt": "add_executable(t src/main.cu)\nadd_test(NAME t COMMAND t 5)\n"
         "add_executable(u other/main.cu)\nadd_test(NAME u COMMAND u 6)\n"},
        "src/main.cu", ["5"],
    ),
    "nearer is better": (
        {"run": "./sim 3\n", "a/README": "./sim 2\n", "a/run_test.sh": "./sim\n./sim 1\n"},
        "a/sim.cu", ["1", "2", "", "3"],
    ),
    "a pattern from above": (
        {"Makefile": "tool:\n\tnvcc -o bin/tool a/b/*.cu\nrun:\n\tbin/tool 5\n"},
        "a/b/main.cu", ["5"],
    ),
    "hidden": ({".ci/run": "./app 1\n", ".run": "./app 2\n"}, "app.cu", []),
}  # fmt: skip


@pytest.mark.parametrize("case", TREES)
def test_in_a_tree(tmp_path: Path, case: str) -> None:
    files, source, expected = TREES[case]
    assert found(tmp_path, files, source) == expected


def test_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(MAIN)
    (tmp_path / "run").write_text("# how\nexport N=1\n./app   $N \\\n  2\n")
    (line,) = command_lines(tmp_path / "app.cu", tmp_path)
    assert line.path == tmp_path / "run" and line.line == 3
    assert line.arguments == ("1", "2") and line.text == "./app $N 2"


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "run").write_text("./app 1\n")
    (tmp_path / "more.mk").write_text("N = 2\n")
    assert found(tmp_path / "in", {"Makefile": "include ../more.mk\nrun:\n\t./app $(N)\n"}) == []
    (tmp_path / "in" / "run.sh").symlink_to(tmp_path / "run")
    with bounds.within(bounds.Bound((tmp_path / "in",))):
        assert found(tmp_path / "in", {}) == []


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    assert found(tmp_path, {"run": "./app 1\n"}) == ["1"]
    (tmp_path / "run").write_text("./app 2\n")
    os.utime(tmp_path / "run", ns=(5, 5))
    assert found(tmp_path, {}) == ["2"]


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    lines = "".join(f"./app {n}\n" for n in range(500))
    assert found(tmp_path, {"run": lines}) == [str(n) for n in range(MOST)]
    loops = "".join(f"for v{n} in {' '.join(map(str, range(99)))}; do\n" for n in range(9))
    many = " ".join(f"$v{n}" for n in range(9))
    assert found(tmp_path, {"run": f"{loops}./app {many}\n"})[0] == "0 0 0 0 0 0 0 0 0"


@given(st.text(alphabet="a1./=$\0 \t\n\r\v\N{NO-BREAK SPACE}'\\"))
def test_words_are_those_of_the_lexer(text: str) -> None:
    """Most lines are split without one: what that takes for a blank, it does."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="<>&")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        expected = tuple(lexer)
    except ValueError:
        expected = ()
    assert split(text) == expected
