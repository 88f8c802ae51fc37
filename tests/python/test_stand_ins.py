"""Tensors without numbers against NumPy's arrays, and what stands in for packages."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.python_kernels.home import dotted
from perflint.python_kernels.made_calls import _wanted
from perflint.python_kernels.roles import uses_of
from perflint.python_kernels.stand_ins.anything import Anything
from perflint.python_kernels.stand_ins.finder import Finder
from perflint.python_kernels.stand_ins.tensors import DTYPES, Device, RankError, Tensor, broadcast
from perflint.python_kernels.stand_ins.torch_module import TensorClass, stand

pytestmark = pytest.mark.quick
SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def same(tensor: Tensor, array: np.ndarray) -> None:
    """Shapes agree, and strides wherever an extent has two elements."""
    assert tuple(tensor.shape) == array.shape
    steps = [s // array.itemsize for s in array.strides]
    for extent, mine, theirs in zip(array.shape, tensor.stride(), steps, strict=True):
        assert extent < 2 or mine == theirs


@given(SHAPES, st.data())
def test_views_have_the_strides_of_numpys(shape: list[int], data: st.DataObject) -> None:
    tensor, array = Tensor(shape), np.zeros(shape, np.float32)
    order = data.draw(st.permutations(range(len(shape))))
    same(tensor.permute(*order), array.transpose(order))
    same(tensor.permute(order).contiguous(), np.ascontiguousarray(array.transpose(order)))
    keys = tuple(
        data.draw(st.one_of(
            st.integers(0, extent - 1),
            st.builds(slice, st.integers(0, extent), st.none(), st.integers(1, 2)),
        ))
        for extent in shape
    )  # fmt: skip
    same(tensor[keys], array[keys])
    same(tensor[..., 0], array[..., 0])
    same(tensor[:, None], array[:, None])
    at = data.draw(st.integers(0, len(shape)))
    same(tensor.unsqueeze(at), np.expand_dims(array, at))
    same(tensor.view(-1), array.reshape(-1))
    same(tensor.sum(0, keepdim=True), array.sum(0, keepdims=True))
    same(tensor.sum(-1), array.sum(-1))


@given(SHAPES, SHAPES)
def test_shapes_go_together_as_numpys(first: list[int], second: list[int]) -> None:
    try:
        theirs = np.broadcast_shapes(tuple(first), tuple(second))
    except ValueError:
        with pytest.raises(RuntimeError):
            broadcast(first, second)
    else:
        assert broadcast(first, second) == theirs
        same(Tensor(first).expand(theirs) if len(first) <= len(theirs) else Tensor(theirs),
             np.broadcast_to(np.zeros(first, np.float32), theirs))  # fmt: skip


@given(SHAPES, st.data())
def test_views_lie_where_numpys_do(shape: list[int], data: st.DataObject) -> None:
    """Triton's launcher asks whether an address is a multiple of 16."""
    tensor, array = Tensor(shape), np.zeros(shape, np.float32)
    keys = tuple(data.draw(st.integers(0, extent - 1)) for extent in shape)
    first = array.__array_interface__["data"][0]
    there = array[keys[:-1]][keys[-1] :].__array_interface__["data"][0]
    assert tensor[keys[:-1]][keys[-1] :].data_ptr() - tensor.data_ptr() == there - first
    assert tensor.view(-1).data_ptr() == tensor.transpose(0, -1).data_ptr() == tensor.data_ptr()
    assert tensor.clone().data_ptr() != tensor.data_ptr() != (tensor + 1).data_ptr()


def test_who_unpacks_too_many_strides_is_told() -> None:
    tensor = Tensor((4, 8), made="x")
    with pytest.raises(RankError) as told:
        tensor.stride()[2]
    assert told.value.wanted == 3


def test_a_tensor_is_made_of_numbers_or_of_extents() -> None:
    assert tuple(TensorClass([4, 5, 3, 2]).shape) == (4,)
    assert tuple(TensorClass([[4, 5], [3, 2], [1, 0]]).shape) == (3, 2)
    assert tuple(TensorClass(4, 5).shape) == (4, 5)
    assert isinstance(Tensor((2,)), TensorClass) and not isinstance(3, TensorClass)


