"""Texture fetches and surface accesses against NumPy (PTX ISA 9.7.10, 9.7.11)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perflint.grammar import parse
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Argument, Buffer, Launch, Run, Scalar, Texture
from perflint.sim.launch import UnsupportedInstructionError as Unsupported

IMAGE = np.arange(24, dtype=np.float32).reshape(4, 6) ** 2


def run(
    instruction: str,
    texture: Argument,
    coordinates: np.ndarray,
    slice_only: bool = False,
    **options: str,
) -> Run:
    """One lane a row of coordinates (n, 4), as %f0 to %f3 or %r0 to %r3; %f4 to %f7 are stored."""
    kind = "f" if coordinates.dtype == np.float32 else "r"
    module = parse(
        f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 object, .param .u64 at, .param .u64 out) {{
.reg .f32 %f<8>; .reg .b32 %r<8>, %i; .reg .b64 %rd<9>; .reg .b16 %h<5>;
ld.param.u64 %rd8, [object]; ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out];
mov.b64 %rd7, %rd8;
mov.u32 %i, %tid.x; mul.wide.u32 %rd3, %i, 16; add.s64 %rd1, %rd1, %rd3;
add.s64 %rd2, %rd2, %rd3;
ld.global.v4.b32 {{%{kind}0, %{kind}1, %{kind}2, %{kind}3}}, [%rd1];
{instruction}
{options.get("before", "")}
st.global.v4.b32 [%rd2], {{{options.get("stored", "%f4, %f5, %f6, %f7")}}};
ret; }}"""
    )
    n = len(coordinates)
    arguments = (texture, Buffer("at", data=coordinates), Buffer("out", data=np.zeros(4 * n, "f4")))
    launch = Launch((1, 1, 1), (n, 1, 1), arguments)
    done = simulate(module, "k", launch, SimulationOptions(slice_only=slice_only))
    assert done.stop is None
    return done


def points(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array([(*row, 0, 0, 0)[:4] for row in rows], np.float32)


def tex_2d(texture: Texture, at: np.ndarray, geometry: str = "2d") -> np.ndarray:
    text = f"tex.{geometry}.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [%rd7, {{%f0, %f1}}];"
    return run(text, texture, at).buffers["out"].view("f4").reshape(-1, 4)


def image(**options: object) -> Texture:
    return Texture("image", (1, 1, 4, 6), data=IMAGE, **options)  # type: ignore[arg-type]


def test_nearest_takes_the_texel_around_the_point() -> None:
    out = tex_2d(image(), points((0.0, 0.0), (0.99, 3.0), (5.5, 2.5), (2.0, 1.999)))
    assert out[:, 0].tolist() == [IMAGE[0, 0], IMAGE[3, 0], IMAGE[2, 5], IMAGE[1, 2]]
    assert out[0].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("addressing", "columns"),
    [("clamp", [0, 0, 5, 5]), ("wrap", [5, 3, 0, 1]), ("mirror", [0, 2, 5, 4])],
)
def test_addressing_beyond_the_extents(addressing: str, columns: list[int]) -> None:
    texture = image(addressing=addressing, normalised_coordinates=True)
    at = points(*((x / 6, 0.1) for x in (-0.5, -2.5, 6.5, 7.5)))
    assert tex_2d(texture, at)[:, 0].tolist() == [float(IMAGE[0, c]) for c in columns]


def test_beyond_a_border_is_zero() -> None:
    out = tex_2d(image(addressing="border"), points((-0.5, 3.5), (5.5, 3.5), (5.5, 4.5)))
    assert out[:, 0].tolist() == [0.0, IMAGE[3, 5], 0.0]


