"""How often a program comes to its launches, as its run on paper counts: at least, and at most."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from perflint.frontend.source.facts import read

SOURCE = """
#include <cstdlib>
__global__ void k(float *f, int n) { f[threadIdx.x] = n; }
struct Solver {
    float *f;
    void step(int n) { k<<<1, 32>>>(f, n); }
};
Solver *made();
void around(void (*what)());
void twice(float *f) { k<<<1, 32>>>(f, 1); k<<<1, 32>>>(f, 1); }
void picked(float *f) { twice(f); }
void picked(int *f) { twice(nullptr); }
void other() { twice(nullptr); }
int main(int argc, char **argv)
{
    float *f, error = 1.0f;
    int n = argc > 1 ? atoi(argv[1]) : 5;
    cudaMalloc(&f, 4096);
    %s
    return 0;
}
"""
EVERY_100TH = [(0, 1, 5001)]
ONE, UNKNOWN = [(0, 1, 1)], [(0, 1, math.inf)]
LAUNCH = "k<<<1, 32>>>(f, 0);"


def counted(path: Path, statements: str) -> list[tuple[int, float, float]]:
    """Of the last launch, by how many loops that nobody counts are around: at least, at most."""
    path.write_text(SOURCE % statements)
    turns = read(path).launches[-1].turns
    assert turns is not None
    return sorted((len(each.loops), each.least, each.most) for each in turns)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (LAUNCH, ONE),
        (f"for (int i = 0; i < n; i++) {LAUNCH}", [(0, 5, 5)]),
        (f"for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) {LAUNCH}", [(0, 15, 15)]),
        # of many turns not all are run
        (f"for (int i = 0; i < 500000; i++) {LAUNCH}", [(0, 500000, 500001)]),
        (f"for (int i = 500000; i > 0; i -= 2) {LAUNCH}", [(0, 250000, 250001)]),
        # a step that grows says nothing of those that are left
        (f"for (long i = 1; i < n * 1e18; i *= n - 4) {LAUNCH}", [(0, 2, 2), (1, 1, 1)]),
        (f"for (int i = 0; i < 500000; i++) {{ {LAUNCH} if (f[i] > 0) break; }}", [(1, 1, 1)]),
        (f"while (rand() > 9) {LAUNCH}", [(1, 1, 1)]),
        (f"if (rand() > 9) {LAUNCH}", [(0, 0, 1)]),
        (f"for (int i = 0; i < n; i++) if (i %% 2) {LAUNCH}", [(0, 2, 2)]),
        # every 100th: once in the turns that are run, and in so many of those that are left
        (f"for (int i = 0; i < 500000; i++) if (i %% 100 == 0) {LAUNCH}", EVERY_100TH),
        (f"for (int i = 0; i < 500000; i++) if (n < 9 && !((i + 1) %% 100)) {LAUNCH}", EVERY_100TH),
        (
            f"for (int i = 0; i < 500000; ++i) {{ if (f[i] > 0 && 7 == (i & 127)) {LAUNCH} }}",
            [(0, 0, 3909)],
        ),
        # nobody knows how often it comes to this: of another counter, or of one that is written
        (f"for (int i = 0; i < 500000; i++) if (f[i] > 0) {LAUNCH}", [(0, 0, 500001)]),
        (
            f"int j = 0; for (int i = 0; i < 500000; i++) if (rand() %% 100 == 0) {LAUNCH}",
            [(0, 0, 500001)],
        ),
        (
            f"for (int i = 0; i < 500000; i++) {{ if (!(i %% 9)) {LAUNCH} if (rand() > 9) i++; }}",
            [(0, 1, 1), (1, 0, 1)],
        ),
        (f"if (n > 9) {LAUNCH}", []),
        (f"cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); {LAUNCH}", UNKNOWN),
    ],
)
def test_launches_are_counted(
    statements: str, expected: list[tuple[int, float, float]], tmp_path: Path
) -> None:
    found = counted(tmp_path / "app.cu", statements.replace("%%", "%"))
    assert found == [pytest.approx(each) for each in expected]


@pytest.mark.parametrize(
    "statement",
    [
        "around([&] { twice(f); });",
        "around(other);",
        "if (rand() > 9) { twice(f); return 1; }",
        "picked(f);",
    ],
)
def test_what_is_not_followed_may_launch(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "app.cu"
    path.write_text(SOURCE % f"twice(f); {statement} {LAUNCH}")
    inside, *_, behind = (site.turns for site in read(path).launches[1:])
    assert inside is not None and behind is not None
    assert (inside[0].least, inside[0].most) == (1, math.inf)
    assert (behind[0].least, behind[0].most) == (1, 1)


def test_a_library_has_no_run(tmp_path: Path) -> None:
    path = tmp_path / "lib.cu"
    path.write_text("__global__ void k(int *p) { *p = 1; }\nvoid go(int *p) { k<<<1, 32>>>(p); }\n")
    assert read(path).launches[0].turns is None