def test_other_makers_accelerators_are_not_there() -> None:
    torch = stand("torch")
    assert not hasattr(torch, "npu") and hasattr(torch, "new_function")


def test_who_asks_for_more_dimensions_is_told() -> None:
    tensor = Tensor((4, 8), made="x")
    with pytest.raises(RankError) as told:
        tensor.shape[2]
    assert told.value.wanted == 3 and told.value.tensor is tensor
    assert tensor.view(2, -1).stride(0) == 16
    with pytest.raises(RuntimeError, match="invalid"):
        tensor.view(5, -1)


def test_an_argument_is_what_is_done_with_it() -> None:
    uses = uses_of(_launching)
    assert {n: (u.tensor, u.rank) for n, u in uses.items()} == {
        "x": (True, 3), "w": (True, 1), "mode": (False, 0), "n": (False, 0), "causal": (False, 0),
    }  # fmt: skip
    assert uses["mode"].words == ["sum", "mean"] and uses["causal"].flag


def _launching(x, w, mode, n, causal):  # type: ignore[no-untyped-def]
    batch, rows, cols = x.shape
    assert w.shape[0] == cols
    if mode == "sum" or mode == "mean":
        n += 1
    return n if causal else batch + rows


def test_nothing_is_known_of_what_is_absent() -> None:
    thing = Anything("absent")

    @thing.decorator
    def function() -> int:
        return 3

    class Derived(thing.Base):  # type: ignore[misc]
        pass

    assert function() == 3 and not isinstance(3, thing.kind) and not thing.flag
    assert Derived(1, key=2) is not None


def test_absent_packages_stand_where_nothing_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remarks: list[str] = []
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder(remarks)])
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "needing_it.py").write_text(
        "import importlib.util\nimport absent_one.inner as one\n"
        "try:\n    import absent_two as two\nexcept ImportError:\n    two = None\n"
        "three = importlib.util.find_spec('absent_three')\n"
    )
    import needing_it  # type: ignore[import-not-found]

    assert needing_it.one is not None and needing_it.two is None and needing_it.three is None
    assert remarks == ["absent_one is not installed: what the module does with it is not seen"]
    for name in ("absent_one", "absent_one.inner", "needing_it"):
        del sys.modules[name]


def test_a_module_has_its_packages_name(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    assert dotted(inner / "k.py") == (tmp_path, ("outer", "inner", "k"))
    assert dotted(tmp_path / "k.py") == (tmp_path, ("k",))


@pytest.mark.parametrize(
    ("text", "rank", "wanted"),
    [
        ("not enough values to unpack (expected 4, got 2)", 2, 4),
        ("not enough values to unpack (expected 5, got 3)", 2, 4),  # `*k.shape, v.shape[-1]`
        ("too many values to unpack (expected 3)", 4, 3),
        ("not enough values to unpack (expected 3, got 2)", 0, 3),
        ("invalid literal", 2, 0),
    ],
)
def test_how_many_dimensions_are_wanted(text: str, rank: int, wanted: int) -> None:
    assert _wanted(ValueError(text), rank) == wanted


def test_devices_are_spelt_as_pytorch_does() -> None:
    assert [str(Device(*given)) for given in (("cuda",), (1,), ("cuda", 2), (Device("cpu"),))] == [
        "cuda", "cuda:1", "cuda:2", "cpu",
    ]  # fmt: skip


def test_what_picks_among_elements_names_what_it_gives() -> None:
    x = Tensor((4, 8), DTYPES["float32"])
    for picked in (x.sort(descending=True), x.max(dim=-1), x.topk(2)):
        assert picked.values is picked[0] and picked.indices.dtype.name == "int64"
    assert tuple(x.topk(2).values.shape) == (4, 2)


def test_a_tensor_with_its_dimensions_in_another_order_has_the_arguments_rank() -> None:
    x = Tensor((4, 8, 16), DTYPES["float32"], made="x")
    turned = x.transpose(1, 2)
    assert (turned.rank_of, turned.contiguous().rank_of, turned.made) == ("x", "x", "")
    assert (x[0].rank_of, x.view(-1).rank_of) == ("", "")
