"""Integer expressions mean in PTX what they mean in C: random ones, folded and simulated."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflint.frontend import csubset
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import Names
from perflint.grammar import parse
from perflint.sim import simulate
from perflint.sim.launch import Buffer, Launch, Scalar

VARIABLES: dict[str, CType] = {
    "i": c_types.INT,
    "u": c_types.UINT,
    "l": c_types.LLONG,
    "q": c_types.ULLONG,
    "c": CType("signed char", "int", 1, True, 1),
    "b": c_types.UCHAR,
    "s": c_types.SHORT,
    "h": c_types.USHORT,
}
_ATOMS = st.one_of(
    st.sampled_from(sorted(VARIABLES)),
    st.sampled_from(["0", "1", "7", "255", "40000", "3u", "65536", "2147483647", "5ll", "'a'"]),
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
    operators += ["<", ">", "<=", ">=", "==", "!=", "&&", "||"]
    casts = ["int", "unsigned", "short", "unsigned char", "long long", "signed char", "bool"]
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(operators), inner),
        st.builds("({} {})".format, st.sampled_from(["-", "~", "!", "+"]), inner),
        st.builds("(({}){})".format, st.sampled_from(casts), inner),
        st.builds(
            "({0} ? ({1}){2} : ({1}){3})".format, inner, st.sampled_from(casts), inner, inner
        ),
    )


_EXPRESSIONS = st.recursive(_ATOMS, _combined, max_leaves=8)
_VALUES = st.fixed_dictionaries(
    {
        name: st.one_of(
            st.integers(-3, 40),
            st.integers(-(1 << 8 * t.size - 1), (1 << 8 * t.size - 1) - 1),
        )
        for name, t in VARIABLES.items()
    }
)


def _kernel(expressions: list[str]) -> str:
    parameters = ", ".join(f"{t.name} {name}" for name, t in VARIABLES.items())
    lines = [f"    out[{at}] = {text};" for at, text in enumerate(expressions)]
    return "\n".join([f"__global__ void k(long long *out, {parameters})", "{", *lines, "}\n"])


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_EXPRESSIONS, min_size=5, max_size=20), _VALUES)
def test_random_expressions(expressions: list[str], numbers: dict[str, int]) -> None:
    """Where C defines a value, the lowered kernel computes it."""
    constants = {}
    for name, number in numbers.items():
        value = c_types.convert(Value(number, c_types.LLONG), VARIABLES[name])
        assert value is not None
        constants[name] = value
    names = Names(constants=constants)
    folded = [c_types.convert(fold(text, names), c_types.LLONG) for text in expressions]
    defined = [(t, v.number) for t, v in zip(expressions, folded, strict=True) if v is not None]
    if not defined:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "k.cu")
        path.write_text(_kernel([text for text, _ in defined]))
        found = csubset.compile_file(path)
    assert found.ptx is not None, found.lost
    scalars = tuple(Scalar(int(constants[name].number)) for name in VARIABLES)
    buffer = Buffer("out", size=8 * len(defined), data=np.zeros(8 * len(defined), np.uint8))
    run = simulate(parse(found.ptx), "k", Launch((1, 1, 1), (1, 1, 1), (buffer, *scalars)))
    results = run.buffers["out"].view(np.int64)[: len(defined)]
    assert [(t, int(r)) for (t, _), r in zip(defined, results, strict=True)] == defined
