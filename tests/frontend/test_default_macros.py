"""Which of a build's macros it gives unless it is asked for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.default_macros import default_macros
from perflint.frontend.source.language.preprocessor import left_out

ELSE = "ifdef WITHOUT\nF =\nelse\n        F = -O3 \\\n -DUSED\nendif\n"
ADD = "  add_compile_definitions(USED)\n"
IF = f"if (WITH)\n{ADD}endif ()\n"
OPTION = 'option(WITH "Whether: with it (or without)" {})\n'


@pytest.mark.parametrize(
    ("name", "text", "given"),
    [
        ("Makefile", "F = -DUSED\n", True),
        ("Makefile", ELSE, True),
        ("Makefile", f"WITHOUT = 1\n{ELSE}", False),
        ("Makefile", "ifdef WITH\nF = -DUSED\nendif\n", False),
        ("Makefile", "ifndef WITHOUT\nF = -DUSED\nendif\n", True),
        ("Makefile", "ifeq ($(A),1)\nF = -DUSED\nendif\nG = -DOTHER\n", False),
        ("Makefile", "ifeq ($(A),1)\nelse\nF = -DUSED\nendif\n", False),
        ("Makefile", "all: a.cu\n\tnvcc -DUSED a.cu\n", False),
        ("Makefile", "debug: F += -DUSED\n", False),
        ("Makefile", "DEBUG_FLAGS = -DUSED\n", False),
        ("CMakeLists.txt", "add_definitions(-DUSED)\n", True),
        ("CMakeLists.txt", 'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -DUSED")\n', True),
        ("CMakeLists.txt", "if(WITH)\n  add_definitions(-DUSED)\nendif()\n", False),
        ("CMakeLists.txt", f"{OPTION.format('ON')}{IF}", True),
        ("CMakeLists.txt", f"{OPTION.format('OFF')}{IF}", False),
        ("CMakeLists.txt", f"{OPTION.format('')}{IF}", False),
        ("CMakeLists.txt", f"{OPTION.format('ON')}set(WITH ${{OTHER}})\n{IF}", False),
        ("CMakeLists.txt", f"{OPTION.format('OFF')}{IF.replace('WITH', 'NOT WITH')}", True),
        ("CMakeLists.txt", f"{OPTION.format('ON')}{IF.replace('WITH', 'WITH AND (OTHER)')}", False),
        ("CMakeLists.txt", f"{OPTION.format('OFF')}if(WITH)\nelse()\n{ADD}endif()\n", True),
        ("CMakeLists.txt", f"{OPTION.format('ON')}if(WITH)\nelseif(OTHER)\n{ADD}endif()\n", False),
        (
            "CMakeLists.txt",
            f"{OPTION.format('ON')}if(WITH)\nif(OTHER)\n{ADD}endif()\nendif()\n",
            False,
        ),
        ("CMakeLists.txt", "target_compile_definitions(one PRIVATE USED)\n", False),
        ("build.sh", "nvcc -DUSED a.cu\n", False),
    ],
)
def test_macros_that_a_build_gives(tmp_path: Path, name: str, text: str, given: bool) -> None:
    (tmp_path / name).write_text(text)
    assert ("USED" in default_macros(tmp_path / "a.cu", tmp_path)) == given


@pytest.mark.parametrize(("own", "given"), [("", True), ("F = -O3\n", False)])
def test_those_of_another_folder_are_of_other_programs(
    tmp_path: Path, own: str, given: bool
) -> None:
    (tmp_path / "Makefile").write_text("F = -DUSED\n")
    (tmp_path / "src").mkdir()
    if own:
        (tmp_path / "src" / "Makefile").write_text(own)
    assert ("USED" in default_macros(tmp_path / "src" / "a.cu", tmp_path)) == given


@pytest.mark.parametrize(("own", "given"), [("CMakeLists.txt", True), ("Makefile", False)])
def test_what_cmake_says_for_all_targets_is_for_those_of_the_folders_below(
    tmp_path: Path, own: str, given: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text("add_compile_definitions(USED)\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / own).write_text("# nothing\n")
    assert ("USED" in default_macros(tmp_path / "src" / "a.cu", tmp_path)) == given


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#ifdef USED\na\n#else\nb\n#endif\nc\n", {4}),
        ("#ifndef USED\na\n#else\nb\n#endif\n", {2}),
        ("#if defined(USED)\na\n#elif defined(B)\nb\n#else\nc\n#endif\n", {4, 6}),
        ("#if !defined(USED)\na\n#endif\n", {2}),
        ("#if !defined USED && B\na\n#else\nb\n#endif\n", set()),
        ("#ifndef USED\n#define USED 4\n#endif\n#ifdef USED\n#else\na\n#endif\n", set()),
        ("#ifdef OTHER\na\n#else\nb\n#endif\n", set()),
        ("#ifdef USED\n#ifdef B\na\n#else\nb\n#endif\n#else\nc\n#endif\n", {8}),
    ],
)
def test_lines_that_a_macro_leaves_out(text: str, lines: set[int]) -> None:
    assert {n for n in left_out(text, {"USED"}) if text.split("\n")[n - 1][:1] != "#"} == lines