def test_linear_filtering_weighs_with_eight_bits() -> None:
    rng = np.random.default_rng(1)
    at = points(*((x, y) for x, y in rng.uniform(-1, 7, (32, 2))))
    out = tex_2d(image(linear=True), at)[:, 0]
    for (x, y, *_), got in zip(at.astype(float), out, strict=True):
        i, j = np.floor(x - 0.5), np.floor(y - 0.5)
        a, b = np.rint((x - 0.5 - i) * 256) / 256, np.rint((y - 0.5 - j) * 256) / 256

        def texel(column: float, row: float) -> float:
            return float(IMAGE[int(np.clip(row, 0, 3)), int(np.clip(column, 0, 5))])

        want = (1 - b) * ((1 - a) * texel(i, j) + a * texel(i + 1, j)) + b * (
            (1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1)
        )
        assert got == np.float32(want)


def test_gather_takes_four_neighbours() -> None:
    text = "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f0, %f1}];"
    out = run(text, image(), points((2.0, 2.0))).buffers["out"].view("f4")
    assert out.tolist() == [IMAGE[2, 1], IMAGE[2, 2], IMAGE[1, 2], IMAGE[1, 1]]


def test_fetch_by_index_gives_zero_outside() -> None:
    data = np.arange(10, 42, dtype=np.uint8).reshape(8, 4)
    texture = Texture("line", (1, 1, 1, 8), "u8", 4, data)
    at = np.array([[0], [7], [8], [-1]], np.int32).repeat(4, axis=1)
    text = "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd7, {%r0}];"
    out = run(text, texture, at, stored="%r4, %r5, %r6, %r7").buffers["out"].view("u4")
    assert out.reshape(4, 4).tolist() == [[10, 11, 12, 13], [38, 39, 40, 41], [0] * 4, [0] * 4]


def test_bytes_are_read_as_fractions() -> None:
    data = np.array([0, 51, 255], np.uint8)
    texture = Texture("line", (1, 1, 1, 3), "u8", 1, data, normalised_values=True)
    text = "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f0}];"
    out = run(text, texture, points((0.5,), (1.5,), (2.5,))).buffers["out"].view("f4")
    assert out.reshape(3, 4)[:, 0].tolist() == [0.0, np.float32(0.2), 1.0]


def test_layers_and_volumes() -> None:
    volume = np.arange(60, dtype=np.float32)
    text = "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f0, %f1, %f2, %f2}];"
    out = run(text, Texture("v", (1, 3, 4, 5), data=volume), points((2.5, 1.5, 2.5)))
    assert out.buffers["out"].view("f4")[0] == volume.reshape(3, 4, 5)[2, 1, 2]
    text = "mov.b32 %r1, 2; tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%r1, %f0, %f1, %f1}];"
    out = run(text, Texture("v", (3, 1, 4, 5), data=volume), points((2.5, 1.5)))
    assert out.buffers["out"].view("f4")[0] == volume.reshape(3, 4, 5)[2, 1, 2]


