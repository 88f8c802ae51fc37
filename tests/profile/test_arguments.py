"""Launches with arguments, as `perflint profile --launch` takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.profile.arguments import ArgumentSpecError, ArraySpec, made, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16384", 16384),
        ("-3", -3),
        ("0x10", 16),
        ("1.5e3", 1500.0),
        ("true", 1),
        ("null", None),
        ("x.npy", Path("x.npy")),
        ("'a, b).npy'", Path("a, b).npy")),
        ("random:f32[16384]", ArraySpec("random", "f32", (16384,))),
        ("zeros:f64[64, 32]", ArraySpec("zeros", "f64", (64, 32))),
        ("iota:int[8x4]", ArraySpec("iota", "int", (8, 4))),
        ("-1.5:float4[10]", ArraySpec(-1.5, "float", (10, 4))),
        ("0xff:uchar[3]", ArraySpec(255, "uchar", (3,))),
    ],
)
def test_values(text: str, value: object) -> None:
    found = parse(f"<<<1,32>>>(a={text}, b = 2)")
    assert found.arguments == (("a", value), ("b", 2))


def test_a_whole_launch() -> None:
    text = "<<<(64, 2), (16, 8, 2), 1024>>>(in=random:f32[16384], n=16384)"
    found = parse(f" reduce = {text}")
    assert (found.grid, found.block, found.shared) == ((64, 2, 1), (16, 8, 2), 1024)
    assert (found.kernel, found.text) == ("reduce", text)
    assert parse("<<<1,2>>>").arguments == parse("<<<1,2>>>()").arguments == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("64,256", "is no launch"),
        ("<<<64>>>", "expected ','"),
        ("<<<64,2048>>>", "1 to 1024"),
        ("<<<0,32>>>", "1 to"),
        ("<<<1,32>>>(5)", "expected name=value"),
        ("<<<1,32>>>(a=1,a=2)", "given twice"),
        ("<<<1,32>>>(a=1,)", "expected name=value"),
        ("<<<1,32>>>(a=nonsense)", "is no number"),
        ("<<<1,32>>>(a=rand:f32[4])", "there is no fill 'rand'"),
        ("<<<1,32>>>(a=zeros:f99[4])", "there is no type 'f99'"),
        ("<<<1,32>>>(a=zeros:f32[])", "must be numbers from 1"),
        ("<<<1,32>>>(a=zeros:f32[0])", "must be numbers from 1"),
        ("<<<1,32>>>(a=zeros:f32[n])", "must be numbers from 1"),
        ("<<<1,32>>>(a=zeros:f64[99999,99999])", "larger than 2 GiB"),
    ],
)
def test_mistakes(text: str, told: str) -> None:
    with pytest.raises(ArgumentSpecError) as error:
        parse(text)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zeros:f32[2,3]", np.zeros((2, 3), np.float32)),
        ("ones:u16[4]", np.ones(4, np.uint16)),
        ("iota:f64[5]", np.arange(5.0)),
        ("iota:s32[2,3]", np.arange(6, dtype=np.int32).reshape(2, 3)),
        ("2.5:half[3]", np.full(3, 2.5, np.float16)),
        ("-1:int2[2]", np.full((2, 2), -1, np.int32)),
    ],
)
def test_arrays(text: str, expected: np.ndarray) -> None:
    found = _array(text)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def _array(text: str, seed: int = 0) -> Any:
    [(name, value)] = parse(f"<<<1,1>>>(a={text})").arguments
    return made(name, value, seed)


@pytest.mark.parametrize("kind", ["f16", "f32", "f64", "s8", "u8", "s32", "u64"])
def test_random_arrays_repeat_and_differ(kind: str) -> None:
    first = _array(f"random:{kind}[500]")
    assert np.array_equal(first, _array(f"random:{kind}[500]"))
    assert not np.array_equal(first, _array(f"random:{kind}[500]", seed=1))
    top = 1.0 if kind[0] == "f" else min(1024, 2 ** (8 * first.itemsize - (kind[0] == "s")))
    assert first.min() >= 0 and first.max() <= top and len(set(first.tolist())) > 80


@pytest.mark.parametrize("text", ["300:u8[2]", "-1:u32[2]", "1.5:int[2]"])
def test_a_number_that_the_type_does_not_have(text: str) -> None:
    with pytest.raises(ArgumentSpecError, match="is no "):
        _array(text)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(6).reshape(2, 3))
    assert np.array_equal(_array(str(path)), np.arange(6).reshape(2, 3))
    for broken in (b"nonsense", path.read_bytes().replace(b"}", b"(")):
        path.write_bytes(broken)
        with pytest.raises(ArgumentSpecError, match=r"is no \.npy file"):
            _array(str(path))
    with pytest.raises(ArgumentSpecError, match="there is no file"):
        _array(str(tmp_path / "y.npy"))


def test_a_file_of_objects_is_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ArgumentSpecError, match="is no"):
        _array(str(path))
