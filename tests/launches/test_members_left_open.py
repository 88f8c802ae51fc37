"""Members of classes whose value is not what their declaration says, and those whose value is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

#: A library's base class: FILLED says how it comes by its members.
FRAMED = """
struct Frame {
    FILLED
    dim3 blocks;
    dim3 threads;
};
struct Picture : public Frame {
    float *pixels;
    void draw(int n);
};
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
void Picture::draw(int n) { k<<<blocks, threads>>>(pixels, 4096); }
"""
FILLINGS = {
    "by a constructor out of sight": ("Frame(int width, int height);", "assumed"),
    "by nobody": ("int width;", "read"),
    "by a default constructor": ("Frame() = default;", "read"),
}

#: A base class that is a template, and hands on what the derived class's constructor gives it.
HANDED = """
struct Grid { dim3 blocks, threads; CONSTRUCTOR };
template <typename T> struct Frame {
    Frame(const Grid &grid, int width) : blocks(grid.blocks), threads(grid.threads) {}
    dim3 blocks;
    dim3 threads;
};
struct Picture : public Frame<float> {
    float *pixels;
    Picture(const Grid &grid, int width);
    void draw(int n);
};
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
Picture::Picture(const Grid &grid, int width) : Frame<float>(grid, width) {}
void Picture::draw(int n) { k<<<blocks, threads>>>(pixels, 4096); }
"""
MAKING = """
int main() {
    Grid grid(dim3(16), dim3(64));
    Picture picture(grid, 64);
    picture.draw(4096);
}
"""
GRIDS = {
    "made out of sight": ("Grid(dim3 blocks, dim3 threads);", "", None),
    "made in sight": ("Grid(dim3 b, dim3 t) : blocks(b), threads(t) {}", MAKING, ("16", "64")),
}

SET_UP = """
#include <cstdlib>
#define REAL(x) x##f
int word(const char *key);
struct Settings {
    float high = REAL(0.0);
    int steps = 3;
    Settings(int kind);
};
Settings::Settings(int kind) { BODY }
__global__ void k(float *a, Settings s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += s.high * s.steps;
}
int main(int argc, char **argv) {
    Settings s(word(argv[1]));
    float *a;
    cudaMalloc(&a, 4096 * sizeof(float));
    k<<<16, 256>>>(a, s, 4096);
}
"""
#: What a constructor does, and where `high` and `steps` come from.
SETTINGS = {
    "in every branch that goes on": (
        "if (kind == 1) steps = 30; else if (kind == 2) { steps = 10; } else { exit(1); }",
        ("read", "assumed"),
    ),
    "in every case": (
        "switch (kind) { case 1: case 2: steps = 30; high = 4.0f; break;"
        "default: steps = 10; high = 2.0f; }",
        ("assumed", "assumed"),
    ),
    "in some cases": (
        "switch (kind) { case 1: high = 4.0f; break; case 2: high = 2.0f; }",
        ("assumed", "read"),
    ),
    "in one branch": ("if (kind == 1) steps = 30;", ("read", "read")),
}


def _launch(tmp_path: Path, text: str) -> dict[str, dict[str, str]]:
    (tmp_path / "app.cu").write_text(text)
    found = CliRunner().invoke(cli, ["launches", "--output-format", "json", str(tmp_path)])
    return json.loads(found.stdout)[0]["launches"][0]["values"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("filled", "origin"), FILLINGS.values(), ids=FILLINGS)
def test_a_grid_that_a_base_class_holds(tmp_path: Path, filled: str, origin: str) -> None:
    values = _launch(tmp_path, FRAMED.replace("FILLED", filled))
    assert (values["grid"]["origin"], values["block"]["origin"]) == (origin, origin)


@pytest.mark.parametrize(("body", "origins"), SETTINGS.values(), ids=SETTINGS)
def test_a_default_that_a_constructor_replaces(
    tmp_path: Path, body: str, origins: tuple[str, str]
) -> None:
    values = _launch(tmp_path, SET_UP.replace("BODY", body))
    assert (values["s.high"]["origin"], values["s.steps"]["origin"]) == origins


@pytest.mark.parametrize(("constructor", "made", "told"), GRIDS.values(), ids=GRIDS)
def test_a_grid_that_a_template_of_a_base_class_is_handed(
    tmp_path: Path, constructor: str, made: str, told: tuple[str, str] | None
) -> None:
    values = _launch(tmp_path, HANDED.replace("CONSTRUCTOR", constructor) + made)
    grid, block = values["grid"], values["block"]
    if told is None:
        assert (grid["origin"], block["origin"]) == ("assumed", "assumed")
    else:
        assert (grid["value"], block["value"]) == told


def test_a_grid_that_one_of_two_constructors_is_handed(tmp_path: Path) -> None:
    """Which of the two is entered is not found out; 1, which a `dim3` begins with, is no answer."""
    one = "    Frame(const Grid &grid, int width) : blocks(grid.blocks), threads(grid.threads) {}\n"
    assert one in HANDED
    two = one.replace("int width", "int width, bool on = true") + one.replace("int width", "Area a")
    text = HANDED.replace(one, two).replace("CONSTRUCTOR", GRIDS["made in sight"][0])
    area = "struct Area { float from, to; Area(int from = 0, int to = 1); };"
    making = "Picture *make(const Grid &grid) { return new Picture(grid, 64); }"
    values = _launch(tmp_path, area + text + making)
    assert (values["grid"]["value"], values["block"]["value"]) != ("1", "1")
