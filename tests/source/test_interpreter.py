"""Loops over a program's words, run: against expectations, and getopt's against Python's."""

from __future__ import annotations

import getopt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.frontend.source.host.execution.interpreter import Interpreter
from perflint.frontend.source.host.execution.run_state import Frame, StoppedError
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.project.sight import Project

MAIN = """
#include <string>
enum Mode {{ SLOW, FAST = 5 }};
struct Options {{ int n; struct {{ int rows; }} grid; }};
bool take(const char *arg, const char *key, int &out) {{
  size_t n = strlen(key);
  if (strncmp(arg, key, n) != 0 || arg[n] != '=') return false;
  out = atoi(arg + n + 1);
  return true;
}}
static option rows[] = {{{{"rows", required_argument, 0, 'n'}}, {{"fast", no_argument, 0, 'f'}}}};
int number_of(const char *word, int *out) {{
  char *end;
  *out = (int)strtol(word, &end, 10);
  return end != word && *end == '\\0';
}}
void usage() {{ printf("no\\n"); exit(2); }}
int main(int argc, char **argv) {{
  int n = 7, m = 3, fast = 0;
  Options o;
  {loop}
}}
"""


def behind(loop: str, words: list[str]) -> dict[str, Any] | None:
    """What variables hold behind a loop that the program's words are run through."""
    text = MAIN.format(loop=loop)
    project = Project(Path("a.cu"), text, {})
    at = text.index(loop.lstrip())
    place = Environment(Session(project), project.main, at - 1)
    node = project.main.source.tree.root_node.descendant_for_byte_range(at, at + len(loop.strip()))
    assert node is not None
    frame = Frame(place, {})
    try:
        Interpreter(words).run(node, frame)
    except StoppedError:
        return None
    return frame.held


EACH = "for (int i = 1; i < argc; ++i) {{ std::string a = argv[i]; {} }}"
CASES = [
    ('if (a == "-n") n = std::stoi(argv[++i]);', "-n 64", {"n": 64}),
    ('if (a.substr(0, 4) == "--n=") n = std::stoi(a.substr(4)) * 2;', "--n=5", {"n": 10}),
    ('size_t e = a.find("="); if (e != std::string::npos && a.substr(2, e - 2) == "n")'
     " n = atoi(a.c_str() + e + 1);", "x --n=9", {"n": 9}),
    ('if (take(argv[i], "--n", n) || take(argv[i], "--m", m)) continue; usage();', "--m=4",
     {"m": 4}),
    ('if (take(argv[i], "--rows", o.grid.rows)) o.n = o.grid.rows / 2;', "--rows=11",
     {"o": {"grid": {"rows": 11}, "n": 5}}),
    ('if (a == "fast") fast = FAST; else if (a == "more") fast += 2;', "fast more", {"fast": 7}),
    ('if (a[0] == \'-\' && a[1] == \'n\') n = atof(&argv[i][2]);', "-n", {"n": UNKNOWN}),
    ('n = n * 10 + (a[0] - \'0\');', "4 2", {"n": 742}),
    ('if (a == "-x") n = unknown(o); else m = 1 << atoi(argv[i]);', "4", {"m": 16}),
    ('if (a == "-x") n = unknown(o);', "-x", {"n": UNKNOWN, "o": UNKNOWN}),
    ('if (unknown(a)) n = 1; else m = 2;', "a", {"n": UNKNOWN, "m": UNKNOWN}),
    ('auto next = [&]() { return atoi(argv[++i]); }; if (a == "-t") { n = next(); m = next(); }',
     "-t 8 9", {"n": 8, "m": 9}),
    ('if (unknown(a) && take(argv[i], "--n", n)) m = 1;', "--n=4", {"n": UNKNOWN, "m": UNKNOWN}),
    ('m = unknown(a) ? n++ : 2;', "a", {"n": UNKNOWN, "m": UNKNOWN}),
    ('if (a == "-n") { if (!number_of(argv[i + 1], &n)) usage(); ++i; }', "-n 12", {"n": 12}),
    ("int *p = &n; *p = 5; int &r = m; r = 6; auto &g = o.grid; g.rows = 7;", "a",
     {"n": 5, "m": 6, "o": {"grid": {"rows": 7}}}),
    ("auto set = [&](int &to, int by) { to += by; }; set(n, 2);", "a b", {"n": 11}),
    ('int k = 0; while (k < 5) { if (++k == 3) continue; n += k; if (k == 4) break; }', "a",
     {"n": 7 + 1 + 2 + 4}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words", "held"), CASES)
def test_a_loop_leaves_what_its_statements_make(body: str, words: str, held: Any) -> None:
    found = behind(EACH.format(body), words.split())
    assert found is not None
    assert {name: found[name] for name in held} == held


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("usage();", "a"),  # the program ends
        ("if (!number_of(argv[i], &n)) usage();", "12x"),
        ("return 1;", "a"),
        ("while (true) { n++; }", "a"),  # more than is followed
        ("if (unknown(a)) return 1;", "a"),
        ("*unknown(a) = 5;", "a"),
        ("o.*member = 5;", "a"),  # whichever that is
        ("goto again; again: n = 1;", "a"),
    ],
)
def test_what_cannot_be_followed_is_no_result(body: str, words: str) -> None:
    assert behind(EACH.format(body), words.split()) is None


def test_many_options_and_deep_nesting_end() -> None:
    chain = " else ".join(f'if (a == "-{k}") n = {k};' for k in range(300))
    found = behind(EACH.format(chain), ["-299"])
    assert found is not None
    assert found["n"] == 299
    grown = behind(EACH.format("for (int k = 0; k < 900; k++) n = n * n;"), ["a"])
    assert grown is not None
    assert grown["n"] is UNKNOWN
    assert behind(EACH.format("n = " + "(" * 300 + "1" + ")" * 300 + ";"), ["a"]) is None
    assert behind(EACH.format("n = " + "1 + " * 400 + "1;"), ["a"]) is None


GETOPT = """while ((c = getopt_long(argc, argv, "n:fm:", rows, NULL)) != -1) {
    switch (c) {
      case 'n': n = atoi(optarg); break;
      case 'f': fast++; break;
      case 'm': m = atoi(optarg); break;
      default: return 1;
    }
  }"""
WORD = st.sampled_from(["-n", "-f", "-m", "-fn", "-n5", "-m12", "--rows", "--rows=9", "--fast", "7",
                        "31", "-fm", "-ff"])  # fmt: skip


@given(st.lists(WORD, max_size=8))
@settings(max_examples=200, deadline=None)
def test_getopt_takes_words_as_pythons_does(words: list[str]) -> None:
    found = behind(GETOPT, words)
    n, m, fast = 7, 3, 0
    try:
        options, _ = getopt.gnu_getopt(words, "n:fm:", ["rows=", "fast"])
    except getopt.GetoptError:
        return  # what getopt answers to bad words is not this program's concern
    for name, value in options:
        if name in ("-f", "--fast"):
            fast += 1
        elif not value.lstrip("-").isdigit():
            return
        elif name == "-m":
            m = int(value)
        else:
            n = int(value)
    assert found is not None
    assert (found.get("n", 7), found.get("m", 3), found.get("fast", 0)) == (n, m, fast)
