"""What checks that fail want of made-up arguments: as functions of libraries write them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from perflint.python_kernels.checks import wishes
from perflint.python_kernels.made_arguments import Made
from perflint.python_kernels.stand_ins.tensors import DTYPES, ShapeError, Tensor

HALF, BFLOAT = DTYPES["float16"], DTYPES["bfloat16"]


def _made(name: str, *shape: int) -> Tensor:
    return Tensor(shape, BFLOAT, made=name)


def _number(name: str, value: int) -> Made:
    made = Made(value)
    made.name = name
    return made


def _wanted(folder: Path, body: str, **given: Any) -> dict[tuple[str, str], Any]:
    """What a function's checks want of what it is given."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file = folder / "checked.py"
    file.write_text(f"HALF = None\n\ndef function({', '.join(given)}):\n{lines}\n")
    spec = importlib.util.spec_from_file_location("checked", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["HALF"] = HALF
    with pytest.raises((AssertionError, ValueError)) as caught:
        module.__dict__["function"](**given)
    return wishes(caught.value)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("assert w.shape == (x.shape[-1],)", {("shapes", "w"): (64,)}),
        ("assert (x.shape[-1],) == w.shape", {("shapes", "w"): (64,)}),
        ("assert w.shape[0] == x.size(1), 'no'", {("shapes", "w"): (64,)}),
        ("m, n = x.shape\nassert w.shape == (n,)", {("shapes", "w"): (64,)}),
        ("m, n = x.shape\nk = w.shape[0]\nassert n == k", {("shapes", "x"): (32, 8)}),
        ("if w.shape != (x.shape[1],):\n    raise ValueError('no')", {("shapes", "w"): (64,)}),
        ("assert w.numel() > 9", {("shapes", "w"): (10,)}),
        ("assert w.numel() == 1", {("shapes", "w"): (1,)}),
        ("assert x.numel() == 1", {("shapes", "x"): (1, 1)}),
        ("assert x.numel() == 6", {}),  # of which extents, nobody says
        ("assert x.stride(0) == 1", {("shapes", "x"): (64,)}),
        ("assert x.stride()[0] == 1", {("shapes", "x"): (64,)}),
        ("assert x.stride(0) == 2", {}),
        ("assert x.dim() == 3", {("shapes", "x"): (4, 32, 64)}),
        ("assert len(x.shape) == 3", {("shapes", "x"): (4, 32, 64)}),
        ("assert len(w) == len(x)", {("shapes", "w"): (32,)}),
        ("assert w.ndim == 2 and x.ndim == 2", {("shapes", "w"): (4, 8)}),
        ("assert x.dtype == HALF", {("types", "x"): HALF}),
        ("assert x.dtype in (HALF, None)", {("types", "x"): HALF}),
        ("assert w is None", {("values", "w"): None}),
        ("assert not (w is not None and x is not None)", {("values", "w"): None}),
        ("assert x.shape[0] % n == 0", {("values", "n"): 1}),
        ("assert n % 4 == 0", {("values", "n"): 4}),
        ("assert n <= 4", {("values", "n"): 4}),
        ("assert x.shape[1] < 64", {("shapes", "x"): (32, 63)}),
        ("x = x.unsqueeze(1)\nassert x.shape == (32, 4, 64)", {("shapes", "x"): (32, 4, 64)}),
        ("x = x[1:]\nassert x.shape == (32, 64)", {}),  # it is no more what was made up
        ("assert x.is_contiguous() is None", {}),
        ("raise ValueError('no')", {}),
        ("assert w.shape == unknown if False else w.shape == (1, 2)[:1]", {}),
    ],
)  # fmt: skip
def test_a_check_says_what_would_do(tmp_path: Path, body: str, wanted: dict[Any, Any]) -> None:
    given = {"x": _made("x", 32, 64), "w": _made("w", 8), "n": _number("n", 5)}
    assert _wanted(tmp_path, body, **given) == wanted


def test_what_does_not_go_together_is_given_the_shape_that_does() -> None:
    x, bias, weight = _made("x", 32, 64), _made("bias", 8), _made("weight", 8, 16)
    with pytest.raises(ShapeError) as added:
        x + bias
    assert (added.value.tensor.made, added.value.wanted) == ("bias", (64,))
    with pytest.raises(ShapeError) as multiplied:
        x @ weight
    assert (multiplied.value.tensor.made, multiplied.value.wanted) == ("weight", (64, 16))
