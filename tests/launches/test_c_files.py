"""Files of settings that a program opens by name and reads with C's functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli
from perflint.frontend.source.host.execution.text_functions import scanned
from perflint.frontend.source.language.streams import Stream

HEAD = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
struct Sizes { int n, m; char name[32]; };
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
static bool chance();
static void more(FILE *file);
static int parse(Sizes *s) {
    FILE *in = fopen("sizes.dat", "r");
    if (in == NULL) { printf("no sizes\\n"); return 0; }
    char line[128], key[32];
    double v;
"""
TAIL = """
    fclose(in);
    return 1;
}
int main() {
    Sizes s;
    if (!parse(&s)) return 1;
    float *a;
    cudaMalloc(&a, 65536);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);
}
"""
ROWS = "# sizes\nn 900\n\nm 4\n"
PAIRS = "n = 900\nm = 4\n"
BY_LINES = """
    while (fgets(line, sizeof(line), in) != NULL) {
        if (line[0] == '#' || line[0] == '\\n') continue;
        if (sscanf(line, "%s %lf", key, &v) != 2) continue;
        if (strcmp(key, "n") == 0) s->n = (int)v;
        else if (!strcmp(key, "m")) s->m = (int)v;
    }
"""
BY_TOKENS = """
    while (fgets(line, 128, in)) {
        line[strcspn(line, "\\n")] = 0;
        char *left = strtok(line, " ="), *right = strtok(NULL, " =");
        if (left == NULL || right == NULL) continue;
        std::string name = left;
        if (name == "n") s->n = atoi(right);
        else if (name == "m") s->m = atoi(right);
    }
"""
BY_SCANS = """
    while (fscanf(in, "%s = %lf", key, &v) == 2) {
        if (strcmp(key, "n") == 0) s->n = v;
        if (strcmp(key, "m") == 0) s->m = v;
    }
"""
BY_LETTERS = """
    for (int row = 0; row < 1000; ++row) {
        int c = 0, at = 0;
        while ((c = fgetc(in)) != EOF && c != '=') key[at++] = (char)c;
        if (c == EOF) break;
        key[at] = '\\0';
        if (fscanf(in, "%lf\\n", &v) != 1) break;
        if (strncmp(key, "n ", 2) == 0) s->n = v;
        else s->m = v;
    }
"""
BY_POINTERS = """
    while (!feof(in)) {
        if (!fgets(line, sizeof line, in)) break;
        char *equals = strchr(line, '=');
        if (!equals) continue;
        *equals = 0;
        strcpy(s->name, line);
        if (strstr(s->name, "n")) s->n = atoi(equals + 1);
        else s->m = atoi(equals + 1);
    }
"""


def launch(tmp_path: Path, code: str, settings: str | None, at: str = "sizes.dat") -> str:
    """The launch that is read of a program in `src`, with its settings beside that folder."""
    (tmp_path / "app" / "src").mkdir(parents=True)
    (tmp_path / "app" / ".git").mkdir()
    (tmp_path / "app" / "src" / "main.cu").write_text(HEAD + code + TAIL)
    if settings is not None:
        (tmp_path / "app" / at).write_text(settings)
    found = CliRunner().invoke(cli, ["launches", "--isolated", str(tmp_path / "app")])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        (BY_LINES, ROWS),
        (BY_TOKENS, PAIRS),
        (BY_SCANS, PAIRS),
        (BY_LETTERS, PAIRS),
        (BY_POINTERS, PAIRS),
    ],
    ids=["lines", "tokens", "scans", "letters", "pointers"],
)
def test_the_file_that_the_program_opens_is_read(tmp_path: Path, code: str, settings: str) -> None:
    assert "'k<<<15, 64>>>(n=900, m=4)'" in launch(tmp_path, code, settings)


@pytest.mark.parametrize("at", ["src/sizes.dat", "sizes.dat"])
def test_the_nearest_one_upwards_within_the_project(tmp_path: Path, at: str) -> None:
    (tmp_path / "sizes.dat").write_text("n 77\nm 7\n")  # of nobody's
    assert "'k<<<15, 64>>>(n=900, m=4)'" in launch(tmp_path, BY_LINES, ROWS, at)


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        (BY_LINES, None),
        (BY_LINES.replace("while", "if (chance()) fgets(line, 128, in);\n    while"), ROWS),
        (BY_LINES.replace("while", "more(in);\n    while"), ROWS),
        (BY_LINES.replace("while", "fseek(in, 9, SEEK_SET);\n    while"), ROWS),
        (BY_LINES.replace("%s %lf", "%5s%n %lf"), ROWS),
        (BY_TOKENS.replace('" ="), *right', '" =");\n more(in);\n char *right'), PAIRS),
        (BY_POINTERS.replace("*equals = 0", "*equals = chance()"), PAIRS),
        (BY_POINTERS.replace("strcpy(s->name, line)", "strncpy(s->name, line, 2)"), PAIRS),
    ],
    ids=[
        "no such file",
        "a line read by chance",
        "read elsewhere",
        "from another place on",
        "a format of more",
        "between tokens",
        "letters by chance",
        "without its end",
    ],
)
def test_what_cannot_be_followed_is_not_told(
    tmp_path: Path, code: str, settings: str | None
) -> None:
    assert "n=900" not in launch(tmp_path, code, settings)


def test_formats_read_as_those_of_c() -> None:
    assert scanned("  7 x=2.5e1\n", "%d x=%lf") == ([7, 25.0], 11)
    assert scanned("title = a b \n9", " %[^=] = %[^\n]%d") == (["title ", "a b ", 9], 14)
    assert scanned("12 13", "%*d %d") == ([13], 5)
    assert scanned("12 x", "%d %d") == ([12], 3)
    assert scanned("abcdef", "%3s%s") == (["abc", "def"], 6)
    assert scanned("50%", "%d%%") == ([50], 3)
    assert scanned("1", "%p") is None and scanned("123", "%2d") is None


def test_letters_are_read_as_those_of_c() -> None:
    on = Stream("ab\ncde")
    assert [on.letters(9), on.letters(2), on.letter()] == ["ab\n", "cd", "e"]
    assert not on.ended
    assert on.letter() == "" and on.ended
