"""Programs whose `main` is run with the words that a file says: what their launches are.

Options in tables, builders, objects that functions are handed; and what nobody can tell.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli
from perflint.frontend.source.host.execution.run import Run

HEAD = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
"""
LAUNCH = "    float *a;\n    cudaMalloc(&a, 4096);\n    k<<<(@N + 63) / 64, 64>>>(a, @N, @M);\n"

#: The program, the words that it is run with, and the launch; "": not all of it is told.
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "a row of a table, chosen by its name": (
        """
struct Shape { int n, m; };
struct Named { const char *name; Shape shape; };
static const Named kNamed[] = {{"tiny", {100, 1}}, {"wide", {900, 4}}, {"deep", {500, 9}}};
int main(int argc, char **argv) {
    const Named *found = nullptr;
    for (const Named &each : kNamed)
        if (!strcmp(each.name, argv[1])) found = &each;
    if (!found) return 1;
    const Shape s = found->shape;
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "wide",
        "k<<<15, 64>>>(n=900, m=4)",
    ),
    "behind loops that only move data, and one that goes on for too long": (
        """
void step(float *out, const float *in, int n) {
    for (int r = 0; r < 50; r++)
        for (int i = 0; i < 50; i++)
            for (int j = 0; j < 50; j++) {
                if (i > j) out[i] += in[j];
                else out[i] = 0.0f;
            }
}
int halvings = 3;
int main(int argc, char **argv) {
    float *x = (float *)malloc(4000), sum = 0;
    for (int i = 0; i < 8; i++) step(x, x, 8);
    for (long i = 0; i < 100000; i++) x[i] = (float)i / 7;
    int dims[3] = {4, 6, 0}, size = 1, found = 0;
    dims[2] = atoi(argv[1]);
    for (int i = 0; i < 3; i++) size *= dims[i];
    for (int i = 0; i < 90; i++) {
        sum += x[i];
        if (dims[2] == i + 5) found = i;
    }
    while (size > 100) { size /= 2; halvings++; }
"""
        + LAUNCH.replace("@N", "size").replace("@M", "halvings + found")
        + "}",
        "40",
        "k<<<1, 64>>>(n=60, m=42)",
    ),
    "checked digit by digit through a pointer": (
        """
int whole(const char *text) {
    for (; *text != '\\0'; text++)
        if (*text < 48 || *text > '9') return 0;
    return 1;
}
int main(int argc, char **argv) {
    int n = 100;
    if (whole(argv[1])) n = atoi(argv[1]);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "whole(argv[2])")
        + "}",
        "960 x1",
        "k<<<15, 64>>>(n=960, m=0)",
    ),
    "asked of a text by a function out of sight": (
        """
int isWhole(const char *text);
int main(int argc, char **argv) {
    int m = isWhole(argv[1]);
"""
        + LAUNCH.replace("@N", "640").replace("@M", "m")
        + "}",
        "7",
        "",
    ),
    "beside functions that write nothing else, called on conditions that nobody knows": (
        """
int n = 10, m = 2;
static float unit() { return (rand() + 0.5f) / ((float)RAND_MAX + 1.0f); }
static float spread(float at) {
    float found[2] = {unit(), 0};
    found[1] = found[0] * at;
    for (int i = 0; i < 3; i++) found[1] += unit();
    return found[1];
}
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    float r = unit();
    if (r > 0.5f) r = spread(r);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=2)",
    ),
    "beside a function whose own callee writes": (
        """
int n = 10, m = 2;
static float unit() { m++; return rand() / 7.0f; }
static float spread(float at) { return unit() * at; }
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    float r = rand() / 3.0f;
    if (r > 0.5f) r = spread(r);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "beside a function that counts its calls, and may have been called": (
        """
int n = 10;
static int turn() { static int t = 1; return t++; }
int main(int argc, char **argv) {
    n = atoi(argv[1]);
    if (rand() > 7) turn();
    int m = turn();
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "a chain of setters": (
        """
class Plan {
  public:
    Plan &points(int v) { n_ = v; return *this; }
    Plan &weight(int v) { m_ = v; return *this; }
    void run() const {
"""
        + LAUNCH.replace("@N", "n_").replace("@M", "m_")
        + """    }
  private:
    int n_ = 10, m_ = 2;
};
int main(int argc, char **argv) {
    Plan plan;
    plan.points(atoi(argv[1])).weight(7);
    plan.run();
}""",
        "640",
        "k<<<10, 64>>>(n=640, m=7)",
    ),
    "a difference of unsigned numbers below zero": (
        """
int main(int argc, char **argv) {
    unsigned few = atoi(argv[1]);
    int n = 64, m = 1;
    if (few - 10 > 0) m = 2;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "5",
        "k<<<1, 64>>>(n=64, m=2)",
    ),
    "one less than the length of an empty vector": (
        """
int main(int argc, char **argv) {
    std::vector<int> v;
    int n = atoi(argv[1]), m = 1;
    if (v.size() - 1 > 5) m = 2;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=2)",
    ),
    "a difference of signed numbers below zero": (
        """
int main(int argc, char **argv) {
    int few = atoi(argv[1]), n = 64, m = 1;
    if (few - 10 > 0) m = 2;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "5",
        "k<<<1, 64>>>(n=64, m=1)",
    ),
    "a structure that doubles with each turn": (
        """
struct Tree { std::vector<Tree> below; };
int main(int argc, char **argv) {
    Tree t;
    for (int i = 0; i < 40; ++i) t.below.push_back(t);
    int n = atoi(argv[1]), m = 1;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=1)",
    ),
    "members' addresses in a table": (
        """
struct Args { int n = 50, m = 3; };
struct Row { const char *name; int *to; };
void parse(int argc, char **argv, Args &args) {
    Row rows[] = {{"-n", &args.n}, {"-m", &args.m}};
    for (int i = 1; i + 1 < argc; i += 2)
        for (auto &row : rows)
            if (!strcmp(argv[i], row.name)) *row.to = atoi(argv[i + 1]);
}
int main(int argc, char **argv) {
    Args args;
    parse(argc, argv, args);
"""
        + LAUNCH.replace("@N", "args.n").replace("@M", "args.m")
        + "}",
        "-m 5 -n 256",
        "k<<<4, 64>>>(n=256, m=5)",
    ),
    "sizes of text, in an option loop with its own counter": (
        """
struct Size { int n = 8, m = 8; };
int main(int argc, char **argv) {
    Size size;
    for (int c; (c = getopt(argc, argv, "s:v")) != -1;)
        if (c == 's' && sscanf(optarg, "%dx%d", &size.n, &size.m) != 2) return 2;
"""
        + LAUNCH.replace("@N", "size.n").replace("@M", "size.m")
        + "}",
        "-s 320x6",
        "k<<<5, 64>>>(n=320, m=6)",
    ),
    "an object that owns what it is made of": (
        """
struct Cloud {
    std::vector<float> x;
    explicit Cloud(int n) : x(n) {}
    int size() const { return (int)x.size(); }
};
class Solver {
    const Cloud &from_;
    std::unique_ptr<Cloud> to_;
  public:
    Solver(const Cloud &from, int other) : from_(from), to_(std::make_unique<Cloud>(other)) {}
    void run() {
"""
        + LAUNCH.replace("@N", "from_.size()").replace("@M", "to_->size()")
        + """    }
};
int main(int argc, char **argv) {
    Cloud cloud(atoi(argv[1]));
    Solver solver(cloud, 12);
    solver.run();
}""",
        "1280",
        "k<<<20, 64>>>(n=1280, m=12)",
    ),
    "an inner block's namesake": (
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 2;
    { int n = 5; m += n; }
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=7)",
    ),
    "what a function returns is of its type": (
        """
int part(int n) { return n * 0.3; }
bool has(int n) { return n; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    m = part(7) * 10 + has(6);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=21)",
    ),
    "elements are of their array's type": (
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    int q[2];
    std::vector<int> v(2);
    double from[] = {1.5, 2.5};
    q[0] = v[1] = 7 * 0.3;
    for (int each : from) m += each;
    m += (q[0] + v[1]) * 10;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=43)",
    ),
    "written through pointers into an array": (
        """
void fill(int *to) { *to++ = 8; *to = 9; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    int q[4] = {1, 2, 3, 4}, *p = q;
    *p = 5;
    *(q + 1) = 6;
    p += 2;
    fill(p--);
    m = q[0] * 1000 + *p * 100 + q[2] * 10 + q[3];
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=5689)",
    ),
    "elements that a longer vector has": (
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    std::vector<int> v(3, 7), w(2, 7);
    v.clear();
    v.resize(3);
    w.clear();
    w.resize(4, 5);
    m = v[1] * 10 + w[3];
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "k<<<10, 64>>>(n=640, m=5)",
    ),
    "other elements than those there were": (
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    std::vector<int> v(2, 7);
    v.resize(4);
    m = v[3];
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "no text from a fraction on": (
        """
int main(int argc, char **argv) {
    int n = atoi(argv[1]), m = 0;
    m = std::string(argv[1]).substr(n / 320.5).size();
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "written by a function out of sight": (
        """
struct State { int n = 40, m = 3; };
void load(State *s);
int main(int argc, char **argv) {
    State s;
    s.m = atoi(argv[1]);
    load(&s);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "640",
        "",
    ),
    "as often as data say": (
        """
int main(int argc, char **argv) {
    int n = 40, m = atoi(argv[1]);
    while (rand() % 5) n += 8;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "changed by a function on a condition that nobody knows": (
        """
struct State { int n = 40, m = 3; void grow() { n *= 2; } };
void step(State &s) { if (rand() % 7 > 2) s.grow(); }
int main(int argc, char **argv) {
    State s;
    s.m = atoi(argv[1]);
    step(s);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "640",
        "",
    ),
    "changed by a function that may return before": (
        """
struct State { int n = 40, m = 3; };
void step(State &s) {
    if (rand() % 7 > 2) return;
    s.n = 80;
}
int main(int argc, char **argv) {
    State s;
    s.m = atoi(argv[1]);
    step(s);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "640",
        "",
    ),
    "changed where a function may have returned, and copied": (
        """
struct State { int n, m = 3; };
void step(State &s) {
    if (rand() % 7 > 2) return;
    s.m++;
}
void show(State s) {
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + """}
int main(int argc, char **argv) {
    State s;
    s.n = atoi(argv[1]);
    step(s);
    show(s);
}""",
        "640",
        "",
    ),
    "a number that a function may change": (
        """
void step(int &n) { while (rand() % 7 > 2) n += 8; }
int main(int argc, char **argv) {
    int n = 40, m = atoi(argv[1]);
    step(n);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
    "a member that a method may change": (
        """
class Solver {
    int n_ = 40, m_;
  public:
    Solver(int m) : m_(m) {}
    void adapt() { if (rand() % 7 > 2) n_ = 80; }
    void run() {
"""
        + LAUNCH.replace("@N", "n_").replace("@M", "m_")
        + """    }
};
int main(int argc, char **argv) {
    Solver solver(atoi(argv[1]));
    solver.adapt();
    solver.run();
}""",
        "640",
        "",
    ),
    "functions in a table whose structure has no name": (
        """
#include <cstring>
struct State { int n = 40, m = 3; };
static void widen(State &s) { s.n *= 4; }
static void deepen(State &s) { s.m += 2; }
static void never(State &s) { s.n = 7; }
int main(int argc, char **argv) {
    static const struct { const char *name; void (*step)(State &); } steps[] = {
        {"widen", widen}, {"never", never}, {"deepen", &deepen},
    };
    State s;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i)
        if (strcmp(steps[i].name, argv[1])) steps[i].step(s);
    void (*last)(State &) = widen;
    last(s);
    (*last)(s);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "never",
        "k<<<40, 64>>>(n=2560, m=5)",
    ),
    "whichever function a pointer leads to": (
        """
struct State { int n = 40, m = 3; };
static void widen(State &s) { s.n *= 4; }
static void deepen(State &s) { s.m += 2; }
int main(int argc, char **argv) {
    State s;
    void (*step)(State &) = rand() % 7 > 2 ? widen : deepen;
    step(s);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "5",
        "",
    ),
    "set for certain after all": (
        """
struct State { int n = 40, m = 3; };
void step(State &s) { if (rand() % 7 > 2) s.n = 80; }
int main(int argc, char **argv) {
    State s;
    step(s);
    s.n = 256;
    s.m = atoi(argv[1]);
"""
        + LAUNCH.replace("@N", "s.n").replace("@M", "s.m")
        + "}",
        "5",
        "k<<<4, 64>>>(n=256, m=5)",
    ),
    "read from a stream": (
        """
#include <iostream>
int main(int argc, char **argv) {
    int n = 40, m = atoi(argv[1]);
    std::cin >> n;
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "}",
        "640",
        "",
    ),
}


@pytest.mark.parametrize(("program", "words", "launch"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_a_run_makes_of_a_launch(
    program: str, words: str, launch: str, tmp_path: Path
) -> None:
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n./app {words}\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert found.exception is None
    rows = [row.strip() for row in found.output.splitlines() if "tried as" in row]
    if launch:
        assert rows == [f"tried as --launch '{launch}'"], found.output
        assert "1 read, 0 in part" in found.output
    else:
        assert "0 read, 1 in part" in found.output, found.output


#: What comes before `main`, how it makes `m`, and what the run says `m` is; None: nothing.
MADE: dict[str, tuple[str, str, int | None]] = {
    "a macro that evaluates its argument twice": (
        "#define MX(a, b) ((a) > (b) ? (a) : (b))",
        "int q = 3; int m = MX(q++, 2) + q * 100;",
        None,
    ),
    "a macro that evaluates its argument once": (
        "#define ID(x) ((x) + 1)",
        "int q = 3; int m = ID(q++) + q * 100;",
        404,
    ),
    "a macro whose argument writes nothing": (
        "#define MX(a, b) ((a) > (b) ? (a) : (b))",
        "int m = MX(atoi(argv[1]), 2);",
        640,
    ),
    "operator[]": (
        "struct S { int d[3] = {1, 2, 3}; int &operator[](int o) { return d[o]; } };",
        "S s; s[1] = 7; int m = s.d[1];",
        None,
    ),
    "operator[] that only reads": (
        "struct S { int d[3] = {1, 2, 3}; int operator[](int o) const { return d[o]; } };",
        "S s; int q = s[1]; int m = s.d[1];",
        2,
    ),
    "operator()": (
        "struct S { int x = 1; int operator()(int o) { x += o; return x; } };",
        "S s; s(5); int m = s.x;",
        None,
    ),
    "operator<<": (
        "struct S { int x = 1; S &operator<<(int o) { x = o; return *this; } };",
        "S s; s << 7; int m = s.x;",
        None,
    ),
    "operator=": (
        "struct S { int x = 1; S &operator=(const S &o) { x = o.x + 5; return *this; } };",
        "S s, t; t = s; int m = t.x;",
        None,
    ),
    "operator+=": (
        "struct S { int x = 1; S &operator+=(int o) { x += 2 * o; return *this; } };",
        "S s; s += 4; int m = s.x;",
        None,
    ),
    "a copy by the class's own constructor": (
        "struct S { int x = 1; S() {} S(const S &o) { x = o.x + 1; } };",
        "S s; S t = s; int m = t.x;",
        None,
    ),
    "a plain copy": ("struct S { int x = 1; };", "S s; s.x = 4; S t = s; int m = t.x;", 4),
    "a pointer to whichever element": (
        "",
        "int q[3] = {1, 2, 3}; int *p = &q[argc - 1 + rand() % 2]; *p = 9; int m = q[1];",
        None,
    ),
    "a lambda that takes one by value": (
        "",
        "int q = 5; auto f = [q] { return q; }; q = 9; int m = f();",
        5,
    ),
    "a lambda that takes all by value, and changes it": (
        "",
        "int q = 5; auto f = [=]() mutable { return ++q; }; f(); int m = q * 10 + f();",
        57,
    ),
    "a lambda that takes all but one by value": (
        "",
        "int q = 5, r = 1; auto f = [=, &r] { return q * 10 + r; }; q = r = 9; int m = f();",
        59,
    ),
    "a lambda that takes by reference": (
        "",
        "int q = 5; auto f = [&] { q += 2; }; f(); int m = q;",
        7,
    ),
    "a lambda's own variable": ("", "auto f = [z = 5] { return z; }; int m = f();", 5),
    "a lambda's parameter is of its type": (
        "",
        "auto f = [](int x) { return x * 10; }; int m = f(3.7);",
        30,
    ),
    "a lambda's result is of its type": (
        "",
        "auto f = [](int x) -> int { return x * 0.5; }; int m = f(7) * 10;",
        30,
    ),
    "an assignment is worth what it keeps": (
        "",
        "int x; double y = (x = 3.7); int m = y * 10;",
        30,
    ),
    "unsigned numbers wrap around": ("", "unsigned q = 5; int m = (q - 10) / 1000000;", 4294),
    "a float is rounded": ("", "float f = 0.1f; int m = (f * 10.0f == 1.0f) + 1;", 2),
    "behind a loop whose head steps several": (
        "",
        'int q = 23, m = 1; for (; q > 11; q -= 2, m <<= 2) { puts("on"); }',
        4096,
    ),
    "behind a loop of more turns than are counted": (
        "",
        'int m = 1; for (int i = 0; i < 90000; ++i, m += 2) { puts("on"); }',
        None,
    ),
    "what a loop's body may step besides": (
        "",
        "int m = 1; for (int n = 23; n > 11; n -= 2, m <<= 2) { if (rand() % 2) m += 1; }",
        None,
    ),
    "what an arm writes through a reference of its own": (
        "",
        "int m = 1; for (int i = 0; i < 90; ++i) { if (i > 80) { int &r = m; r = i; } }",
        89,
    ),
    "what an arm that no turn seen takes writes through a pointer of its own": (
        "",
        "int m = 1; for (int i = 0; i < 90; ++i) { if (i > 80) { int *p = &m; *p = i; } }",
        89,
    ),
    "what a loop's range calls once": (
        """struct S {
    int x = 1;
    std::vector<int> all(std::vector<int> &v) { x *= 2; v.resize(rand()); return v; }
};""",
        "S s; std::vector<int> v; for (int t : s.all(v)) t += 1; int m = s.x;",
        2,
    ),
    "behind a few hundred turns, each of its own": (
        "",
        "int m = 0; for (int i = 1; i <= 400; ++i) { if (i % 7 == 0) m += 2; if (m > 90) m = i; }",
        401 - 1,
    ),
    "whether a template's argument is text": (
        """template <class T> int as_number(T given) {
    if constexpr (std::is_convertible_v<T, std::string>) return 3;
    else return given;
}""",
        'int m = 10 * as_number("x") + as_number(5);',
        35,
    ),
    "whether a template's argument is a number": (
        """template <class T> int size_of(const T &given) {
    if constexpr (std::is_arithmetic_v<T>) return 3;
    else return 8;
}""",
        "int m = 10 * size_of(2.5) + size_of(std::string());",
        38,
    ),
    "a map's number, written through what was found": (
        "",
        'std::map<std::string, int> t; t["a"] = 1; auto it = t.find("a"); it->second = 7;'
        ' int m = t["a"];',
        7,
    ),
    "a map's structures, each its own": (
        "struct S { int x = 1; std::string s; };",
        'std::map<std::string, S> t; t["a"] = {4, "b"}; t["c"].x = 9; auto it = t.find("a");'
        ' it->second.x += 1; int m = 10 * t["a"].x + t["d"].x;',
        51,
    ),
    "a function in a map, by its name": (
        "int five(int x) { return 5 * x; } int six(int x) { return 6 * x; }",
        'const std::map<std::string, int (*)(int)> t = {{"five", five}, {"six", six}};'
        ' auto it = t.find("six"); int m = it->second(7);',
        42,
    ),
    "goto onwards": ("", "int m = 1; goto end; m = 2; end: m += 10;", 11),
    "goto back": ("", "int m = 1; again: m *= 2; if (m < 20) goto again;", 32),
    "goto that may be": (
        "",
        "int m = 1; if (rand() % 7 > 2) goto end; m = 2; end: n = 640;",
        None,
    ),
    "what a destructor writes": (
        "int g = 3; struct G { ~G() { g = 8; } };",
        "{ G x; } int m = g;",
        8,
    ),
    "a static of a template": (
        "template <int V> int f() { static int c = 0; c += V; return c; }",
        "f<3>(); int m = f<4>();",
        None,
    ),
    "a prototype that takes a copy": (
        "int fill(float **data, int m);",
        "float *data; int m = 7; fill(&data, m);",
        7,
    ),
    "a prototype that takes a reference": (
        "int fill(float **data, int &m);",
        "float *data; int m = 7; fill(&data, m);",
        None,
    ),
    "a flag of NVIDIA's samples that is not given": (
        "",
        'int m = 7; if (checkCmdLineFlag(argc, (const char **)argv, "m")) m = 8;',
        7,
    ),
    "a union": ("union U { int i, j; };", "U u; u.i = 3; u.j = 4; int m = u.i;", None),
    "a few bits": ("struct F { unsigned x : 3; };", "F f; f.x = 9; int m = f.x;", None),
    "the base's part of an object": (
        """struct B { virtual int f() { return 1; } };
struct D : B { int f() override { return 2; } };""",
        "D d; B b = d; int m = b.f();",
        1,
    ),
}


@pytest.mark.parametrize(("before", "body", "number"), MADE.values(), ids=MADE)
def test_what_a_run_makes_of_a_number(
    before: str, body: str, number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Run] = []
    go = Run.go

    def noted(run: Run, *given: Any) -> None:
        runs.append(run)
        go(run, *given)

    monkeypatch.setattr(Run, "go", noted)
    launch = LAUNCH.replace("@N", "n").replace("@M", "m")
    main = f"int main(int argc, char **argv) {{\n    int n = 640;\n    {body}\n{launch}}}"
    (tmp_path / "app.cu").write_text(f"{HEAD}{before}\n{main}")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    found = CliRunner().invoke(cli, ["launches", "-j1", str(tmp_path)], standalone_mode=False)
    read = {text: list(known.values()) for (_, text), known in runs[0].read.items()}
    at_launch = [list(dict.fromkeys(read[name]))[-1] for name in "nm"]
    assert at_launch[0] == 640
    assert (at_launch[1] == number) == (number is not None)
    assert ("1 read, 0 in part" in found.output) == (number is not None), found.output


@pytest.mark.parametrize(("taken", "known"), [("int", True), ("int &", False)])
def test_a_prototype_stands_in_what_the_file_of_main_includes(
    taken: str, known: bool, tmp_path: Path
) -> None:
    main = """
#include "made.h"
void go(float *a, int m);
int main(int argc, char **argv) {
    int m = argc > 1 ? 9 : 1;
    float *a;
    if (create(&a, m) != 0) return 1;
    go(a, m);
}
"""
    kernels = HEAD + "void go(float *a, int m) { k<<<4, 64>>>(a, 256, m); }\n"
    (tmp_path / "made.h").write_text(f"int create(float **to, {taken} size);\n")
    (tmp_path / "main.cu").write_text(main)
    (tmp_path / "kernels.cu").write_text(kernels)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./main x\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert (re.search(r"m +9 +read", found.output) is not None) == known, found.output


def test_two_objects_of_one_class_are_not_taken_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(
        HEAD
        + """
class Stage {
    int n_, m_;
  public:
    Stage(int n, int m) : n_(n), m_(m) {}
    void run() { float *a = nullptr; k<<<(n_ + 63) / 64, 64>>>(a, n_, m_); }
};
int main(int argc, char **argv) {
    Stage one(atoi(argv[1]), 1), other(64, 2);
    one.run();
    other.run();
}
"""
    )
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert "n=640, m=2" not in found.output
    assert "n=64, m=1" not in found.output


@pytest.mark.parametrize(
    "rule",
    ["app: $(UNITS:%=%.o)\n\tnvcc $^ -o $@\n%.o: src/%.cu\n\tnvcc -c $< -o $@\n",
     "app: $(OBJ)\n\tnvcc $^ -o $@\n%.o: %.cu\n\tnvcc -c $< -o $@\n"],
)  # fmt: skip
def test_a_makefile_may_name_objects_by_substitution(rule: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    program, words, launch = PROGRAMS["a chain of setters"]
    (tmp_path / "src" / "main.cu").write_text(HEAD + program)
    head = "UNITS := main\nSRC := $(wildcard src/*.cu)\nOBJ := $(SRC:.cu=.o)\n"
    (tmp_path / "Makefile").write_text(head + rule)
    (tmp_path / "README.md").write_text(f"# app\n\n    make\n    ./app {words}\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert launch in found.output


def test_a_fault_of_the_run_loses_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(Run, "go", fails)
    monkeypatch.delenv("PERFLINT_TRACEBACK", raising=False)
    program, words, launch = PROGRAMS["a chain of setters"]
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n./app {words}\n")
    found = CliRunner().invoke(cli, ["launches", "-j1", str(tmp_path)], standalone_mode=False)
    assert "1 launch of 1 kernel" in found.output and launch not in found.output


def test_of_a_loop_that_takes_too_long_no_turn_is_told_as_all(tmp_path: Path) -> None:
    program = (
        """
int chain(int n) {
    int s = 0;
    for (int i = 0; i < 90; ++i) { s += n * i; if (s > 9) s %= 9; }
    return s;
}
int main(int argc, char **argv) {
    int got = 0;
    for (int n = 64; n <= 1 << 20; n *= 2) {
        int m = 1;
        for (int i = 0; i < 90; ++i) got += chain(got + i);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "    }\n}"
    )
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 1\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    rows = [row for row in found.output.splitlines() if "tried as" in row]
    assert len(rows) > 1, found.output


def test_a_default_is_not_read_where_the_run_saw_more_than_it_keeps(tmp_path: Path) -> None:
    program = (
        """
struct Config { int n = 640, m = 2; };
struct Parts {
    Config held;
    void step() {
"""
        + LAUNCH.replace("@N", "held.n").replace("@M", "held.m")
        + """    }
};
struct Engine {
    std::unique_ptr<Parts> parts;
    Engine(const Config &c) : parts(new Parts) { parts->held = c; parts->step(); }
};
void other(Engine &e);
int main(int argc, char **argv) {
    Config c;
    c.n = atoi(argv[1]);
    Engine e(c);
    for (int i = 0; i < rand(); ++i) { e.parts->step(); other(e); }
}
"""
    )
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 64\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert re.search(r"m +2 +read", found.output) is None, found.output
    assert re.search(r"m +2 +assumed, which the program may change", found.output), found.output


@pytest.mark.parametrize(("turns", "last"), [(4, True), (40, False)])
def test_all_turns_of_a_loop_that_has_few_are_seen(
    turns: int, last: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Run] = []
    go = Run.go

    def noted(run: Run, *given: Any) -> None:
        runs.append(run)
        go(run, *given)

    monkeypatch.setattr(Run, "go", noted)
    loop = f'for (int at = 0; at < {turns}; at += 1) {{ puts("part"); fabs(at); }}'
    launch = LAUNCH.replace("@N", "64").replace("@M", "1")
    (tmp_path / "app.cu").write_text(f"{HEAD}int main(int argc, char **argv) {{ {loop} {launch} }}")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    CliRunner().invoke(cli, ["launches", "-j1", str(tmp_path)], standalone_mode=False)

    seen = [
        each for (_, text), kept in runs[0].read.items() if text == "at" for each in kept.values()
    ]
    assert any(isinstance(each, frozenset) and turns - 1 in each for each in seen) == last, seen
