"""What constructors launch is set-up only where other kernels do what is done again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.launch_turns import LOOP, UNKNOWN, Program

_TREE = """
__global__ void leaves(float *a) {}
__global__ void level(float *a) {}
__global__ void look_up(float *a) {}
struct Tree {
    float *levels;
    Tree(float *in) {
        leaves<<<4, 64>>>(in);
        for (int n = 512; n > 0; n /= 2) level<<<n, 64>>>(levels);
    }
};
"""


@pytest.mark.parametrize(
    ("rest", "again"),
    [
        ("int main() { Tree tree(0); look_up<<<4, 64>>>(tree.levels); }", False),
        ("int main() { Tree t(0); while (more()) look_up<<<4, 64>>>(t.levels); }", True),
        ("void asked(Tree &tree) { look_up<<<4, 64>>>(tree.levels); }", True),
    ],
)
def test_other_kernels_run_again(rest: str, again: bool) -> None:
    program = Program({Path("tree.cu"): _TREE + rest})
    assert program.constructs("leaves")
    assert not program.constructs("level")
    assert program.works_on is again


_SOLVER = """
__global__ void paint(float *a) {}
__global__ void step(float *a) {}
struct Solver%s {
    Solver();
    void run();
    void make();
    float *a;
};
Solver::Solver() { make(); }
void Solver::make() { paint<<<4, 64>>>(a); }
void Solver::run() { step<<<4, 64>>>(a); }
int main() { Solver s; while (more()) s.run(); }
"""


def test_methods_are_declared_in_their_class() -> None:
    program = Program({Path("solver.cu"): _SOLVER % ""})
    assert program.constructs("paint") and not program.constructs("step")
    assert program.times("run") == LOOP


def test_methods_of_derived_classes_may_be_called_by_others() -> None:
    program = Program({Path("solver.cu"): _SOLVER % " : public Model"})
    assert program.times("run") == UNKNOWN


_MADE = """
__global__ void %s(float *a) { a[threadIdx.x] = 2; }
__global__ void smooth(float *a) { a[threadIdx.x] += 1; }
extern "C" void begin(float *a) { %s<<<4, 64>>>(a); }
extern "C" void go_on(float *a) { smooth<<<4, 64>>>(a); }
"""
_RUNS = "int main() { begin(0); for (int i = 0; i < 9; i++) go_on(0); }"


@pytest.mark.parametrize(
    ("name", "main", "makes"),
    [
        ("makePoints", _RUNS, True),
        ("gen_points", _RUNS, True),
        ("advance", _RUNS, False),
        ("makePoints", "int main() { for (;;) { begin(0); while (more()) go_on(0); } }", True),
        ("makePoints", "int main() { go_on(0); }", False),  # who calls it is out of sight
        ("makePoints", "int main() { for (;;) { begin(0); go_on(0); } }", False),
    ],
)
def test_kernels_that_make_data_are_launched_once(name: str, main: str, makes: bool) -> None:
    program = Program({Path("made.cu"): _MADE % (name, name) + main})
    assert program.makes(name) is makes


def test_functions_of_c_are_called_where_that_is_seen() -> None:
    program = Program({Path("made.cu"): _MADE % ("advance", "advance") + _RUNS})
    assert (program.times("begin"), program.times("smooth")) == (1, LOOP)
    assert (
        Program({Path("made.cu"): _MADE % ("a", "a") + "int main() {}"}).times("begin") == UNKNOWN
    )


_LAYERS = """
__global__ void turned(float *a) {}
__global__ void layer(float *a) {}
struct Net {
    Net() { for (int i = 0; i < 4; i++) turned<<<4, 64>>>(w[i]); }
    void once() { for (int i = 0; i < 4; i++) layer<<<4, 64>>>(w[i]); }
    float *w[4];
};
int main() { Net net; %s }
"""


@pytest.mark.parametrize(
    ("main", "outside"), [("while (more()) net.once();", True), ("net.once();", False)]
)
def test_what_a_constructors_loop_launches_is_outside_of_more_loops(
    main: str, outside: bool
) -> None:
    program = Program({Path("net.cu"): _LAYERS % main})
    assert program.constructs_outside("turned") is outside
    assert not program.constructs_outside("layer")


_GRAPH = """
__global__ void turned(float *a) {}
__global__ void layer(float *a) {}
void step(float *a) { layer<<<4, 64>>>(a); }
struct Net {
    Net() {
        turned<<<4, 64>>>(a);
        %s;
        step(a);
        cudaStreamEndCapture(stream, &graph);
    }
    float *a;
};
int main() { Net net; while (more()) cudaGraphLaunch(net.exec, 0); }
"""


@pytest.mark.parametrize(
    ("begin", "times"), [("cudaStreamBeginCapture(stream, 0)", True), ("", False)]
)
def test_what_a_graph_holds_is_run_again(begin: str, times: bool) -> None:
    program = Program({Path("graph.cu"): _GRAPH % begin})
    assert program.constructs("turned")
    assert program.constructs("layer") is not times


_TREE_OF_HASHES = """
__global__ void leaves(float *a) {}
__global__ void level(float *a) {}
struct Tree {
    Tree() {
        leaves<<<4, 64>>>(a);
        for (int l = 0; l < 9; l++) level<<<4, 64>>>(a);
    }
    float *a;
};
int main() { Tree tree; }
"""


def test_what_constructors_launch_in_more_loops_is_no_others_work() -> None:
    program = Program({Path("tree.cu"): _TREE_OF_HASHES})
    assert program.constructs("leaves") and not program.constructs_outside("leaves")


_WINDOW = """
void on_display(void (*what)());
void step();
void draw() { step(); }
int main() { %s; }
"""


@pytest.mark.parametrize("main", ["step()", "draw()", "on_display(draw)"])
def test_a_program_uses_what_its_main_leads_to(main: str) -> None:
    solver = "__global__ void add(float *a) {}\nvoid step() { add<<<4, 64>>>(0); }\n"
    texts = {Path("solver.cu"): solver, Path("main.cpp"): _WINDOW % main}
    assert Program(texts).uses(Path("solver.cu"))
    other = {**texts, Path("main.cpp"): _WINDOW % "show()"}
    assert not Program(other).uses(Path("solver.cu"))  # its `main` may be another program's
