"""Files of settings that a program's run names, read by the program's own code."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli
from perflint.frontend.source.host.execution.text_functions import UNKNOWN, scanned
from perflint.frontend.source.language.streams import Stream

HEAD = """
#include <fstream>
#include <sstream>
#include <string>
struct Config {
    int n = 10, m = 2;
    float scale = 1.0f;
    void set(const std::string &key, const std::string &value) {
        if (key == "n") n = std::stoi(value);
        else if (key == "m") m = std::stoi(value);
        else if (key == "scale") scale = std::stof(value);
    }
};
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
static std::string trim(const std::string &s) {
    auto b = s.find_first_not_of(" \\t");
    if (b == std::string::npos) return {};
    return s.substr(b, s.find_last_not_of(" \\t") - b + 1);
}
static bool chance();
int main(int argc, char **argv) {
    Config c;
    std::ifstream in(argc > 1 ? argv[1] : "sizes.cfg");
"""
TAIL = """
    float *a;
    cudaMalloc(&a, 65536);
    k<<<(c.n + 63) / 64, 64>>>(a, c.n, c.m);
}
"""
LINES = "# sizes\nn = 900\n m=4   # planes\n\nscale = 0.5\n"
ROWS = "n 900\nm 4\nscale 0.5\n"
BY_LINES = """
    for (std::string line; std::getline(in, line);) {
        line = trim(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        auto eq = line.find('=');
        c.set(trim(line.substr(0, eq)), trim(line.substr(eq + 1)));
    }
"""
BY_WORDS = """
    if (!in) return 1;
    std::string key;
    double v;
    while (in >> key >> v) {
        if (key == "n") c.n = int(v);
        else if (key == "m") c.m = int(v);
    }
"""
BY_STRINGS = """
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string key, value;
        if (!(words >> key >> value)) continue;
        c.set(key, value);
    }
"""
BY_TEMPORARIES = """
    std::string line;
    while (std::getline(in, line)) {
        size_t eq = line.find('=');
        auto hash = line.find('#');
        if (hash != std::string::npos) line.resize(hash);
        if (eq == std::string::npos) continue;
        for (auto &letter : line) if (letter == '=') letter = ' ';
        std::string key, value;
        std::istringstream(line) >> key >> value;
        c.set(key, value);
    }
"""

BY_POINTERS = """
    std::string *line = new std::string, name = argv[1];
    std::fstream in(name, std::fstream::in);
    while (not in.bad() and not in.eof()) {
        std::getline(in, *line);
        if (line->size() == 0 or line->rfind("#") == 0) continue;
        if (line->find(";") not_eq std::string::npos) line->resize(line->find(";"));
        std::stringstream words(*line);
        std::string key, value;
        words >> key >> value;
        c.set(key, value);
    }
    delete line;
"""
BY_FLAGS = """
    std::string key;
    bool wide = false;
    in >> key >> c.n >> key >> wide;
    if (in) c.m = wide ? 4 : 3;
"""
NOTED = "# sizes\nn 900 ; rows\nm 4;5\n\nscale 0.5\n"


def launch(tmp_path: Path, code: str, settings: str | None) -> str:
    """The launch that is tried of a program which its README runs with `small.cfg`."""
    (tmp_path / "main.cu").write_text(HEAD + code + TAIL)
    (tmp_path / "README.md").write_text("# app\n\n    nvcc -o app main.cu\n    ./app small.cfg\n")
    if settings is not None:
        (tmp_path / "small.cfg").write_text(settings)
    found = CliRunner().invoke(cli, ["launches", "--isolated", str(tmp_path)])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        (BY_LINES, LINES),
        (BY_WORDS, ROWS),
        (BY_STRINGS, ROWS),
        (BY_TEMPORARIES, LINES),
        (BY_POINTERS, NOTED),
    ],
)
def test_the_file_that_a_run_names_is_read(tmp_path: Path, code: str, settings: str) -> None:
    assert "'k<<<15, 64>>>(n=900, m=4)'" in launch(tmp_path, code, settings)


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        (BY_LINES, None),
        (BY_LINES.replace("line.empty()", "chance()"), LINES),
        (BY_WORDS.replace("while", "if (chance()) in >> key;\n    while"), ROWS),
        (BY_WORDS.replace("while", "in.ignore(3);\n    while"), ROWS),
        (BY_TEMPORARIES.replace("line.resize(hash)", "line.insert(hash, more())"), LINES),
    ],
    ids=[
        "no such file",
        "lines left out by chance",
        "a word read by chance",
        "letters left out",
        "letters put in",
    ],
)
def test_what_cannot_be_followed_is_not_told(tmp_path: Path, code: str, settings: str) -> None:
    assert "n=900" not in launch(tmp_path, code, settings)


@pytest.mark.parametrize(("flag", "planes"), [("1", 4), ("0", 3), ("7", 2)])
def test_flags_are_0_or_1(tmp_path: Path, flag: str, planes: int) -> None:
    said = f"'k<<<15, 64>>>(n=900, m={planes})'"
    assert said in launch(tmp_path, BY_FLAGS, f"n 900 wide {flag}\n")


def test_streams_read_as_those_of_cpp() -> None:
    words = Stream("  one 2\n3.5x")
    assert (words.word(), words.number(is_whole=True), words.number(is_whole=False)) == (
        "one",
        2,
        3.5,
    )
    assert words.holds and not words.ended
    assert words.number(is_whole=True) == 0 and words.failed and not words.ended
    lines = Stream("a\n\nb")
    assert [lines.line() for _ in range(3)] == ["a", "", "b"]
    assert lines.holds and lines.ended
    assert lines.line() == "" and lines.failed
    assert Stream(None).holds is None


def test_a_number_of_too_many_digits_is_none() -> None:
    digits = "9" * 5000  # Python itself refuses to read as many
    words = Stream(f"{digits} 3")
    assert words.number(is_whole=True) == 0 and words.failed
    assert scanned(f"7 {digits}", "%d %d") == ([7, UNKNOWN], 5002)