def test_cube_maps() -> None:
    """The middle of each face, in the order +x, -x, +y, -y, +z, -z."""
    faces = np.arange(6, dtype=np.float32).repeat(4)
    texture = Texture("cube", (6, 1, 2, 2), data=faces, normalised_coordinates=True)
    text = "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f0, %f1, %f2, %f2}];"
    axes = points((2, 0, 0), (-2, 0, 0), (0, 2, 0), (0, -2, 0), (0, 0, 2), (0, 0, -2))
    out = run(text, texture, axes).buffers["out"].view("f4").reshape(-1, 4)
    assert out[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_surfaces_are_written_and_read_back() -> None:
    at = np.array([[4 * x, y, x * 10 + y, 0] for y in range(4) for x in range(6)], np.int32)
    text = """sust.b.2d.b32.trap [%rd7, {%r0, %r1}], %r2;
suld.b.2d.b32.trap %r4, [%rd7, {%r0, %r1}];"""
    done = run(text, image(element="s32"), at, stored="%r4, %r4, %r4, %r4")
    want = [[10 * x + y for x in range(6)] for y in range(4)]
    assert done.buffers["image"].view("i4")[:24].reshape(4, 6).tolist() == want
    assert done.buffers["out"].view("i4").reshape(-1, 4)[:, 0].tolist() == at[:, 2].tolist()
    assert done.faults == ()


@pytest.mark.parametrize(("mode", "got"), [("zero", 0.0), ("clamp", float(IMAGE[3, 5]))])
def test_surface_modes_outside(mode: str, got: float) -> None:
    at = np.array([[4 * 6, 4, 0, 0]], np.int32)
    text = f"suld.b.2d.b32.{mode} %r4, [%rd7, {{%r0, %r1}}];"
    done = run(text, image(), at, stored="%r4, %r4, %r4, %r4")
    assert done.buffers["out"].view("f4")[0] == got
    assert done.faults == ()


def test_a_trapping_access_outside_is_a_fault() -> None:
    at = np.array([[4 * 6, 0, 5, 0]], np.int32)
    done = run("sust.b.2d.b32.trap [%rd7, {%r0, %r1}], %r2;", image(), at)
    assert [fault.kind for fault in done.faults] == ["out-of-region"]
    assert np.array_equal(done.buffers["image"].view("f4")[:24].reshape(4, 6), IMAGE)


def test_queries() -> None:
    text = "txq.width.b32 %r4, [%rd7]; suq.height.b32 %r5, [%rd7];"
    done = run(text, image(), points((0.0,)), stored="%r4, %r5, %r4, %r5")
    assert done.buffers["out"].view("i4")[:2].tolist() == [6, 4]


def test_a_reference_is_named_by_its_address() -> None:
    """Its variable's own bytes are the host's matter: texels lie elsewhere."""
    module = parse(
        """.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 line[20];
.visible .entry k(.param .u64 out) {
.reg .f32 %f<5>; .reg .b32 %r<2>; .reg .b64 %rd<5>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
mov.u64 %rd3, line; cvta.global.u64 %rd4, %rd3;
tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd4, {%r1}];
st.global.f32 [%rd1], %f1;
ret; }"""
    )
    texels = np.arange(8, dtype=np.float32) ** 2
    out = Buffer("out", data=np.zeros(8, "f4"))
    unbound = Launch((1, 1, 1), (8, 1, 1), (out,))
    with pytest.raises(Unsupported, match="no texture is bound to an object that is no parameter"):
        simulate(module, "k", unbound)
    bound = replace(unbound, textures=(("line", Texture("line", (1, 1, 1, 8), data=texels)),))
    done = simulate(module, "k", bound)
    assert done.stop is None
    assert done.buffers["out"].view("f4").tolist() == texels.tolist()


def test_objects_that_nothing_binds_are_refused_before_the_launch() -> None:
    with pytest.raises(Unsupported, match="no texture is bound to parameter 1"):
        tex_2d(Scalar(1024), points((0.0, 0.0)))  # type: ignore[arg-type]
    text = "suld.b.2d.b32.trap %r4, [%rd5, {%r0, %r1}];"
    with pytest.raises(Unsupported, match="no surface is bound to an object that is no parameter"):
        run(text, image(), np.zeros((1, 4), np.int32))


def test_a_form_without_a_meaning_is_refused_where_its_texel_is_wanted() -> None:
    """Where nothing hangs on the texel, the rest of the kernel is run as if it were arithmetic."""
    text = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd7, {%f0, %f1}], {%r0, %r1};"
    with pytest.raises(Unsupported):
        run(text, image(), points((0.0,)))
    assert run(text, image(), points((0.0,)), slice_only=True).faults == ()
    wanted = "cvt.rzi.s32.f32 %r4, %f4; mul.wide.s32 %rd4, %r4, 4; add.s64 %rd2, %rd2, %rd4;"
    with pytest.raises(Unsupported):
        run(text, image(), points((0.0,)), slice_only=True, before=wanted)
