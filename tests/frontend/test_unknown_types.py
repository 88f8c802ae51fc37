"""Types that nothing declares, as absent headers would: what names them goes in one round."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.test_rounds import compiled

#: Functions of a header, a kernel each of which a type is missed.
LAYERS = "#include <ring/words.cuh>\nnamespace ring {\n" + "".join(
    f"__device__ inline word f{n}(word a, word b) {{\n  word t = a;\n  t += b * {n};\n"
    f"  return {'t' if n == 0 else f'f{n - 1}(t, a)'};\n}}\n"
    f"__global__ void k{n}(word *p, int n) {{ p[n] = f{n}(p[0], p[1]); }}\n"
    for n in range(30)
)
FINE = "__global__ void fine(float *p) { p[threadIdx.x] = 1; }\n}\n"


def test_what_names_a_type_of_absent_headers_goes_in_few_calls(tmp_path: Path) -> None:
    found, calls = compiled(tmp_path, main=LAYERS + FINE)
    assert [o.kernel for o in found.entries.values()] == ["fine"]
    assert len(found.lost) == 30 and calls <= 3
    assert all('"word" is undefined' in k.reason for k in found.lost)
    assert all("ring/words.cuh" in k.reason for k in found.lost)


#: What makes of a name something that may be declared where the compiler did not look.
DECLARED = {
    "by a macro": "#define TYPE(name) struct name { float x; };\n"
    "#ifdef LATER\nTYPE(word)\n#endif\n",
    "as a member": "struct Base { int word; };\n",
    "where it is off": "#ifdef LATER\nusing word = float;\n#endif\n",
}


@pytest.mark.parametrize("case", DECLARED)
def test_a_name_that_something_may_declare_costs_only_what_is_refused(
    tmp_path: Path, case: str
) -> None:
    used = (
        "template <class T> struct Some : T {\n"
        "  __device__ void set(float *p) { *p = this->word; }\n};\n"
        "__global__ void bad(word *p) { p[threadIdx.x] = 0; }\n"
    )
    text = "#include <ring/words.cuh>\nnamespace ring {\n" + DECLARED[case] + used + FINE
    found, _ = compiled(tmp_path, main=text)
    assert [o.kernel for o in found.entries.values()] == ["fine"]
    assert [k.name for k in found.lost] == ["bad"]


def test_an_error_of_the_users_is_told_though_host_code_is_wrong_too(tmp_path: Path) -> None:
    text = (
        "struct S { void run() { Absent::f(); } };\n__global__ void k(float *p) { p[0] = q[1]; }\n"
    )
    found, _ = compiled(tmp_path, main=text)
    assert [(e.line, e.genuine) for e in found.errors] == [(2, True)]
