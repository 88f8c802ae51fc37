"""`--launch`: what is read, what is refused."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.base.launch_option import (
    MAX_BLOCK,
    MAX_GRID,
    MAX_SHARED,
    LaunchSpec,
    LaunchSpecError,
    parse,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k=<<<1,32>>>", LaunchSpec("k", (1, 1, 1), (32, 1, 1))),
        (
            "k=<<<(64,64),(16,16)>>>(n=1024)",
            LaunchSpec("k", (64, 64, 1), (16, 16, 1), 0, (("n", 1024),)),
        ),
        (
            " ns::k = <<< (2, 3, 4), 0x20, 1024 >>> ( a = -1.5e-3 , b=.5, c=0x10, d=-7 ) ",
            LaunchSpec(
                "ns::k",
                (2, 3, 4),
                (32, 1, 1),
                1024,
                (("a", -0.0015), ("b", 0.5), ("c", 16), ("d", -7)),
            ),
        ),
        ("_Z1kPf=<<<1,1>>>()", LaunchSpec("_Z1kPf", (1, 1, 1), (1, 1, 1))),
        ("k<<<8, 64>>>(n=4 assumed)", LaunchSpec("k", (8, 1, 1), (64, 1, 1), 0, (("n", 4),))),
        (
            "ns::k<float2, vec<int>><<<(8, 2), 64>>>()",
            LaunchSpec("ns::k<float2, vec<int>>", (8, 2, 1), (64, 1, 1)),
        ),
    ],
)
def test_read(text: str, expected: LaunchSpec) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a kernel's name, found the end (column 1"),
        ("k", "expected '<<<' after the kernel's name, found the end"),
        ("k=1", "expected '<<<' after the kernel's name, found '1' (column 3"),
        ("k=<<<,1>>>", "expected the grid, a number or (x, y, z), found ','"),
        ("k=<<<1>>>", "expected ',' and the block, found '>>>'"),
        ("k=<<<1,1", "expected ',' or '>>>', found the end"),
        ("k=<<<(1,2,3,4),1>>>", "a grid has at most three numbers"),
        ("k=<<<(),1>>>", "expected the grid's x, found ')'"),
        ("k=<<<1.5,1>>>", "found '1.5'"),
        ("k=<<<0,1>>>", "the grid's x must be 1 to 2147483647, not 0"),
        ("k=<<<(1,65536),1>>>", "the grid's y must be 1 to 65535, not 65536"),
        ("k=<<<1,(1,1,65)>>>", "the block's z must be 1 to 64, not 65"),
        ("k=<<<1,(64,32)>>>", "a block has at most 1024 threads, not 2048"),
        ("k=<<<1,1,-1>>>", "dynamic shared memory must be 0 to 232448 bytes"),
        ("k=<<<1,1>>>(n)", "expected '=' after 'n', found ')'"),
        ("k=<<<1,1>>>(n=)", "expected a number for 'n', found ')'"),
        ("k=<<<1,1>>>(n=1,)", "expected a parameter's name, found ')'"),
        ("k=<<<1,1>>>(n=1,n=2)", "argument 'n' is given twice"),
        ("k=<<<1,1>>>(n=1e999)", "argument 'n' does not fit 64 bits"),
        ("k=<<<1,1>>>(n=18446744073709551616)", "does not fit 64 bits"),
        ("k=<<<1,1>>>(n=1) x", "expected the end, found 'x'"),
        ("k=<<<1,1>>>(n=@)", "unexpected '@' (column 15"),
        ("k<int=<<<1,1>>>", "unexpected '<' (column 2"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(LaunchSpecError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "write it as kernel<<<(64,64),(16,16)>>>(n=1024)" in str(caught.value)


def dims(most: tuple[int, int, int]) -> st.SearchStrategy[tuple[int, int, int]]:
    return st.tuples(*(st.integers(1, limit) for limit in most))


@st.composite
def blocks(draw: st.DrawFn) -> tuple[int, int, int]:
    """Extents of up to 1,024 threads: few triples that are drawn apart are."""
    block = [1, 1, 1]
    for axis in draw(st.permutations(range(3))):
        left = 1024 // math.prod(block)
        block[axis] = draw(st.integers(1, min(MAX_BLOCK[axis], left)))
    return (block[0], block[1], block[2])


@given(
    dims(MAX_GRID),
    blocks(),
    st.integers(0, MAX_SHARED),
    st.dictionaries(
        st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True),
        st.integers(-(2**63), 2**64 - 1) | st.floats(-1e18, 1e18),
    ),
)
def test_what_is_written_is_read_back(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared: int,
    arguments: dict[str, int | float],
) -> None:
    spec = LaunchSpec("k", grid, block, shared, tuple(arguments.items()))
    assert parse(spec.text) == spec


@given(st.text("k=<>(),1.x: -e", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(LaunchSpecError):
        parse(text)
